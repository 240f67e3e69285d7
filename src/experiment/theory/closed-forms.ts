/**
 * @module
 * What theory says of an adversary that forges the top node ID. Of k forged and n honest uniform
 * IDs every order is equally likely, so the top one is forged with probability k/(n+k). An adversary
 * that makes N attempts, each valid with probability p = 2^-c, has K ~ Bin(N, p) of them, and leads
 * with E[K/(n+K)]. The puzzle is on the hash of the node ID (S/Kademlia, Baumgart and Mies 2007), so
 * work and rank are independent.
 */

/** A network and an adversary that makes a number of attempts. */
export interface Forging {
  /** n, at least 1. */
  readonly honest: number;
  /** N, an integer in 0..2^60. */
  readonly attempts: number;
  /** c, the bits of the puzzle, in 0..256. */
  readonly difficultyBits: number;
}

/** A network and forged identities in a fixed number, k. */
export interface Population {
  readonly honest: number;
  readonly forged: number;
}

/**
 * P(top) = E[K/(n+K)], to about 1e-14 relative. With k/(n+k) = 1 − n∫₀¹ t^(n+k−1) dt and t = e^(−u/n)
 * it is ∫₀^∞ e^(−u) (1 − (1 − p(1 − e^(−u/n)))^N) du, whose integrand is never negative, so
 * nothing cancels however small or large the result is.
 */
export function topProbability({ honest, attempts, difficultyBits }: Forging): number {
  assertAtLeast('honest', honest, 1);
  assertAtLeast('attempts', attempts, 0);
  assertAtLeast('difficultyBits', difficultyBits, 0);
  const validProbability = 2 ** -difficultyBits;
  return laplace((u) => {
    const lost = validProbability * Math.expm1(-u / honest);
    // log1p(−1) is −∞; no attempts of that are nothing, not NaN.
    return attempts === 0 ? 0 : -Math.expm1(attempts * Math.log1p(lost));
  });
}

/** The limit of `topProbability` for rare identities: K ~ Poisson(`mean`), mean = N·2^-c. */
export function topProbabilityPoisson({ honest, mean }: { honest: number; mean: number }): number {
  assertAtLeast('honest', honest, 1);
  assertAtLeast('mean', mean, 0);
  return laplace((u) => -Math.expm1(mean * Math.expm1(-u / honest)));
}

/** An upper bound on `topProbability`, by Jensen's inequality: λ/(n+λ), λ = N·2^-c. */
export function topProbabilityBound({ honest, attempts, difficultyBits }: Forging): number {
  const mean = attempts * 2 ** -difficultyBits;
  return mean / (honest + mean);
}

/** The probability that the `places` highest IDs are all forged: Π (k−i)/(n+k−i), i < places. */
export function topPlacesProbability({ honest, forged }: Population, places: number): number {
  // Before the product, which has 0/0 for a factor where there are more places than IDs.
  if (places > forged) return 0;
  let probability = 1;
  for (let taken = 0; taken < places; taken += 1) {
    probability *= (forged - taken) / (honest + forged - taken);
  }
  return probability;
}

/**
 * The probability that the next `successors` nodes after an honest victim on a ring in the order of IDs
 * are all forged: Π (k−i)/(n−1+k−i), i < successors. n counts the victim.
 */
export function successorsProbability({ honest, forged }: Population, successors: number): number {
  assertAtLeast('honest', honest, 1);
  return topPlacesProbability({ honest: honest - 1, forged }, successors);
}

/**
 * How many valid identities give the top one with probability `quantile`: ⌈n q/(1−q)⌉. Their number
 * has no mean (Σ n/(n+k) diverges), so only quantiles are offered.
 */
export function identitiesForTop(honest: number, quantile: number): number {
  // Rounded first: 9·0.9/(1−0.9) is a little more than 81 in doubles.
  return Math.ceil(Number(((honest * quantile) / (1 - quantile)).toPrecision(14)));
}

/**
 * The bits that hold P(top) at or below `probability` for N attempts, log2(N(1−ε)/(nε)). They are
 * safe: they hold the bound of `topProbabilityBound` there.
 */
export function safeDifficultyBits(
  { honest, attempts }: Pick<Forging, 'honest' | 'attempts'>,
  probability: number,
): number {
  return Math.log2((attempts * (1 - probability)) / (honest * probability));
}

/**
 * ∫₀^∞ e^(−u) g(u) du for an increasing g with values in [0, 1] that is bounded on the right half
 * plane: the trapezoidal rule in ln u, whose error falls like e^(−π²/h) with the step h (Trefethen and
 * Weideman 2014). The range reaches from where a g that is 1 everywhere would give 1e-19 to where
 * e^(−u) is 1e-24. A g that begins like u^order moves the weight to u = order and narrows it to √order.
 */
export function laplace(g: (u: number) => number, order = 1): number {
  const step = 1 / Math.max(8, 2 * Math.sqrt(order));
  const first = Math.round(Math.log(1e-19) / step);
  const last = Math.round(Math.log(52 + 4 * order) / step);
  let sum = 0;
  for (let index = first; index <= last; index += 1) {
    const u = Math.exp(index * step);
    sum += Math.exp(-u) * g(u) * u;
  }
  return sum * step;
}

function assertAtLeast(name: string, value: number, least: number): void {
  if (!(value >= least)) throw new RangeError(`"${name}" expected at least ${least}, got ${value}`);
}
