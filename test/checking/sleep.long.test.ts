/**
 * @module
 * The search, which leaves out actions of sleep sets, against one that carries out every action: the same worlds with the
 * same numbers, each found by the same action of the same parent.
 */

import { describe, expect, it, vi } from 'vitest';

import type { CheckRequest } from '../../src/checking/check-request.ts';
import { searchOptionsOf } from '../../src/checking/check-request.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { CHECKED_PROPERTIES } from '../../src/checking/properties/registry.ts';
import { Search } from '../../src/checking/search.ts';
import { NO_PARENT, StateStore } from '../../src/checking/state-store.ts';
import { judgedWorlds } from '../../src/checking/visited/parts.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import { requestOf } from '../../src/experiment/checks/request.ts';
import { drawRequest } from './drawn.ts';

const INSTANCES = 120;
/** Drawn instances in which two actions of one world lead to one new world. */
const WITH_TWINS = [306, 530, 1118];
const STATES_MAX = 400;
const WITH_HISTORIES = CHECKED_PROPERTIES.filter(({ histories }) => histories.length > 0).map(
  ({ name }) => name,
);

/** The search of a request whose properties hold in all worlds, so that none ends it. */
function optionsOf(request: CheckRequest, statesMax: number) {
  const options = searchOptionsOf(request, { statesMax, bytesMax: 2 ** 30 });
  const properties = options.properties.map((each) => ({ ...each, holds: () => true }));
  return { ...options, properties };
}

/** What a search finds that carries out every action. */
function foundPlainly(request: CheckRequest) {
  const { worlds } = judgedWorlds(optionsOf(request, STATES_MAX));
  const store = new StateStore();
  const [source, target] = [emptyPacked(), emptyPacked()];
  worlds.first(target);
  store.add(target, NO_PARENT, 0);
  let transitions = 0;
  for (let from = 0; from < store.size && store.size < STATES_MAX; from += 1) {
    const codes: number[] = [];
    store.read(from, source);
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    for (const code of codes) {
      worlds.apply(source, code, target);
      if (!worlds.isWithin) continue;
      transitions += 1;
      store.add(target, from, code);
    }
  }
  return { transitions, worlds: textsOf(store) };
}

function foundBySearch(request: CheckRequest, statesMax = STATES_MAX) {
  const search = new Search(optionsOf(request, statesMax));
  while (search.run(100) === null);
  return { transitions: search.counts.transitions, worlds: textsOf(search.store) };
}

/** Of each world its words, its parent and the action by which it was found. */
function textsOf(store: StateStore): string[] {
  const packed = emptyPacked();
  return Array.from({ length: store.size }, (_, number) => {
    store.read(number, packed);
    const words = packed.words.subarray(0, packed.length).join();
    return `${words} from ${store.parentOf(number)} by ${store.actionOf(number)}`;
  });
}

describe('a search with sleep sets', () => {
  it.each([...Array.from({ length: INSTANCES }, (_, index) => index), ...WITH_TWINS])(
    'finds each world by the action that would find it without them (%i)',
    (index) => {
      const properties = index % 3 === 0 ? WITH_HISTORIES : [];
      const request = { ...drawRequest(index), properties };

      expect(foundBySearch(request), JSON.stringify(request)).toEqual(foundPlainly(request));
    },
  );

  it.each([
    ['bully-oneshot', { timing: 'synchronous', bounds: { crash: 1 } }],
    ['peterson', { starts: 'again' }],
  ] as const)('carries out less than half of the actions of %s', (protocol, rest) => {
    const request = requestOf({ protocol, ring: [1, 2, 3, 4], reduction: 'off', ...rest });
    const apply = vi.spyOn(Worlds.prototype, 'apply');

    const { transitions } = foundBySearch(request, 10 * STATES_MAX);

    expect(apply.mock.calls.length).toBeLessThan(transitions / 2);
    apply.mockRestore();
  });
});
