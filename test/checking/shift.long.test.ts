/**
 * @module
 * Worlds up to a shift of terms: the shifted search has as many worlds and transitions at every depth as a plain search
 * that takes worlds with the same lowered terms for one; raised states make raised steps; wrong counters are found.
 */

import { describe, expect, it } from 'vitest';

import type { Bounds, Instance } from '../../src/checking/instance.ts';
import type { Packed } from '../../src/checking/layout.ts';
import { emptyPacked } from '../../src/checking/layout.ts';
import { findLasso } from '../../src/checking/liveness/lasso.ts';
import { LEADER_APPEARS, LEADER_ELECTED } from '../../src/checking/properties/followers.ts';
import { ONE_LEADER_PER_EPOCH } from '../../src/checking/properties/one-leader-per-epoch.ts';
import type { CheckedProperty } from '../../src/checking/property.ts';
import { Search } from '../../src/checking/search.ts';
import { NO_PARENT, StateStore } from '../../src/checking/state-store.ts';
import { Shift } from '../../src/checking/terms/shift.ts';
import { traceOf } from '../../src/checking/traces/trace.ts';
import { judgedWorlds } from '../../src/checking/visited/parts.ts';
import { Worlds } from '../../src/checking/worlds.ts';
import type { Flags } from '../../src/election/definition/flags.ts';
import type { Counter } from '../../src/election/definition/protocol.ts';
import type { Json } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../src/election/registry.ts';
import type { World } from '../../src/election/world/world-state.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { checked } from './checked.ts';
import { drawInstance, packedLevels, randomPath } from './drawn.ts';
import { plainLevels } from './plain-search.ts';
import { instanceOf } from './small-instances.ts';

interface Counted {
  /** Members that hold each counter. */
  readonly counters: readonly (readonly string[])[];
  /** Members in which 0 means none. */
  readonly unset: readonly string[];
}

const TERM: Counted = { counters: [['term']], unset: [] };

/** Protocols with counters, each with flags that make their worlds few. */
const COUNTING: readonly (readonly [ProtocolName, Flags, Counted])[] = [
  ['itai-rodeh', {}, { counters: [['round']], unset: [] }],
  ['raft', { spreadTicks: '1' }, TERM],
  ['raft', { spreadTicks: '1', preVote: 'on', checkQuorum: 'on' }, TERM],
  [
    'zk-slide-quorum',
    { retryTicks: '1' },
    { counters: [['ackedEpoch', 'epochMax', 'epoch']], unset: ['ackedEpoch', 'epoch'] },
  ],
  [
    'zab-fle',
    {},
    {
      counters: [
        ['acceptedEpoch', 'currentEpoch', 'peerEpoch', 'knownEpochMax', 'epoch'],
        ['round'],
      ],
      unset: ['knownEpochMax'],
    },
  ],
];

describe('protocols with counters', () => {
  it('are all tested here', () => {
    const named = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].counters.length > 0);

    expect(named.toSorted()).toEqual([...new Set(COUNTING.map(([name]) => name))].toSorted());
  });
});

describe('shifted worlds', () => {
  it.each(
    COUNTING.flatMap(([protocol, flags, counted]) =>
      Array.from({ length: 8 }, (_, seed) => [protocol, flags, seed, counted] as const),
    ),
  )('of %s (%j) are those of a plain search (%i)', (protocol, flags, seed, counted) => {
    const { instance: drawn, text } = drawInstance(seed);
    const instance: Instance = {
      ...instanceOf(protocol, 2, { flags }),
      ...{ timing: drawn.timing, links: drawn.links, bounds: drawn.bounds },
      ...{ perLink: drawn.perLink, isShifted: true },
    };
    const lowered = (world: World, left: Bounds) =>
      left.recover + left.amnesia > 0 ? world : loweredWorld(world, counted);

    const packed = packedLevels(instance, WORLDS_MAX);

    expect(packed, text).toEqual(plainLevels(instance, WORLDS_MAX, lowered));
  });

  it('make searches end that have no end otherwise', () => {
    const given = { flags: { spreadTicks: '1' }, timing: 'synchronous' } as const;

    const exact = checked('raft', 2, { ...given, properties: [LEADER_ELECTED], statesMax: 5000 });
    const shifted = checked('raft', 2, { ...given, properties: [LEADER_ELECTED], isShifted: true });

    expect([exact.type, shifted.type]).toEqual(['capped', 'exhausted']);
  });
});

const WORLDS_MAX = 600;

describe('a spread', () => {
  it.each([
    ['a property that remembers leaders', ONE_LEADER_PER_EPOCH, {}],
    ['a node that joins', LEADER_ELECTED, { absent: [2], bounds: { join: 1, timeout: 3 } }],
  ])('leaves out worlds whose terms are further apart, with %s', (_, property, given) => {
    const limits = { ...RAFT_TIMERS, ...given, isShifted: true };
    const near = { ...instanceOf('raft', 2, limits), spread: 1 };
    const all = instanceOf('raft', 2, limits);

    const [found, expected] = [distancesIn(near, property, 9), distancesIn(all, property, 1)];

    expect(Math.max(...distancesIn(all, property, 9))).toBeGreaterThan(1);
    expect(Math.max(...found)).toBe(1);
    expect(found).toEqual(expected);
  });
});

const RAFT_TIMERS = { flags: { spreadTicks: '1' }, bounds: { timeout: 3 } };

/** The distance between two terms of each world, without the worlds behind those with more than `most`. */
function distancesIn(instance: Instance, property: CheckedProperty, most: number): number[] {
  const { worlds } = judgedWorlds({ instance, properties: [property], byzantine: new Set() });
  const store = new StateStore();
  const [source, target] = [emptyPacked(), emptyPacked()];
  worlds.first(target);
  store.add(target, NO_PARENT, 0);
  const distances: number[] = [];
  for (let number = 0; number < store.size; number += 1) {
    const codes: number[] = [];
    store.read(number, source);
    distances.push(distanceIn(worlds, source));
    worlds.enabled(source, codes);
    worlds.faults(source, codes);
    for (const code of codes) {
      worlds.apply(source, code, target);
      if (worlds.isWithin && distanceIn(worlds, target) <= most) store.add(target, number, code);
    }
  }
  return distances;
}

/** The largest distance between two terms of nodes that are up, and of messages. */
function distanceIn(worlds: Worlds, { words, length }: Packed): number {
  const nodes = [1, 2].map((rank) => worlds.nodeAt(words, rank)).filter(({ up }) => up);
  const messages = Array.from(words.subarray(worlds.layout.fixed, length), (message) =>
    worlds.steps.messages.valueOf(message),
  );
  const terms: number[] = [];
  changedAt([nodes, messages], ['term'], [], (term) => {
    terms.push(term);
    return term;
  });
  return Math.max(...terms) - Math.min(...terms);
}

describe('raised states', () => {
  it.each(COUNTING)('of %s (%j) make raised steps', (protocol, flags) => {
    // An election of itai-rodeh comes to rest, so that long walks need more nodes.
    const nodes = protocol === 'itai-rodeh' ? 12 : 3;
    const steps = [...'0123456789'].map((seed) =>
      randomWalk({ ...instanceOf(protocol, nodes, { flags }), isShifted: true }, seed, null),
    );

    expect(Math.max(...steps)).toBeGreaterThan(100);
  });

  it.each([
    [
      'raft',
      { state: ['timeoutTicks'] },
      /^protocol raft: "counters" is wrong for "wrong": .* chooses 0, .* state\.timeoutTicks is 30 instead/,
    ],
    [
      'raft',
      { state: ['term'] },
      /timer election fires, does something else: persisted\.term is 5 instead of 2\./,
    ],
    [
      'raft',
      { messages: ['term'] },
      /timer election fires, does something else: message 1\.term is 1 instead of 4\./,
    ],
    [
      'zk-slide-quorum',
      { state: ['epochMax'], messages: ['epoch'] },
      /^protocol zk-slide-quorum: .* ACK arrives from 1, .* state\.role is "candidate" instead of "follower"\./,
    ],
  ] as const)('of %s with the wrong counter %j do not, which the refusal shows', (...row) => {
    const [protocol, members, shown] = row;
    const wrong = { name: 'wrong', state: [], persisted: [], messages: [], unset: [], ...members };
    const instance = { ...instanceOf(protocol, 3), isShifted: false };

    expect(() => {
      for (const seed of '0123456789') randomWalk(instance, seed, [wrong]);
    }).toThrow(shown);
  });
});

const WALK = 400;

/** Carries out drawn actions. Returns how many there were. */
function randomWalk(instance: Instance, seed: string, counters: readonly Counter[] | null): number {
  const worlds = new Worlds(instance, null);
  if (counters !== null) {
    const shift = new Shift(counters, instance, worlds.steps);
    worlds.steps.verifiers.push((...step) => shift.verify(...step));
  }
  return randomPath(worlds, createRandom(parseSeed(seed), 'walk'), WALK).path.length;
}

describe('a lasso up to a shift', () => {
  it('is an execution of the reference semantics that goes on with higher terms', () => {
    const instance = instanceOf('raft', 5, {
      ...{ flags: { spreadTicks: '1' }, cut: FIVE_OF_TEN },
      ...{ timing: 'synchronous', isShifted: true, spread: 1 },
    });
    const search = new Search({
      ...{ instance, properties: [LEADER_APPEARS], byzantine: new Set<number>() },
      ...{ order: 'breadth', statesMax: 1_000_000, bytesMax: 2 ** 30 },
    });
    while (search.outcome === null) search.run(10_000);
    const steps = findLasso(search, LEADER_APPEARS, 2 ** 30);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    if (step.value.type !== 'found') throw new Error('expected a lasso');
    const { prefix, cycle } = step.value.lasso;

    const [before, once, twice] = [0, 1, 2].map((rounds) =>
      traceOf(search.worlds, [...prefix, ...Array.from({ length: rounds }, () => cycle).flat()]),
    );

    expect(once?.end.raised).toEqual([(before?.end.raised[0] ?? 0) + 1]);
    expect(twice?.end.world.nodes.map(({ state }) => state)).toEqual(
      once?.end.world.nodes.map(({ state }) => withHigherTerm(state)),
    );
  });
});

/** Links 1-2, 1-3, 2-3, 2-4 and 3-5 are left. */
const FIVE_OF_TEN = [
  [1, 4],
  [1, 5],
  [2, 5],
  [3, 4],
  [4, 5],
] as const;

function withHigherTerm(state: Json): Json {
  if (state === null || typeof state !== 'object' || !('term' in state)) return state;
  return { ...state, term: Number(state.term) + 1 };
}

/** The world with the smallest value of each counter lowered to 1; it is found by the names of members alone. */
function loweredWorld(world: World, { counters, unset }: Counted): World {
  let lowered = world;
  for (const names of counters) {
    const values: number[] = [];
    const visit = (value: unknown) =>
      changedAt(value, names, unset, (each) => {
        values.push(each);
        return each;
      });
    for (const node of lowered.nodes) if (node.up) visit(node);
    visit(lowered.inFlight);
    const by = values.length === 0 ? 0 : Math.max(0, Math.min(...values) - 1);
    // The structure is that of the world.
    lowered = changedAt(lowered, names, unset, (each) => Math.max(0, each - by)) as World;
  }
  return lowered;
}

function changedAt(
  value: unknown,
  names: readonly string[],
  unset: readonly string[],
  change: (value: number) => number,
): unknown {
  if (Array.isArray(value)) return value.map((part) => changedAt(part, names, unset, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (typeof part !== 'number' || !names.includes(name)) {
        return [name, changedAt(part, names, unset, change)];
      }
      return [name, part === 0 && unset.includes(name) ? 0 : change(part)];
    }),
  );
}
