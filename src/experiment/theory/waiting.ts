/**
 * @module
 * Work as time and as bits: quantiles of the attempts of one honest node and of the slowest of n nodes, each
 * with a puzzle of its own, the hardest puzzle that keeps a quantile within given attempts, and the bits that
 * a faster or better prepared adversary gains. One bit is a factor of two in work.
 */

import { attemptQuantile } from '../../mining/odds.ts';
import { assertPositive } from './assertions.ts';

/** Nodes that must all finish, and the probability that they do. */
export interface Waiting {
  /** n, at least 1. */
  readonly nodes: number;
  /** Above 0 and below 1. */
  readonly quantile: number;
}

/**
 * The attempts within which each of n nodes finds a valid one with probability q; one attempt is valid
 * with `probability`. It is the quantile q^(1/n) of one node.
 */
export function slowestQuantile(probability: number, { nodes, quantile }: Waiting): number {
  if (nodes === 1) return attemptQuantile(probability, quantile);
  if (probability === 1) return 1;
  return Math.ceil(Math.log(missing({ nodes, quantile })) / Math.log1p(-probability));
}

/**
 * The hardest puzzle, in real bits, for which `attempts` of each node are enough with probability q:
 * −log2(1 − x^(1/N)), where x = 1 − q^(1/n) is the probability that a node lacks an identity. At least 0;
 * −∞ for less than one attempt.
 */
export function affordableBits(attempts: number, waiting: Waiting): number {
  if (Math.floor(attempts) < 1) return Number.NEGATIVE_INFINITY;
  const probability = -Math.expm1(Math.log(missing(waiting)) / Math.floor(attempts));
  return Math.max(0, -Math.log2(probability));
}

/** 1 − q^(1/n), without cancellation for many nodes. */
function missing({ nodes, quantile }: Waiting): number {
  return nodes === 1 ? 1 - quantile : -Math.expm1(Math.log(quantile) / nodes);
}

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
