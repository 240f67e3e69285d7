/**
 * @module
 * The odds of an adversary that evaluates the puzzle of a key only if its ID is above every honest one. The number N
 * of keys that its work pays for then depends on the share q of such IDs: P = E[1 − (1 − p q)^N(q)], and for k of them
 * E[P(Bin(N(q), p q) ≥ k)]. N is a whole
 * number, a step function of q. For few keys the integral is taken between the steps. N is a mean: no part of an
 * evaluation finds anything, so that budgets of few evaluations have a law of their own.
 */

import type { Random } from '../../random.ts';
import { binomialProbability, binomialTail, drawBinomial } from './binomial-odds.ts';
import { laplace } from './laplace.ts';

/** Up to this number of keys each step matters. Above it a step changes the result by less than 1e-4. */
const STEPPED_MAX = 1024;

/** A network and adversaries, as in `Forging`. The share is that of the IDs above the highest honest one. */
interface Filtered {
  readonly honest: number;
  readonly difficultyBits: number;
  /** Number of keys that all adversaries make. */
  readonly attemptsAt: (share: number) => number;
  /** The probability that valid ones of these keys, as many as are wanted, are those of the judged adversaries. */
  readonly partAt?: ((share: number) => number) | undefined;
}

/** Keys made within a time, by the share of IDs that are worth a puzzle. */
export function keysWithin(
  time: number,
  each: { readonly key: number; readonly puzzle: number },
): (share: number) => number {
  return (share) => Math.floor(time / (each.key + share * each.puzzle));
}

/** Work within one bound: of hashes, or of time. */
export interface BoundedWork {
  readonly most: number;
  /** What a key costs, and what the puzzle of an ID above the honest ones costs besides. */
  readonly key: number;
  readonly puzzle: number;
}

/** Work that pays for few evaluations. */
export interface FewEvaluations {
  readonly bounds: readonly BoundedWork[];
  /** The most keys; Infinity without a bound. */
  readonly keysMax: number;
}

/** Above this number of evaluations, their mean decides to about 1e-3. */
const FEW_EVALUATIONS = 1024;

/** The most keys beside this number of evaluations. */
function keysBeside({ bounds, keysMax }: FewEvaluations, evaluations: number): number {
  return bounds.reduce(
    (least, { most, key, puzzle }) =>
      Math.min(least, Math.floor((most - evaluations * puzzle) / key)),
    keysMax,
  );
}

/** Whether the work pays for so few evaluations that the mean number of keys is not enough to know. */
export function isFewEvaluations(bounds: readonly BoundedWork[]): boolean {
  return bounds.some(({ most, key, puzzle }) => most / (key + puzzle) <= FEW_EVALUATIONS);
}

/**
 * P(it has the `ranks` top IDs) of an adversary with few evaluations. The k-th evaluation takes place if k of the first m
 * IDs are above all n honest ones, where m keys and k evaluations use up the work: Π_{i<k} (m−i)/(n+m−i). It is the r-th
 * that succeeds with C(k−1, r−1) p^r (1−p)^(k−r).
 */
function fewEvaluationsTop(
  few: FewEvaluations,
  { honest, difficultyBits }: Pick<Filtered, 'honest' | 'difficultyBits'>,
  ranks: number,
): number {
  const validProbability = 2 ** -difficultyBits;
  let sum = 0;
  for (let evaluation = ranks; ; evaluation += 1) {
    const made = keysBeside(few, evaluation);
    if (made < evaluation) return sum;
    let above = 1;
    for (let taken = 0; taken < evaluation; taken += 1) {
      above *= (made - taken) / (honest + made - taken);
    }
    const before = { trials: evaluation - 1, probability: validProbability };
    sum += validProbability * binomialProbability(before, ranks - 1) * above;
  }
}

/** The work of one of several adversaries: few evaluations, or as many attempts as the share of worthwhile IDs allows. */
export interface Search {
  readonly few: FewEvaluations | null;
  readonly attempts: (share: number) => number;
}

/** A mixture of binomial laws. */
interface FoundLaw {
  readonly probability: number;
  readonly laws: readonly { readonly trials: number; readonly weight: number }[];
}

/** The most ranks of `searchedTop`, whose sums grow with their square. */
export const SEARCHED_RANKS_MAX = 32;

/**
 * P(the `ranks` best of the valid keys above the highest honest ID are those of one side), where each side is given by the
 * indices of its adversaries. These keys are uniform in the range above that ID. Let v be the part of this range above the
 * last of the ranks. The side has exactly `ranks` keys in this part, and the others have none:
 * ∫₀¹ (ranks/v) P(side has `ranks`) P(others have 0) dv.
 */
export function searchedTop(
  searches: readonly Search[],
  sides: readonly (readonly number[])[],
  { honest, difficultyBits }: Pick<Filtered, 'honest' | 'difficultyBits'>,
  ranks = 1,
): number {
  const [only, ...others] = searches;
  if (only !== undefined && only.few !== null && others.length === 0)
    return fewEvaluationsTop(only.few, { honest, difficultyBits }, ranks);
  const validProbability = 2 ** -difficultyBits;
  const wonAt = (share: number) => {
    const found = searches.map((search) => foundLaw(search, share, validProbability));
    return sides.reduce((sum, side) => sum + wonBy(found, side, ranks), 0);
  };
  return honest === 0 ? wonAt(1) : laplace((u) => wonAt(-Math.expm1(-u / honest)), ranks);
}

/**
 * The law of the number of valid keys above a share of all IDs. The k-th evaluation takes place if k keys of the search are
 * above this share.
 */
function foundLaw({ few, attempts }: Search, share: number, validProbability: number): FoundLaw {
  if (few === null) {
    const laws = [{ trials: attempts(share), weight: 1 }];
    return { probability: validProbability * share, laws };
  }
  const laws: { trials: number; weight: number }[] = [];
  let reached = 1;
  for (let evaluations = 0; reached > 0; evaluations += 1) {
    const trials = keysBeside(few, evaluations + 1);
    const next =
      trials > evaluations ? binomialTail({ trials, probability: share }, evaluations + 1) : 0;
    if (reached - next > WEIGHT_MIN) laws.push({ trials: evaluations, weight: reached - next });
    reached = next > WEIGHT_MIN ? next : 0;
  }
  return { probability: validProbability, laws };
}

/** Numbers of evaluations with a lower probability do not change the first digits of a result. */
const WEIGHT_MIN = 1e-16;

function wonBy(found: readonly FoundLaw[], side: readonly number[], ranks: number): number {
  const own = found.filter((_, index) => side.includes(index));
  const others = found.filter((_, index) => !side.includes(index));
  const exactly = ({ probability, laws }: FoundLaw, part: number, count: number) =>
    laws.reduce((sum, { trials, weight }) => {
      const law = { trials, probability: probability * part };
      return sum + weight * binomialProbability(law, count);
    }, 0);
  const density = (part: number) => {
    const none = others.reduce((product, law) => product * exactly(law, part, 0), 1);
    let counts: readonly number[] = [1];
    for (const law of own) {
      const each = Array.from({ length: ranks + 1 }, (_, count) => exactly(law, part, count));
      counts = each.map((_, count) =>
        each.slice(0, count + 1).reduce((sum, p, mine) => sum + p * (counts[count - mine] ?? 0), 0),
      );
    }
    return (ranks / part) * (counts[ranks] ?? 0) * none;
  };
  const mean = found.reduce(
    (most, { probability, laws }) =>
      Math.max(most, ...laws.map(({ trials }) => trials * probability)),
    1,
  );
  const halvings = Math.ceil(Math.log2(mean)) + 1;
  const ends = Array.from({ length: halvings + 1 }, (_, index) => 2 ** (index - halvings));
  return ends.reduce(
    (sum, to, index) => sum + gauss(density, { from: ends[index - 1] ?? 0, to }),
    0,
  );
}

/** Draws the number of valid keys above a share of all IDs that such work finds. */
export function drawFewFound(
  random: Random,
  { bounds, keysMax }: FewEvaluations,
  { share, validProbability }: { readonly share: number; readonly validProbability: number },
): number {
  let [keys, evaluations, found] = [0, 0, 0];
  for (;;) {
    // The number of keys that the rest pays for if each of them is evaluated.
    const made = bounds.reduce((least, { most, key, puzzle }) => {
      const left = most - keys * key - evaluations * puzzle;
      return Math.min(least, Math.floor(left / (key + puzzle)));
    }, keysMax - keys);
    if (made < 1) return found;
    const above = drawBinomial(random, made, share);
    keys += made;
    evaluations += above;
    found += drawBinomial(random, above, validProbability);
  }
}

/** P(judged adversaries have the `ranks` top IDs). q = 1 − e^(−u/n) with u exponential, as in `topProbability`. */
export function filteredTopProbability(forging: Filtered, ranks = 1): number {
  const { honest, difficultyBits, attemptsAt, partAt = () => 1 } = forging;
  const validProbability = 2 ** -difficultyBits;
  if (honest === 0) {
    const law = { trials: attemptsAt(1), probability: validProbability };
    return binomialTail(law, ranks) * partAt(1);
  }
  const shareAt = (u: number) => -Math.expm1(-u / honest);
  const wonAt = (u: number) => {
    const share = shareAt(u);
    const made = attemptsAt(share);
    if (ranks > 1) {
      const law = { trials: made, probability: validProbability * share };
      return binomialTail(law, ranks) * partAt(share);
    }
    // log1p(−1) is −∞, and 0 times that is NaN.
    if (made === 0) return 0;
    return -Math.expm1(made * Math.log1p(-validProbability * share)) * partAt(share);
  };
  if (attemptsAt(0) > STEPPED_MAX) return laplace(wonAt, ranks);
  const levelAt = (u: number) => `${attemptsAt(shareAt(u))} ${partAt(shareAt(u))}`;
  const panels = PANELS.slice(1).flatMap((end, index) => {
    const from = PANELS[index] ?? 0;
    return [from, ...stepsBetween(levelAt, { from, to: end })];
  });
  return [...panels, END].slice(1).reduce((sum, to, index) => {
    const from = panels[index] ?? 0;
    return sum + gauss((u) => Math.exp(-u) * wonAt(u), { from, to });
  }, 0);
}

/** Where e^(−u) is below 1e-21. */
const END = 50;
/** Ends of panels: doubled up to 1, then even ones. The integrand may fall like e^(−1024 u). */
const PANELS = [
  0,
  ...Array.from({ length: 20 }, (_, index) => 2 ** (index - 20)),
  ...Array.from({ length: 2 * END - 1 }, (_, index) => 1 + index / 2),
];

/** The points of a range at which a step function changes. */
function stepsBetween(
  levelAt: (u: number) => string,
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  if (levelAt(from) === levelAt(to)) return [];
  const middle = (from + to) / 2;
  if (to - from < 1e-13 * to) return [middle];
  return [
    ...stepsBetween(levelAt, { from, to: middle }),
    ...stepsBetween(levelAt, { from: middle, to }),
  ];
}

/** Positive nodes and weights of the Gauss-Legendre rule with 10 nodes. */
const NODES = [
  [0.1488743389816312, 0.2955242247147529],
  [0.4333953941292472, 0.2692667193099963],
  [0.6794095682990244, 0.219086362515982],
  [0.8650633666889845, 0.1494513491505806],
  [0.9739065285171717, 0.0666713443086881],
] as const;

function gauss(
  value: (u: number) => number,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  const [middle, half] = [(from + to) / 2, (to - from) / 2];
  return NODES.reduce(
    (sum, [node, weight]) =>
      sum + half * weight * (value(middle - half * node) + value(middle + half * node)),
    0,
  );
}
