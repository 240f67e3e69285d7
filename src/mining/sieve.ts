/**
 * @module
 * The test of a node ID, the same for every strategy: it meets the goal and has enough static zero bits. `sift`
 * applies it to a run of candidates and keeps the first winners, the closest one for a closest goal, or all winners up
 * to the first repeated ID for a pair.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';
import { staticBits } from '../identity/ids/node-id.ts';
import type { Policy } from '../identity/policy.ts';
import type { Goal } from './goal.ts';
import { isClosestGoal, meetsGoal, xorDistance } from './goal.ts';
import { requiredBits } from './policy-cost.ts';
import type { Hit, ScanOrder, ScanResult, SearchSpec } from './strategy.ts';

/** The zero bits of a node ID. 0 without an evaluation if the policy requires none. */
export function countedBits(policy: Policy, nodeId: Uint8Array): number {
  return requiredBits(policy).c1 > 0 ? staticBits(nodeId, policy) : 0;
}

/**
 * The zero bits of a node ID, and whether it wins. Outside the goal the puzzle is not evaluated, because it may be
 * slow. The bits are then −1.
 */
export function testNodeId(
  { policy, goal }: Pick<SearchSpec, 'policy' | 'goal'>,
  nodeId: Uint8Array,
): { readonly bits: number; readonly isWinner: boolean } {
  if (!meetsGoal(goal, nodeId)) return { bits: -1, isWinner: false };
  const bits = countedBits(policy, nodeId);
  return { bits, isWinner: bits >= requiredBits(policy).c1 };
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
    if (!keep.isWorthTesting(candidate)) continue;
    const { bits, isWinner } = testNodeId(spec, candidate.nodeId);
    bestBits = Math.max(bestBits, bits);
    if (!isWinner) continue;
    if (keep.add(hits, candidate)) {
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

interface Keeper {
  /** Whether a candidate would count as a winner. If not, its puzzle need not be evaluated. */
  isWorthTesting(candidate: Hit): boolean;
  /** Adds a winner to the hits if it counts. Returns whether the scan has what it wants. */
  add(hits: Hit[], candidate: Hit): boolean;
}

function keeperOf(goal: Goal, order: ScanOrder): Keeper {
  if (isClosestGoal(goal)) return keepClosest(goal.nodeId, order);
  const add = goal.type === 'pair' ? keepUntilPair() : keepDistinct(order);
  return { isWorthTesting: () => true, add };
}

/** Two keys with one ID are one node. If IDs are short, the later key is not a winner. */
function keepDistinct({ wanted }: ScanOrder): Keeper['add'] {
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
function keepUntilPair(): Keeper['add'] {
  const seen = new Set<string>();
  return (hits, candidate) => {
    const id = bytesToHex(candidate.nodeId);
    hits.push(candidate);
    const isPair = seen.has(id);
    seen.add(id);
    return isPair;
  };
}

/** Leaves the closest winner in `hits` if it is closer than the known one. */
function keepClosest(target: Uint8Array, { closerThan }: ScanOrder): Keeper {
  let bound = closerThan ?? null;
  const distanceOf = ({ nodeId }: Hit) => xorDistance(nodeId, target);
  return {
    isWorthTesting: (candidate) => bound === null || compareBytes(distanceOf(candidate), bound) < 0,
    add(hits, candidate) {
      bound = distanceOf(candidate);
      hits[0] = candidate;
      return false;
    },
  };
}
