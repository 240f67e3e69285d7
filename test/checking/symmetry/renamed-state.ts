/**
 * @module
 * States of the plain search after an exchange of ranks, without the checker's code: ranks are found by the names of
 * their members alone.
 */

import type { Instance } from '../../../src/checking/instance.ts';
import type { PlainState } from '../plain-search.ts';

/** Members of states, records and messages that hold a rank or a list of ranks. */
const RANKS = [
  ...['votedFor', 'leader', 'granted', 'refused', 'active', 'to', 'grants', 'holder', 'owner'],
  ...['by', 'from', 'node'],
];
/** Tables whose members are named by ranks. */
const BY_RANK = ['last'];

/** All exchanges of the ranks of nodes: index rank; the store keeps its own. */
export function exchangesOf({ cast, protocol }: Instance): readonly (readonly number[])[] {
  const ranks = Array.from({ length: cast.nodes }, (_, index) => index + 1);
  const all = protocol === 'itai-rodeh' ? turnsOf(ranks, cast) : ordersOf(ranks);
  return all.map((order) => [0, ...order, cast.nodes + 1]);
}

function ordersOf(values: readonly number[]): number[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value) =>
    ordersOf(values.filter((each) => each !== value)).map((rest) => [value, ...rest]),
  );
}

/** The exchanges that move each node by the same number of steps round the ring. */
function turnsOf(ranks: readonly number[], { selfOf }: Instance['cast']): number[][] {
  const next = (rank: number) => Number(selfOf(rank).successors[0]);
  const turns = [[...ranks]];
  for (let last = turns[0] ?? []; turns.length < ranks.length; turns.push(last))
    last = last.map(next);
  return turns;
}

export function renamedState(state: PlainState, order: readonly number[]): PlainState {
  const rank = (old: number) => order[old] ?? old;
  const ranks = (list: readonly number[]) => list.map(rank).toSorted();
  const byRank = <Each>(list: readonly Each[], change: (each: Each) => Each): Each[] => {
    const moved = [...list];
    for (const [index, each] of list.entries()) moved[rank(index + 1) - 1] = change(each);
    return moved;
  };
  const { world, left, starts, known, missed, missedReturns, lost } = state;
  return {
    world: {
      ...world,
      // The structure is that of the world.
      nodes: byRank(world.nodes, (node) => renamed(node, rank) as typeof node),
      inFlight: renamed(world.inFlight, rank) as typeof world.inFlight,
      choices: renamed(world.choices, rank) as typeof world.choices,
      paused: ranks(world.paused),
      absent: ranks(world.absent),
    },
    left,
    starts: ranks(starts),
    known: byRank(known, ranks),
    missed: byRank(missed, ranks),
    missedReturns: byRank(missedReturns, ranks),
    lost: lost
      .map(([one, other]) => [rank(one), rank(other)] as const)
      .toSorted((left, right) => left[0] - right[0] || left[1] - right[1]),
  };
}

function renamed(value: unknown, rank: (old: number) => number, isRank = false): unknown {
  if (typeof value === 'number') return isRank ? rank(value) : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((part) => renamed(part, rank, isRank));
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) =>
      BY_RANK.includes(name) && part !== null && typeof part === 'object'
        ? [
            name,
            Object.fromEntries(
              Object.entries(part).map(([old, each]) => [rank(Number(old)), each]),
            ),
          ]
        : [name, renamed(part, rank, RANKS.includes(name))],
    ),
  );
}
