/**
 * @module
 * A design held against sampled runs. The runs are of a threat model that is made for it, at the
 * difficulty on which the answer turns: the one that is needed where honest nodes bear it, else the
 * hardest that they bear. The answer is `unknown` where the interval of the runs does not say the same
 * as the closed form.
 */

import { BUDGET_COUNT_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { checkThreatModel } from '../reading/schema-faults.ts';
import { wilsonInterval } from '../theory/statistics.ts';
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
  /** Wilson's. */
  readonly interval: readonly [number, number];
  /** The closed form at the same difficulty, and whether it is in the interval. */
  readonly theory: number;
  readonly agrees: boolean;
}

export interface DesignVerdict {
  /** Whether ε and the join time can both be had. */
  readonly value: 'true' | 'false' | 'unknown';
  readonly sentence: string;
  readonly reason: string;
}

/** The difficulty that is checked; null where no runs can tell anything. */
export function checkedDifficulty(design: Design): JudgedDifficulty | null {
  if (design.adversaryAttempts > BUDGET_COUNT_MAX) return null;
  return design.isPossible ? design.needed : design.bearable;
}

/** The threat model whose runs check a design at a difficulty. */
export function checkModel(design: Design, difficultyBits: number): ThreatModel {
  const { nodes, epsilon } = design.request;
  const prose = 'As usurp design was asked.';
  const checked = checkThreatModel({
    ...{ id: 'design', title: 'The check of a design', assumes: prose, can: prose, cannot: prose },
    ...{ wants: 'The top ID.', outcome: prose, work: 'sampled', confirmRuns: 0 },
    network: { honest: nodes, identity: { c1: difficultyBits } },
    adversaries: { main: { budget: { attempts: design.adversaryAttempts } } },
    expect: { property: 'adversary-leads', comparison: 'at-most', probability: epsilon },
  });
  if (checked.outcome === 'valid') return checked.model;
  const faults = checked.faults.map((fault) => fault.text).join('; ');
  throw new TypeError(`"model" expected a valid threat model, got ${faults}`);
}

const CHECK_RUNS_MIN = 10_000;
const CHECK_RUNS_MAX = 400_000;
/** Rank keys that a check draws at most: some seconds. */
const CHECK_DRAWS_MAX = 100_000_000;
/** Standard errors between closed form and bound: twice what a 95 % interval reaches to a side. */
const CHECK_SPREAD = 4;

/**
 * As many runs as tell the closed form from ε, if the closed form is right: the nearer they are the
 * more, up to what takes some seconds.
 */
export function checkRuns({ request }: Design, { probability }: JudgedDifficulty): number {
  const variance = probability * (1 - probability);
  const telling = variance * (CHECK_SPREAD / (probability - request.epsilon)) ** 2;
  const affordable = Math.min(CHECK_RUNS_MAX, Math.floor(CHECK_DRAWS_MAX / request.nodes));
  return Math.min(affordable, Math.max(CHECK_RUNS_MIN, Math.ceil(telling)));
}

/** What so many runs at a difficulty say. */
export function checkOf(
  { wholeBits, probability }: JudgedDifficulty,
  done: DesignRuns,
): DesignCheck {
  const interval = wilsonInterval(done);
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
  /** Null where none was made. */
  readonly check: DesignCheck | null;
}

export function designReport(design: Design, check: DesignCheck | null): DesignReport {
  return { verdict: designVerdict(design, check), ...design, check };
}

/** The verdict; `check` is null where none was made. */
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
    const reason = `${where} have the whole interval ${range} ${side} ${percent(epsilon)}`;
    return { value: byTheory, sentence, reason };
  }
  const straddles = low <= epsilon && epsilon < high;
  const reason = straddles
    ? `${where} have ${percent(epsilon)} within their interval ${range}; more runs narrow it`
    : `${where} have the interval ${range}, on the other side of ${percent(epsilon)} than the closed form`;
  const doubt = `Unknown: by the closed form ${byTheory === 'true' ? '' : 'not '}possible, but ${reason}.`;
  return { value: 'unknown', sentence: doubt, reason };
}

function possibleSentence(design: Design): string {
  const { request, needed, join } = design;
  return (
    `Possible: ${needed.wholeBits} bits hold ${adversaryText(design)} to ${percent(needed.probability)}, ` +
    `within the ${percent(request.epsilon)} allowed, and an honest node joins within ` +
    `${seconds(join.one.quantileSeconds)} with probability ${request.joinQuantile}, ` +
    `within the ${seconds(request.joinSeconds)} accepted.`
  );
}

function impossibleSentence(design: Design): string {
  const { request, needed, bearable } = design;
  const { epsilon, joinSeconds } = request;
  const way = wayOut(design);
  const start = `Not possible: holding ${adversaryText(design)} to ${percent(epsilon)} takes`;
  if (bearable === null) {
    return `${start} ${needed.wholeBits} bits, and in ${seconds(joinSeconds)} no honest node tests even one candidate, ${way}.`;
  }
  const borne = `${bearable.realBits.toFixed(2)} that let an honest node join within ${seconds(joinSeconds)}`;
  const lack = needed.realBits - bearable.realBits;
  const gap =
    lack > 0
      ? `${lack.toFixed(2)} more than the ${borne}`
      : `and no whole number lies between them and the ${borne}`;
  return `${start} ${needed.realBits.toFixed(2)} bits, ${gap}, ${way}.`;
}

/** The defences that would do by themselves, else whether all would together. */
function wayOut({ defences }: Design): string {
  const helpers = defences.filter((each) => each.isPossible).map(({ defence }) => defence);
  if (helpers.length === 0) return 'and no defence listed would make up for it';
  const alone = helpers.filter((defence) => defence !== 'together');
  if (alone.length > 0) return `which ${alone.join(' or ')} would make up for`;
  return 'which the defences listed would make up for only together';
}

function adversaryText({ request }: Design): string {
  const { adversarySeconds, advantage, nodes } = request;
  const speed =
    advantage === 1 ? 'the speed' : `${Number(advantage.toPrecision(6))} times the speed`;
  const each = nodes === 1 ? 'the one honest node' : `each of ${nodes} honest nodes`;
  return `an adversary with ${seconds(adversarySeconds)} at ${speed} of ${each}`;
}

function percent(probability: number): string {
  return `${Number((100 * probability).toPrecision(3))} %`;
}

function seconds(value: number): string {
  return `${Number(value.toPrecision(4))} s`;
}
