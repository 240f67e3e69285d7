/**
 * @module
 * The parts of a search that each of its threads has.
 */

import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import { monitorOf } from '../monitor.ts';
import type { Reduction } from '../reduction.ts';
import type { StateStore } from '../state-store.ts';
import type { Orbits } from '../symmetry/orbits.ts';
import { orbitsOf } from '../symmetry/orbits.ts';
import { Worlds } from '../worlds.ts';
import { Explorer } from './explorer.ts';
import type { Judged } from './judge.ts';
import { Judge } from './judge.ts';
import type { Parts } from './member.ts';

/** What is searched, and how. */
export interface Searched extends Judged {
  readonly order: 'breadth' | 'depth';
  /** Which actions need not be explored; all are if it is absent. */
  readonly reduction?: Reduction;
}

/** What a search asks its caller. The answers change no result, except that too much memory ends it. */
export interface Asked {
  /** Memory that the process has used since the start of the check, in bytes, which `bytesMax` limits, too. */
  readonly memoryUsed?: (() => number) | undefined;
  /**
   * Whether the caller wants a turn: to stop the search, or to compare its memory. It is asked after each world in which
   * steps were computed, because these can be slow or large.
   */
  readonly isDue?: (() => boolean) | undefined;
}

export interface SearchParts extends Parts {
  readonly worlds: Worlds;
  readonly first: Packed;
  /** Null if no two worlds are taken for one because of their ranks. */
  readonly orbits: Orbits | null;
}

/** The worlds of an instance, and the judge of its properties in them. */
export function judgedWorlds(judged: Judged): { readonly worlds: Worlds; readonly judge: Judge } {
  const { instance, properties, byzantine } = judged;
  const { protocol, bounds } = instance;
  const monitor = monitorOf(properties, { byzantine, protocol, bounds });
  const worlds = new Worlds(instance, monitor);
  return { worlds, judge: new Judge(judged, worlds) };
}

/** The parts of one thread. Every thread numbers the first world. */
export function searchParts(searched: Searched, store: StateStore): SearchParts {
  const { properties, order, reduction = null } = searched;
  const { worlds, judge } = judgedWorlds(searched);
  const orbits = orbitsOf(searched, worlds);
  const first = emptyPacked();
  worlds.first(first);
  orbits?.settle(first);
  return {
    store,
    worlds,
    first,
    judge,
    orbits,
    explorer: new Explorer(worlds, store, {
      reduction,
      orbits,
      isBreadth: order === 'breadth',
      judgesAll: properties.some(({ reads }) => reads !== undefined),
    }),
    propertyNames: properties.map(({ name }) => name),
  };
}
