/**
 * @module
 * The test of a node ID, the same for every strategy: it has enough static zero bits and meets the goal. `sift`
 * applies it to a run of candidates and keeps the first winners, or the closest one for a closest goal.
 */

import { bytesToHex, compareBytes } from '../bytes.ts';
import { staticBits } from '../identity/ids/node-id.ts';
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
  const keep = isClosestGoal(goal) ? keepClosest(goal.nodeId, order) : keepDistinct();
  let bestBits = -1;
  for (const candidate of candidates) {
    const { bits, isWinner } = testNodeId(spec, candidate.nodeId);
    bestBits = Math.max(bestBits, bits);
    if (!isWinner) continue;
    keep(hits, candidate);
    if (hits.length >= order.wanted && !isClosestGoal(goal)) {
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

/** Two keys with one ID are one node. If IDs are short, the later key is not a winner. */
function keepDistinct() {
  const seen = new Set<string>();
  return (hits: Hit[], candidate: Hit) => {
    const id = bytesToHex(candidate.nodeId);
    if (seen.has(id)) return;
    seen.add(id);
    hits.push(candidate);
  };
}

/** Leaves the closest candidate in `hits` if it is closer than the known one. */
function keepClosest(target: Uint8Array, { closerThan }: ScanOrder) {
  let bound = closerThan ?? null;
  return (hits: Hit[], candidate: Hit) => {
    const distance = xorDistance(candidate.nodeId, target);
    if (bound !== null && compareBytes(distance, bound) >= 0) return;
    bound = distance;
    hits[0] = candidate;
  };
}
