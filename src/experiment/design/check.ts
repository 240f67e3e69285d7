/**
 * @module
 * The check of a design by sampled runs of a threat model that is made for it. The runs use the difficulty
 * that decides the answer: the needed one if honest nodes can afford it, else the hardest affordable one.
 * The answer is `unknown` if the interval of the runs does not agree with the closed form.
 */

import { BUDGET_COUNT_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { checkThreatModel } from '../reading/schema-faults.ts';
import { exactInterval } from '../theory/statistics.ts';
import type { Design, JudgedDifficulty } from './design.ts';

/** Runs that were executed to check a design. */
export interface DesignRuns {
  readonly runs: number;
  readonly wins: number;
  /** Above 0 and below 1. */
  readonly confidence: number;
}

export interface DesignCheck extends DesignRuns {
  readonly difficultyBits: number;
  readonly frequency: number;
  /** Exact (Clopper–Pearson). */
  readonly interval: readonly [number, number];
  /** The closed form at the same difficulty. */
  readonly theory: number;
  /** Whether the closed form is in the interval. */
  readonly agrees: boolean;
}

export interface DesignVerdict {
  /** Whether a difficulty satisfies both ε and the join time. */
  readonly value: 'true' | 'false' | 'unknown';
  readonly sentence: string;
  readonly reason: string;
}

/** The difficulty to check. Null if no runs can check the design. */
export function checkedDifficulty(design: Design): JudgedDifficulty | null {
  if (design.adversaryAttempts > BUDGET_COUNT_MAX) return null;
  return design.isPossible ? design.needed : design.bearable;
}

/** The threat model whose runs check a design at a difficulty. */
export function checkModel(design: Design, difficultyBits: number): ThreatModel {
  const { nodes, epsilon } = design.request;
  const prose = 'As requested from usurp design.';
  const checked = checkThreatModel({
    ...{ id: 'design', title: 'The check of a design', assumes: prose, can: prose, cannot: prose },
    ...{ wants: 'The top ID.', outcome: prose, work: 'sampled', confirmRuns: 0 },
    network: { honest: nodes, identity: { c1: difficultyBits } },
    adversaries: { main: { budget: { attempts: design.adversaryAttempts }, behaviours: [] } },
    expect: { property: 'adversary-leads', comparison: 'at-most', probability: epsilon },
  });
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.map((fault) => fault.text).join('; ');
  throw new TypeError(`"model" expected a valid threat model, got ${faults}`);
}

const CHECK_RUNS_MIN = 10_000;
const CHECK_RUNS_MAX = 400_000;
/** Limit of the rank keys that a check draws in some seconds. */
const CHECK_DRAWS_MAX = 100_000_000;
/** Standard errors between closed form and bound: about twice half the width of a 95 % interval. */
const CHECK_SPREAD = 4;

/** Number of runs that distinguishes the closed form from ε if the form is right, within some seconds. */
export function checkRuns({ request }: Design, { probability }: JudgedDifficulty): number {
  const variance = probability * (1 - probability);
  const telling = variance * (CHECK_SPREAD / (probability - request.epsilon)) ** 2;
  const affordable = Math.min(CHECK_RUNS_MAX, Math.floor(CHECK_DRAWS_MAX / request.nodes));
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

/** The whole answer, as it is printed and served. */
export interface DesignReport extends Design {
  readonly verdict: DesignVerdict;
  /** Null if no run was made. */
  readonly check: DesignCheck | null;
}

export function designReport(design: Design, check: DesignCheck | null): DesignReport {
  return { verdict: designVerdict(design, check), ...design, check };
}

function designVerdict(design: Design, check: DesignCheck | null): DesignVerdict {
  const byTheory = design.isPossible ? 'true' : 'false';
  const sentence = design.isPossible ? possibleSentence(design) : impossibleSentence(design);
  if (check === null) return { value: byTheory, sentence, reason: 'by the closed form alone' };
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
    `Possible: ${needed.wholeBits} bits limit ${adversaryText(design)} to ${percent(needed.probability)}, ` +
    `and at most ${percent(request.epsilon)} is allowed. An honest node joins within ` +
    `${seconds(join.one.quantileSeconds)} with probability ${request.joinQuantile}, ` +
    `and ${seconds(request.joinSeconds)} are accepted.`
  );
}

function impossibleSentence(design: Design): string {
  const { request, needed, bearable } = design;
  const { epsilon, joinSeconds } = request;
  const repair = repairSentence(design);
  const start = `Not possible: to limit ${adversaryText(design)} to ${percent(epsilon)} takes`;
  if (bearable === null) {
    return `${start} ${needed.wholeBits} bits, but in ${seconds(joinSeconds)} an honest node cannot test a single candidate. ${repair}`;
  }
  const lack = needed.realBits - bearable.realBits;
  const affordable = `${bearable.realBits.toFixed(2)} bits that a join within ${seconds(joinSeconds)} allows`;
  const gap =
    lack > 0
      ? `${lack.toFixed(2)} more than the ${affordable}`
      : `and no whole number lies between them and the ${affordable}`;
  return `${start} ${needed.realBits.toFixed(2)} bits, ${gap}. ${repair}`;
}

/** The single defences that make the design possible, or else all together. */
function repairSentence({ defences }: Design): string {
  const enough = defences.filter((each) => each.isPossible).map(({ defence }) => defence);
  if (enough.length === 0) return 'No listed defence is enough.';
  const alone = enough.filter((defence) => defence !== 'together');
  if (alone.length === 0) return 'Only the listed defences together are enough.';
  return `With ${alone.join(' or ')} it would be possible.`;
}

function adversaryText({ request }: Design): string {
  const { adversarySeconds, advantage, nodes } = request;
  const speed =
    advantage === 1 ? 'the speed' : `${Number(advantage.toPrecision(6))} times the speed`;
  const node = nodes === 1 ? 'the only honest node' : `one of ${nodes} honest nodes`;
  return `an adversary with ${seconds(adversarySeconds)} at ${speed} of ${node}`;
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(4))} s`;
}
