/**
 * @module
 * Partitions: which links a cut takes away. The majorities-ring is Jepsen's (K. Kingsbury): every
 * node can talk to a majority, itself included, and yet no two of them to the same one.
 */

import type { Cut } from './schedule.ts';

/** Whether the way from one rank to another is cut. */
export type IsCut = (from: number, to: number) => boolean;

export function createCut(cut: Cut, nodes: number): IsCut {
  switch (cut.kind) {
    case 'isolate':
      return (from, to) => (from === cut.rank) !== (to === cut.rank);
    case 'halves':
      return between(Math.floor(nodes / 2));
    case 'minority':
      return between(nodes - Math.floor((nodes - 1) / 2));
    case 'majorities-ring': {
      const majority = Math.floor(nodes / 2) + 1;
      const reach = Math.ceil((majority - 1) / 2);
      return (from, to) => {
        const apart = Math.abs(from - to);
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

/** Ranks up to `last` on one side, the others on the other. */
function between(last: number): IsCut {
  return (from, to) => from <= last !== to <= last;
}
