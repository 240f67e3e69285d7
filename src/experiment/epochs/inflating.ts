/**
 * @module
 * Computes how many keys an adversary registers to raise a difficulty that follows the joins. Its aim is that honest nodes
 * find no identity in the windows whose claims count in the last epoch. A dynamic program goes through the difficulties and
 * what is left to register. Keys of a puzzle without a salt are held back until they raise it most, those with the fewest
 * zero bits first.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { binomialProbability, binomialTail } from '../theory/binomial-odds.ts';
import type { Quota } from './quota.ts';
import { remembering } from './quota.ts';
import type { Retargeting } from './retargeting.ts';
import { retargetedBits } from './retargeting.ts';

export interface Inflation {
  readonly epochs: number;
  readonly lifetimeEpochs: number | null;
  readonly honest: { readonly nodes: number; readonly testsPerWindow: number | null };
  readonly retargeting: Retargeting;
  readonly difficultyBits: number;
  /** Tests before the first window. */
  readonly stock: number;
  /** Tests that the budget of a window pays for. */
  readonly income: number;
  /**
   * What later windows can use. `keys`: all valid keys of a puzzle without a salt. `tests`: a saved budget, under a salt.
   * `nothing`: each window has its own tests.
   */
  readonly keeps: 'keys' | 'tests' | 'nothing';
}

/** Epochs of the program. Earlier windows follow the first of them. */
const HORIZON = 40;
/** Amounts of work that are compared. Values between two of them are interpolated. */
const LEVELS = 64;
const EQUAL = 1e-9;

/** Returns the function that computes the number of keys to register from what has happened so far. */
export const inflatingQuota = remembering((asked: Inflation): Quota => {
  const { epochs, keeps, income, stock } = asked;
  const work = stock + epochs * income;
  const levels = keeps === 'nothing' ? 1 : Math.min(LEVELS, work + 1);
  const scale = levels === 1 ? 1 : work / (levels - 1);
  const plan = { ...asked, work, levels, scale, laws: new Map<string, Law>() };
  const first = Math.max(0, epochs - HORIZON);
  let values: readonly Values[] | null = null;
  return ({ epoch, bits, joins, keys, tests }) => {
    if (epoch === epochs - 1) return 0;
    values ??= valuesOf(plan, first);
    const next = values[Math.max(0, epoch - first) + 1];
    const left = keeps === 'keys' ? keys * 2 ** bits : keeps === 'tests' ? tests : 0;
    let [best, chosen] = [Number.NEGATIVE_INFINITY, 0];
    for (const wanted of choices(plan, bits, joins)) {
      if (wanted > (keeps === 'tests' ? tests : keys) || next === undefined) break;
      const value = afterwards(plan, { bits, joins, left, wanted }, next);
      if (value > best + EQUAL) [best, chosen] = [value, wanted];
    }
    return chosen;
  };
});

/** The value of an epoch by the bits since the last rise, the bits, and the work that is left. */
type Values = (rise: number, bits: number, left: number) => number;

/** Amounts of work with their probabilities, which may add up to less than 1. */
type Law = readonly (readonly [work: number, weight: number])[];

interface Game extends Inflation {
  /** All tests of the epochs. */
  readonly work: number;
  readonly levels: number;
  /** Tests from one level to the next. */
  readonly scale: number;
  /** The tests that a number of keys takes. */
  readonly laws: Map<string, Law>;
}

/** Returns the values of all epochs from the first one of the program on. */
function valuesOf(plan: Game, first: number): readonly Values[] {
  const { epochs, keeps, retargeting, difficultyBits, income, stock } = plan;
  const { work, levels, scale } = plan;
  const risesMax = keeps === 'keys' ? Math.min(retargeting.stepBitsMax, RISES_MAX) : 0;
  const bitsMax = Math.min(
    PUZZLE_BITS_MAX,
    difficultyBits + retargeting.stepBitsMax * epochs,
    Math.ceil(Math.log2(work + 2)) + Math.min(retargeting.stepBitsMax, RISES_MAX),
  );
  const all: Values[] = [];
  for (let epoch = epochs - 1; epoch >= first; epoch -= 1) {
    const later = all[0] ?? null;
    const table = new Float64Array((risesMax + 1) * (bitsMax + 1) * levels);
    for (let cell = 0; cell < table.length; cell += 1) {
      const [level, row] = [cell % levels, Math.floor(cell / levels)];
      const at = { rise: Math.floor(row / (bitsMax + 1)), bits: row % (bitsMax + 1) };
      const most = stock + (epoch + 1) * income + scale;
      if (level * scale > most) table[cell] = table[cell - 1] ?? 0;
      else table[cell] = valueAt(plan, { ...at, epoch, left: level * scale }, later);
    }
    all.unshift((rise, bits, left) => {
      const row = Math.min(rise, risesMax) * (bitsMax + 1) + Math.min(bits, bitsMax);
      const index = Math.min(levels - 1, Math.max(0, left / scale));
      const [low, part] = [Math.floor(index), index % 1];
      const [one = 0, other = one] = table.subarray(row * levels + low, row * levels + low + 2);
      return part === 0 ? one : one + part * (other - one);
    });
  }
  return all;
}

/** Rises of more bits in one step have the same value. */
const RISES_MAX = 8;

interface State {
  readonly epoch: number;
  readonly rise: number;
  readonly bits: number;
  readonly left: number;
}

function valueAt(plan: Game, state: State, later: Values | null): number {
  const { epochs, lifetimeEpochs, honest, keeps, income } = plan;
  const counting = Math.min(lifetimeEpochs ?? epochs, epochs);
  const { epoch, rise, bits, left } = state;
  const most = honest.testsPerWindow ?? Number.POSITIVE_INFINITY;
  const passing = bits === 0 ? 1 : -Math.expm1(most * Math.log1p(-(2 ** -bits)));
  // Without a salt, a claim is renewed if its ID still satisfies the puzzle.
  const renewed = keeps === 'keys' ? 2 ** -rise : 0;
  const joining = ((1 - renewed) * passing) / counting;
  const claiming = renewed + (1 - renewed) * passing;
  // A claim that counts for several epochs can be made in each of their windows.
  const now = counting > 1 && epoch >= epochs - counting ? -claiming : 0;
  if (later === null) {
    const has = { trials: honest.nodes, probability: claiming };
    return counting > 1 ? now : 1 - binomialTail(has, Math.ceil(honest.nodes / 2));
  }
  let sum = 0;
  for (const [joins, weight] of drawsOf(honest.nodes, joining)) {
    let [best, expected] = [Number.NEGATIVE_INFINITY, 0];
    for (const wanted of choices(plan, bits, joins)) {
      const chance =
        keeps === 'nothing'
          ? binomialTail({ trials: income, probability: 2 ** -bits }, wanted)
          : Number(wanted <= (keeps === 'tests' ? left : left * 2 ** -bits));
      if (chance < EQUAL) break;
      const value = afterwards(plan, { bits, joins, left, wanted }, later);
      expected += best === Number.NEGATIVE_INFINITY ? value : chance * Math.max(0, value - best);
      best = Math.max(best, value);
    }
    sum += weight * expected;
  }
  return now + sum;
}

/** The numbers of keys to register that lead to different difficulties, the smallest first. */
function choices(
  { retargeting: { targetJoins, stepBitsMax } }: Inflation,
  bits: number,
  joins: number,
): readonly number[] {
  const wanted = new Set([0]);
  for (let step = -Math.min(stepBitsMax, bits); step <= stepBitsMax; step += 1) {
    const missing = Math.ceil(targetJoins * 2 ** (step - 1 / 2)) - joins;
    if (missing > CHOICES_MAX) break;
    if (missing > 0) wanted.add(missing);
  }
  return [...wanted];
}

const CHOICES_MAX = 2 ** 20;

interface Choice {
  readonly bits: number;
  readonly joins: number;
  readonly left: number;
  readonly wanted: number;
}

/** The value of the next epoch after a choice. */
function afterwards(plan: Game, choice: Choice, next: Values): number {
  const { keeps, income, retargeting } = plan;
  const { bits, joins, left, wanted } = choice;
  const reached = (found: number) => retargetedBits({ bits, joins: joins + found }, retargeting);
  const then = reached(wanted);
  const rise = Math.max(0, then - bits);
  if (keeps === 'nothing') return next(rise, then, 0);
  if (keeps === 'keys') {
    // Keys with few bits are registered first. They would satisfy no harder puzzle.
    const rest = left - wanted * 2 ** bits;
    return next(rise, then, Math.min(left, rest * 2 ** rise) + income);
  }
  if (wanted === 0) return next(rise, then, left + income);
  let [sum, missing] = [0, 1];
  for (const [cost, weight] of lawOf(plan, bits, wanted)) {
    if (cost > left) break;
    sum += weight * next(rise, then, left - cost + income);
    missing -= weight;
  }
  const found = Math.min(wanted - 1, Math.round(left * 2 ** -bits));
  return missing < EQUAL ? sum : sum + missing * next(rise, reached(found), income);
}

/** Few keys of which each takes as long as a level. */
const FEW_KEYS = 8;

/** The law of the tests that a number of keys takes. */
function lawOf({ laws, levels, scale }: Game, bits: number, wanted: number): Law {
  const key = `${bits} ${wanted}`;
  const known = laws.get(key);
  if (known !== undefined) return known;
  const [mean, probability] = [wanted * 2 ** bits, 2 ** -bits];
  const deviation = Math.sqrt(wanted * (1 - probability)) * 2 ** bits;
  const isFew = (scale === 1 || wanted <= FEW_KEYS) && 2 ** bits >= scale;
  const reached = (level: number) =>
    binomialTail({ trials: Math.floor(level * scale), probability }, wanted);
  const law = isFew
    ? Array.from({ length: levels - 1 }, (_, level): Law[number] => [
        Math.max(wanted, scale === 1 ? level + 1 : (level + 1 / 2) * scale),
        reached(level + 1) - reached(level),
      ])
    : SPREAD.map(([distance, weight]): Law[number] => [
        Math.max(wanted, mean + distance * deviation),
        weight,
      ]);
  laws.set(key, law);
  return law;
}

/** Three values stand for a law: distances from the mean in standard deviations, and weights. */
const SPREAD = [
  [-Math.sqrt(3), 1 / 6],
  [0, 2 / 3],
  [Math.sqrt(3), 1 / 6],
] as const;
const EXACT_NODES = 8;

/** Returns numbers of successes with their weights. */
function drawsOf(trials: number, probability: number): readonly (readonly [number, number])[] {
  if (probability === 0 || probability === 1) return [[trials * probability, 1]];
  if (trials <= EXACT_NODES) {
    return Array.from({ length: trials + 1 }, (_, count) => [
      count,
      binomialProbability({ trials, probability }, count),
    ]);
  }
  const deviation = Math.sqrt(trials * probability * (1 - probability));
  return SPREAD.map(([distance, weight]) => {
    const count = Math.round(trials * probability + distance * deviation);
    return [Math.min(trials, Math.max(0, count)), weight];
  });
}
