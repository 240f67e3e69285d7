/**
 * @module
 * Clusters as operators receive them: complete, and in a list.
 */

import { z } from '@hono/zod-openapi';

import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import type { Takeover } from '../../src/live/cluster/takeover.ts';
import { HARM_NAMES, TAKEOVER_OUTCOMES } from '../../src/live/cluster/takeover.ts';
import { LIVE_LEVELS } from '../../src/live/live-machine.ts';
import type { Chance, ChanceName } from '../../src/live/transport/links.ts';
import { createdSchema, timeText } from '../contract/members.ts';
import type { LiveCluster } from './live-cluster.ts';
import { clusterActionSchema } from './request.ts';
import type { ClusterSnapshot } from './running-cluster.ts';
import { clusterCheckSchema, nodeSchema } from './running-cluster.ts';

const idSchema = z.string().meta({ example: 'n_kq3vj5m2xw7ntb4d' });
const statusSchema = z
  .enum(['starting', 'running', 'ending', 'over'])
  .describe('ending: the nodes stop, and what they did is checked.');
const countsSchema = z.record(z.string(), z.int());
const nodesSchema = z.array(nodeSchema).readonly();
const namesSchema = z.array(z.string()).readonly();

const nodeStateSchema = z.object({
  node: nodeSchema.describe(
    'Its number. The founders are 1, 2, … by their IDs, the lowest first; a node that joins has the next number.',
  ),
  status: z.enum(['starting', 'up', 'paused', 'down', 'removed']),
  leader: nodeSchema.nullable().describe('The node that it follows; null for none.'),
  phantom: z
    .string()
    .nullable()
    .describe('The rank that it follows if no node has it, in hex; null otherwise.'),
  epoch: z.int().describe('The epoch of its leader; 0 in a protocol without epochs.'),
  suspects: nodesSchema.describe('The nodes that its failure detector suspects.'),
  refused: countsSchema.describe('Messages that it has refused since its start, by reason.'),
  behaviours: namesSchema.describe('Behaviours of a Byzantine node; empty for an honest one.'),
  rate: z
    .number()
    .describe('Ticks of its clock in one real millisecond, as `skew` has set it; 1 without it.'),
  adversary: z.boolean().describe('Whether an attack has started it, with behaviours or without.'),
});

const chanceSchema = (what: string) =>
  z
    .object({ share: z.number(), seed: z.string().describe('What decides which messages.') })
    .nullable()
    .describe(`The share of all messages that are ${what} by chance; null if none are.`);

const secondsSchema = (what: string) =>
  z.number().nullable().describe(`Seconds from the first hash until ${what}; null if never.`);

const takeoverSchema = z.object({
  outcome: z
    .enum(TAKEOVER_OUTCOMES)
    .describe('harms: it does not lead, but at the end the honest nodes do not follow one leader.'),
  node: nodeSchema.nullable().describe('The node of the adversary; null if it did not join.'),
  behaviours: namesSchema,
  attempts: z.int().describe('Keys tested.'),
  hashes: z.int(),
  cpuSeconds: z.number(),
  firstHash: z.number().describe('Seconds from the start of the cluster until the first hash.'),
  found: secondsSchema('it had an identity'),
  joined: secondsSchema('it was a member'),
  leads: secondsSchema('all honest nodes followed it'),
  refusedBy: namesSchema.describe(
    'What refused the node, or a statement that nothing did. Empty if it leads.',
  ),
  observations: z
    .array(
      z.object({
        node: nodeSchema,
        what: z.string(),
        seconds: z.number().describe('Seconds from the first hash until the first time.'),
        count: z.int(),
      }),
    )
    .readonly()
    .describe('What honest nodes noticed of it, each kind once, in the order of time.'),
  harms: z
    .object({
      split: z.number().describe('Honest nodes followed different leaders.'),
      twoLeaders: z.number().describe('Two or more honest nodes led.'),
      leaderless: z.number().describe('An honest node followed no leader.'),
      phantom: z.number().describe('An honest node followed a leader that does not exist.'),
      lasting: z.array(z.enum(HARM_NAMES)).readonly().describe('Harm that lasted until the end.'),
    })
    .nullable()
    .describe('For how many seconds honest nodes suffered harm; null if it did not join.'),
});

const actionStateSchema = z.object({
  number: z.int().describe('Number of the action, from 1.'),
  type: z.enum(clusterActionSchema.options.map((option) => option.shape.type.value)),
  node: nodeSchema.nullable().describe('The node that it applies to, or that joined.'),
  status: z.enum(['waiting', 'running', 'done', 'refused']),
  detail: z.string().nullable().describe('Why it was refused, or its result.'),
  asked: z.iso.datetime().describe('When it was asked for.'),
  sides: z
    .array(nodesSchema)
    .readonly()
    .nullable()
    .describe('The sides that a partition made; null for other actions, and before it is done.'),
  rate: z.number().nullable().describe('The rate of `skew`; null for other actions.'),
  share: z
    .number()
    .nullable()
    .describe('The share of `lose` or `duplicate`; null for other actions.'),
  takeover: takeoverSchema
    .nullable()
    .describe('The report of an attack; null for other actions, and before it is over.'),
});

const agreementSchema = z
  .object({ leader: nodeSchema, epoch: z.int(), nodes: nodesSchema })
  .nullable()
  .describe(
    'The leader that all nodes follow that are up, or under a partition all on the largest side; null if there is none.',
  );

const summaryMembers = {
  id: idSchema,
  created: createdSchema,
  protocol: z.enum(PROTOCOL_NAMES),
  status: statusSchema,
  agreement: agreementSchema,
};

export const clusterSummarySchema = z
  .object({ ...summaryMembers, links: z.object({ self: z.string() }) })
  .meta({ id: 'ClusterSummary' });

export const clusterSchema = z
  .object({
    ...summaryMembers,
    flags: z.record(z.string(), z.string()).meta({
      description: 'Flags that differ from the default; numbers as text.',
      example: { electionTicks: '150' },
    }),
    level: z.enum(LIVE_LEVELS),
    detector: z.string(),
    defences: namesSchema,
    latencyMs: z.int().describe('Longest time that a message may take.'),
    c1: z.int(),
    c2: z.int(),
    tls: z.boolean(),
    expires: z.iso
      .datetime()
      .nullable()
      .describe('When it ends unless an action comes; null if it has ended.'),
    reason: z
      .enum(['deleted', 'idle', 'failed'])
      .nullable()
      .describe('Why it has ended. failed: it could not start.'),
    fault: z.string().nullable().describe('Why it could not start.'),
    nodes: z
      .array(nodeStateSchema)
      .describe('The nodes as they are now, or as they were at the end.'),
    sides: z
      .array(nodesSchema)
      .readonly()
      .describe('The sides of the partition; empty without one.'),
    lose: chanceSchema('lost'),
    duplicate: chanceSchema('sent twice'),
    refused: countsSchema.describe('Messages that all nodes together have refused, by reason.'),
    nodeFaults: z
      .array(z.object({ node: nodeSchema, detail: z.string() }))
      .readonly()
      .describe('Nodes whose processes stopped by themselves, and why.'),
    actions: z.array(actionStateSchema).describe('The last actions, the oldest first.'),
    takeover: takeoverSchema.nullable().describe('The report of the last attack.'),
    check: clusterCheckSchema
      .nullable()
      .describe('What the check against the model has found; null until the cluster is over.'),
    events: z.int().describe('Number of events so far.'),
    eventsComplete: z.boolean().describe('Whether the stream has all events.'),
    links: z.object({
      self: z.string(),
      actions: z.string(),
      events: z.string(),
      trace: z.string(),
    }),
  })
  .meta({ id: 'Cluster' });

export function clusterSummary(cluster: LiveCluster): z.output<typeof clusterSummarySchema> {
  const { id, createdMs, settings, status } = cluster;
  return {
    id,
    created: timeText(createdMs),
    protocol: settings.protocol,
    status,
    agreement: cluster.snapshot().agreement,
    links: { self: `/v1/clusters/${id}` },
  };
}

export function clusterView(cluster: LiveCluster): z.output<typeof clusterSchema> {
  const { settings, feed, expiresMs, check, reason, fault } = cluster;
  const { flags = {}, level, detector, defences, timing, c1, c2, tls } = settings;
  const { nodes, sides, chances } = cluster.snapshot();
  const summary = clusterSummary(cluster);
  const { self } = summary.links;
  return {
    ...summary,
    flags: { ...flags },
    level,
    detector,
    defences,
    latencyMs: timing.latencyTicksMax,
    c1,
    c2,
    tls,
    reason,
    fault,
    expires: expiresMs === null ? null : timeText(expiresMs),
    nodes: nodes.map(({ suspects, refused, behaviours, isAdversary: adversary, ...node }) => {
      return { ...node, adversary, suspects, refused: countsIn([refused]), behaviours };
    }),
    sides,
    lose: chanceIn(chances, 'lose'),
    duplicate: chanceIn(chances, 'duplicate'),
    refused: countsIn(nodes.map(({ refused }) => refused)),
    nodeFaults: cluster.nodeFaults,
    actions: cluster.actions.map(({ askedMs, sides: made, takeover, ...action }) => ({
      ...action,
      asked: timeText(askedMs),
      sides: made,
      takeover: takeover && takeoverView(takeover),
    })),
    takeover: cluster.takeover && takeoverView(cluster.takeover),
    check,
    events: feed.count,
    eventsComplete: feed.isComplete,
    links: { self, actions: `${self}/actions`, events: `${self}/events`, trace: `${self}/trace` },
  };
}

function chanceIn(chances: ClusterSnapshot['chances'], name: ChanceName): Chance | null {
  const chance = chances.get(name);
  return chance === undefined || chance.share === 0 ? null : chance;
}

/** The sums of counts that are not 0. */
function countsIn(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [reason, count] of all.flatMap((each) => Object.entries(each))) {
    if (count > 0) sums[reason] = (sums[reason] ?? 0) + count;
  }
  return sums;
}

function takeoverView(takeover: Takeover): z.output<typeof takeoverSchema> {
  const { outcome, node, behaviours, ledger, firstHash, seconds } = takeover;
  const { refusedBy, observations, harms } = takeover;
  const { attempts, hashes, cpuSeconds } = ledger;
  const search = { attempts, hashes, cpuSeconds, firstHash, ...seconds };
  return { outcome, node, behaviours, ...search, refusedBy, observations, harms };
}
