/**
 * @module
 * The strategy `stockpile`: make keys before the epoch opens, keep those with the highest rank keys,
 * and once the puzzle is known test them from the top. A salt in the puzzle alone does not stop it,
 * since the ranks are known before: about 2^c1 tests suffice. It is stopped where the beacon enters
 * the rank as well, for then nobody knows before which keys to keep.
 */

import { compareBytes } from '../bytes.ts';
import { rankKeyOf, rankRuleOf } from '../identity/ids/rank-key.ts';
import { bestShare } from './best-share.ts';
import { identitiesWanted, xorDistance } from './goal.ts';
import { siblingsStrategy } from './kernel-strategies.ts';
import { realBits, staticHashes } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Hit, SearchSpec, Strategy } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';

/** Tests of which all fail with probability e^−20, and so many more for each further success. */
const TESTS_PER_SUCCESS = 20;
/** Each key in stock costs noble a fraction of a millisecond. */
const STOCK_MAX = 2 ** 16;
/** So many times what is kept passes the first sieve, so that too few hardly ever do. */
const MARGIN = 1.25;

/** Attempt i tests the i-th key in stock: the static puzzle is all that is left to do. */
export const stockpileStrategy: Strategy = {
  name: 'stockpile',
  cost: (policy) => ({ hashes: staticHashes(policy), groupOperations: 0 }),
  step: () => 256,
  searcher(spec) {
    const maker = siblingsStrategy.searcher(spec, NO_KERNELS);
    const inStock = (index: number): Hit => {
      const hit = spec.stock?.[index];
      if (hit === undefined) throw new RangeError(`"attempt" expected one in stock, got ${index}`);
      return hit;
    };
    return {
      candidate: (attempt) => maker.candidate(inStock(attempt).attempt),
      scan: (order) => scanNodeIds(spec, order, (attempt) => inStock(attempt).nodeId),
    };
  },
};

/** How many of so many keys are worth keeping for a goal under a policy. */
export function stockSize(
  keys: number,
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
): number {
  const tests = 2 ** realBits(policy).c1;
  const useful = (TESTS_PER_SUCCESS + 2 * (identitiesWanted(goal) - 1)) * tests;
  return Math.min(keys, useful, STOCK_MAX);
}

/** A task whose keys are still to be made. */
export function needsStock<T extends Stockable>(
  task: T,
): task is T & { readonly stockpile: number } {
  if (task.strategy !== 'stockpile' || task.stock !== undefined) return false;
  if (task.stockpile === undefined) {
    throw new TypeError('"stockpile" expected a number of keys, got none');
  }
  return true;
}

/** The task with the best of these keys in stock, in the order of release. */
export function withStock<T extends Stockable>(task: T, hits: readonly Hit[]): T {
  const size = stockSize(task.stockpile ?? 0, task);
  return { ...task, stock: releaseOrder(hits, size, worthOf(task)) };
}

interface Stockable extends SearchSpec {
  readonly stockpile?: number | undefined;
}

/**
 * The search whose winners, all of them, are what a stock is chosen from: keys that meet the goal, and
 * of those a share that is worth most. It solves no puzzle.
 */
export function stockSearch(spec: SearchSpec, keys: number): SearchSpec {
  const share = (MARGIN * stockSize(keys, spec)) / keys;
  const goal = bestShare(spec.goal, share, spec.policy);
  const policy = { ...spec.policy, c1: 0, c2: 0 };
  return { ...spec, policy, goal, strategy: 'siblings', stock: undefined };
}

/**
 * The stock in the order of release: what is worth most first. By default that is the node ID itself,
 * which is what a network orders by before a beacon is drawn.
 */
export function releaseOrder(
  hits: readonly Hit[],
  size: number,
  worth: (nodeId: Uint8Array) => Uint8Array = (nodeId) => nodeId,
): readonly Hit[] {
  return hits
    .map((hit) => ({ hit, value: worth(hit.nodeId) }))
    .sort((left, right) => compareBytes(right.value, left.value))
    .slice(0, size)
    .map(({ hit }) => hit);
}

/** What a key in stock is worth, as bytes to compare: closeness where that is sought, else rank. */
function worthOf({ goal, policy }: SearchSpec): (nodeId: Uint8Array) => Uint8Array {
  if (goal.type === 'near') {
    return (nodeId) => xorDistance(nodeId, goal.nodeId).map((byte) => ~byte);
  }
  const rule = rankRuleOf(policy);
  return (nodeId) => rankKeyOf(nodeId, rule);
}
