/**
 * @module
 * How elections look from outside: whole, and in a list.
 */

import { z } from '@hono/zod-openapi';

import { LEVELS } from '../../../src/election/authenticated.ts';
import { detectorText } from '../../../src/election/detectors/registry.ts';
import type { Verdict } from '../../../src/election/properties.ts';
import { PROPERTY_NAMES } from '../../../src/election/properties.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { policySchema } from '../../../src/identity/policy.ts';
import { latencyText } from '../../../src/simulation/faults/latency.ts';
import type { FaultFlag } from '../../../src/simulation/faults/text.ts';
import { faultText } from '../../../src/simulation/faults/text.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import { seedSchema } from '../../contract/seed-schema.ts';
import { isSigned } from '../live/joining-limits.ts';
import type { LiveElection } from '../live/live-election.ts';
import { policyOf } from '../live/roster.ts';
import { DormantElection } from '../storage/dormant-elections.ts';

const truthSchema = z.enum(['true', 'false', 'unknown']);
const propertySchema = z.object({ value: truthSchema, witnessed: z.boolean() });

export const verdictSchema = z
  .object({
    value: truthSchema,
    reason: z.string(),
    properties: z.record(z.enum(PROPERTY_NAMES), propertySchema),
  })
  .meta({ id: 'ElectionVerdict' });

export const electionStatusSchema = z.enum(['created', 'active', 'idle']).meta({
  description:
    'created: nothing was done yet. idle: nothing is left to happen, or where leaders send heartbeats one that all follow has lasted.',
});

const summaryStatusSchema = z.enum(['created', 'active', 'idle', 'restoring', 'damaged']).meta({
  description:
    'As of the election. restoring: from before the server started, and brought back when it is asked for, or in its turn. damaged: what is stored of it cannot be brought back.',
});

export const electionSummarySchema = z
  .object({
    id: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    protocol: z.enum(PROTOCOL_NAMES),
    nodes: z.int(),
    seed: seedSchema,
    time: z.int().nullable().meta({
      description: 'Virtual time in ticks; null where it is not known before it is brought back.',
    }),
    status: summaryStatusSchema,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ElectionSummary' });

export const electionSchema = z
  .object({
    id: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    protocol: z.enum(PROTOCOL_NAMES),
    flags: z.record(z.string(), z.string()).meta({
      description: 'Where the protocol is not its default; numbers as text.',
      example: { electionTicks: '150' },
    }),
    nodes: z.int().meta({ description: 'Those that joined included.' }),
    places: z.int().meta({
      description: 'The highest rank that there is; more than nodes where places are kept.',
    }),
    newcomers: z.int().meta({ description: 'How many more may join while it goes on.' }),
    seed: seedSchema,
    ring: z.array(z.int()).meta({ description: 'The ranks in clockwise order.' }),
    latency: z.string(),
    fifo: z.boolean(),
    level: z.enum(LEVELS).nullable().meta({ description: 'Null: messages are not looked at.' }),
    defences: z.array(z.string()).meta({ description: 'Those that are no setting of the above.' }),
    detector: z.string(),
    network: z.record(z.string(), z.string()).meta({
      description: 'What goes wrong by itself, with the ranks as they are here.',
      example: { loss: '5%' },
    }),
    byzantine: z
      .array(z.object({ rank: z.int(), behaviours: z.array(z.string()) }))
      .meta({ description: 'Nodes that cheat.' }),
    policy: policySchema.meta({ description: 'What a claim must show to join.' }),
    honest: z.enum(['drawn', 'earned']).meta({
      description: 'Whether the IDs of the nodes it was made with were mined under the policy.',
    }),
    keys: z.enum(['none', 'symbolic', 'real']).meta({
      description: 'What messages are signed with.',
    }),
    name: z.string().meta({
      description:
        'What signatures at L3 are for. With real keys it begins with the id, of a copy with that of its origin.',
    }),
    origin: z
      .object({ election: z.string(), at: z.int().nullable() })
      .nullable()
      .meta({ description: 'Of a copy: of which election, after which event; null is after all.' }),
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
    ticks: z.int().meta({ description: 'Time of the last delivery, timer or fault.' }),
    status: electionStatusSchema,
    bound: z
      .enum(['idle', 'until', 'events', 'outside'])
      .nullable()
      .meta({ description: 'Why the last advance ended; null before the first.' }),
    leader: z.object({ rank: z.int(), nodeId: z.string().nullable() }).nullable().meta({
      description: 'Whom all live nodes follow; without an ID where nobody has that place.',
    }),
    agreed: z.boolean(),
    messages: z
      .record(z.string(), z.int())
      .meta({ description: 'Sends by type, and total.', example: { PROBE: 5, total: 5 } }),
    inFlight: z.int(),
    awaiting: z.array(z.int()).meta({
      description: 'Ranks played elsewhere that have something to answer before time goes on.',
    }),
    verdict: verdictSchema,
    links: z.object({ self: z.string(), actions: z.string(), nodes: z.string() }),
  })
  .meta({ id: 'Election' });

export function electionView(election: LiveElection): z.output<typeof electionSchema> {
  const { id, plan, request, roster } = election;
  const { verdict, agreed, leader, ticks, lastEventTicks, ...status } = election.status();
  const rank = agreed ? leader : null;
  return {
    id,
    protocol: plan.protocol,
    flags: { ...plan.flags },
    nodes: roster.nodes,
    places: plan.nodes,
    newcomers: roster.vacancies,
    seed: plan.seed,
    ring: [...plan.ring],
    latency: latencyText(plan.latency),
    fifo: plan.fifo,
    level: plan.level,
    defences: [...plan.defences],
    detector: detectorName(plan),
    network: networkOf(plan),
    byzantine: plan.byzantine.map(({ rank, behaviours }) => ({
      rank,
      behaviours: [...behaviours],
    })),
    policy: policyOf(request),
    honest: request.honest ?? 'drawn',
    keys: keysWord(election),
    name: election.name,
    origin: request.origin ?? null,
    time: ticks,
    ticks: lastEventTicks,
    status: statusOfElection(election),
    bound: status.bound,
    leader: rank === null ? null : { rank, nodeId: election.nodeIdOf(rank) },
    agreed,
    messages: { ...status.messages },
    inFlight: status.inFlight,
    awaiting: [...status.awaiting],
    verdict: election.isUntouched ? UNSTARTED : verdict,
    links: {
      self: `/v1/elections/${id}`,
      actions: `/v1/elections/${id}/actions`,
      nodes: `/v1/elections/${id}/nodes`,
    },
  };
}

export function summaryView(
  election: LiveElection | DormantElection,
): z.output<typeof electionSummarySchema> {
  const { id } = election;
  const links = { self: `/v1/elections/${id}` };
  if (election instanceof DormantElection) {
    const { protocol, seed } = election.request.options;
    const status = election.isDamaged ? 'damaged' : 'restoring';
    return { id, protocol, nodes: election.nodes, seed, time: null, status, links };
  }
  const { plan, roster } = election;
  const { ticks } = election.status();
  const { protocol, seed } = plan;
  const status = statusOfElection(election);
  return { id, protocol, nodes: roster.nodes, seed, time: ticks, status, links };
}

/** In one word. */
export function statusOfElection(election: LiveElection): z.output<typeof electionStatusSchema> {
  if (election.isUntouched) return 'created';
  return election.status().idle ? 'idle' : 'active';
}

function keysWord({ plan, keysOf }: LiveElection): 'none' | 'symbolic' | 'real' {
  if (!isSigned(plan.level)) return 'none';
  return keysOf === null ? 'symbolic' : 'real';
}

/** Each flag once; those that name several nodes take a list. */
function networkOf({ schedule }: Plan): Partial<Record<FaultFlag, string>> {
  const texts: Partial<Record<FaultFlag, string>> = {};
  for (const fault of schedule?.faults ?? []) {
    const { flag, text } = faultText(fault);
    const before = texts[flag];
    texts[flag] = before === undefined ? text : `${before},${text}`;
  }
  return texts;
}

function detectorName({ detector, schedule }: Plan): string {
  return detector === null ? (schedule?.detector ?? 'crashes') : detectorText(detector);
}

/** An election at rest because nobody started it has not failed. */
const UNSTARTED: Verdict = {
  value: 'unknown',
  reason: 'the election has not been started',
  properties: {
    agreement: { value: 'unknown', witnessed: false },
    uniqueness: { value: 'unknown', witnessed: false },
    termination: { value: 'unknown', witnessed: false },
    highestLiveWins: { value: 'unknown', witnessed: false },
  },
};
