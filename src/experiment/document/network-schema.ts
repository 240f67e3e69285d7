/**
 * @module
 * The part of a threat model about the honest network: the number of nodes, the policy for claims, the
 * elections, the authentication of messages and the defences of nodes.
 */

import { z } from 'zod';

import { LEVELS } from '../../election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { TOPOLOGY_MEANING } from '../../election/topology/registry.ts';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import { policySchema } from '../../identity/policy.ts';
import { SAME_TICK_MEANING, SAME_TICK_ORDERS } from '../../simulation/plan/plan.ts';
import { CHOSEN_DEFENCE_NAMES } from './defence-names.ts';
import { HONEST_MAX, WATCHED_TICKS_MAX } from './limits.ts';
import { integer, listError, oneOf, someOf } from './wording.ts';

/** The default: one protocol of each family. */
const PROTOCOLS_DEFAULT = ['bully-oneshot', 'cr-join'] as const;

const FLAG_ERROR = 'must be a list of name=value as usurp elect --flags takes them';
const LATENCY_ERROR = 'must be a number of ticks, uniform:MIN:MAX or exp:MEAN';

const electionSchema = z
  .strictObject({
    protocols: someOf(PROTOCOL_NAMES)
      .min(1, { error: listError(PROTOCOL_NAMES) })
      .default([...PROTOCOLS_DEFAULT])
      .meta({
        description: 'The elections held among all nodes, one after the other.',
        uniqueItems: true,
      }),
    flags: z
      .array(z.string().regex(/^[a-zA-Z][\w-]{0,31}=[\w.-]{1,32}$/, { error: FLAG_ERROR }), {
        error: FLAG_ERROR,
      })
      .max(16, { error: FLAG_ERROR })
      .default([])
      .describe('Variants and numbers of the protocol, each name=value.'),
    level: oneOf(LEVELS)
      .optional()
      .describe(
        'What nodes require of messages: L0 only their form, L1 true senders, L2 signatures, L3 fresh signatures. The default is L0 if there are adversaries or defences; otherwise nodes do not check messages.',
      ),
    defences: someOf(CHOSEN_DEFENCE_NAMES).default([]).meta({
      description:
        'Defences of honest nodes, as usurp attack --list shows them. If identities are forged, frozen-membership also refuses them, because they are made after the honest ones are known, and beacon-rank draws all ranks by a beacon after all nodes are registered.',
      uniqueItems: true,
    }),
    ring: oneOf(['shuffled', 'by-id'])
      .default('shuffled')
      .describe('Order of the nodes on a ring: drawn, or the order of ranks.'),
    topology: z
      .string()
      .max(64)
      .optional()
      .meta({
        description: `${TOPOLOGY_MEANING}. The ring gives the positions. The default is a link between each pair of nodes.`,
        examples: ['ring', 'erdos-renyi:40%'],
      }),
    detector: z
      .string()
      .max(200)
      .optional()
      .meta({
        description:
          'The failure detector on every node, as usurp elect --detector takes it. The default is a detector outside the nodes that makes no mistakes.',
        examples: ['fd-heartbeat', 'fd-phi-akka'],
      }),
    resource: z
      .string()
      .max(100)
      .optional()
      .meta({
        description:
          'The resource to which leaders write: unfenced, fencing-register or fencing-max, as usurp elect --resource takes it.',
        examples: ['unfenced', 'fencing-max'],
      }),
    clients: z
      .string()
      .max(100)
      .optional()
      .meta({
        description:
          'The clients that leaders serve, from the resource or from the log of the protocol: a number with options, as usurp elect --clients takes it.',
        examples: ['3', '3:reads=resource'],
      }),
    ticks: integer(1, WATCHED_TICKS_MAX)
      .optional()
      .describe(
        'Ticks for which an election with behaviours or faults is watched. The default is the time of some elections.',
      ),
    latency: z
      .union(
        [
          z.number().meta({ type: 'integer', minimum: 1 }),
          z.string().meta({ pattern: '^([0-9]+|uniform:[0-9]+:[0-9]+|exp:[0-9]+)$' }),
        ],
        { error: LATENCY_ERROR },
      )
      .default('uniform:1:2')
      .describe(
        'Ticks that a message travels: a whole number, uniform:MIN:MAX or exp:MEAN. Drawn by default, so that runs differ.',
      ),
    fifo: z
      .boolean()
      .default(true)
      .describe('Whether messages of a link arrive in the order in which they were sent.'),
    sameTick: oneOf(SAME_TICK_ORDERS).default('messages-first').describe(SAME_TICK_MEANING),
  })
  .describe('The elections of a run.');

const identitySchema = z
  .strictObject({
    scheme: oneOf(SCHEME_NAMES).default('ed25519').describe('The signature scheme.'),
    ...policySchema.shape,
  })
  .describe('The policy for claims, and the signature scheme.');

export const networkSchema = z
  .strictObject({
    honest: integer(1, HONEST_MAX).describe('Number of honest nodes.'),
    identity: identitySchema.prefault({}),
    election: electionSchema.prefault({}),
  })
  .describe('The honest nodes and their rules.');
