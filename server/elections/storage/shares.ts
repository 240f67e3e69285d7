/**
 * @module
 * How the room for elections is shared: whoever comes first may have most of it, and the last of it is
 * for those who have less than an equal share. So nobody who fills the server keeps others out of it.
 */

import { LabError } from '../../../src/errors.ts';
import type { ElectionPlan } from '../live/plan.ts';

/** An election as far as room goes. */
export interface Placed {
  readonly request: Pick<ElectionPlan, 'owner'>;
  readonly plan: { readonly nodes: number };
  readonly actionCharacters: number;
}

/** What is shared out. */
export interface Room {
  readonly elections: number;
  readonly nodes: number;
}

/** As much of the room is taken by whoever comes first. */
export const UNSHARED = 0.75;

/**
 * Throws LabError `limit.elections` when little room is left and the owner has an equal share of it
 * already; elections that belong to nobody are not shared out. Of `callers` that are known each has
 * an equal part of the last of it kept, also while it has nothing.
 */
export function assertShare(
  all: readonly Placed[],
  owner: string | undefined,
  { elections, nodes }: Room,
  callers = 0,
): void {
  if (owner === undefined) return;
  const isSpent = (size: (election: Placed) => number, most: number) =>
    isShareSpent(takenBy(all, size), owner, { most, callers, more: 0 });
  if (!isSpent(() => 1, elections) && !isSpent(nodesOf, nodes)) return;
  const kept = all.reduce((sum, each) => sum + nodesOf(each), 0);
  const detail =
    `${all.length} elections with ${kept} nodes are kept; the room that is left is for those who ` +
    `have less than an equal share of ${elections} and ${nodes}; DELETE one that is not needed`;
  throw new LabError('limit.elections', detail);
}

/** As `demandShare`, for so many more characters of actions, of which there is room for `most`. */
export function assertCharacters(
  all: readonly Placed[],
  owner: string | undefined,
  { most, more, callers }: Share,
): void {
  const taken = takenBy(all, ({ actionCharacters }) => actionCharacters);
  const isFull = sum(taken.values()) + more > most;
  if (!isFull && (owner === undefined || !isShareSpent(taken, owner, { most, more, callers }))) {
    return;
  }
  const detail =
    `the actions of all elections take at most ${most} characters, of which the last are for those ` +
    'who have less than an equal share; DELETE an election that is not needed';
  throw new LabError('limit.elections', detail);
}

interface Share {
  /** All that there is. */
  readonly most: number;
  /** What is asked for. */
  readonly more: number;
  /** Among whom it is shared at least. */
  readonly callers: number;
}

/** Whether what the owner asks for is beyond its share, and others may want it. */
function isShareSpent(
  taken: ReadonlyMap<string | undefined, number>,
  owner: string,
  { most, more, callers }: Share,
): boolean {
  const all = sum(taken.values()) + more;
  if (all < most * UNSHARED) return false;
  const owners = taken.size + (taken.has(owner) ? 0 : 1);
  const known = Math.max(callers, owners);
  const own = (taken.get(owner) ?? 0) + more;
  // What each of the others can be sure of, and has not taken yet.
  const sure = (most * (1 - UNSHARED)) / known;
  const others = [...taken].filter(([name]) => name !== owner);
  const owed = others.reduce((rest, [, size]) => rest - Math.min(size, sure), (known - 1) * sure);
  return own >= most / owners || (own >= sure && all + owed >= most);
}

function takenBy(
  all: readonly Placed[],
  size: (election: Placed) => number,
): Map<string | undefined, number> {
  const taken = new Map<string | undefined, number>();
  for (const election of all) {
    const { owner } = election.request;
    taken.set(owner, (taken.get(owner) ?? 0) + size(election));
  }
  return taken;
}

function nodesOf({ plan }: Placed): number {
  return plan.nodes;
}

function sum(sizes: Iterable<number>): number {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
}
