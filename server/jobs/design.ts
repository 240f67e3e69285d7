/**
 * @module
 * The route that computes the difficulty that holds an adversary off. The answer uses closed forms and takes
 * some milliseconds. A check by sampled runs, if requested, runs in a thread and is limited in size.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { DesignCheck } from '../../src/experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
} from '../../src/experiment/design/check.ts';
import { DESIGN_DEFENCES } from '../../src/experiment/design/defences.ts';
import type { Design } from '../../src/experiment/design/design.ts';
import { design } from '../../src/experiment/design/design.ts';
import type { QuantityKind } from '../../src/quantities.ts';
import { QUANTITY_EXAMPLES, quantity } from '../../src/quantities.ts';
import type { Seed } from '../../src/random.ts';
import { runExperiment } from '../../src/runtime/threads/experiment-pool.ts';
import { faultAt } from '../contract/faults.ts';
import { JSON_BODY } from '../contract/json-body.ts';
import { countSchema, seedOf, seedSchema } from '../contract/members.ts';
import { bodyRefusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import { OverloadError } from '../request/refusals.ts';

/** Rank keys drawn by a check, and its runs: each limit takes about a second. */
export const CHECK_DRAWS_MAX = 10_000_000;
export const CHECK_RUNS_MAX = 100_000;
/** Checks that run at the same time. */
const CHECKS_MAX = 2;
const CHECK_RETRY_S = 2;

const probability = amount('probability', 'a probability');
const time = amount('time', 'a time in seconds');
const count = amount('count', 'a whole number');
const factor = amount('number', 'a number');

const questionSchema = z
  .strictObject({
    epsilon: probability.describe('Largest accepted probability that the adversary leads.'),
    adversarySeconds: time.describe('CPU time that the adversary spends on identities.'),
    nodes: count.describe('Number of honest nodes.'),
    candidatesPerSecond: factor.describe(
      'Rate of an honest node. GET /v1/calibration has that of this server.',
    ),
    joinSeconds: time.describe('Mining time that an honest node accepts.'),
    joinQuantile: probability
      .optional()
      .describe('Probability with which an honest node must be done by then.'),
    advantage: factor
      .optional()
      .describe(
        'Rate of the adversary, as a multiple of an honest node: its machines times the speed of each.',
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
    check: z
      .strictObject({
        runs: countSchema(1).optional(),
        confidence: quantity(
          'probability',
          { above: 0, below: 1 },
          'must be a confidence above 0 and below 1, for example 0.95 or 95%',
        ).default(0.95),
        seed: seedSchema.optional(),
      })
      .optional()
      .describe('Compare the answer with sampled runs.'),
  })
  .meta({ id: 'DesignQuestion' });

const difficultySchema = z.object({ realBits: z.number(), wholeBits: z.int() });
const judgedSchema = difficultySchema.extend({
  probability: z
    .number()
    .describe('Probability that the adversary leads, at the whole number of bits.'),
});
const timesSchema = z.object({
  p50Seconds: z.number(),
  p95Seconds: z.number(),
  quantileSeconds: z.number(),
});

const designSchema = z
  .object({
    verdict: z.object({
      value: z.enum(['true', 'false', 'unknown']),
      sentence: z.string(),
      reason: z.string(),
    }),
    request: z.record(z.string(), z.number()).describe('With all defaults.'),
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
    seed: seedSchema.nullable().describe('Seed of the check; null without one.'),
  })
  .meta({ id: 'Design' });

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
    200: jsonAnswer(designSchema, 'The answer, whether the design is possible or not.'),
    ...bodyRefusals(503),
  },
});

export function createDesignRoutes() {
  let checking = 0;
  return createRouter().openapi(designRoute, async (c) => {
    const { check: requested, ...question } = c.req.valid('json');
    const answer = design(question);
    if (requested === undefined) return c.json(designView(answer, null, null), 200);
    if (checking >= CHECKS_MAX) {
      const detail = `${CHECKS_MAX} checks are running; try again later, or without check`;
      throw new OverloadError('limit.queue', detail, CHECK_RETRY_S);
    }
    const seed = seedOf(requested.seed);
    checking += 1;
    try {
      const check = await checked(answer, { ...requested, seed });
      return c.json(designView(answer, check, check && seed), 200);
    } finally {
      checking -= 1;
    }
  });
}

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
  },
): Promise<DesignCheck | null> {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) return null;
  const { nodes } = answer.request;
  const most = Math.min(CHECK_RUNS_MAX, Math.floor(CHECK_DRAWS_MAX / nodes));
  const runs = requested.runs ?? Math.min(most, checkRuns(answer, difficulty));
  if (runs > most) {
    const detail = `at most ${most} runs of ${nodes} nodes in one check, got ${runs}`;
    throw faultAt('job.size', '/check/runs', detail);
  }
  const model = checkModel(answer, difficulty.wholeBits);
  const { tally } = await runExperiment({ model, seed: requested.seed, runs }, { threads: 1 });
  return checkOf(difficulty, { ...requested, runs: tally.runs, wins: tally.wins[0] ?? 0 });
}

function designView(
  answer: Design,
  check: DesignCheck | null,
  seed: Seed | null,
): z.output<typeof designSchema> {
  const { defences, request, ...report } = designReport(answer, check);
  return { ...report, request: { ...request }, defences: [...defences], seed };
}
