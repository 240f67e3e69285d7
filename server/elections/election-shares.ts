/**
 * @module
 * How the room for elections is shared: whoever comes first may have most of it, and the last of it is
 * for those who have less than an equal share. So nobody who fills the server keeps others out of it.
 */

import { LabError } from '../../src/errors.ts';
import type { ElectionPlan } from './election-plan.ts';

/** An election as far as room goes. */
export interface Placed {
  readonly request: Pick<ElectionPlan, 'owner'>;
  readonly plan: { readonly nodes: number };
}

export interface Room {
  readonly elections: number;
  readonly nodes: number;
}

/** As much of the room is taken by whoever comes first. */
export const UNSHARED = 0.75;

/**
 * Throws LabError `limit.elections` when little room is left and the owner has an equal share of it
 * already; elections that belong to nobody are not shared out.
 */
export function demandShare(
  all: readonly Placed[],
  owner: string | undefined,
  { elections, nodes }: Room,
): void {
  if (owner === undefined) return;
  const owners = new Set([owner, ...all.map(({ request }) => request.owner)]).size;
  const own = all.filter(({ request }) => request.owner === owner);
  const isSpent = (size: (kept: readonly Placed[]) => number, most: number) =>
    size(all) >= most * UNSHARED && size(own) >= most / owners;
  if (!isSpent(({ length }) => length, elections) && !isSpent(nodesOf, nodes)) return;
  const detail =
    `${all.length} elections with ${nodesOf(all)} nodes are kept of ${owners} callers; the room that ` +
    `is left is for those who have less than an equal share of ${elections} and ${nodes}; DELETE one that is not needed`;
  throw new LabError('limit.elections', detail);
}

function nodesOf(kept: readonly Placed[]): number {
  return kept.reduce((sum, { plan }) => sum + plan.nodes, 0);
}
