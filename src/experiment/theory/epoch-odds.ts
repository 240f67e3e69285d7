/**
 * @module
 * The value of preparation under each use of a beacon. Timeline of an epoch: the challenge opens a window
 * of registration. When it closes, the IDs that have met the puzzle are committed. Then the beacon of
 * the ranks is drawn. A salt in the puzzle alone does not protect the top rank: the highest IDs in stock
 * are tested first. A salt in the rank draws the winner again in every epoch. Only both together make
 * keys in stock worth no more than the tests of the window.
 */

import type { Theory } from './answer.ts';
import { noClosedForm, topTheory } from './answer.ts';
import type { Trials } from './binomial-odds.ts';
import { binomialProbability } from './binomial-odds.ts';
import type { Forging } from './closed-forms.ts';
import { topProbability } from './closed-forms.ts';
import type { Salt, Spending, Work } from './epoch-conduct.ts';
import {
  affordable,
  countingWindows,
  isPuzzleSalted,
  isRankSalted,
  windowBudget,
} from './epoch-conduct.ts';
import { laplace } from './laplace.ts';
import { sortedTopProbability } from './sorted-odds.ts';

/** One epoch and an adversary that may have prepared for it. */
export interface EpochForging {
  /** n, at least 1. */
  readonly honest: number;
  readonly difficultyBits: number;
  /** Keys made before the window. If the puzzle is not salted they were also tested. */
  readonly stockKeys: number;
  /** Keys that it can test in the window: first the stock from the highest ID down, then new keys. */
  readonly windowTests: number;
  readonly salt: Salt;
}

/** An adversary can choose among 2^t beacons for t up to this. */
export const REVEAL_CHOICES_MAX = 16;

/** P(the adversary has the top rank of the epoch), to about 1e-14. */
export function epochTopProbability(forging: EpochForging): number {
  const { honest, difficultyBits, stockKeys, windowTests, salt } = forging;
  switch (salt) {
    case 'none':
    case 'rank':
      return topProbability({ honest, difficultyBits, attempts: stockKeys + windowTests });
    case 'puzzle':
      if (windowTests < stockKeys) {
        const sorted = { keys: stockKeys, evaluations: windowTests };
        return sortedTopProbability(sorted, { honest, difficultyBits });
      }
      return topProbability({ honest, difficultyBits, attempts: windowTests });
    case 'both':
      return topProbability({ honest, difficultyBits, attempts: windowTests });
    default:
      return salt satisfies never;
  }
}

const NEGLIGIBLE = 1e-16;
/** The hashes of a window that attempts alone bound. */
const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Several epochs, and an adversary that may withhold contributions to their beacons. */
export interface Epochs extends EpochForging, Spending {
  /** t: it chooses among 2^t beacons. */
  readonly revealChoices: number;
}

/** P(the adversary has the top rank of the last epoch). */
export function lastEpochTheory(plan: Epochs): Theory {
  const { salt, conduct, honest, difficultyBits } = plan;
  if (isAlone(plan) && salt === 'puzzle' && conduct.plan !== 'fresh') {
    const { stock, kept, left } = lastTests(plan);
    if (conduct.plan === 'informed') return informedTheory(plan, stock, left);
    if (kept < stock) {
      const tested = { honest, difficultyBits, salt, stockKeys: stock, windowTests: kept };
      const formula = `sum over ${kept} tests of ${stock} kept keys from the top down`;
      return { probability: epochTopProbability(tested), formula };
    }
  }
  const isMoving = plan.isChanging && plan.epochs > 1;
  const isBounded = conduct.hashes.perWindow < UNBOUNDED;
  if (salt === 'none' && conduct.plan === 'informed' && isBounded && !isMoving) {
    return informedTheory({ ...plan, tested: plan.stockKeys }, 0, allWindows(plan));
  }
  const law = lastEpochLaw(plan);
  if ('formula' in law) return law;
  return topTheory(law, isRankSalted(salt) ? 2 ** plan.revealChoices : 1);
}

/** The law of the claims of the last epoch, if their ranks are uniform; else why it is not known. */
export function lastEpochLaw(plan: Epochs): Forging | Theory {
  const { epochs, salt, stockKeys, honest, difficultyBits, conduct } = plan;
  const { hashes } = conduct;
  const price = hashes.perKey + hashes.perPuzzle;
  const of = (attempts: number): Forging => ({ honest, difficultyBits, attempts });
  const isAiming = conduct.plan === 'informed' && conduct.wants !== 'many' && !isRankSalted(salt);
  const isFiltering = isAiming && hashes.perPuzzle > 0 && hashes.perWindow < UNBOUNDED;
  if (isFiltering) return noClosedForm('it tests only the keys whose IDs matter');
  // A solution that does not expire is renewed with its ID.
  if (!isPuzzleSalted(salt)) return of(stockKeys + affordable(allWindows(plan), price));
  if (isAlone(plan)) {
    const { stock, kept, fresh } = lastTests(plan);
    const isEach = kept === stock && !(isAiming && stock > 0);
    const isUnordered = conduct.wants !== 'top' && !(isAiming && stock > 0);
    const isAnyOrder = salt === 'both' || isUnordered || isEach;
    if (isAnyOrder) return of(kept + fresh);
    return noClosedForm('the ranks of the claims depend on the plan');
  }
  // Each test is one of a key without a claim, and each key that is found valid counts.
  const isUnbounded = hashes.perWindow === UNBOUNDED;
  if (conduct.plan === 'fresh' || (salt === 'both' && isUnbounded)) {
    const windows = Array.from({ length: countingWindows(plan) }, (_, at) =>
      affordable(windowBudget(plan, epochs - 1 - at), price),
    );
    return of(windows.reduce((sum, tests) => sum + tests, 0));
  }
  return noClosedForm('claims outlive the epoch of their puzzle');
}

/** P(the adversary has the top rank of at least one epoch). */
export function anyEpochTheory(plan: Epochs): Theory {
  const { epochs, salt, stockKeys, difficultyBits, honest } = plan;
  const draws = 2 ** plan.revealChoices;
  if (plan.isChanging && epochs > 1) return noClosedForm('honest nodes leave or join');
  // Without a salt its best ID stays, and so does the best honest one.
  if (salt === 'none' || epochs === 1) return lastEpochTheory(plan);
  if (salt === 'rank' && affordable(allWindows(plan), 0) === 0) {
    return topTheory({ attempts: stockKeys, difficultyBits, honest }, epochs * draws);
  }
  const { plan: keys, hashes } = plan.conduct;
  const isSteady =
    salt !== 'rank' && (keys === 'fresh' || (salt === 'both' && hashes.perWindow === UNBOUNDED));
  if (!isSteady || !isAlone(plan)) return noClosedForm('the epochs depend on each other');
  const attempts = affordable(windowBudget(plan, 0), hashes.perKey + hashes.perPuzzle);
  const each = topTheory({ attempts, difficultyBits, honest }, isRankSalted(salt) ? draws : 1);
  if (each.probability === null) return each;
  const probability = -Math.expm1(epochs * Math.log1p(-each.probability));
  return { probability, formula: `1-(1-P)^${epochs}, P = ${each.formula}` };
}

/** Whether no claim outlives its epoch. */
function isAlone({ epochs, lifetimeEpochs }: Epochs): boolean {
  return epochs === 1 || lifetimeEpochs === 1;
}

function allWindows({ epochs, windowTests, conduct }: Epochs): Work {
  const { perWindow } = conduct.hashes;
  // 0 times Infinity is NaN, and no number of epochs is 0.
  return { attempts: epochs * windowTests, hashes: epochs * perWindow };
}

/** The keys that are kept for the last window, and what it pays for: tests of them, then of new keys. */
function lastTests(plan: Epochs) {
  const { epochs, stockKeys, conduct } = plan;
  const { perKey, perPuzzle } = conduct.hashes;
  const hoarded = affordable(windowBudget(plan, 0), perKey);
  const isKeeping = conduct.plan !== 'fresh';
  const stock = isKeeping ? stockKeys + (epochs === 1 ? 0 : (epochs - 1) * hoarded) : 0;
  const left = windowBudget(plan, epochs - 1);
  const kept = Math.min(stock, affordable(left, perPuzzle));
  const rest = { attempts: left.attempts - kept, hashes: left.hashes - kept * perPuzzle };
  return { stock, kept, left, fresh: affordable(rest, perKey + perPuzzle) };
}

/**
 * P(it leads) if it knows the honest IDs: 1 − E[(1−p)^min(A,T) · F], where A ~ Bin(S, q) kept keys are above
 * them, q ~ Beta(1, n) is the share of IDs above them, and F = (1−qp)^(T−A) is that no new key is above and
 * valid. `tested` keys were tested before, one by one.
 */
function informedTheory(
  plan: Epochs & { readonly tested?: number },
  stock: number,
  left: Work,
): Theory {
  const { honest, difficultyBits, conduct, tested = 0 } = plan;
  if (conduct.count !== 1) return noClosedForm('more ranks than the highest are wanted');
  const { perKey, perPuzzle } = conduct.hashes;
  const isBounded = left.hashes !== UNBOUNDED;
  if (isBounded && left.attempts !== UNBOUNDED) {
    return noClosedForm('attempts and hashes both bound the windows');
  }
  if (isBounded && !(Number.isInteger(perKey) && perKey + perPuzzle <= PRICE_MAX)) {
    return noClosedForm(`a key costs a part of a hash, or more than ${PRICE_MAX}`);
  }
  if (stock > KEPT_KEYS_MAX) return noClosedForm('too many kept keys to add up');
  const [key, puzzle] = isBounded ? [perKey, perPuzzle] : [1, 0];
  const prices = { key, puzzle, kept: isBounded ? puzzle : 1 };
  const units = isBounded ? left.hashes : left.attempts;
  const forging = { stock, units, prices, validProbability: 2 ** -difficultyBits };
  const probability = laplace((u) => {
    const share = -Math.expm1(-u / honest);
    const before = tested === 0 ? 1 : notOnce(share * forging.validProbability, tested);
    return 1 - before * (1 - informedLead(forging, share));
  }, INFORMED_ORDER);
  const tests = prices.kept === 1 ? 'A' : `${prices.kept}A`;
  const stocked = stock === 0 ? '' : `(1-p)^min(A,T${prices.kept > 1 ? `/${prices.kept}` : ''})*`;
  const kept = stock === 0 ? '' : `, A ~ Bin(${stock}, q) kept keys above the honest IDs`;
  const rest = stock === 0 ? 'T' : `max(0,T-${tests})`;
  const fresh = puzzle > 0 ? `r(${rest})` : `(1-qp)^${rest}`;
  const filter =
    puzzle > 0 ? `, r(t) = (1-q)r(t-${key})+q(1-p)r(t-${key + puzzle}) for new keys` : '';
  const first = tested === 0 ? '' : `(1-qp)^${tested}*`;
  const formula = `1-E[${first}${stocked}${fresh}]${kept}${filter}, q ~ Beta(1, ${honest}), p = 2^-${difficultyBits}, T = ${units}`;
  return { probability, formula };
}

/** The most that a key and its test can cost in the closed form, which adds up each unit of work. */
const PRICE_MAX = 256;

/** Fine steps, because the number of tests bends the integrand where it equals that of the kept keys. */
const INFORMED_ORDER = 256;

/** Kept keys whose number above the honest IDs can be added up. */
const KEPT_KEYS_MAX = 2 ** 30;

/** An adversary in its last window, with kept keys, and units of work for tests and new keys. */
export interface Informed {
  readonly stock: number;
  readonly units: number;
  /** Units, as whole numbers, that a new key, its test and the test of a kept key cost. */
  readonly prices: { readonly key: number; readonly puzzle: number; readonly kept: number };
  readonly validProbability: number;
}

/** P(a key above the honest IDs is valid), if `share` of all IDs are above them. */
export function informedLead(informed: Informed, share: number): number {
  const { stock, units, prices, validProbability } = informed;
  const missed = missOfNew(informed, share);
  const tests = prices.kept === 0 ? stock : Math.floor(units / prices.kept);
  const unfound = (above: number) => {
    const kept = Math.min(above, tests);
    return notOnce(validProbability, kept) * missed(units - kept * prices.kept);
  };
  return 1 - meanOf({ trials: stock, probability: share }, unfound);
}

/** (1−p)^trials. */
function notOnce(probability: number, trials: number): number {
  return trials === 0 ? 1 : Math.exp(trials * Math.log1p(-probability));
}

/**
 * P(no new key is above and valid) by the units of work for them, if only keys above are tested:
 * r(t) = (1−q) r(t−key) + q(1−p) r(t−key−puzzle), and 1 if t pays for no key with its test. From some units on r falls
 * like e^(−λt), where 1 = (1−q) e^(λ key) + q(1−p) e^(λ(key+puzzle)).
 */
function missOfNew(
  { units, prices: { key, puzzle }, validProbability: p }: Informed,
  share: number,
): (units: number) => number {
  const whole = key + puzzle;
  const [below, failed, gap] = [1 - share, share * (1 - p), share * p];
  const listed = new Float64Array(1 + Math.min(units, UNITS_LISTED_MAX, KEYS_LISTED * key));
  for (let left = 0; left < listed.length; left += 1) {
    const [one, other] = [listed[left - key] ?? 0, listed[left - whole] ?? 0];
    listed[left] = left < whole ? 1 : below * one + failed * other;
  }
  let rate = gap / (below * key + failed * whole);
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const [one, other] = [below * Math.expm1(rate * key), failed * Math.expm1(rate * whole)];
    rate -= (one + other - gap) / (key * (one + below) + whole * (other + failed));
  }
  return (left) => {
    const keys = Math.max(0, Math.ceil((left - listed.length + 1) / key));
    const known = listed[left - keys * key] ?? 0;
    return keys === 0 || known === 0 ? known : known * Math.exp(-rate * key * keys);
  };
}

/** Units and keys of which r(t) is computed one by one. */
const UNITS_LISTED_MAX = 2 ** 16;
const KEYS_LISTED = 2 ** 12;
/** The equation is convex, and its first estimate close. */
const NEWTON_STEPS = 10;

/**
 * E[f(K)] for f within [0, 1]: outward from the most probable value, until the terms add nothing. Of a wide law every
 * stride-th value stands for those around it: a trapezoidal rule, exact to 1e-8 for values that bend at one place only.
 */
function meanOf(law: Trials, value: (count: number) => number): number {
  const { trials, probability } = law;
  if (trials === 0 || probability === 0) return value(0);
  if (probability === 1) return value(trials);
  const mode = Math.min(trials, Math.floor((trials + 1) * probability));
  const deviation = Math.sqrt(trials * probability * (1 - probability));
  const stride = Math.max(1, Math.floor(deviation / STRIDES));
  let [sum, weights] = [0, 0];
  for (const [from, step] of [
    [mode, stride],
    [mode - stride, -stride],
  ] as const) {
    for (let count = from; count >= 0 && count <= trials; count += step) {
      const weight = binomialProbability(law, count);
      if (weight < NEGLIGIBLE) break;
      weights += weight;
      sum += weight * value(count);
    }
  }
  // The weights of a trapezoidal rule add up to 1 after they are divided by their sum.
  return sum / weights;
}

/** Values of a wide law in one standard deviation. */
const STRIDES = 32;
