/**
 * @module
 * One check for each ring of n nodes. A ring that is turned is the same ring, because a node knows only its
 * neighbours. So the first node of each ring is node 1. A ring and its mirror image count as two: a message that goes
 * round clockwise meets the nodes in the other order.
 */

import type { CheckResult } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { resultName } from './answer.ts';

/** Nodes of a check of all rings: 7 have 720 rings, and 8 would have 5040. */
export const RING_NODES_MAX = 7;

/** The result of one ring. */
export interface CheckedRing {
  readonly request: CheckRequest;
  readonly result: CheckResult;
}

/** All rings of nodes 1..n, each once. */
export function ringsOf(nodes: number): number[][] {
  let rings = [[1]];
  for (let rank = 2; rank <= nodes; rank += 1) {
    rings = rings.flatMap((ring) => ring.map((_, at) => ring.toSpliced(at + 1, 0, rank)));
  }
  return rings.toSorted((left, right) => (left.join() < right.join() ? -1 : 1));
}

/** Why a check cannot have all rings, as a clause; null if it can. */
export function whyNoRings({ protocol, ring }: CheckRequest): string | null {
  if (PROTOCOLS[protocol].family !== 'ring') return `${protocol} uses no ring`;
  if (ring.length <= RING_NODES_MAX) return null;
  return `all rings are checked only for at most ${RING_NODES_MAX} nodes, which have 720 rings`;
}

/** A violation with the fewest actions, else a capped search, else the search with the most worlds. */
export function worstOf(done: readonly CheckedRing[]): CheckedRing {
  const orderOf = ({ result }: CheckedRing): readonly [kind: number, size: number] => {
    if (result.type === 'violated') return [0, result.trace.actions.length];
    return [result.type === 'capped' ? 1 : 2, -result.counts.states];
  };
  const [worst] = done.toSorted((left, right) => {
    const [kind, size] = orderOf(left);
    const [otherKind, otherSize] = orderOf(right);
    return kind - otherKind || size - otherSize;
  });
  if (worst === undefined) throw new RangeError('"rings" expected at least one');
  return worst;
}

/** The results of all rings in short. The property and the number of actions are null without a violation. */
export function ringRows(done: readonly CheckedRing[]) {
  return done.map(({ request: { ring }, result }) => {
    const { states, transitions, depth } = result.counts;
    const isFound = result.type === 'violated';
    return {
      ring,
      result: resultName(result),
      states,
      transitions,
      depth,
      property: isFound ? result.property.name : null,
      actions: isFound ? result.trace.actions.length : null,
    };
  });
}
