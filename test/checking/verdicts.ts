/**
 * @module
 * What two searches of one instance must agree on, although they number worlds and messages differently: the
 * nodes and leaders of epochs that properties see in any world, and the worlds in which nothing is possible (those at
 * rest are among them).
 */

import type { Instance } from '../../src/checking/instance.ts';
import type { Packed } from '../../src/checking/layout.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import {
  LEADERS_OF_EPOCHS,
  ONE_LEADER_PER_EPOCH,
} from '../../src/checking/properties/one-leader-per-epoch.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { assumeNothing, Reducer } from '../../src/checking/reduction.ts';
import type { SearchOptions } from '../../src/checking/search.ts';
import { Search } from '../../src/checking/search.ts';

export interface Verdicts {
  /** Number of worlds. */
  readonly size: number;
  /** What properties see in the worlds: each different view once, sorted. */
  readonly views: readonly string[];
  /** The worlds without a possible action, sorted. */
  readonly ends: readonly string[];
}

/** The search remembers the leaders of epochs, and no world ends it. */
const WATCHING: CheckedProperty = {
  ...ONE_LEADER_PER_EPOCH,
  kind: 'sometimes',
  holds: () => false,
};

type Asked = Pick<SearchOptions, 'order' | 'statesMax'>;

/** The verdicts of the search of all worlds; null if it is capped. */
export function fullVerdicts(instance: Instance, asked: Asked): Verdicts | null {
  const search = new Search(optionsOf(instance, asked));
  return search.run(Number.POSITIVE_INFINITY)?.type === 'exhausted' ? verdictsIn(search) : null;
}

/** The verdicts of a reduced search; null if it is capped. */
export function reducedVerdicts(instance: Instance, asked: Asked): Verdicts | null {
  for (let assumed = assumeNothing(); ; ) {
    const reducer = new Reducer(instance, assumed);
    const search = new Search({ ...optionsOf(instance, asked), reduction: reducer.reduce });
    const outcome = search.run(Number.POSITIVE_INFINITY);
    const revised = reducer.revised(search.worlds);
    if (revised === null) return outcome?.type === 'exhausted' ? verdictsIn(search) : null;
    assumed = revised;
  }
}

function optionsOf(instance: Instance, asked: Asked): SearchOptions {
  const rest = { byzantine: new Set<number>(), bytesMax: 2 ** 30 };
  return { instance, properties: [WATCHING], ...rest, ...asked };
}

function verdictsIn(search: Search): Verdicts {
  const { worlds, store } = search;
  const [views, ends] = [new Set<string>(), new Set<string>()];
  const world = emptyPacked();
  for (let number = 0; number < store.size; number += 1) {
    store.read(number, world);
    const view = search.viewOf(world, worlds.isAtRest(world));
    views.add(JSON.stringify({ nodes: view.nodes, led: view.pastOf(LEADERS_OF_EPOCHS) }));
    const codes: number[] = [];
    worlds.enabled(world, codes);
    worlds.faults(world, codes);
    if (codes.length === 0) ends.add(textOf(search, world));
  }
  return { size: store.size, views: [...views].toSorted(), ends: [...ends].toSorted() };
}

/** The states of the nodes, and the messages in flight. */
function textOf({ worlds }: Search, { words, length }: Packed): string {
  const { layout, steps } = worlds;
  const locals = Array.from({ length: layout.endpoints }, (_, index) =>
    steps.localOf(index + 1, words[index] ?? 0),
  );
  const messages = Array.from(words.subarray(layout.fixed, length), (number) =>
    JSON.stringify(steps.messages.valueOf(number)),
  );
  return JSON.stringify({ locals, messages: messages.toSorted() });
}
