/**
 * @module
 * The check of a design by sampled runs of a threat model that is made for it. The runs use the difficulty
 * that decides the answer: the needed one if honest nodes can afford it, else the hardest affordable one.
 * The answer is `unknown` if the interval of the runs does not agree with the closed form.
 */

import { z } from 'zod';

import { capitalized } from '../../printable.ts';
import { BUDGET_COUNT_MAX, CAPTURED_MAX, RATE_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { checkThreatModel } from '../reading/schema-faults.ts';
import { exactInterval } from '../theory/statistics.ts';
import type { DesignCost } from './cost.ts';
import { designCostSchema } from './cost.ts';
import type { Design, JudgedDifficulty } from './design.ts';
import { designSchema } from './design.ts';
import { questionFor } from './questions.ts';

const checkSchema = z.object({
  runs: z.int(),
  wins: z.int(),
  /** Above 0 and below 1. */
  confidence: z.number(),
  difficultyBits: z.int(),
  frequency: z.number(),
  /** Exact (Clopper–Pearson). */
  interval: z.tuple([z.number(), z.number()]).readonly(),
  /** The closed form at the same difficulty. */
  theory: z.number(),
  /** Whether the closed form is in the interval. */
  agrees: z.boolean(),
});

export type DesignCheck = Readonly<z.output<typeof checkSchema>>;

/** Runs that were executed to check a design. */
export type DesignRuns = Pick<DesignCheck, 'runs' | 'wins' | 'confidence'>;

/** Whether a difficulty satisfies both ε and the join time. */
export const designVerdictSchema = z.object({
  value: z.enum(['true', 'false', 'unknown']),
  sentence: z.string(),
  reason: z.string(),
});

type DesignVerdict = Readonly<z.output<typeof designVerdictSchema>>;

/** The whole answer, as it is printed and served. */
export const designReportSchema = z
  .object({
    verdict: designVerdictSchema,
    ...designSchema.shape,
    /** Null if no run was made. */
    check: checkSchema.nullable(),
    honestCost: designCostSchema,
  })
  .meta({ id: 'Design' });

export type DesignReport = Readonly<z.output<typeof designReportSchema>>;

/** The difficulty to check. Null if no runs can check the design. */
export function checkedDifficulty(design: Design): JudgedDifficulty | null {
  if (design.adversaryAttempts > BUDGET_COUNT_MAX) return null;
  const { drawsAll } = questionFor(design.request.question).check;
  if (drawsAll && design.request.nodes > CAPTURED_MAX) return null;
  return design.isPossible ? design.needed : design.bearable;
}

/** The threat model whose runs check a design at a difficulty. */
export function checkModel(design: Design, difficultyBits: number): ThreatModel {
  const { nodes, epsilon, question } = design.request;
  const { property, drawsLeader } = questionFor(question).check;
  const { rate, cpuSeconds } = paceOf(design);
  const prose = 'As requested from usurp design.';
  const checked = checkThreatModel({
    id: 'design',
    title: 'The check of a design',
    assumes: prose,
    can: prose,
    cannot: prose,
    wants: 'The top ID.',
    outcome: prose,
    work: 'sampled',
    confirmRuns: 0,
    network: {
      honest: nodes,
      identity: { c1: difficultyBits },
      // A beacon after registration draws the leader among all identities.
      election: { defences: drawsLeader ? ['beacon-rank'] : [] },
    },
    adversaries: {
      main: { budget: { cpuSeconds }, rate, behaviours: [] },
    },
    expect: { property, comparison: 'at-most', probability: epsilon },
  });
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.map((fault) => fault.text).join('; ');
  throw new TypeError(`"model" expected a valid threat model, got ${faults}`);
}

/** The same attempts within more seconds, if documents do not allow such a rate. */
function paceOf({ request }: Design): { readonly rate: number; readonly cpuSeconds: number } {
  const asked = request.advantage * request.rate;
  const rate = Math.min(asked, RATE_MAX);
  return { rate, cpuSeconds: (request.time * asked) / rate };
}

const CHECK_RUNS_MIN = 10_000;
const CHECK_RUNS_MAX = 400_000;
/** Limit of the rank keys that a check draws in some seconds. */
const CHECK_DRAWS_MAX = 100_000_000;
/** Rank keys that are drawn in the time of one identity with its owner. */
const DRAWS_PER_IDENTITY = 20;
/** Standard errors between closed form and bound: about twice half the width of a 95 % interval. */
const CHECK_SPREAD = 4;

/** The work of one run of a check, in rank keys that are drawn. */
export function drawsPerRun(design: Design, { wholeBits }: JudgedDifficulty): number {
  const { nodes, question } = design.request;
  const { drawsAll, drawsLeader } = questionFor(question).check;
  if (!drawsAll || drawsLeader) return nodes;
  const forged = Math.min(CAPTURED_MAX, design.adversaryAttempts * 2 ** -wholeBits);
  return Math.ceil(DRAWS_PER_IDENTITY * (nodes + forged));
}

/** Number of runs that distinguishes the closed form from ε if the form is right, within some seconds. */
export function checkRuns(design: Design, difficulty: JudgedDifficulty): number {
  const { request } = design;
  const { probability } = difficulty;
  const variance = probability * (1 - probability);
  const telling = variance * (CHECK_SPREAD / (probability - request.epsilon)) ** 2;
  const affordable = Math.min(
    CHECK_RUNS_MAX,
    Math.max(1, Math.floor(CHECK_DRAWS_MAX / drawsPerRun(design, difficulty))),
  );
  return Math.min(affordable, Math.max(CHECK_RUNS_MIN, Math.ceil(telling)));
}

/** The check by finished runs at a difficulty. */
export function checkOf(
  { wholeBits, probability }: JudgedDifficulty,
  done: DesignRuns,
): DesignCheck {
  const interval = exactInterval(done);
  const agrees = interval[0] <= probability && probability <= interval[1];
  return {
    ...done,
    difficultyBits: wholeBits,
    frequency: done.wins / done.runs,
    interval,
    theory: probability,
    agrees,
  };
}

export function designReport(
  design: Design,
  check: DesignCheck | null,
  honestCost: DesignCost,
): DesignReport {
  return { verdict: designVerdict(design, check), ...design, check, honestCost };
}

/** The verdict about several advantages: the worst one. `false` is worse than `unknown`. */
export function verdictOfAll(reports: readonly DesignReport[]): DesignVerdict {
  const values = ['false', 'unknown', 'true'] as const;
  const [value = 'true'] = values.filter((each) =>
    reports.some(({ verdict }) => verdict.value === each),
  );
  const parts = values.toReversed().flatMap((each) => {
    const own = reports.filter(({ verdict }) => verdict.value === each);
    if (own.length === 0) return [];
    const factors = own.map(({ request }) => factorText(request.advantage));
    return [`${POSSIBLE[each]} at ${factors.join(', ')}`];
  });
  const sentence = `${parts.join('; ')} times the speed of an honest node.`;
  const reason = `the worst of ${reports.length} answers`;
  return { value, sentence: capitalized(sentence), reason };
}

const POSSIBLE = { true: 'possible', unknown: 'undecided', false: 'not possible' } as const;

/** Why the verdict is what it is, if no runs were sampled. */
const BY_THEORY = 'computed with the closed form; no run was sampled to confirm it';

function designVerdict(design: Design, check: DesignCheck | null): DesignVerdict {
  const byTheory = design.isPossible ? 'true' : 'false';
  const sentence = design.isPossible ? possibleSentence(design) : impossibleSentence(design);
  if (check === null) return { value: byTheory, sentence, reason: BY_THEORY };
  const { epsilon } = design.request;
  const [low, high] = check.interval;
  const isConfirmed = design.isPossible ? high <= epsilon : low > epsilon;
  const where = `${check.runs} sampled runs at ${check.difficultyBits} bits`;
  const range = `${percent(low)}–${percent(high)}`;
  if (isConfirmed) {
    const side = design.isPossible ? 'at or below' : 'above';
    const reason = `${where}: the whole interval ${range} is ${side} ${percent(epsilon)}`;
    return { value: byTheory, sentence, reason };
  }
  const straddles = low <= epsilon && epsilon < high;
  const reason = straddles
    ? `${where}: the bound ${percent(epsilon)} is within the interval ${range}; more runs make it narrower`
    : `${where}: the interval ${range} and the closed form are on different sides of ${percent(epsilon)}`;
  const doubt = `Unknown: by the closed form it is ${byTheory === 'true' ? '' : 'not '}possible, but ${reason}.`;
  return { value: 'unknown', sentence: doubt, reason };
}

function possibleSentence(design: Design): string {
  const { request, needed, join } = design;
  return (
    `Possible: ${needed.wholeBits} bits limit ${limitedText(design)} to ${percent(needed.probability)}, ` +
    `and at most ${percent(request.epsilon)} is allowed. An honest node joins within ` +
    `${seconds(join.one.quantileSeconds)} with probability ${request.joinQuantile}, ` +
    `and ${seconds(request.joinTime)} are accepted.`
  );
}

function impossibleSentence(design: Design): string {
  const { request, needed, bearable } = design;
  const { epsilon, joinTime } = request;
  const repair = repairSentence(design);
  const start = `Not possible: to limit ${limitedText(design)} to ${percent(epsilon)} takes`;
  if (bearable === null) {
    return `${start} ${needed.wholeBits} bits, but in ${seconds(joinTime)} an honest node cannot test a single candidate. ${repair}`;
  }
  const lack = needed.realBits - bearable.realBits;
  const affordable = `${bearable.realBits.toFixed(2)} bits that a join within ${seconds(joinTime)} allows`;
  const gap =
    lack > 0
      ? `${lack.toFixed(2)} more than the ${affordable}`
      : `and no whole number lies between them and the ${affordable}`;
  // With two digits, a number slightly above an integer could look like that integer.
  const whole = Math.floor(needed.realBits);
  const digits = [2, 3, 4, 6, 9].find((each) => Number(needed.realBits.toFixed(each)) > whole);
  return `${start} ${needed.realBits.toFixed(digits ?? 2)} bits, ${gap}. ${repair}`;
}

/** The single defences that make the design possible, or else all together. */
function repairSentence({ remedies }: Design): string {
  const enough = remedies.filter((each) => each.isPossible).map(({ defence }) => defence);
  if (enough.length === 0) return 'No listed defence is enough.';
  const alone = enough.filter((defence) => defence !== 'together');
  if (alone.length === 0) return 'Only the listed defences together are enough.';
  return `With ${alone.join(' or ')} it would be possible.`;
}

/** The adversary, and what it does if that is not to lead. */
function limitedText(design: Design): string {
  const { question } = design.request;
  if (question === 'adversary-leads') return adversaryText(design);
  return `the probability that ${adversaryText(design)} ${questionFor(question).event}`;
}

function factorText(advantage: number): string {
  return String(Number(advantage.toPrecision(6)));
}

function adversaryText({ request }: Design): string {
  const { time, advantage, nodes } = request;
  const speed = advantage === 1 ? 'the speed' : `${factorText(advantage)} times the speed`;
  const node = nodes === 1 ? 'the only honest node' : `one of ${nodes} honest nodes`;
  return `an adversary with ${seconds(time)} at ${speed} of ${node}`;
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(4))} s`;
}
