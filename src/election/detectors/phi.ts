/**
 * @module
 * φ, the suspicion of a silence: −log10 P(the next heartbeat is later than now), by the three formulas in
 * use and one of textbooks. N. Hayashibara, X. Défago, R. Yared, T. Katayama, "The φ accrual
 * failure detector", SRDS 2004: normal arrivals. Akka (PhiAccrualFailureDetector): a logistic
 * approximation of that. Cassandra (FailureDetector): exponential arrivals. They disagree: φ = 8 after
 * 1561, 1523 and 18421 ms where beats come every 1000 ± 100 ms.
 */

/** Statistics of the intervals between heartbeats, in ticks. */
export interface Spread {
  readonly mean: number;
  /** Greater than 0. */
  readonly deviation: number;
}

const LOG_ROOT_TWO_PI = 0.5 * Math.log(2 * Math.PI);
/** Number of terms with which both expansions are exact to the last digits where they meet. */
const SERIES_BELOW = 2.5;
const SERIES_TERMS = 30;
const FRACTION_TERMS = 80;
/** Bound of the search for a crossing, beyond the end of any run. */
const CROSSING_STEPS_MAX = 2 ** 50;

/** The exact φ of normal arrivals, at any distance: 18615 is as good as 0.3. */
export function phiNormal(elapsedTicks: number, { mean, deviation }: Spread): number {
  const z = (elapsedTicks - mean) / deviation;
  const upper = tailNats(Math.abs(z));
  return (z < 0 ? -Math.log1p(-Math.exp(-upper)) : upper) / Math.LN10;
}

/** The same as textbooks compute it, −log10(1 − cdf) in doubles: infinite from some 8.3 deviations on. */
export function phiTextbook(elapsedTicks: number, { mean, deviation }: Spread): number {
  const z = (elapsedTicks - mean) / deviation;
  const tail = Math.exp(-tailNats(Math.abs(z)));
  const errorFunction = z < 0 ? 2 * tail - 1 : 1 - 2 * tail;
  return -Math.log10(1 - 0.5 * (1 + errorFunction));
}

/**
 * Akka's φ: cdf ≈ 1/(1 + e), e = exp(−y(1.5976 + 0.070566y²)). The 0.00014 by which its comment has
 * that err is of the cdf; in φ it is 0.76 at 5 deviations and 6 at 8. The pause that Akka accepts
 * belongs to the mean.
 */
export function phiAkka(elapsedTicks: number, { mean, deviation }: Spread): number {
  const y = (elapsedTicks - mean) / deviation;
  const e = Math.exp(-y * (1.5976 + 0.070566 * y * y));
  // Each branch keeps the digits that the other would cancel.
  return elapsedTicks > mean ? -Math.log10(e / (1 + e)) : -Math.log10(1 - 1 / (1 + e));
}

/** Cassandra's φ: a beat later than t has probability exp(−t/mean). */
export function phiExponential(elapsedTicks: number, { mean }: Pick<Spread, 'mean'>): number {
  return elapsedTicks / mean / Math.LN10;
}

/**
 * The first multiple of `resolutionTicks` at which a φ that never falls has reached `threshold`;
 * Infinity where it does not within 2^50 of them.
 */
export function crossing(
  phiAt: (elapsedTicks: number) => number,
  threshold: number,
  resolutionTicks = 1,
): number {
  const isReached = (steps: number) => phiAt(steps * resolutionTicks) >= threshold;
  if (isReached(0)) return 0;
  let below = 0;
  let reached = 1;
  while (!isReached(reached)) {
    if (reached >= CROSSING_STEPS_MAX) return Number.POSITIVE_INFINITY;
    below = reached;
    reached *= 2;
  }
  while (reached - below > 1) {
    const middle = Math.floor((below + reached) / 2);
    if (isReached(middle)) reached = middle;
    else below = middle;
  }
  return reached * resolutionTicks;
}

/**
 * −ln P(Z > z) of a standard normal Z, for z ≥ 0: near 0 from the series of the area around the mean,
 * whose terms are all positive; further out from Laplace's continued fraction
 * 1/(z + 1/(z + 2/(z + …))) of tail over density, whose logarithm never underflows.
 */
function tailNats(z: number): number {
  const densityNats = 0.5 * z * z + LOG_ROOT_TWO_PI;
  if (z < SERIES_BELOW) {
    let term = z;
    let area = z;
    for (let index = 1; index < SERIES_TERMS; index += 1) {
      term *= (z * z) / (2 * index + 1);
      area += term;
    }
    return -Math.log(0.5 - Math.exp(-densityNats) * area);
  }
  let fraction = z;
  for (let index = FRACTION_TERMS; index > 0; index -= 1) fraction = z + index / fraction;
  return densityNats + Math.log(fraction);
}
