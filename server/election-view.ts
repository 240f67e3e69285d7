/**
 * @module
 * How elections look from outside: whole, and in a list.
 */

import { z } from '@hono/zod-openapi';

import { LEVELS } from '../src/election/authenticated.ts';
import { detectorText } from '../src/election/detectors/registry.ts';
import type { Verdict } from '../src/election/properties.ts';
import { PROPERTY_NAMES } from '../src/election/properties.ts';
import { ALGORITHM_NAMES } from '../src/election/registry.ts';
import { latencyText } from '../src/simulation/latency.ts';
import type { Plan } from '../src/simulation/options.ts';
import type { LiveElection } from './live-election.ts';
import { seedSchema } from './seed-schema.ts';

const truthSchema = z.enum(['true', 'false', 'unknown']);
const propertySchema = z.object({ value: truthSchema, witnessed: z.boolean() });

export const verdictSchema = z
  .object({
    value: truthSchema,
    reason: z.string(),
    properties: z.record(z.enum(PROPERTY_NAMES), propertySchema),
  })
  .meta({ id: 'ElectionVerdict' });

const statusSchema = z.enum(['created', 'active', 'idle']).meta({
  description:
    'created: nothing was done yet. idle: nothing is left to happen, or where leaders send heartbeats one that all follow has lasted.',
});

export const electionSummarySchema = z
  .object({
    id: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    algorithm: z.enum(ALGORITHM_NAMES),
    nodes: z.int(),
    seed: seedSchema,
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
    status: statusSchema,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'ElectionSummary' });

export const electionSchema = z
  .object({
    id: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    algorithm: z.enum(ALGORITHM_NAMES),
    flags: z.record(z.string(), z.string()).meta({
      description: 'Where the protocol is not its default; numbers as text.',
      example: { electionTicks: '150' },
    }),
    nodes: z.int(),
    seed: seedSchema,
    ring: z.array(z.int()).meta({ description: 'The ranks in clockwise order.' }),
    latency: z.string(),
    fifo: z.boolean(),
    level: z.enum(LEVELS).nullable().meta({ description: 'Null: messages are not looked at.' }),
    defences: z.array(z.string()).meta({ description: 'Those that are no setting of the above.' }),
    detector: z.string(),
    origin: z
      .object({ election: z.string(), at: z.int().nullable() })
      .nullable()
      .meta({ description: 'Of a copy: of which election, after which event; null is after all.' }),
    time: z.int().meta({ description: 'Virtual time in ticks.' }),
    ticks: z.int().meta({ description: 'Time of the last delivery, timer or fault.' }),
    status: statusSchema,
    bound: z
      .enum(['idle', 'until', 'events'])
      .nullable()
      .meta({ description: 'Why the last advance ended; null before the first.' }),
    leader: z
      .object({ rank: z.int(), nodeId: z.string() })
      .nullable()
      .meta({ description: 'Whom all live nodes follow.' }),
    agreed: z.boolean(),
    messages: z
      .record(z.string(), z.int())
      .meta({ description: 'Sends by type, and total.', example: { PROBE: 5, total: 5 } }),
    inFlight: z.int(),
    verdict: verdictSchema,
    links: z.object({ self: z.string(), actions: z.string() }),
  })
  .meta({ id: 'Election' });

export function electionView(election: LiveElection): z.output<typeof electionSchema> {
  const { id, plan, request } = election;
  const { verdict, agreed, leader, idle, ticks, lastEventTicks, ...status } = election.status();
  const rank = agreed ? leader : null;
  return {
    id,
    algorithm: plan.algorithm,
    flags: { ...plan.flags },
    nodes: plan.nodes,
    seed: plan.seed,
    ring: [...plan.ring],
    latency: latencyText(plan.latency),
    fifo: plan.fifo,
    level: plan.level,
    defences: [...plan.defences],
    detector: detectorName(plan),
    origin: request.origin ?? null,
    time: ticks,
    ticks: lastEventTicks,
    status: statusWord(election, idle),
    bound: status.bound,
    leader: rank === null ? null : { rank, nodeId: election.nodeIdOf(rank) },
    agreed,
    messages: { ...status.messages },
    inFlight: status.inFlight,
    verdict: election.isUntouched ? UNSTARTED : verdict,
    links: { self: `/v1/elections/${id}`, actions: `/v1/elections/${id}/actions` },
  };
}

export function summaryView(election: LiveElection): z.output<typeof electionSummarySchema> {
  const { id, plan } = election;
  const { ticks, idle } = election.status();
  const { algorithm, nodes, seed } = plan;
  const links = { self: `/v1/elections/${id}` };
  return { id, algorithm, nodes, seed, time: ticks, status: statusWord(election, idle), links };
}

function statusWord({ isUntouched }: LiveElection, idle: boolean): 'created' | 'active' | 'idle' {
  if (isUntouched) return 'created';
  return idle ? 'idle' : 'active';
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
