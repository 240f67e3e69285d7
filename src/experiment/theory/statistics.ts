/**
 * @module
 * Statistics of a frequency: the normal quantile and Wilson's score interval, which stays inside [0, 1]
 * and keeps its coverage for rare events (Wilson 1927; Brown, Cai and DasGupta 2001).
 */

export interface Frequency {
  readonly wins: number;
  /** At least 1. */
  readonly runs: number;
  /** Above 0 and below 1. */
  readonly confidence: number;
}

/**
 * Wilson's interval [low, high] for the probability behind `wins` of `runs`. `low` is exactly 0 without
 * wins, and `high` is exactly 1 if all runs were won.
 */
export function wilsonInterval({ wins, runs, confidence }: Frequency): readonly [number, number] {
  if (!(Number.isInteger(runs) && runs >= 1)) {
    throw new RangeError(`"runs" expected an integer of at least 1, got ${runs}`);
  }
  if (!(Number.isInteger(wins) && wins >= 0 && wins <= runs)) {
    throw new RangeError(`"wins" expected an integer in 0..${runs}, got ${wins}`);
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`"confidence" expected above 0 and below 1, got ${confidence}`);
  }
  // The quantile of the lower tail: the upper one loses the digits of a confidence near 1.
  const z2 = normalQuantile((1 - confidence) / 2) ** 2;
  const spread = Math.sqrt(z2 * ((wins * (runs - wins)) / runs + z2 / 4));
  const reach = wins + z2 / 2 + spread;
  // The ends are the roots of a quadratic equation. The lower one follows from their product, because the
  // difference of nearly equal terms would lose it.
  const low = wins ** 2 / (runs * reach);
  const high = wins === runs ? 1 : reach / (runs + z2);
  return [low, high];
}

/** Width of Wilson's interval. */
export function intervalWidth(frequency: Frequency): number {
  const [low, high] = wilsonInterval(frequency);
  return high - low;
}

/**
 * The next number of runs at which to check whether the interval is as narrow as `width`: the number that
 * the frequency so far needs, 2z√(p(1−p)/N) = width, within 1.25 and 4 times the present number. It
 * depends only on the runs so far, so a search for a width stops at the same number however the runs are
 * divided among threads.
 */
export function nextLook({ wins, runs, confidence }: Frequency, width: number): number {
  // One win more than measured, so that a frequency of 0 or 1 does not count as certain.
  const share = (Math.min(wins, runs - wins) + 1) / (runs + 2);
  const z = normalQuantile((1 - confidence) / 2);
  const needed = ((2 * z) / width) ** 2 * share * (1 - share);
  return Math.ceil(Math.min(4 * runs, Math.max(1.25 * runs, needed)));
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
