/**
 * @module
 * An execution of real worlds for a path of a search that visits one world of each class.
 */

import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { StateStore } from '../state-store.ts';
import { NO_PARENT } from '../state-store.ts';
import type { Worlds } from '../worlds.ts';
import type { Orbits } from './orbits.ts';
import { falseSymmetry } from './orbits.ts';

export interface Execution {
  /** The codes of its actions. */
  readonly path: readonly number[];
  /** The world after them. */
  readonly last: Packed;
}

/**
 * The actions that lead from the first world to a visited one, or to one of its class. Throws LabError `arguments` if
 * there are none: then renamed worlds have other actions.
 */
export function executionTo(
  world: number,
  worlds: Worlds,
  store: StateStore,
  orbits: Orbits | null,
): Execution {
  if (orbits === null) {
    const last = emptyPacked();
    store.read(world, last);
    return { path: store.pathTo(world), last };
  }
  const visited = [world];
  for (let at = store.parentOf(world); at !== NO_PARENT; at = store.parentOf(at)) visited.push(at);
  const path: number[] = [];
  let last = emptyPacked();
  worlds.first(last);
  for (const number of visited.toReversed().slice(1)) {
    const wanted = emptyPacked();
    store.read(number, wanted);
    const found = actionTo(wanted, last, worlds, orbits);
    if (found === null) {
      const detail = `no action of step ${path.length + 1} leads to a world with exchanged ranks`;
      throw falseSymmetry(worlds.instance.protocol, detail);
    }
    path.push(found.code);
    last = found.next;
  }
  return { path, last };
}

/** The first possible action after which the world is one of the class of `wanted`; null if there is none. */
function actionTo(
  wanted: Packed,
  from: Packed,
  worlds: Worlds,
  orbits: Orbits,
): { readonly code: number; readonly next: Packed } | null {
  const codes: number[] = [];
  worlds.enabled(from, codes);
  worlds.faults(from, codes);
  for (const code of codes) {
    const next = emptyPacked();
    worlds.apply(from, code, next);
    if (!worlds.isWithin) continue;
    const settled = { words: next.words.slice(), length: next.length };
    orbits.settle(settled);
    if (isSame(settled, wanted)) return { code, next };
  }
  return null;
}

function isSame(left: Packed, right: Packed): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left.words[at] !== right.words[at]) return false;
  return true;
}
