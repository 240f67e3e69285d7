/**
 * @module
 * Statistics of a frequency: the normal quantile and the exact intervals (Clopper and Pearson 1934; Garwood 1936).
 */

import { binomialLowerTail, binomialProbability, binomialTail } from './binomial-odds.ts';

export interface Frequency {
  readonly wins: number;
  /** At least 1. */
  readonly runs: number;
  /** Above 0 and below 1. */
  readonly confidence: number;
}

/**
 * The Clopper–Pearson interval [low, high] for the probability behind `wins` of `runs`, from the tails of
 * the binomial law: P(K ≥ wins) is (1 − confidence)/2 at `low`, and P(K ≤ wins) is that at `high`. `low` is
 * exactly 0 without wins, and `high` is exactly 1 if all runs were won.
 *
 * It contains each probability at least as often as the confidence says. Approximate intervals do not: at 95 %
 * Wilson's contains p = 0.005 in 91.0 % of samples of 100 runs (Brown, Cai and DasGupta 2001).
 */
export function exactInterval({ wins, runs, confidence }: Frequency): readonly [number, number] {
  if (!(Number.isInteger(runs) && runs >= 1)) {
    throw new RangeError(`"runs" expected an integer of at least 1, got ${runs}`);
  }
  if (!(Number.isInteger(wins) && wins >= 0 && wins <= runs)) {
    throw new RangeError(`"wins" expected an integer in 0..${runs}, got ${wins}`);
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`"confidence" expected above 0 and below 1, got ${confidence}`);
  }
  const tail = (1 - confidence) / 2;
  if (2 * wins <= runs) return [lowerEnd(wins, runs, tail), upperEnd(wins, runs, tail)];
  // From the losses, because 1 − p has more digits than a p near 1.
  return [1 - upperEnd(runs - wins, runs, tail), 1 - lowerEnd(runs - wins, runs, tail)];
}

/**
 * The exact interval for the mean of a Poisson law after one draw of it (Garwood 1936). A binomial law with as many trials
 * has the same interval to 1e-11.
 */
export function poissonInterval(count: number, confidence: number): readonly [number, number] {
  const runs = 2 ** 50;
  const [low, high] = exactInterval({ wins: count, runs, confidence });
  return [low * runs, high * runs];
}

/** The p with P(K ≥ wins) = tail, for fewer wins than runs. */
function lowerEnd(wins: number, runs: number, tail: number): number {
  if (wins === 0) return 0;
  const [guess] = scoreInterval(wins, runs, tail);
  const logarithm = rootOf(Math.log(guess), (at) => {
    const law = { trials: runs, probability: Math.exp(at) };
    const reached = binomialTail(law, wins);
    // The derivative of the tail by p is P(K = wins) wins/p.
    const slope = (binomialProbability(law, wins) * wins) / reached;
    return { value: Math.log(reached / tail), slope };
  });
  return Math.exp(logarithm);
}

/** The p with P(K ≤ wins) = tail, for fewer wins than runs. */
function upperEnd(wins: number, runs: number, tail: number): number {
  if (wins === 0) return -Math.expm1(Math.log(tail) / runs);
  const [, guess] = scoreInterval(wins, runs, tail);
  const logarithm = rootOf(Math.log1p(-guess), (at) => {
    const law = { trials: runs, probability: -Math.expm1(at) };
    const reached = binomialLowerTail(law, wins);
    const slope = (binomialProbability(law, wins) * (runs - wins)) / reached;
    return { value: Math.log(reached / tail), slope };
  });
  return -Math.expm1(logarithm);
}

const STEPS_MAX = 60;

/**
 * The root of a rising concave function, by Newton's method, which converges from each start. A step this small leaves no error, as each step squares it. The logarithm of
 * a binomial tail is such a function of ln p, or of ln(1 − p).
 */
function rootOf(
  start: number,
  at: (x: number) => { readonly value: number; readonly slope: number },
): number {
  let x = start;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const { value, slope } = at(x);
    const next = x - value / slope;
    if (Math.abs(next - x) <= 1e-9 * Math.abs(next)) return next;
    x = next;
  }
  return x;
}

/** Wilson's score interval, near enough to start from. */
function scoreInterval(wins: number, runs: number, tail: number): readonly [number, number] {
  const z2 = normalQuantile(tail) ** 2;
  const spread = Math.sqrt(z2 * ((wins * (runs - wins)) / runs + z2 / 4));
  const reach = wins + z2 / 2 + spread;
  return [wins ** 2 / (runs * reach), reach / (runs + z2)];
}

/** Width of the interval. */
export function intervalWidth(frequency: Frequency): number {
  const [low, high] = exactInterval(frequency);
  return high - low;
}

/**
 * The next number of runs at which to check whether the interval is as narrow as `width`: about the number that
 * the frequency so far needs, 2z√(p(1−p)/N) = width, within 1.25 and 4 times the present number. It
 * depends only on the runs so far, so a search for a width stops at the same number however the runs are
 * divided among threads.
 */
export function nextLook({ wins, runs, confidence }: Frequency, width: number): number {
  // One win and one loss more than measured, so that a frequency of 0 or 1 does not count as certain.
  const share = (wins + 1) / (runs + 2);
  const z = normalQuantile((1 - confidence) / 2);
  const needed = ((2 * z) / width) ** 2 * share * (1 - share);
  return Math.ceil(Math.min(4 * runs, Math.max(1.25 * runs, needed)));
}

/**
 * The interval of a mean over runs by Student's law. Null for a single run. It has six digits, because sums in another
 * order differ in the last ones.
 */
export function meanInterval(of: {
  readonly runs: number;
  /** The sum of the values, and that of their squares. */
  readonly sum: number;
  readonly squares: number;
  readonly confidence: number;
}): readonly [number, number] | null {
  const { runs, sum, squares, confidence } = of;
  if (runs < 2) return null;
  const mean = sum / runs;
  const variance = Math.max(0, squares / runs - mean ** 2) / (runs - 1);
  const reach = Math.sqrt(variance) * studentQuantile((1 + confidence) / 2, runs - 1);
  const rounded = (value: number) => Number(value.toPrecision(6));
  return [rounded(mean - reach), rounded(mean + reach)];
}

/** Student's quantile by the first two terms of Fisher's expansion; its error is below 1 % from ten degrees on. */
export function studentQuantile(probability: number, degrees: number): number {
  const z = normalQuantile(probability);
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
  return z + (z ** 3 + z) / (4 * degrees) + second;
}

/**
 * The z with Φ(z) = `probability`, in (0, 1), to about 1e-16 relative: algorithm AS 241, routine
 * PPND16 (Wichura 1988). Three rational approximations, for the middle, the tail and the far tail.
 */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`"probability" expected above 0 and below 1, got ${probability}`);
  }
  const fromMiddle = probability - 0.5;
  if (Math.abs(fromMiddle) <= 0.425) {
    return fromMiddle * ratio(MIDDLE, 0.180625 - fromMiddle * fromMiddle);
  }
  const tail = Math.min(probability, 1 - probability);
  const depth = Math.sqrt(-Math.log(tail));
  const distance = depth <= 5 ? ratio(TAIL, depth - 1.6) : ratio(FAR_TAIL, depth - 5);
  return Math.sign(fromMiddle) * distance;
}

interface Rational {
  /** Coefficients from the highest power down to the constant. */
  readonly numerator: readonly number[];
  readonly denominator: readonly number[];
}

function ratio({ numerator, denominator }: Rational, x: number): number {
  return horner(numerator, x) / horner(denominator, x);
}

function horner(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
}

const MIDDLE: Rational = {
  numerator: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  denominator: [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
};

const TAIL: Rational = {
  numerator: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684,
    3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  denominator: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
    0.6897673349851, 1.6763848301838038, 2.053191626637759, 1,
  ],
};

const FAR_TAIL: Rational = {
  numerator: [
    2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  denominator: [
    2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
};
