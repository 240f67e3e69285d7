/**
 * @module
 * This folder contains comparisons as jobs. This file compares protocols under the same seeds, faults and
 * latencies, in a thread of its own.
 */

import { z } from '@hono/zod-openapi';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { column } from '../../../src/experiment/sweep/columns.ts';
import type {
  HeldComparison,
  ProtocolComparison,
} from '../../../src/simulation/request/compare.ts';
import type { Execute } from '../job-kind.ts';
import {
  countProgressSchema,
  defineJob,
  jobLinks,
  jobLinksSchema,
  jobMembers,
  jobView,
} from '../job-kind.ts';
import type { ResultTable } from '../table-answers.ts';
import { resultInWorker } from '../worker-job.ts';
import type { ProtocolsRequest } from './protocols-request.ts';
import { protocolsRequestSchema } from './protocols-request.ts';

/** Comparisons that are over and kept. */
export const PROTOCOL_COMPARISONS_KEPT_MAX = 200;

/** Progress is the number of seeds with which all protocols ran. */
export interface ProtocolsJob {
  readonly request: ProtocolsRequest;
  readonly progress: number;
  readonly result: HeldComparison;
}

const comparedSchema = z.object({
  protocol: z.enum(PROTOCOL_NAMES),
  runs: z.int(),
  unfinished: z
    .int()
    .describe('Runs that grew too large. They are not stable, and in no mean or maximum.'),
  messagesMean: z.number().describe('All messages of the run, heartbeats included.'),
  stableShare: z
    .number()
    .describe('Share of the runs that ended under one leader that all live nodes followed.'),
  stableTicksMedian: z.number().nullable().describe('Ticks until then. Null without such a run.'),
  stableTicksMax: z.number().nullable(),
  withoutLeaderShare: z.number().describe('Share of the time in which no live node led.'),
  splitTicksMean: z.number().describe('Ticks in which two or more led at once.'),
  splitTicksMax: z.number(),
  leadersPerEpochMax: z.int().nullable().describe('Null if elections have no number.'),
  changesMean: z.number().describe('How often another node led than before.'),
  changesMax: z.number(),
  staleWritesMean: z
    .number()
    .optional()
    .describe('Accepted writes of leaders that another node had replaced; with a resource only.'),
  lateWritesMean: z
    .number()
    .optional()
    .describe('Accepted writes after an operation of a later leader; with a resource only.'),
  detectionTicksMean: z
    .number()
    .nullable()
    .optional()
    .describe('Over all detected crashes; with a detector on the nodes only.'),
  mistakesMean: z
    .number()
    .optional()
    .describe('Suspicions of live nodes; with a detector on the nodes only.'),
});

const jobSchema = z
  .object({
    ...jobMembers('protocol-comparison', 'l', protocolsRequestSchema),
    horizonTicks: z.int().describe('The tick at which all elections end.'),
    progress: countProgressSchema.describe('Seeds with which all protocols ran.'),
    result: z
      .object({ runs: z.int(), protocols: z.array(comparedSchema).readonly() })
      .meta({ id: 'ProtocolComparison' })
      .optional()
      .describe('With fewer runs if it was cancelled.'),
    replay: z.string().describe('Command that gives the same result.'),
    links: jobLinksSchema.extend({ comparison: z.string() }),
  })
  .meta({ id: 'ProtocolComparisonJob' });

export const PROTOCOL_COMPARISON = defineJob<ProtocolsJob>()({
  ...{ letter: 'l', name: 'protocol-comparison', plural: 'protocol-comparisons' },
  tags: ['experiments'],
  summary: 'Compare protocols under the same seeds and faults',
  body: protocolsRequestSchema,
  example: {
    ...{ protocols: ['bully-oneshot', 'raft'], nodes: 5, randomFaults: true },
    ...{ detector: 'links', runs: 5, seed: '1' },
  },
  ...{ keptMax: PROTOCOL_COMPARISONS_KEPT_MAX, begun: 0 },
  remainingMs({ request, progress }, elapsedMs) {
    if (progress === 0) return Number.POSITIVE_INFINITY;
    return (elapsedMs * (request.comparison.runs - progress)) / progress;
  },
  view: jobSchema,
  viewOf(job): z.output<typeof jobSchema> {
    const { comparison, replay } = job.request;
    const { runs, horizonTicks } = comparison;
    const { status, result } = job.state;
    const links = jobLinks(job);
    return {
      ...jobView('protocol-comparison', job),
      horizonTicks,
      progress: { done: status === 'done' ? runs : job.progress, total: runs },
      ...(result && { result: { runs: result.runs, protocols: result.protocols } }),
      replay,
      links: { ...links, comparison: `${links.self}/results/comparison` },
    };
  },
});

const FIGURES = [
  column('runs', 'integer', 'runs of the protocol, including the unfinished ones'),
  column('unfinished', 'integer', 'runs that grew too large'),
  column('messages_mean', 'number', 'messages of a run'),
  column('stable_share', 'number', 'share of the runs that ended under one leader'),
  column('stable_ticks_median', 'number', 'ticks until that leader led'),
  column('stable_ticks_max', 'number', 'the same, at most'),
  column('without_leader_share', 'number', 'share of the time without a leader'),
  column('split_ticks_mean', 'number', 'ticks in which two or more led'),
  column('split_ticks_max', 'number', 'the same, at most'),
  column('leaders_per_epoch_max', 'integer', 'nodes that led in one epoch, at most'),
  column('changes_mean', 'number', 'how often another node led than before'),
  column('changes_max', 'number', 'the same, at most'),
  column('stale_writes_mean', 'number', 'accepted writes of replaced leaders'),
  column('late_writes_mean', 'number', 'accepted writes after an operation of a later leader'),
  column('detection_ticks_mean', 'number', 'ticks until a crash was detected'),
  column('mistakes_mean', 'number', 'suspicions of live nodes'),
];

/** The comparison as a table with a line for each protocol. */
export function protocolsTable({ protocols }: HeldComparison): ResultTable {
  return {
    columns: [column('protocol', 'text', 'protocol of the elections'), ...FIGURES],
    rows: protocols.map((each) => [
      ...[each.protocol, each.runs, each.unfinished, each.messagesMean, each.stableShare],
      ...[each.stableTicksMedian, each.stableTicksMax, each.withoutLeaderShare],
      ...[each.splitTicksMean, each.splitTicksMax, each.leadersPerEpochMax],
      ...[each.changesMean, each.changesMax, each.staleWritesMean ?? null],
      each.lateWritesMean ?? null,
      ...[each.detectionTicksMean ?? null, each.mistakesMean ?? null],
    ]),
  };
}

/** Executes comparisons. The thread of a comparison runs all its elections. */
export function compareProtocolsInThread(): Execute<ProtocolsJob> {
  return ({ comparison }, execution) => {
    return resultInWorker<number, HeldComparison>(
      PROTOCOLS_WORKER,
      comparison satisfies ProtocolComparison,
      execution,
      ENDING_GRACE_MS,
    );
  };
}

/** Time for a cancelled comparison to end its slice of an election. */
const ENDING_GRACE_MS = 2000;

const PROTOCOLS_WORKER = new URL('./protocols-worker.ts', import.meta.url);
