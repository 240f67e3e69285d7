/**
 * @module
 * The part of a threat model that is about the honest network: how many there are, what a claim must
 * show, which elections are held, what nodes demand of messages and how they defend themselves.
 */

import { z } from 'zod';

import { LEVELS } from '../../election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { SCHEME_NAMES } from '../../identity/keys/scheme.ts';
import { policySchema } from '../../identity/policy.ts';
import { CHOSEN_DEFENCE_NAMES } from './defence-names.ts';
import { HONEST_MAX, WATCHED_TICKS_MAX } from './limits.ts';
import { integer, listError, oneOf, someOf } from './wording.ts';

/** One of each family. */
const PROTOCOLS_DEFAULT = ['bully-oneshot', 'cr-join'] as const;

const FLAG_ERROR = 'must be a list of name=value as usurp elect --flag takes them';
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
      .meta({ description: 'Variants and numbers of the protocol, name=value each.' }),
    level: oneOf(LEVELS).optional().meta({
      description:
        'What nodes demand of messages: L0 nothing, L1 the sender of the channel, L2 signatures, L3 signatures bound to election and counter. L0 where somebody misbehaves, else nobody looks.',
    }),
    defences: someOf(CHOSEN_DEFENCE_NAMES).default([]).meta({
      description:
        'What honest nodes do against cheats, as usurp attack --list shows. Where identities are forged, frozen-membership also keeps them out, since they come after the honest ones were seen, and beacon-rank draws all ranks by a beacon when everybody is registered.',
      uniqueItems: true,
    }),
    ring: oneOf(['shuffled', 'by-id']).default('shuffled').meta({
      description: 'Who is whose neighbour on a ring: drawn, or in the order of ranks.',
    }),
    detector: z
      .string()
      .max(200)
      .optional()
      .meta({
        description:
          'The failure detector on every node, as usurp elect --detector takes it; one beside the run that never errs by default.',
        examples: ['fd-heartbeat', 'fd-phi-akka'],
      }),
    resource: z
      .string()
      .max(100)
      .optional()
      .meta({
        description:
          'What leaders write to while they lead: unfenced, fencing-register or fencing-max, as usurp elect --resource takes it.',
        examples: ['unfenced', 'fencing-max'],
      }),
    ticks: integer(1, WATCHED_TICKS_MAX).optional().meta({
      description:
        'How long an election with cheats or faults is watched; some elections long by default.',
    }),
    latency: z
      .union(
        [
          z.number().meta({ type: 'integer', minimum: 1 }),
          z.string().meta({ pattern: '^([0-9]+|uniform:[0-9]+:[0-9]+|exp:[0-9]+)$' }),
        ],
        { error: LATENCY_ERROR },
      )
      .default(1)
      .meta({
        description: 'Ticks a message travels: a whole number, uniform:MIN:MAX or exp:MEAN.',
      }),
    fifo: z.boolean().default(true).meta({
      description: 'Whether no message overtakes another on its link.',
    }),
  })
  .meta({ description: 'Which elections are held.' });

const identitySchema = z
  .strictObject({
    scheme: oneOf(SCHEME_NAMES).default('ed25519').meta({ description: 'The signature scheme.' }),
    ...policySchema.shape,
  })
  .meta({ description: 'What a claim must show to be admitted: the policy, and the scheme.' });

export const networkSchema = z
  .strictObject({
    honest: integer(1, HONEST_MAX).meta({ description: 'How many honest nodes there are.' }),
    identity: identitySchema.prefault({}),
    election: electionSchema.prefault({}),
  })
  .meta({ description: 'The honest population and its rules.' });
