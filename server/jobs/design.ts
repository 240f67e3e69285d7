/**
 * @module
 * The route that computes the difficulty that limits an adversary. The answer uses closed forms and takes
 * some milliseconds. The elections that show its cost, and a check by sampled runs if requested, run in
 * threads and are limited in size.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import type { DesignCheck, DesignReport } from '../../src/experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
  drawsPerRun,
  verdictOfAll,
} from '../../src/experiment/design/check.ts';
import { assertDefencesFit, designCost } from '../../src/experiment/design/cost.ts';
import { DESIGN_DEFENCES } from '../../src/experiment/design/defences.ts';
import type { Design } from '../../src/experiment/design/design.ts';
import { design } from '../../src/experiment/design/design.ts';
import { DESIGN_QUESTIONS } from '../../src/experiment/design/questions.ts';
import { ADVANTAGES_MAX } from '../../src/experiment/design/request.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../src/experiment/document/defence-names.ts';
import type { QuantityKind } from '../../src/quantities.ts';
import { QUANTITY_EXAMPLES, quantity } from '../../src/quantities.ts';
import type { Seed } from '../../src/random.ts';
import { electionCostsInThread } from '../../src/runtime/threads/costs.ts';
import { runExperiment } from '../../src/runtime/threads/experiment-pool.ts';
import { faultAt } from '../contract/faults.ts';
import { JSON_BODY } from '../contract/json-body.ts';
import { countSchema, seedOf, seedSchema } from '../contract/members.ts';
import { bodyRefusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import { OverloadError } from '../request/refusals.ts';
import { honestCostMembers, joinCostMembers } from './run.ts';

/** Rank keys drawn by a check, and its runs: each limit takes about a second. */
export const CHECK_DRAWS_MAX = 10_000_000;
export const CHECK_RUNS_MAX = 100_000;
/** Requests with checks or elections that are answered at the same time. */
const WORKS_MAX = 2;
const CHECK_RETRY_S = 2;

const probability = amount('probability', 'a probability');
const time = amount('time', 'a time in seconds');
const count = amount('count', 'a whole number');
const factor = amount('number', 'a number');

const checkSchema = z.strictObject({
  runs: countSchema(1).optional(),
  confidence: quantity(
    'probability',
    { above: 0, below: 1 },
    'must be a confidence above 0 and below 1, for example 0.95 or 95%',
  ).default(0.95),
  seed: seedSchema.optional(),
});

const questionSchema = z
  .strictObject({
    protocol: z
      .enum(PROTOCOL_NAMES)
      .optional()
      .describe('Protocol of the election. It decides which questions fit.'),
    question: z
      .enum(DESIGN_QUESTIONS)
      .optional()
      .describe(
        'The event whose probability is limited. By default adversary-leads if the rank decides, else leads-more-than-share.',
      ),
    electionDefences: z
      .array(z.enum(CHOSEN_DEFENCE_NAMES))
      .max(CHOSEN_DEFENCE_NAMES.length)
      .optional()
      .describe('Defences of the election whose cost is measured.'),
    epsilon: probability.describe('Largest accepted probability of the event.'),
    adversarySeconds: time.describe('CPU time that the adversary spends on identities.'),
    nodes: count.describe('Number of honest nodes.'),
    candidatesPerSecond: factor.describe(
      'Rate of an honest node. GET /v1/calibration has that of this server.',
    ),
    joinSeconds: time.describe('Mining time that an honest node accepts.'),
    joinQuantile: probability
      .optional()
      .describe('Probability with which an honest node must be done by then.'),
    advantage: z
      .union([factor, z.array(factor).min(1).max(ADVANTAGES_MAX)])
      .optional()
      .describe(
        'Rate of the adversary, as a multiple of an honest node: its machines times the speed of each. A list has one answer for each.',
      ),
    machines: factor
      .optional()
      .describe(
        'The part of the advantage that is the number of machines, which a memory-hard function does not reduce. By default the whole.',
      ),
    preparationSeconds: time.optional(),
    windowSeconds: time.optional(),
    stockSpeed: factor.optional(),
    hardAdvantage: factor.optional(),
    hardCandidatesPerSecond: factor.optional(),
    check: checkSchema.optional().describe('Compare the answer with sampled runs.'),
    elections: z
      .boolean()
      .optional()
      .describe('Simulate elections among honest nodes, to state what they cost.'),
  })
  .meta({ id: 'DesignQuestion' });

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

const seedOfCheck = seedSchema.nullable().describe('Seed of the check; null without one.');

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
    seed: seedOfCheck,
  })
  .meta({ id: 'Design' });

const designsSchema = z
  .object({
    verdict: verdictSchema.describe('The worst of the answers.'),
    answers: z.array(designSchema),
    seed: seedOfCheck,
  })
  .meta({ id: 'Designs', description: 'One answer for each advantage.' });

const designRoute = createRoute({
  method: 'post',
  path: '/v1/design',
  operationId: 'design',
  tags: ['experiments'],
  summary: 'Compute the difficulty against an adversary, and whether honest nodes can afford it',
  middleware: JSON_BODY,
  request: {
    query: NO_QUERY,
    body: jsonRequest(questionSchema, {
      example: {
        ...{ epsilon: 0.01, adversarySeconds: 60, nodes: 16 },
        ...{ candidatesPerSecond: 1_000_000, joinSeconds: 10, advantage: 8 },
      },
    }),
  },
  responses: {
    200: jsonAnswer(
      z.union([designSchema, designsSchema]),
      'The answer, whether the design is possible or not.',
    ),
    ...bodyRefusals(503),
  },
});

export function createDesignRoutes() {
  let underWay = 0;
  return createRouter().openapi(designRoute, async (c) => {
    const { check, elections, advantage, ...question } = c.req.valid('json');
    const isList = Array.isArray(advantage);
    const answers = (isList ? advantage : [advantage]).map((each) =>
      design({ ...question, advantage: each }),
    );
    const seed = check === undefined ? null : seedOf(check.seed);
    const work = { answers, elections: elections === true, check, seed };
    if (check === undefined && elections !== true) {
      return c.json(viewOf(await reportsOf(work), seed, isList), 200);
    }
    if (underWay >= WORKS_MAX) {
      const detail = `${WORKS_MAX} checks are running; try again later, or without check and elections`;
      throw new OverloadError('limit.queue', detail, CHECK_RETRY_S);
    }
    underWay += 1;
    try {
      return c.json(viewOf(await reportsOf(work), seed, isList), 200);
    } finally {
      underWay -= 1;
    }
  });
}

interface Work {
  /** At least one. They differ in the advantage only. */
  readonly answers: readonly Design[];
  /** Whether elections are simulated. */
  readonly elections: boolean;
  readonly check: Omit<z.output<typeof checkSchema>, 'seed'> | undefined;
  readonly seed: Seed | null;
}

async function reportsOf({ answers, elections, check, seed }: Work) {
  const [first] = answers;
  if (first === undefined) throw new TypeError('"answers" expected at least one, got none');
  assertDefencesFit(first.request);
  const measured = elections ? await electionCostsInThread(first.request) : UNMEASURED;
  const reports: DesignReport[] = [];
  for (const answer of answers) {
    const done =
      check === undefined || seed === null
        ? null
        : await checked(answer, { ...check, seed, checks: answers.length });
    reports.push(designReport(answer, done, designCost(answer, measured)));
  }
  return reports;
}

const UNMEASURED = { elections: [], defences: [] };

/** A member of the question. The question itself checks its bounds. */
function amount(kind: QuantityKind, what: string) {
  return quantity(kind, {}, `must be ${what} such as ${QUANTITY_EXAMPLES[kind]}`);
}

/** The check, on one thread; null if runs cannot check the answer. */
async function checked(
  answer: Design,
  requested: {
    readonly runs?: number | undefined;
    readonly confidence: number;
    readonly seed: Seed;
    /** Checks of the request, which share its limits. */
    readonly checks: number;
  },
): Promise<DesignCheck | null> {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) return null;
  const draws = drawsPerRun(answer, difficulty);
  const whole = Math.min(CHECK_RUNS_MAX, Math.floor(CHECK_DRAWS_MAX / draws));
  const most = Math.max(1, Math.floor(whole / requested.checks));
  const runs = requested.runs ?? Math.min(most, checkRuns(answer, difficulty));
  if (runs > most) {
    const detail = `at most ${most} runs in one check of ${answer.request.nodes} nodes, got ${runs}`;
    throw faultAt('job.size', '/check/runs', detail);
  }
  const model = checkModel(answer, difficulty.wholeBits);
  const { tally } = await runExperiment({ model, seed: requested.seed, runs }, { threads: 1 });
  const { confidence } = requested;
  return checkOf(difficulty, { confidence, runs: tally.runs, wins: tally.wins[0] ?? 0 });
}

function viewOf(reports: readonly DesignReport[], seed: Seed | null, isList: boolean) {
  const hasCheck = reports.some(({ check }) => check !== null);
  const answers = reports.map((report) => designView(report, report.check && seed));
  const [first] = answers;
  if (first !== undefined && !isList) return first;
  return { verdict: verdictOfAll(reports), answers, seed: hasCheck ? seed : null };
}

function designView(report: DesignReport, seed: Seed | null): z.output<typeof designSchema> {
  const { defences, request, honestCost, ...rest } = report;
  const { joinUnder, ...cost } = honestCost;
  return {
    ...rest,
    request: { ...request, electionDefences: [...request.electionDefences] },
    defences: [...defences],
    honestCost: { ...cost, joinUnder: [...joinUnder] },
    seed,
  };
}
