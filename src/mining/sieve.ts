/**
 * @module
 * The test of a node ID, the same for every strategy: it has enough static zero bits and meets the goal. `sift`
 * applies it to a run of candidates and keeps the first winners, the closest one for a closest goal, or all winners up
 * to the first repeated ID for a pair.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';
import { staticBits } from '../identity/ids/node-id.ts';
import type { Goal } from './goal.ts';
import { isClosestGoal, meetsGoal, xorDistance } from './goal.ts';
import { requiredBits } from './policy-cost.ts';
import type { Hit, ScanOrder, ScanResult, SearchSpec } from './strategy.ts';

/** The zero bits of a node ID, counted only if the policy requires some, and whether it wins. */
export function testNodeId(
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
  nodeId: Uint8Array,
): { readonly bits: number; readonly isWinner: boolean } {
  const { c1 } = requiredBits(policy);
  const bits = c1 > 0 ? staticBits(nodeId, policy) : 0;
  return { bits, isWinner: bits >= c1 && meetsGoal(goal, nodeId) };
}

/** Tests the node IDs of candidates in rising order, until there are as many winners as wanted. */
export function sift(
  spec: Pick<SearchSpec, 'policy' | 'goal'>,
  order: ScanOrder,
  candidates: Iterable<Hit>,
): ScanResult {
  const { goal } = spec;
  const hits: Hit[] = [];
  const keep = keeperOf(goal, order);
  let bestBits = -1;
  for (const candidate of candidates) {
    const { bits, isWinner } = testNodeId(spec, candidate.nodeId);
    bestBits = Math.max(bestBits, bits);
    if (!isWinner) continue;
    if (keep(hits, candidate)) {
      return { hits, tested: candidate.attempt - order.from + 1, bestBits };
    }
  }
  return { hits, tested: order.count, bestBits };
}

/** Tests the node IDs of a range of attempts. */
export function scanNodeIds(
  spec: SearchSpec,
  order: ScanOrder,
  nextNodeId: (attempt: number) => Uint8Array,
): ScanResult {
  return sift(spec, order, candidatesOf(order, nextNodeId));
}

function* candidatesOf(
  { from, count }: ScanOrder,
  nextNodeId: (attempt: number) => Uint8Array,
): Generator<Hit> {
  for (let attempt = from; attempt < from + count; attempt += 1) {
    yield { attempt, nodeId: nextNodeId(attempt) };
  }
}

/** Adds a winner to the hits if it counts. Returns whether the scan has what it wants. */
type Keeper = (hits: Hit[], candidate: Hit) => boolean;

function keeperOf(goal: Goal, order: ScanOrder): Keeper {
  if (isClosestGoal(goal)) return keepClosest(goal.nodeId, order);
  return goal.type === 'pair' ? keepUntilPair() : keepDistinct(order);
}

/** Two keys with one ID are one node. If IDs are short, the later key is not a winner. */
function keepDistinct({ wanted }: ScanOrder): Keeper {
  const seen = new Set<string>();
  return (hits, candidate) => {
    const id = bytesToHex(candidate.nodeId);
    if (!seen.has(id)) {
      seen.add(id);
      hits.push(candidate);
    }
    return hits.length >= wanted;
  };
}

/** Every key may have the ID of a key in another range. The first ID that comes again ends the scan. */
function keepUntilPair(): Keeper {
  const seen = new Set<string>();
  return (hits, candidate) => {
    const id = bytesToHex(candidate.nodeId);
    hits.push(candidate);
    const isPair = seen.has(id);
    seen.add(id);
    return isPair;
  };
}

/** Leaves the closest candidate in `hits` if it is closer than the known one. */
function keepClosest(target: Uint8Array, { closerThan }: ScanOrder): Keeper {
  let bound = closerThan ?? null;
  return (hits, candidate) => {
    const distance = xorDistance(candidate.nodeId, target);
    if (bound === null || compareBytes(distance, bound) < 0) {
      bound = distance;
      hits[0] = candidate;
    }
    return false;
  };
}
