/**
 * @module
 * This folder computes the difficulty that limits an adversary, as a job. Closed forms take some milliseconds,
 * so that a design without elections and checks is done at once. The elections that show its cost, and a check
 * by sampled runs, run in threads.
 */

import { z } from '@hono/zod-openapi';
import type { DesignCheck, DesignReport } from '../../../src/experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  designReport,
  verdictOfAll,
} from '../../../src/experiment/design/check.ts';
import { designCost } from '../../../src/experiment/design/cost.ts';
import { DESIGN_DEFENCES } from '../../../src/experiment/design/defences.ts';
import type { Design } from '../../../src/experiment/design/design.ts';
import { electionCostsInThread } from '../../../src/runtime/threads/costs.ts';
import { runExperiment } from '../../../src/runtime/threads/experiment-pool.ts';
import type { Execute } from '../job-kind.ts';
import {
  countProgressSchema,
  defineJob,
  jobLinks,
  jobLinksSchema,
  jobMembers,
  jobView,
} from '../job-kind.ts';
import { honestCostMembers, joinCostMembers } from '../run.ts';
import type { DesignRequest } from './request.ts';
import { designRequestSchema, designsOf } from './request.ts';

/** Designs that are over and kept. */
export const DESIGNS_KEPT_MAX = 200;

/** Progress is the number of advantages that are answered. The result has one report for each. */
export interface DesignJob {
  readonly request: DesignRequest;
  readonly progress: number;
  readonly result: readonly DesignReport[];
}

const difficultySchema = z.object({ realBits: z.number(), wholeBits: z.int() });
const judgedSchema = difficultySchema.extend({
  probability: z.number().describe('Probability of the event, at the whole number of bits.'),
});
const timesSchema = z.object({
  p50Seconds: z.number(),
  p95Seconds: z.number(),
  quantileSeconds: z.number(),
});

const verdictSchema = z.object({
  value: z.enum(['true', 'false', 'unknown']),
  sentence: z.string(),
  reason: z.string(),
});

const designSchema = z
  .object({
    verdict: verdictSchema,
    request: z
      .record(z.string(), z.union([z.number(), z.string(), z.array(z.string())]))
      .describe('With all defaults.'),
    assumes: z.string().describe('What must hold so that the closed form does.'),
    adversaryAttempts: z.number(),
    needed: judgedSchema,
    safeBits: z.number(),
    bearable: judgedSchema
      .nullable()
      .describe('Null if there is not enough time for one candidate.'),
    spareBits: z.number().nullable(),
    isPossible: z.boolean(),
    join: z.object({ one: timesSchema, slowest: timesSchema }),
    enough: z.object({
      adversarySeconds: z.number().nullable(),
      joinSeconds: z.number(),
      nodes: z.number().nullable(),
    }),
    defences: z.array(
      z.object({
        defence: z.enum(DESIGN_DEFENCES),
        gainBits: z.number(),
        needed: difficultySchema,
        bearable: difficultySchema.nullable(),
        spareBits: z.number().nullable(),
        isPossible: z.boolean(),
        remark: z.string(),
      }),
    ),
    check: z
      .object({
        runs: z.int(),
        wins: z.int(),
        confidence: z.number(),
        difficultyBits: z.int(),
        frequency: z.number(),
        interval: z.tuple([z.number(), z.number()]).readonly(),
        theory: z.number(),
        agrees: z.boolean(),
      })
      .nullable(),
    honestCost: z.object({
      ...honestCostMembers,
      joinUnder: z
        .array(
          z.object({
            defence: z.enum(DESIGN_DEFENCES),
            difficultyBits: z.int(),
            ...joinCostMembers,
          }),
        )
        .describe('The join under each defence, at the bits that are needed then.'),
    }),
  })
  .meta({ id: 'Design' });

const designJobSchema = z
  .object({
    ...jobMembers('design', 'd', designRequestSchema),
    progress: countProgressSchema,
    result: z
      .object({
        verdict: verdictSchema.describe('The worst of the answers.'),
        answers: z.array(designSchema).describe('One for each advantage.'),
      })
      .meta({ id: 'DesignResult' })
      .optional(),
    links: jobLinksSchema,
  })
  .meta({ id: 'DesignJob' });

export const DESIGN = defineJob<DesignJob>()({
  ...{ letter: 'd', name: 'design', plural: 'designs', tags: ['experiments'] },
  summary: 'Compute the difficulty against an adversary, and whether honest nodes can afford it',
  body: designRequestSchema,
  example: {
    ...{ epsilon: 0.01, adversarySeconds: 60, nodes: 16 },
    ...{ candidatesPerSecond: 1_000_000, joinSeconds: 10, advantage: 8 },
  },
  givesNoWay: true,
  ...{ keptMax: DESIGNS_KEPT_MAX, begun: 0 },
  remainingMs: () => WORK_MS,
  resultAtOnce(request) {
    if (request.check !== null || request.elections) return null;
    return designsOf(request).map((answer) => reportOf(answer, null, UNMEASURED));
  },
  view: designJobSchema,
  viewOf(job) {
    const { advantages } = job.request;
    const { status, result } = job.state;
    const total = advantages.length;
    const [only, ...others] = result ?? [];
    return {
      ...jobView('design', job),
      progress: { done: status === 'done' ? total : job.progress, total },
      ...(result && {
        result: {
          verdict: only !== undefined && others.length === 0 ? only.verdict : verdictOfAll(result),
          answers: result.map(designView),
        },
      }),
      links: jobLinks(job),
    };
  },
});

/** Typical time of elections and checks. */
const WORK_MS = 2000;

type Measured = Parameters<typeof designCost>[1];

const UNMEASURED: Measured = { elections: [], defences: [] };

function reportOf(answer: Design, check: DesignCheck | null, measured: Measured): DesignReport {
  return designReport(answer, check, designCost(answer, measured));
}

/** Executes elections and checks on this number of threads. */
export function designInThreads(threads: number): Execute<DesignJob> {
  return async (request, { onProgress, signal }) => {
    const answers = designsOf(request);
    const [first] = answers;
    if (first === undefined) throw new TypeError('"advantages" expected one at least, got none');
    const measured = request.elections ? await electionCostsInThread(first.request) : UNMEASURED;
    const reports: DesignReport[] = [];
    for (const [index, answer] of answers.entries()) {
      const check = await checked(answer, request, { index, threads, signal });
      if (signal.aborted) break;
      reports.push(reportOf(answer, check, measured));
      onProgress(reports.length);
    }
    if (reports.length === 0) throw signal.reason;
    return reports;
  };
}

/** The check of an answer; null if none is requested or possible, or if it was stopped. */
async function checked(
  answer: Design,
  { check }: DesignRequest,
  how: { readonly index: number; readonly threads: number; readonly signal: AbortSignal },
): Promise<DesignCheck | null> {
  const { index, ...options } = how;
  const difficulty = checkedDifficulty(answer);
  const runs = check?.runs[index] ?? null;
  if (check === null || difficulty === null || runs === null) return null;
  const model = checkModel(answer, difficulty.wholeBits);
  const { tally } = await runExperiment({ model, seed: check.seed, runs }, options);
  if (options.signal.aborted) return null;
  const { confidence } = check;
  return checkOf(difficulty, { confidence, runs: tally.runs, wins: tally.wins[0] ?? 0 });
}

function designView(report: DesignReport): z.output<typeof designSchema> {
  const { defences, request, honestCost, ...rest } = report;
  const { joinUnder, ...cost } = honestCost;
  return {
    ...rest,
    request: { ...request, electionDefences: [...request.electionDefences] },
    defences: [...defences],
    honestCost: { ...cost, joinUnder: [...joinUnder] },
  };
}
