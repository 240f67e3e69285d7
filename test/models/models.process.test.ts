/**
 * @module
 * The checker against SPIN: Promela models of four protocols, written from their descriptions, have the same verdict
 * and the same last worlds within the same bounds. Needs SPIN and gcc. The slow suite compares larger bounds, and all rings.
 */

import { describe, expect, it } from 'vitest';

import type { Instance } from '../../src/checking/instance.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import type { LocalFacts } from '../../src/checking/local-steps.ts';
import { ONE_LEADER } from '../../src/checking/properties/followers.ts';
import { ONE_LEADER_PER_EPOCH } from '../../src/checking/properties/one-leader-per-epoch.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { assumeNothing, Reducer } from '../../src/checking/reduction.ts';
import type { SearchOptions } from '../../src/checking/search.ts';
import { Search } from '../../src/checking/search.ts';
import type { Json } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import type { Given } from '../checking/small-instances.ts';
import { instanceOf } from '../checking/small-instances.ts';
import { IS_WHOLE, sampled } from '../sample.ts';
import type { SpinVerdict } from './spin.ts';
import { HAS_SPIN, spinVerdict } from './spin.ts';

interface Compared {
  readonly protocol: ProtocolName;
  readonly given: Given & { readonly ring: readonly number[] };
  readonly property: CheckedProperty;
  readonly model: string;
  readonly constants: Readonly<Record<string, number>>;
  /** Whether the property holds. */
  readonly isSafe: boolean;
}

const RINGS = [
  [1, 2, 3],
  [1, 3, 2],
  [4, 1, 3, 2],
] as const;
const RULES = { 'cr-join': 1, 'cr-replace': 2, 'cr-always': 3 } as const;

const EVERY_CHANG_ROBERTS = Object.entries(RULES).flatMap(([protocol, rule]) =>
  RINGS.flatMap((ring) =>
    [0, 1].map((loss): Compared => {
      const given = { ring, starts: 'any', links: 'fifo', bounds: { loss } } as const;
      const constants = { RULE: rule, LOSS: loss, QUEUE: 16 };
      const model = 'chang-roberts.pml';
      const name = protocol as ProtocolName; // A key of the table.
      return { protocol: name, given, property: ONE_LEADER, model, constants, isSafe: true };
    }),
  ),
);

/** The sample has each rule, each ring, and both bounds. */
const CHANG_ROBERTS = sampled(EVERY_CHANG_ROBERTS, 5);

const PETERSON = RINGS.map((ring): Compared => {
  const given = { ring, starts: 'any', links: 'fifo' } as const;
  const rest = { property: ONE_LEADER, model: 'peterson.pml', isSafe: true };
  return { protocol: 'peterson', given, constants: { QUEUE: 16 }, ...rest };
});

/** Takes many seconds. */
const LONG_BULLY = [
  ['asynchronous', 0, 3, false],
  ['asynchronous', 1, 2, false],
] as const;

/** Timing, bounds of crashes and timers, and whether two nodes never lead. */
const BULLY = (
  [
    ['synchronous', 0, null, true],
    ['synchronous', 1, null, true],
    ['synchronous', 2, null, true],
    ['asynchronous', 0, 1, false],
    ...(IS_WHOLE ? LONG_BULLY : []),
  ] as const
).map(([timing, crash, timeout, isSafe]): Compared => {
  const given = { ring: [1, 2, 3], links: 'fifo', timing, bounds: { crash, timeout } } as const;
  const timed = timing === 'synchronous' ? 1 : 0;
  const constants = { CRASH: crash, TIMED: timed, TIMERS: timeout ?? 255, QUEUE: 16 };
  const rest = { property: ONE_LEADER, model: 'bully-oneshot.pml', isSafe };
  return { protocol: 'bully-oneshot', given, constants, ...rest };
});

/** Takes many seconds. */
const LONG_RAFT = [
  [3, 0, 0, 0, true],
  [2, 1, 1, 0, true],
] as const;

/** Bounds of timers, crashes and returns, and whether no term has two leaders. */
const RAFT = (
  [[2, 0, 0, 0, true], ...(IS_WHOLE ? LONG_RAFT : []), [2, 1, 0, 1, false]] as const
).map(([timeout, crash, recover, amnesia, isSafe]): Compared => {
  const bounds = { timeout, crash, recover, amnesia };
  const given = { ring: [1, 2, 3], links: 'fifo', bounds, flags: { spreadTicks: '1' } } as const;
  const constants = {
    ...{ TIMERS: timeout, CRASH: crash, RECOVER: recover, AMNESIA: amnesia, QUEUE: 10 },
  };
  const rest = { property: ONE_LEADER_PER_EPOCH, model: 'raft.pml', isSafe };
  return { protocol: 'raft', given, constants, ...rest };
});

describe.skipIf(!HAS_SPIN)('SPIN', () => {
  const cases = [...CHANG_ROBERTS, ...PETERSON, ...BULLY, ...RAFT].map(
    (each) => [each.protocol, JSON.stringify(each.given), each] as const,
  );

  it.each(cases)('agrees with the checker: %s %s', (_protocol, _given, compared) => {
    const { protocol, given, property, model, constants, isSafe } = compared;
    const { ring } = given;
    const circle = model === 'chang-roberts.pml' || model === 'peterson.pml';
    const all = { NODES: ring.length, ...(circle && { RING: ring.join() }), ...constants };

    const spin = spinVerdict(model, all);

    const instance = instanceOf(protocol, ring.length, given);
    expect(verdictOf(instance, property, false)).toEqual(spin);
    expect(verdictOf(instance, property, true)).toEqual(spin);
    expect(spin.isSafe).toBe(isSafe);
  });
});

/** The verdict of the checker. */
function verdictOf(instance: Instance, property: CheckedProperty, isReduced: boolean): SpinVerdict {
  let isSafe = true;
  // Sees all worlds in which the property may change, and ends no search.
  const watching: CheckedProperty = {
    ...property,
    kind: 'sometimes',
    holds(view) {
      if (!property.holds(view)) isSafe = false;
      return false;
    },
  };
  const limits = { statesMax: 5_000_000, bytesMax: 2 ** 31 };
  const rest = { byzantine: new Set<number>(), order: 'breadth', ...limits } as const;
  const options: SearchOptions = { instance, properties: [watching], ...rest };
  const search = isReduced ? reducedSearch(options) : new Search(options);
  const outcome = search.run(Number.POSITIVE_INFINITY);
  expect(outcome?.type).toBe('exhausted');
  return { isSafe, last: lastWorlds(search) };
}

/** A reduced search that has not run, with assumptions that hold. */
function reducedSearch(options: SearchOptions): Search {
  for (let assumed = assumeNothing(); ; ) {
    const reducer = new Reducer(options.instance, assumed);
    const search = new Search({ ...options, reduction: reducer.reduce });
    search.run(Number.POSITIVE_INFINITY);
    const revised = reducer.revised(search.worlds);
    if (revised === null) return search;
    assumed = revised;
  }
}

/** What the nodes follow in the worlds in which nothing is possible, as the models print it. */
function lastWorlds({ worlds, store }: Search): string[] {
  const found = new Set<string>();
  const world = emptyPacked();
  const codes: number[] = [];
  const nodes = Array.from({ length: worlds.instance.cast.nodes }, (_, index) => index + 1);
  for (let number = 0; number < store.size; number += 1) {
    store.read(number, world);
    codes.length = 0;
    worlds.enabled(world, codes);
    worlds.faults(world, codes);
    if (codes.length > 0) continue;
    const texts = nodes.map((rank) => {
      const { state } = worlds.steps.localOf(rank, world.words[rank - 1] ?? 0).node;
      return followedText(worlds.factsAt(world.words, rank), state);
    });
    found.add(texts.join(' '));
  }
  return [...found].toSorted();
}

/** The leader of a node, with the term of a Raft node. */
function followedText({ up, leader }: LocalFacts, state: Json): string {
  if (!up) return '-';
  const isNumbered = state !== null && typeof state === 'object' && 'votedFor' in state;
  return isNumbered && 'term' in state ? `${leader}/${state.term}` : String(leader);
}
