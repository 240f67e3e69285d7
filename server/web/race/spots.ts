/**
 * @module
 * The IDs of a race as spots of a picture: the position by rank, and the zero bits as height.
 */

import { hexToBytes } from '../../../src/bytes.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import { rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { positionOf } from './odds.ts';

/** An ID in the picture. */
export interface Spot {
  readonly nodeId: string;
  /** From 0 to 1, by rank. */
  readonly position: number;
  /** Zero bits of its static puzzle. Null for a slow function, which the browser does not evaluate. */
  readonly bits: number | null;
}

/** The spot of a node ID under a policy. */
export function spotOf(nodeId: string, policy: Policy): Spot {
  return {
    nodeId,
    position: positionOf(nodeId, rankRuleOf(policy)),
    bits: policy.puzzle.function === 'hash' ? staticBits(hexToBytes(nodeId), policy) : null,
  };
}

/** The spots of node IDs, the lowest rank first. */
export function spotsOf(nodeIds: readonly string[], policy: Policy): readonly Spot[] {
  return nodeIds
    .map((nodeId) => spotOf(nodeId, policy))
    .toSorted((one, other) => one.position - other.position);
}

/** The beginning of an ID, for labels. */
export function shortId(nodeId: string): string {
  return `${nodeId.slice(0, 6)}…`;
}
