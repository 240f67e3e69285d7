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

/** Live honest nodes that lead themselves. */
export function leadersIn(view: WorldView): readonly number[] {
  return honestLive(view).flatMap(({ rank, leader }) => (leader === rank ? [rank] : []));
}

/** The ranks that live honest nodes follow, each once; 0 for none. */
export function followedIn(view: WorldView): ReadonlySet<number> {
  return new Set(honestLive(view).map(({ leader }) => leader ?? 0));
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
