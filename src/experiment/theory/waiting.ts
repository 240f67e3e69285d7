/**
 * @module
 * How long honest nodes wait for their identities: the quantiles of the attempts of one node, and of the
 * slowest of n, whose puzzle each solves by itself; and the other way round, the hardest puzzle that
 * keeps a quantile within given attempts.
 */

import { attemptQuantile } from '../../mining/odds.ts';

/** Nodes that all must be done, and with what probability. */
export interface Waiting {
  /** n, at least 1; the slowest of them counts. */
  readonly nodes: number;
  /** Above 0 and below 1. */
  readonly quantile: number;
}

/**
 * The attempts by which all nodes have a valid one with probability q, each attempt of each valid with
 * `probability`: that of one node at the quantile q^(1/n).
 */
export function slowestQuantile(probability: number, { nodes, quantile }: Waiting): number {
  if (nodes === 1) return attemptQuantile(probability, quantile);
  if (probability === 1) return 1;
  return Math.ceil(Math.log(missing({ nodes, quantile })) / Math.log1p(-probability));
}

/**
 * The bits at which `attempts` of each node still are enough with probability q: −log2(1 − x^(1/N)),
 * x = 1 − q^(1/n) the probability that one node lacks an identity. Real, at least 0; −∞ for less than
 * one attempt, which no puzzle allows.
 */
export function bearableBits(attempts: number, waiting: Waiting): number {
  if (Math.floor(attempts) < 1) return Number.NEGATIVE_INFINITY;
  const probability = -Math.expm1(Math.log(missing(waiting)) / Math.floor(attempts));
  return Math.max(0, -Math.log2(probability));
}

/** 1 − q^(1/n), without cancellation for many nodes. */
function missing({ nodes, quantile }: Waiting): number {
  return nodes === 1 ? 1 - quantile : -Math.expm1(Math.log(quantile) / nodes);
}
