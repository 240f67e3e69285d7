/**
 * @module
 * Which leaders the live honest nodes of a world follow: what most properties are about.
 */

import type { NodeView } from '../../election/properties.ts';
import type { WorldView } from '../property.ts';

/** The nodes of which properties demand something: up and not Byzantine. */
export function honestLive({ nodes, byzantine }: WorldView): readonly NodeView[] {
  return nodes.filter(({ rank, up }) => up && !byzantine.has(rank));
}

/** Whether no honest node is up. Then there is no election, and no property demands a leader. */
export function isDeserted(view: WorldView): boolean {
  return honestLive(view).length === 0;
}

/** Live honest nodes that lead themselves. */
export function leadersIn(view: WorldView): readonly number[] {
  return honestLive(view).flatMap(({ rank, leader }) => (leader === rank ? [rank] : []));
}

/** The ranks that live honest nodes follow, each once; 0 for none. */
export function followedIn(view: WorldView): ReadonlySet<number> {
  return new Set(honestLive(view).map(({ leader }) => leader ?? 0));
}

/** Which live honest nodes follow which leader, as clauses: "node 3 leads, and nodes 1 and 2 follow node 4, which is down". */
export function followingText(view: WorldView): string {
  const live = honestLive(view).filter(({ leader }) => leader !== null);
  const clauses = [...followedIn(view)]
    .filter((leader) => leader > 0)
    .map((leader) => {
      const ranks = live.filter((node) => node.leader === leader).map(({ rank }) => rank);
      if (ranks.join() === String(leader)) return `node ${leader} leads`;
      const verb = ranks.length === 1 ? 'follows' : 'follow';
      return `${nodesText(ranks)} ${verb} node ${leader}${missingText(view, leader)}`;
    });
  return clauses.length < 2
    ? clauses.join('')
    : `${clauses.slice(0, -1).join(', ')}, and ${clauses.at(-1) ?? ''}`;
}

function missingText({ nodes, phantoms }: WorldView, rank: number): string {
  if (phantoms.has(rank)) return ', which does not exist';
  return nodes[rank - 1]?.up === true ? '' : ', which is down';
}

/** Ranks as words: "node 1", "nodes 1 and 3". */
export function nodesText(ranks: readonly number[]): string {
  return `${ranks.length === 1 ? 'node' : 'nodes'} ${listed(ranks)}`;
}

export function highestLive(view: WorldView): number {
  return Math.max(0, ...honestLive(view).map(({ rank }) => rank));
}

/** Ranks as words: "1", "1 and 3", "1, 2 and 3". */
export function listed(ranks: readonly number[]): string {
  return ranks.length < 2
    ? ranks.join()
    : `${ranks.slice(0, -1).join(', ')} and ${ranks.at(-1) ?? ''}`;
}
