/**
 * @module
 * How long honest nodes wait for their identities: quantiles of the attempts of one node and of the
 * slowest of n nodes, each with a puzzle of its own. Also the inverse: the hardest puzzle that keeps a
 * quantile within given attempts.
 */

import { attemptQuantile } from '../../mining/odds.ts';

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
