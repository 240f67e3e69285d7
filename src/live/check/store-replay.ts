/**
 * @module
 * Repeats the answers of a real store with the modelled one. The logs of nodes say in which order the store answered.
 * They do not say when a lease ended, nor whether a call without an answer took effect. Such a step happens in the model
 * only if the next answer needs it.
 */

import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { Action } from '../../election/world/world.ts';
import { apply } from '../../election/world/world.ts';
import type { Flight, World } from '../../election/world/world-state.ts';

/** Steps of the store that may be missing before one answer. */
export const MISSING_STEPS_MAX = 8;
/** Worlds that are looked at for one answer. */
const WORLDS_MAX = 2_000;

/** What the store said. */
export interface StoreWord {
  readonly node: number;
  /** The id of the call in the model; null if it answers none. */
  readonly call: number | null;
  /** With ranks of the model. */
  readonly value: Json;
}

/** How the modelled store comes to say the same. */
export interface StoreSteps {
  readonly actions: readonly Action[];
  /** The message in flight with this word. */
  readonly answer: number;
}

/**
 * The steps of the modelled store; a text if there are none, with what it says instead. `mayBeLost` is true of calls
 * without an answer in the run.
 */
export function storeStepsTo(
  cast: Cast,
  world: World,
  word: StoreWord,
  mayBeLost: (call: number) => boolean,
): StoreSteps | string {
  let open: { readonly world: World; readonly actions: readonly Action[] }[] = [
    { world, actions: [] },
  ];
  let looked = 0;
  for (let missing = 0; missing <= MISSING_STEPS_MAX; missing += 1) {
    const later: typeof open = [];
    for (const reached of open) {
      const found = said(cast, reached.world, word);
      if (found !== null) return { ...found, actions: [...reached.actions, ...found.actions] };
      for (const action of missingSteps(cast, reached.world, mayBeLost)) {
        looked += 1;
        const changed = apply(cast, reached.world, action);
        if (looked < WORLDS_MAX && !isSameStore(cast, changed, reached.world)) {
          later.push({ world: changed, actions: [...reached.actions, action] });
        }
      }
    }
    open = later;
  }
  return instead(cast, world, word);
}

/** Whether the store says it without a missing step. */
function said(cast: Cast, world: World, { node, call, value }: StoreWord): StoreSteps | null {
  const actions: Action[] = call === null ? [] : [{ type: 'deliver', message: call }];
  const after = actions.reduce((reached, action) => apply(cast, reached, action), world);
  const isIt = (flight: Flight) =>
    flight.from === cast.store &&
    flight.to === node &&
    (call === null || flight.id >= world.sent) &&
    isDeepStrictEqual(JSON.parse(JSON.stringify(flight.message)), value);
  const flight = after.inFlight.find(isIt);
  return flight === undefined ? null : { actions, answer: flight.id };
}

/** Ends of leases and sessions, and calls that may have taken effect, equal ones once. */
function missingSteps(
  { store }: Cast,
  { nodes, inFlight }: World,
  mayBeLost: (call: number) => boolean,
): Action[] {
  if (store === null) return [];
  const ends = (nodes[store - 1]?.timers ?? []).map(({ timer }): Action => {
    return { type: 'timeout', node: store, timer };
  });
  const lost = new Map<string, Action>();
  for (const { id, from, to, message } of inFlight) {
    if (to !== store || !mayBeLost(id)) continue;
    const name = JSON.stringify([from, message]);
    if (!lost.has(name)) lost.set(name, { type: 'deliver', message: id });
  }
  return [...ends, ...lost.values()];
}

/** Without a change of its state nor a message, a step of the store explains nothing. */
function isSameStore({ store }: Cast, one: World, other: World): boolean {
  const [own, before] = [one.nodes[(store ?? 0) - 1], other.nodes[(store ?? 0) - 1]];
  return isDeepStrictEqual(own?.state, before?.state);
}

function instead(cast: Cast, world: World, { node, call, value }: StoreWord): string {
  const shown = `has ${JSON.stringify(value)} from the store`;
  if (call === null) return `${shown}, which the modelled store does not say`;
  const after = apply(cast, world, { type: 'deliver', message: call });
  const own = after.inFlight.find(
    ({ id, from, to }) => id >= world.sent && from === cast.store && to === node,
  );
  return `${shown}; the modelled store has ${own === undefined ? 'no answer' : JSON.stringify(own.message)}`;
}
