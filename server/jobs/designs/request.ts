/**
 * @module
 * The body of `POST /v1/designs`, and how it becomes a design. Its members are the flags of `usurp design` with
 * the same meaning. A check is limited in size.
 */

import { z } from '@hono/zod-openapi';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { checkedDifficulty, checkRuns, drawsPerRun } from '../../../src/experiment/design/check.ts';
import { assertDefencesFit } from '../../../src/experiment/design/cost.ts';
import type { Design } from '../../../src/experiment/design/design.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { DESIGN_QUESTIONS } from '../../../src/experiment/design/questions.ts';
import { ADVANTAGES_MAX, QUESTION_BOUNDS } from '../../../src/experiment/design/request.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../../src/experiment/document/defence-names.ts';
import type { QuantityKind } from '../../../src/quantities.ts';
import { QUANTITY_EXAMPLES, quantity } from '../../../src/quantities.ts';
import type { Seed } from '../../../src/random.ts';
import { faultAt } from '../../contract/faults.ts';
import { countSchema, seedOf, seedSchema } from '../../contract/members.ts';

/** Rank keys drawn by a check, and its runs: each limit takes about a second. */
export const CHECK_DRAWS_MAX = 10_000_000;
export const CHECK_RUNS_MAX = 100_000;

const advantage = amount('advantage', 'number');

const checkSchema = z.strictObject({
  runs: countSchema(1, CHECK_RUNS_MAX).optional(),
  confidence: quantity(
    'probability',
    { above: 0, below: 1 },
    'must be a confidence above 0 and below 1, for example 0.95 or 95%',
  ).default(0.95),
  seed: seedSchema.optional(),
});

export const designRequestSchema = z
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
    epsilon: amount('epsilon', 'probability').describe(
      'Largest accepted probability of the event.',
    ),
    adversarySeconds: amount('adversarySeconds', 'time').describe(
      'CPU time that the adversary spends on identities.',
    ),
    nodes: amount('nodes', 'count').describe('Number of honest nodes.'),
    candidatesPerSecond: amount('candidatesPerSecond', 'number').describe(
      'Rate of an honest node. POST /v1/calibrations measures that of this server.',
    ),
    joinSeconds: amount('joinSeconds', 'time').describe('Mining time that an honest node accepts.'),
    joinQuantile: amount('joinQuantile', 'probability')
      .optional()
      .describe('Probability with which an honest node must be done by then.'),
    advantage: z
      .union([advantage, z.array(advantage).min(1).max(ADVANTAGES_MAX)])
      .optional()
      .describe(
        'Rate of the adversary, as a multiple of an honest node: its machines times the speed of each. A list has one answer for each.',
      ),
    machines: amount('machines', 'number')
      .optional()
      .describe(
        'The part of the advantage that is the number of machines, which a memory-hard function does not reduce. By default the whole.',
      ),
    preparationSeconds: amount('preparationSeconds', 'time').optional(),
    windowSeconds: amount('windowSeconds', 'time').optional(),
    stockSpeed: amount('stockSpeed', 'number').optional(),
    hardAdvantage: amount('hardAdvantage', 'number').optional(),
    hardCandidatesPerSecond: amount('hardCandidatesPerSecond', 'number').optional(),
    check: checkSchema.optional().describe('Compare the answer with sampled runs.'),
    elections: z
      .boolean()
      .optional()
      .describe('Simulate elections among honest nodes, to state what they cost.'),
  })
  .meta({ id: 'DesignRequest' });

type DesignBody = z.output<typeof designRequestSchema>;

/** A design that was checked completely. */
export interface DesignRequest {
  readonly body: DesignBody;
  readonly question: Omit<DesignBody, 'check' | 'elections' | 'advantage'>;
  /** At least one. Undefined is the default advantage. */
  readonly advantages: readonly (number | undefined)[];
  /** Whether elections are simulated. */
  readonly elections: boolean;
  /** Null without a check by runs. */
  readonly check: DesignCheckRequest | null;
}

interface DesignCheckRequest {
  readonly confidence: number;
  readonly seed: Seed;
  /** Runs for each advantage; null if no runs can check its answer. */
  readonly runs: readonly (number | null)[];
}

/** The answers by closed forms, one for each advantage. */
export function designsOf({ question, advantages }: DesignRequest): Design[] {
  return advantages.map((advantage) => design({ ...question, advantage }));
}

/** Throws LabError `schema`, `arguments` or `job.size` for a design that cannot be computed. */
export function parseDesignRequest(body: DesignBody): DesignRequest {
  const { check, elections = false, advantage, ...question } = body;
  const advantages = Array.isArray(advantage) ? advantage : [advantage];
  const request = { body, question, advantages, elections, check: null };
  const answers = designsOf(request);
  const [first] = answers;
  if (first === undefined) throw new TypeError('"answers" expected at least one, got none');
  assertDefencesFit(first.request);
  if (check === undefined) return request;
  const { confidence } = check;
  const seed = seedOf(check.seed);
  const runs = answers.map((answer) => runsOf(answer, check.runs, answers.length));
  const whole = { ...body, check: { ...check, seed } };
  return { ...request, body: whole, check: { confidence, seed, runs } };
}

/** The runs of the check of an answer. All checks of a request share the limits. */
function runsOf(answer: Design, requested: number | undefined, checks: number): number | null {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) return null;
  const draws = drawsPerRun(answer, difficulty);
  const whole = Math.min(CHECK_RUNS_MAX, Math.floor(CHECK_DRAWS_MAX / draws));
  const most = Math.max(1, Math.floor(whole / checks));
  const runs = requested ?? Math.min(most, checkRuns(answer, difficulty));
  if (runs <= most) return runs;
  const detail = `at most ${most} runs in one check of ${answer.request.nodes} nodes, got ${runs}`;
  throw faultAt('job.size', '/check/runs', detail);
}

/** A member of the question. */
function amount(name: keyof typeof QUESTION_BOUNDS, kind: QuantityKind) {
  const { least, most, wanted } = QUESTION_BOUNDS[name];
  const error = `must be ${wanted}, for example ${QUANTITY_EXAMPLES[kind]}`;
  return quantity(kind, { min: least, max: most }, error);
}
