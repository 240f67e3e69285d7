/**
 * @module
 * Partitions: which links a cut takes away. The majorities-ring is Jepsen's (K. Kingsbury): every
 * node can talk to a majority, itself included, and yet no two of them to the same one. A store sits
 * with the upper half, with the majority, and within everybody's reach in a majorities-ring; whoever
 * is isolated is cut off from it too.
 */

import type { Cut } from './schedule.ts';

/** Whether the way from one rank to another is cut. */
export type IsCut = (from: number, to: number) => boolean;

/** Ranks are 1..nodes; the place after them is the store's. */
export function createCut(cut: Cut, nodes: number): IsCut {
  switch (cut.kind) {
    case 'isolate':
      return (from, to) => (from === cut.rank) !== (to === cut.rank);
    case 'halves':
      return between(Math.floor(nodes / 2));
    case 'minority':
      return between(nodes - Math.floor((nodes - 1) / 2), nodes + 1);
    case 'majorities-ring': {
      const majority = Math.floor(nodes / 2) + 1;
      const reach = Math.ceil((majority - 1) / 2);
      return (from, to) => {
        const apart = Math.abs(from - to);
        if (Math.max(from, to) > nodes) return false;
        return Math.min(apart, nodes - apart) > reach;
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

/** Places up to `last` on one side, and this one more; the others on the other. */
function between(last: number, more = 0): IsCut {
  const isLow = (place: number) => place <= last || place === more;
  return (from, to) => isLow(from) !== isLow(to);
}
