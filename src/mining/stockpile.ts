/**
 * @module
 * The strategy `stockpile`: make keys before the epoch opens, keep those with the highest rank keys,
 * and once the puzzle is known test them from the top. A salt in the puzzle alone does not stop it,
 * since the ranks are known before: about 2^c1 tests suffice. It is stopped where the beacon enters
 * the rank as well, for then nobody knows before which keys to keep.
 */

import { compareBytes, hexToBytes } from '../bytes.ts';
import { nodeIdBytesOf } from '../identity/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import { demandedBits, staticHashes } from './demand.ts';
import type { Goal } from './goal.ts';
import { siblingsStrategy } from './kernel-strategies.ts';
import { realBits } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Hit, SearchSpec, Strategy } from './strategy.ts';
import { NO_KERNELS } from './strategy.ts';

/** Tests of which all fail with probability e^−20. */
const TESTS_PER_SUCCESS = 20;
/** Each key in stock costs noble a fraction of a millisecond. */
const STOCK_MAX = 2 ** 16;
/** So many times what is kept passes the first sieve, so that too few hardly ever do. */
const MARGIN = 1.25;
const FRACTION_BITS = 48;

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

/** How many of so many keys are worth keeping under a policy. */
export function stockSize(keys: number, policy: Policy): number {
  const useful = TESTS_PER_SUCCESS * 2 ** realBits(policy, demandedBits(policy)).c1;
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
  return { ...task, stock: releaseOrder(hits, stockSize(task.stockpile ?? 0, task.policy)) };
}

interface Stockable extends SearchSpec {
  readonly stockpile?: number | undefined;
}

/** The search whose winners, all of them, are what a stock is chosen from; it solves no puzzle. */
export function stockSearch(spec: SearchSpec, keys: number): SearchSpec {
  const policy = { ...spec.policy, c1: 0, c2: 0 };
  const share = (MARGIN * stockSize(keys, spec.policy)) / keys;
  const goal: Goal =
    share < 1 ? { type: 'above', nodeId: idAt(1 - share, nodeIdBytesOf(policy)) } : { type: 'any' };
  return { ...spec, policy, goal, strategy: 'siblings', stock: undefined };
}

/**
 * The stock in the order of release: the highest rank keys first. `rankKeyOf` is what the network
 * orders by, as far as it is known before the epoch opens; the node ID itself by default.
 */
export function releaseOrder(
  hits: readonly Hit[],
  size: number,
  rankKeyOf: (nodeId: Uint8Array) => Uint8Array = (nodeId) => nodeId,
): readonly Hit[] {
  return hits
    .map((hit) => ({ hit, rankKey: rankKeyOf(hit.nodeId) }))
    .sort((left, right) => compareBytes(right.rankKey, left.rankKey))
    .slice(0, size)
    .map(({ hit }) => hit);
}

/** The node ID of so many bytes at a quantile of all, 0..1, to FRACTION_BITS. */
function idAt(quantile: number, bytes: number): Uint8Array {
  const head = BigInt(Math.floor(quantile * 2 ** FRACTION_BITS));
  const hex = (head << BigInt(256 - FRACTION_BITS)).toString(16).padStart(64, '0');
  return hexToBytes(hex.slice(0, 2 * bytes));
}
