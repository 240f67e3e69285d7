/**
 * @module
 * The links that a partition cuts. The majorities-ring is from Jepsen (K. Kingsbury): every node reaches a
 * majority that includes itself, and no two nodes reach the same one. A store belongs to the upper half and
 * to the majority. In a majorities-ring every node reaches it. An isolated node does not reach it.
 */

import type { Cut } from './schedule.ts';

/** Whether messages from one rank to another are lost. */
export type IsCut = (from: number, to: number) => boolean;

/** Ranks are 1..nodes. The store has the next number. */
export function createCut(cut: Cut, nodes: number): IsCut {
  switch (cut.kind) {
    case 'isolate':
      return (from, to) => (from === cut.rank) !== (to === cut.rank);
    case 'halves':
      return between((rank) => rank <= Math.floor(nodes / 2));
    case 'minority': {
      const majority = nodes - Math.floor((nodes - 1) / 2);
      return between((rank) => rank <= majority || rank === nodes + 1);
    }
    case 'majorities-ring': {
      const reach = Math.ceil(Math.floor(nodes / 2) / 2);
      return (from, to) => {
        const distance = Math.abs(from - to);
        return Math.max(from, to) <= nodes && Math.min(distance, nodes - distance) > reach;
      };
    }
    case 'one-way':
      return (from, to) => from === cut.from && to === cut.to;
    case 'links': {
      const links = new Set(
        cut.links.flatMap(([one, other]) => [`${one}>${other}`, `${other}>${one}`]),
      );
      return (from, to) => links.has(`${from}>${to}`);
    }
    default:
      return cut satisfies never;
  }
}

function between(isInside: (rank: number) => boolean): IsCut {
  return (from, to) => isInside(from) !== isInside(to);
}
