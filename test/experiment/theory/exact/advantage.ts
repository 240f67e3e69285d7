/**
 * @module
 * Laws that tests hold the theory of advantages against: related keys, puzzles in parts, the slowest node.
 */

import { assertPositive } from '../../../../src/experiment/theory/assertions.ts';
import { speedUpBits } from '../../../../src/experiment/theory/waiting.ts';

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
