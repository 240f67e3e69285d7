/**
 * @module
 * The bodies of requests about clusters. Their members are the flags and the commands of `usurp cluster up` with the same
 * meaning. None names a path, a program or a host.
 */

import { z } from '@hono/zod-openapi';
import { BEHAVIOUR_NAMES } from '../../src/adversary/behaviours/registry.ts';
import { DEFENCE_NAMES } from '../../src/election/defences/registry.ts';
import { parseDetector } from '../../src/election/detectors/registry.ts';
import { flagClash, flagFault, PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import type { ClusterAction } from '../../src/live/cluster/cluster-action.ts';
import type { ClusterSettings } from '../../src/live/cluster/cluster-plan.ts';
import { CLUSTER_NODES } from '../../src/live/cluster/cluster-plan.ts';
import { JUMP_MS_MAX, RATE_MAX, RATE_MIN } from '../../src/live/cluster/control.ts';
import { assertLive, LIVE_DEFAULTS, LIVE_LEVELS } from '../../src/live/live-machine.ts';
import type { ChanceName } from '../../src/live/transport/links.ts';
import { quantity } from '../../src/quantities.ts';
import { keyDocumentSchema } from '../../src/runtime/files/key-file.ts';
import { flagRefusal, pointingAt } from '../contract/faults.ts';
import { countSchema, flagsSchema, oneOf, seedOf, seedSchema } from '../contract/members.ts';

/** Nodes of one cluster, with those that joined. */
export const NODES_PER_CLUSTER_MAX = 16;
const BITS_MAX = 16;
const LATENCY_SECONDS_MAX = 10;
export const TAKEOVER_ATTEMPTS_MAX = 2 ** 26;
export const TAKEOVER_CPU_SECONDS_MAX = 600;

/** A server starts no store. */
const STORELESS = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].store === null);

/** What is wrong with the name of a protocol. */
function protocolRule(given: unknown): string {
  const isStored = PROTOCOL_NAMES.some((name) => name === given);
  const why = isStored
    ? `: ${given} needs a store, which clusters of a server do not have; run it with usurp cluster up --store`
    : '';
  return `must be one of ${STORELESS.join(', ')}${why}`;
}

const bitsSchema = countSchema(0, BITS_MAX).default(0);

export const clusterRequestSchema = z
  .strictObject({
    protocol: z.enum(STORELESS, { error: (issue) => protocolRule(issue.input) }).meta({
      description:
        'Protocol of all nodes. A cluster of a server has no store, so that protocols that need one are not available here; `usurp cluster up --store` runs them.',
      example: 'bully-oneshot',
    }),
    flags: flagsSchema,
    nodes: countSchema(1, NODES_PER_CLUSTER_MAX)
      .default(CLUSTER_NODES)
      .describe('Number of processes at the start.'),
    level: oneOf(LIVE_LEVELS)
      .default(LIVE_DEFAULTS.level)
      .describe('What a receiver checks in a message.'),
    detector: z
      .string()
      .max(64)
      .default(LIVE_DEFAULTS.detector)
      .describe('Failure detector, with options as in `usurp elect`.'),
    latency: quantity(
      'time',
      { min: 0.001, max: LATENCY_SECONDS_MAX },
      `must be a time from 1ms to ${LATENCY_SECONDS_MAX}s such as 100ms`,
    )
      .default(LIVE_DEFAULTS.latencySeconds)
      .describe('Longest time that a message may take. All timers follow from it.'),
    defences: z
      .array(oneOf(DEFENCE_NAMES))
      .max(DEFENCE_NAMES.length)
      .default([])
      .describe('Defences of all nodes, by name.'),
    c1: bitsSchema.describe('Static puzzle that every ID must solve, in bits.'),
    c2: bitsSchema.describe('Dynamic puzzle that every ID must solve, in bits.'),
    tls: z.boolean().default(true).describe('Whether the nodes speak TLS 1.3 with each other.'),
  })
  .meta({ id: 'ClusterRequest' });

/** Throws LabError `arguments` for settings that live nodes cannot have. */
export function parseClusterRequest({
  latency,
  flags,
  ...asked
}: z.output<typeof clusterRequestSchema>): ClusterSettings {
  const timing = { latencyTicksMax: Math.max(1, Math.round(latency * 1000)) };
  const varied = Object.keys(flags).length === 0 ? {} : { flags };
  const settings = { ...asked, ...varied, timing, store: null, workload: null };
  const { protocol } = settings;
  const wrong = flagFault(protocol, flags) ?? flagClash(protocol, timing, flags);
  if (wrong !== null) throw flagRefusal(wrong);
  pointingAt('/detector', () => parseDetector(settings.detector));
  pointingAt('/defences', () => assertLive(settings, settings.level));
  return settings;
}

/** A node that is not there is refused by the cluster, which names those that are. */
const NODE_NUMBER_MAX = 9_999;
const JUMP_RULE = `must be seconds from -${JUMP_MS_MAX / 1000} to ${JUMP_MS_MAX / 1000}`;
const NODE_RULE = 'must be the number of a node, leader, or last';
const nodeSchema = z.union(
  [z.int().min(1).max(NODE_NUMBER_MAX), z.enum(['leader', 'last'])],
  NODE_RULE,
);

const budgetSchema = z
  .strictObject({
    attempts: countSchema(1, TAKEOVER_ATTEMPTS_MAX).optional().describe('Keys tested.'),
    cpuSeconds: quantity(
      'time',
      { min: 0.001, max: TAKEOVER_CPU_SECONDS_MAX },
      `must be a time from 0.001 to ${TAKEOVER_CPU_SECONDS_MAX} seconds such as 20s`,
    ).optional(),
  })
  .refine(
    ({ attempts, cpuSeconds }) => attempts !== undefined || cpuSeconds !== undefined,
    'must have attempts or cpuSeconds',
  )
  .meta({ id: 'TakeoverBudget', example: { attempts: 100_000 } });

/** What happens to a share of all messages. */
function chanceSchema<const Name extends ChanceName>(type: Name, description: string) {
  return z
    .strictObject({
      type: z.literal(type),
      share: quantity(
        'probability',
        { min: 0, max: 1 },
        'must be a share such as 0.05 or 5%; 0 ends the fault',
      ),
      seed: seedSchema.optional().describe('Seed that decides which messages. Drawn by default.'),
    })
    .describe(description);
}

export const clusterActionSchema = z
  .discriminatedUnion('type', [
    z
      .strictObject({ type: z.literal('kill'), node: nodeSchema })
      .describe('Kills its process (kill -9).'),
    z
      .strictObject({
        type: z.literal('start'),
        node: nodeSchema,
        amnesia: z.boolean().default(false).describe('Whether it has lost what it persisted.'),
      })
      .describe('Starts a node that is down, with its log.'),
    z
      .strictObject({ type: z.literal('pause'), node: nodeSchema })
      .describe('Suspends its process, which keeps its state.'),
    z
      .strictObject({ type: z.literal('resume'), node: nodeSchema })
      .describe('Lets a paused node continue.'),
    z
      .strictObject({
        type: z.literal('partition'),
        sides: z
          .array(z.array(nodeSchema).min(1).max(NODES_PER_CLUSTER_MAX))
          .min(1, 'must name a side')
          .max(NODES_PER_CLUSTER_MAX)
          .describe('The nodes of each side. Nodes that are not named form one more side.'),
      })
      .describe('From now on all messages between the sides are lost.'),
    z.strictObject({ type: z.literal('heal') }).describe('Ends the partition.'),
    z
      .strictObject({
        type: z.literal('skew'),
        node: nodeSchema,
        rate: z
          .number(`must be a number from ${RATE_MIN} to ${RATE_MAX}`)
          .min(RATE_MIN)
          .max(RATE_MAX)
          .meta({ description: 'Ticks of its clock in one real millisecond.', example: 1.5 }),
      })
      .describe('Changes the rate of its clock and timers.'),
    z
      .strictObject({
        type: z.literal('jump'),
        node: nodeSchema,
        seconds: z
          .number(JUMP_RULE)
          .min(-JUMP_MS_MAX / 1000, JUMP_RULE)
          .max(JUMP_MS_MAX / 1000, JUMP_RULE)
          .meta({ description: 'Forwards, or backwards below 0.', example: 5 }),
      })
      .describe('Makes its clock jump. Timers that are overdue then fire at once.'),
    chanceSchema('lose', 'From now on a share of the messages between nodes is lost.'),
    chanceSchema('duplicate', 'From now on a share of the messages between nodes is sent twice.'),
    z
      .strictObject({
        type: z.literal('join'),
        key: keyDocumentSchema
          .optional()
          .describe(
            'The document of a key file of `usurp mine --out`, with the secret. By default a new identity, which is mined if the policy demands work.',
          ),
      })
      .describe('Starts a node that asks all others to admit it.'),
    z
      .strictObject({ type: z.literal('remove'), node: nodeSchema })
      .describe(
        'Ends the membership of a node, and its process if it is up. Only `raft` removes members. Refused with 409 if a majority of the other members does not confirm it in time; they then go on with it.',
      ),
    z
      .strictObject({
        type: z.literal('attack'),
        budget: budgetSchema,
        behaviours: z
          .array(oneOf(BEHAVIOUR_NAMES))
          .max(BEHAVIOUR_NAMES.length)
          .default([])
          .describe('Behaviours of a Byzantine node. Without them the node follows the protocol.'),
      })
      .describe(
        'Mines an ID above that of the leader, and joins with it. In a protocol that can elect any node, such as `raft`, the first ID that solves the puzzles is taken.',
      ),
  ])
  .meta({ id: 'ClusterAction' });

export type RequestedAction = z.output<typeof clusterActionSchema>;

/** An action of a request that the running cluster carries out. */
export function clusterActionOf(
  action: Exclude<RequestedAction, { readonly type: 'join' | 'remove' | 'attack' }>,
): ClusterAction {
  if (!('share' in action)) return action;
  const { type, share, seed } = action;
  return { type, chance: { share, seed: seedOf(seed) } };
}
