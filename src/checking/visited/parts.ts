/**
 * @module
 * The parts of a search that each of its threads has.
 */

import type { Reduction } from '../expansion.ts';
import type { Instance } from '../instance.ts';
import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import { monitorOf } from '../monitor.ts';
import type { CheckedProperty } from '../property.ts';
import type { StateStore } from '../state-store.ts';
import { Worlds } from '../worlds.ts';
import { Explorer } from './explorer.ts';
import { Judge } from './judge.ts';
import type { Parts } from './member.ts';

/** What is searched, and how. */
export interface Searched {
  readonly instance: Instance;
  readonly properties: readonly CheckedProperty[];
  /** The ranks of Byzantine nodes. */
  readonly byzantine: ReadonlySet<number>;
  readonly order: 'breadth' | 'depth';
  /** Which actions need not be explored; all are if it is absent. */
  readonly reduction?: Reduction;
}

export interface SearchParts extends Parts {
  readonly worlds: Worlds;
  readonly first: Packed;
}

/** The parts of one thread. Every thread numbers the first world. */
export function searchParts(searched: Searched, store: StateStore): SearchParts {
  const { instance, properties, byzantine, order, reduction = null } = searched;
  const monitor = monitorOf(properties, { byzantine, protocol: instance.protocol });
  const worlds = new Worlds(instance, monitor);
  const first = emptyPacked();
  worlds.first(first);
  return {
    ...{ store, worlds, first },
    judge: new Judge(searched, worlds),
    explorer: new Explorer(worlds, store, { reduction, isBreadth: order === 'breadth' }),
    propertyNames: properties.map(({ name }) => name),
  };
}
