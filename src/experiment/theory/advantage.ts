/**
 * @module
 * What a faster or cleverer adversary gains, in bits of difficulty: one bit is a factor of two in
 * work. With it the spread of the work that a puzzle asks of honest nodes. What identities cost under
 * a policy (iterated hashes, both dynamic puzzles) is counted in mining/policy-cost.ts.
 */

/** What an adversary that is `ratio` times as fast as assumed takes off a puzzle: log2(ratio). */
export function speedUpBits(ratio: number): number {
  assertPositive('ratio', ratio);
  return Math.log2(ratio);
}

/**
 * What m related keys per group operation gain over one, an operation costing E and a hash h:
 * log2((E+h)/(E/m+h)). It stays below log2(1+E/h), whatever m: each key must still be hashed.
 */
export function relatedKeysBits(keys: {
  readonly perOperation: number;
  readonly operationCost: number;
  readonly hashCost: number;
}): number {
  const { perOperation, operationCost, hashCost } = keys;
  assertPositive('perOperation', perOperation);
  assertPositive('hashCost', hashCost);
  return speedUpBits((operationCost + hashCost) / (operationCost / perOperation + hashCost));
}

/**
 * What a beacon in puzzle and rank takes from an adversary that prepared: log2(r·T/(r'·L)), for keys
 * made at a rate r during T seconds before the beacon, and keys at hand that are hashed at the rate r'
 * during the L seconds of registration. Negative where preparing was worth less than the window.
 */
export function saltBits(adversary: {
  readonly keysPerSecond: number;
  readonly preparationSeconds: number;
  readonly hashesPerSecond: number;
  readonly windowSeconds: number;
}): number {
  const { keysPerSecond, preparationSeconds, hashesPerSecond, windowSeconds } = adversary;
  return speedUpBits((keysPerSecond * preparationSeconds) / (hashesPerSecond * windowSeconds));
}

/**
 * The standard deviation of a node's work over its mean, where a puzzle of c bits is cut into m of
 * c − log2 m bits: √((1−p)/m), p = m·2^-c. The mean stays 2^c, verification costs m times as much, and
 * the work is the more alike for honest nodes the larger m. For m = 1 that of the geometric law.
 */
export function workDeviation(puzzle: {
  readonly difficultyBits: number;
  readonly parts: number;
}): number {
  const { difficultyBits, parts } = puzzle;
  const probability = parts * 2 ** -difficultyBits;
  if (!(parts >= 1 && probability <= 1)) {
    throw new RangeError(`"parts" expected 1..2^${difficultyBits}, got ${parts}`);
  }
  return Math.sqrt((1 - probability) / parts);
}

/**
 * The mean work of the slowest of n nodes that each solve one puzzle, in units of 2^c attempts, for
 * growing c: H(n) = 1 + 1/2 + … + 1/n. A registration window must last that long.
 */
export function slowestWork(honest: number): number {
  let sum = 0;
  for (let node = honest; node >= 1; node -= 1) sum += 1 / node;
  return sum;
}

function assertPositive(name: string, value: number): void {
  if (!(value > 0)) throw new RangeError(`"${name}" expected above 0, got ${value}`);
}
