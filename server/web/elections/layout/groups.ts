/**
 * @module
 * How the nodes of an election are arranged: up to 60 each for itself, more in groups of neighbouring ranks, so that
 * also 500 nodes are legible. The ring and the diagram use the same groups.
 */

/** Neighbouring ranks that are drawn as one; usually one rank. */
export interface Group {
  readonly first: number;
  readonly last: number;
  readonly ranks: readonly number[];
  /** `7`, `7–16` or `store`. */
  readonly label: string;
}

const SINGLE_NODES_MAX = 60;
const GROUPS_MAX = 50;

/** The groups of these ranks, in their order; a store has a group of its own after them. */
export function groupsOf(ranks: readonly number[], store: number | null): Group[] {
  const size = ranks.length <= SINGLE_NODES_MAX ? 1 : Math.ceil(ranks.length / GROUPS_MAX);
  const groups: Group[] = [];
  for (let start = 0; start < ranks.length; start += size) {
    const members = ranks.slice(start, start + size);
    const [first = 0] = members;
    const last = members.at(-1) ?? first;
    const label = first === last ? String(first) : `${first}–${last}`;
    groups.push({ first, last, ranks: members, label });
  }
  if (store !== null) groups.push({ first: store, last: store, ranks: [store], label: 'store' });
  return groups;
}

/** The place of each rank among the groups; -1 for ranks without a node. */
export function slotsOf(groups: readonly Group[]): Int32Array {
  const highest = groups.reduce((most, { last }) => Math.max(most, last), 0);
  const slots = new Int32Array(highest + 1).fill(-1);
  for (const [slot, { ranks }] of groups.entries()) for (const rank of ranks) slots[rank] = slot;
  return slots;
}
