/**
 * @module
 * Comparisons of defences as jobs: their effect on a threat model beside the cost for honest nodes. A thread of its
 * own controls a comparison.
 */

import { z } from '@hono/zod-openapi';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { COMPARED_COLUMNS, comparedLines } from '../../../src/experiment/compare/columns.ts';
import { COMPARED_DEFENCES } from '../../../src/experiment/compare/names.ts';
import type { ComparisonReport } from '../../../src/experiment/compare/report.ts';
import { electionCostSchema, joinCostMembers } from '../../../src/operations/honest-cost.ts';
import type { Execute } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView } from '../job-kind.ts';
import type { ResultTable } from '../table-answers.ts';
import { resultInWorker } from '../worker-job.ts';
import type { DefencesRequest } from './defences-request.ts';
import { defencesRequestSchema } from './defences-request.ts';

/** Comparisons that are over and kept. */
export const DEFENCE_COMPARISONS_KEPT_MAX = 50;

/** What the thread of a comparison receives. */
export interface DefencesOrder {
  readonly request: DefencesRequest;
  readonly threads: number;
}

/** Costs are counted in rows, runs in runs. */
export interface DefencesProgress {
  readonly phase: 'costs' | 'runs';
  readonly done: number;
  readonly total: number;
}

export interface DefencesResult extends ComparisonReport {
  /** Whether every row was computed. */
  readonly complete: boolean;
}

/** Progress is null before the first report. */
export interface DefencesJob {
  readonly request: DefencesRequest;
  readonly progress: DefencesProgress | null;
  readonly result: DefencesResult;
}

const protocolSchema = z.enum(PROTOCOL_NAMES);
const setOfDefences = z.array(z.enum(COMPARED_DEFENCES)).readonly();

const pointSchema = z
  .object({
    advantage: z.number(),
    attempts: z.number().describe('Attempts of the adversary.'),
    identities: z.number().describe('Identities that they find on average.'),
    source: z.enum(['runs', 'closed form', 'none']).describe('Where p comes from.'),
    n: z.int().describe('Runs with an outcome.'),
    k: z.int().describe('Runs among them that had the property.'),
    p: z.number().nullable(),
    interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
    theory: z.number().nullable(),
    verdict: z.string().nullable(),
  })
  .meta({ id: 'ComparedPoint' });

const rowSchema = z
  .object({
    protocol: protocolSchema,
    defences: setOfDefences,
    acting: setOfDefences.describe('Those among them that can change the outcome.'),
    bits: z.int().describe('Bits of the static puzzle that cost work.'),
    results: z.array(pointSchema).readonly().describe('One for each advantage.'),
    cost: z.object({
      join: z.object(joinCostMembers),
      election: electionCostSchema.nullable(),
      added: z
        .object({ messages: z.number().nullable(), ticks: z.number().nullable() })
        .nullable()
        .describe('What the defences add to an election.'),
    }),
    excluded: z
      .array(z.object({ label: z.string(), reason: z.string(), share: z.number().nullable() }))
      .readonly()
      .describe('Honest nodes that the defences exclude.'),
  })
  .meta({ id: 'ComparedDefences' });

const resultSchema = z
  .object({
    complete: z.boolean().describe('Whether every row was computed.'),
    runs: z.int(),
    property: z.string(),
    confidence: z.number(),
    machines: z.number().nullable(),
    hardRate: z.number(),
    honest: z.int(),
    reference: z
      .object({ attempts: z.number(), seconds: z.number().nullable() })
      .describe('The work of one honest node before it must have joined.'),
    advantages: z.array(z.number()).readonly(),
    rows: z.array(rowSchema).readonly(),
    refused: z
      .array(z.object({ protocol: protocolSchema, defences: setOfDefences, reason: z.string() }))
      .readonly(),
  })
  .meta({ id: 'DefenceComparison' });

const progressSchema = z
  .object({
    phase: z.enum(['costs', 'runs']).describe('First the costs of the rows, then the runs.'),
    done: z.int(),
    total: z.int(),
  })
  .meta({ id: 'DefenceComparisonProgress' });

const jobSchema = z
  .object({
    ...jobMembers('defence-comparison', 'k', defencesRequestSchema),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: resultSchema.optional().describe('With the finished rows if it was cancelled.'),
    replay: z.string().describe('Command that gives the same result.'),
    links: jobLinksSchema.extend({ comparison: z.string() }),
  })
  .meta({ id: 'DefenceComparisonJob' });

export const DEFENCE_COMPARISON = defineJob<DefencesJob>()({
  ...{ letter: 'k', name: 'defence-comparison', plural: 'defence-comparisons' },
  ...{ tags: ['experiments'], takesModel: true },
  summary: 'Compare defences: the attack, the cost for honest nodes, and who is excluded',
  body: defencesRequestSchema,
  example: {
    ...{ threatModel: 'late-joiner', defences: [[], ['frozen-membership']] },
    ...{ protocols: ['bully-oneshot'], advantages: [1, 2], runs: 5, seed: '1' },
  },
  ...{ keptMax: DEFENCE_COMPARISONS_KEPT_MAX, begun: null },
  remainingMs({ progress }, elapsedMs) {
    if (progress?.phase !== 'runs' || progress.done === 0) return Number.POSITIVE_INFINITY;
    return (elapsedMs * (progress.total - progress.done)) / progress.done;
  },
  view: jobSchema,
  viewOf(job): z.output<typeof jobSchema> {
    const { replay } = job.request;
    const { result } = job.state;
    const links = jobLinks(job);
    return {
      ...jobView('defence-comparison', job),
      progress: job.progress,
      ...(result && { result: { ...result, rows: result.rows.map(rowView) } }),
      replay,
      links: { ...links, comparison: `${links.self}/results/comparison` },
    };
  },
});

function rowView(row: DefencesResult['rows'][number]) {
  const { join, election, added } = row.cost;
  return { ...row, cost: { join, election: election && { ...election }, added } };
}

/** The comparison as a table with a line for each row and advantage. */
export function defencesTable({ rows }: DefencesResult): ResultTable {
  return { columns: COMPARED_COLUMNS, rows: comparedLines(rows) };
}

/** Executes each comparison with this number of computing threads. */
export function compareDefencesInThreads(threads: number): Execute<DefencesJob> {
  return (request, execution) => {
    const order: DefencesOrder = { request, threads };
    return resultInWorker<DefencesProgress, DefencesResult>(
      DEFENCES_WORKER,
      order,
      execution,
      ENDING_GRACE_MS,
    );
  };
}

/** Time for a cancelled comparison to end its chunk of runs, and to arrange its rows. */
const ENDING_GRACE_MS = 10_000;

const DEFENCES_WORKER = new URL('./defences-worker.ts', import.meta.url);
