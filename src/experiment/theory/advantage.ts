/**
 * @module
 * What a faster or better prepared adversary gains, in bits of difficulty. One bit is a factor of two in
 * work. The cost of identities under a policy is counted in mining/policy-cost.ts.
 */

import { assertPositive } from './assertions.ts';

/** Bits that an adversary gains if it is `ratio` times as fast as assumed: log2(ratio). */
export function speedUpBits(ratio: number): number {
  assertPositive('ratio', ratio);
  return Math.log2(ratio);
}

/**
 * Bits that an adversary loses to a beacon in puzzle and rank: log2(r·T/(r'·L)). It makes keys at the rate
 * r during T seconds before the beacon, and hashes keys in stock at the rate r' during the L seconds of
 * registration. The result is negative if its preparation was worth less than the window.
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
