/**
 * @module
 * Worlds that differ only in which node has which rank: the search visits one of each class that a plain search of all
 * worlds finds, with the same verdicts and the same shortest lengths; and false statements of protocols are found. The
 * slow suite has twice as many instances.
 */

import { describe, expect, it } from 'vitest';

import { check } from '../../../src/checking/check.ts';
import type { Instance } from '../../../src/checking/instance.ts';
import {
  AGREEMENT,
  LEADER_ELECTED,
  ONE_LEADER,
} from '../../../src/checking/properties/followers.ts';
import { CHECKED_PROPERTIES } from '../../../src/checking/properties/registry.ts';
import type { CheckedProperty } from '../../../src/checking/property.ts';
import { Search } from '../../../src/checking/search.ts';
import { Orbits, renamingsOf } from '../../../src/checking/symmetry/orbits.ts';
import { pathsOf } from '../../../src/checking/symmetry/renaming.ts';
import { Worlds } from '../../../src/checking/worlds.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { Symmetry } from '../../../src/election/definition/protocol.ts';
import type { NodeView } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { IS_WHOLE } from '../../sample.ts';
import { drawInstance, randomPath } from '../drawn.ts';
import { plainLevels, textOf } from '../plain-search.ts';
import { instanceOf } from '../small-instances.ts';
import type { Verdicts } from '../verdicts.ts';
import { fullVerdicts, reducedVerdicts } from '../verdicts.ts';
import { exchangesOf, renamedState } from './renamed-state.ts';

/** Protocols that compare no ranks, each with flags that make their worlds few. */
const SYMMETRIC: readonly (readonly [ProtocolName, Flags])[] = [
  ['itai-rodeh', {}],
  ['raft', { spreadTicks: '1' }],
  ['raft', { spreadTicks: '1', preVote: 'on', checkQuorum: 'on' }],
  ['quorum-lease', { retryTicks: '1' }],
  ['db-lease', {}],
  ['lease-local', {}],
  ['kubernetes-lease', {}],
  ['redlock', { instances: '3' }],
  ['zk-recipe', {}],
];
const DRAWN = IS_WHOLE ? 8 : 4;
/** Worlds of the plain search, and of the packed one. */
const PLAIN_MAX = 700;
const WORLDS_MAX = 3000;
const CASES = SYMMETRIC.flatMap(([protocol, flags]) =>
  Array.from({ length: DRAWN }, (_, seed) => [protocol, flags, seed] as const),
);
const SEEN = CHECKED_PROPERTIES.filter(({ isSymmetric }) => isSymmetric === true);

/** An instance of the protocol with drawn faults, in which two timers fire at most. */
function drawn(protocol: ProtocolName, flags: Flags, seed: number): Instance {
  const { instance } = drawInstance(seed);
  const nodes = instance.cast.nodes;
  const { crashedBefore, absent, phantoms, initiators, starts, timing, links, cut } = instance;
  // A check with newcomers or departures has no symmetry (src/checking/check-request.ts).
  const fixed = { join: 0, leave: 0 };
  const cuts = ['partition', 'oneWay', 'bridge'].map((name, at) => [name, seed % 5 === at ? 1 : 0]);
  const bounds = { ...instance.bounds, ...fixed, timeout: 1, ...Object.fromEntries(cuts) };
  const named = { crashedBefore, absent, phantoms, initiators, cut };
  return instanceOf(protocol, nodes, { flags, ...named, starts, timing, links, bounds });
}

const SHORT = { spreadTicks: '1' };

function searched(
  instance: Instance,
  properties: readonly CheckedProperty[] = [],
  statesMax = WORLDS_MAX,
): Search {
  const rest = { byzantine: new Set<number>(), order: 'breadth', bytesMax: 2 ** 30 } as const;
  const search = new Search({ instance, properties, ...rest, statesMax });
  while (search.run(10_000) === null);
  return search;
}

/** Length of the violation that a search found. */
function lengthOf({ outcome }: Search): number | null {
  return outcome?.type === 'violated' ? outcome.path.length : null;
}

/** The classes of all worlds that the plain search finds, and their transitions; null if there are too many worlds. */
function classesOf(
  instance: Instance,
): { readonly states: number; readonly transitions: number } | null {
  const { crashedBefore, absent = [], phantoms = [], cut, starts } = instance;
  const kept = [crashedBefore, absent, phantoms, ...cut];
  const orders = exchangesOf(instance).filter((order) =>
    kept.every((ranks) => ranks.every((rank) => ranks.includes(order[rank] ?? 0))),
  );
  const classes = new Map<string, number>();
  const levels = plainLevels(instance, PLAIN_MAX, undefined, undefined, (state, actions) => {
    const isOrdered = starts === 'together' && state.starts.length > 0;
    const images = isOrdered ? [state] : orders.map((order) => renamedState(state, order));
    classes.set(images.map((image) => textOf(instance, image)).toSorted()[0] ?? '', actions);
  });
  if (levels.transitions.length !== levels.worlds.length) return null;
  return {
    states: classes.size,
    transitions: [...classes.values()].reduce((sum, each) => sum + each, 0),
  };
}

describe('symmetric protocols', () => {
  it('are all tested here', () => {
    const named = PROTOCOL_NAMES.filter((name) => typeof PROTOCOLS[name].symmetry === 'object');

    expect(named.toSorted()).toEqual([...new Set(SYMMETRIC.map(([name]) => name))].toSorted());
  });
});

describe('the classes of worlds', () => {
  let compared = 0;

  it.each(CASES)(
    'of %s (%j) are those of all worlds of a plain search (%i)',
    (protocol, flags, seed) => {
      const instance = drawn(protocol, flags, seed);
      const classes = classesOf(instance);
      if (classes === null) return;
      compared += 1;

      const { counts } = searched({ ...instance, isSymmetric: true });

      expect({ states: counts.states, transitions: counts.transitions }).toEqual(classes);
    },
  );

  it('were compared for many instances', () => {
    expect(compared).toBeGreaterThan(CASES.length / 3);
  });
});

describe('a search of classes', () => {
  let violated = 0;

  it.each(CASES)(
    'of %s (%j) has the verdicts and lengths of all worlds (%i)',
    (protocol, flags, seed) => {
      const instance = drawn(protocol, flags, seed);
      for (const property of SEEN) {
        const full = searched(instance, [property]);
        if (full.outcome?.type === 'capped') return;

        const merged = searched({ ...instance, isSymmetric: true }, [property]);

        expect(merged.outcome?.type).toBe(full.outcome?.type);
        expect(merged.witnessed).toEqual(full.witnessed);
        if (full.outcome?.type !== 'violated' || merged.outcome?.type !== 'violated') continue;
        violated += 1;
        expect(merged.outcome.path.length).toBe(full.outcome.path.length);
        assertExecution(instance, property, merged.outcome.path);
      }
    },
  );

  it('found violations', () => {
    expect(violated).toBeGreaterThan(1);
  });

  it.each([
    ['raft', 3, { flags: SHORT, bounds: { timeout: 2 } }, 'one-leader', 16],
    ['raft', 3, { flags: SHORT, bounds: { crash: 1, amnesia: 1, timeout: 2 } }, 'one-vote', 14],
    [
      'raft',
      3,
      { flags: SHORT, bounds: { crash: 1, amnesia: 1, timeout: 2 } },
      'one-leader-per-epoch',
      19,
    ],
    [
      'quorum-lease',
      3,
      { flags: { retryTicks: '1' }, bounds: { crash: 1, amnesia: 1, timeout: 3 } },
      'one-vote',
      14,
    ],
    // After a common start node 1 always has the first name, so that no two worlds are alike.
    ['lease-local', 2, { starts: 'again' }, 'one-leader', 9],
    [
      'lease-local',
      2,
      { starts: 'again', resource: 'unfenced', bounds: { timeout: 3 } },
      'fenced-writes',
      13,
    ],
  ] as const)(
    'of %s with %i nodes (%j) violates %s in %i actions',
    (protocol, nodes, given, name, actions) => {
      const instance = instanceOf(protocol, nodes, given);
      const properties = CHECKED_PROPERTIES.filter((property) => property.name === name);

      const full = searched(instance, properties, 100_000);
      const merged = searched({ ...instance, isSymmetric: true }, properties, 100_000);

      expect(lengthOf(full)).toBe(actions);
      expect(lengthOf(merged)).toBe(actions);
      expect(merged.counts.states).toBeLessThan(full.counts.states);
    },
  );
});

describe('a reduced search of classes', () => {
  it.each(CASES)('of %s (%j) has the views of all worlds (%i)', (protocol, flags, seed) => {
    const instance = drawn(protocol, flags, seed);
    const merged = { ...instance, isSymmetric: true };
    const asked = { order: 'breadth', statesMax: WORLDS_MAX } as const;
    const full = fullVerdicts(instance, asked);
    if (full === null) return;

    const [classes, reduced] = [fullVerdicts(merged, asked), reducedVerdicts(merged, asked)];

    expect(viewsOf(instance, classes)).toEqual(viewsOf(instance, full));
    expect(viewsOf(instance, reduced)).toEqual(viewsOf(instance, full));
    expect(reduced?.ends.length).toBe(classes?.ends.length);
    expect(reduced?.size).toBeLessThanOrEqual(classes?.size ?? 0);
  });
});

/** What properties see: of views that differ only in ranks, one. */
function viewsOf(instance: Instance, verdicts: Verdicts | null): readonly string[] {
  const views = (verdicts?.views ?? []).map((text) => {
    // verdicts.ts writes these members.
    const { nodes, led } = JSON.parse(text) as { nodes: NodeView[]; led: [number, number][] };
    const images = exchangesOf(instance).map((order) => {
      const rank = (old: number) => order[old] ?? old;
      const moved = nodes
        .map(({ rank: old, up, leader }) => ({
          rank: rank(old),
          up,
          leader: leader && rank(leader),
        }))
        .toSorted((left, right) => left.rank - right.rank);
      return JSON.stringify([moved, led.map(([epoch, old]) => `${epoch} ${rank(old)}`).toSorted()]);
    });
    return images.toSorted()[0] ?? '';
  });
  return [...new Set(views)].toSorted();
}

/** The path is one of the search of all worlds, and ends in a violation. */
function assertExecution(instance: Instance, property: CheckedProperty, path: readonly number[]) {
  const trace = check({
    ...{ instance: { ...instance, isSymmetric: true }, properties: [property] },
    ...{ byzantine: new Set<number>(), order: 'breadth', isReduced: false },
    ...{ statesMax: WORLDS_MAX, bytesMax: 2 ** 30 },
  });
  let step = trace.next();
  while (step.done !== true) step = trace.next();
  if (step.value.type !== 'violated') throw new Error('expected a violation');
  expect(step.value.trace.address.length).toBe(path.length);
}

describe('worlds are not renamed', () => {
  const renamings = (instance: Instance, property: CheckedProperty) => {
    const rest = { byzantine: new Set<number>(), order: 'breadth', bytesMax: 2 ** 30 } as const;
    return (
      new Search({ instance, properties: [property], ...rest, statesMax: 10 }).orbits?.size ?? 1
    );
  };
  const raft = { ...instanceOf('raft', 3), isSymmetric: true };

  it('unless the property names no rank', () => {
    const silent: CheckedProperty = { ...ONE_LEADER, isSymmetric: undefined as never };

    expect(renamings(raft, AGREEMENT)).toBe(6);
    expect(renamings(raft, silent)).toBe(1);
  });

  it('if an eventually property is checked', () => {
    expect(renamings(raft, LEADER_ELECTED)).toBe(1);
    expect(renamings(raft, { ...LEADER_ELECTED, isSymmetric: true })).toBe(1);
  });

  it('if the protocol compares ranks', () => {
    expect(renamings({ ...instanceOf('cr-join', 3), isSymmetric: true }, ONE_LEADER)).toBe(1);
  });

  it('beyond what the instance names', () => {
    const renamed = (given: Partial<Instance>) =>
      renamings({ ...instanceOf('raft', 4), isSymmetric: true, ...given }, AGREEMENT);

    expect(renamed({})).toBe(24);
    expect(renamed({ cut: [[1, 2]] })).toBe(4);
    expect(renamed({ phantoms: [4] })).toBe(6);
    expect(renamings({ ...instanceOf('itai-rodeh', 4), isSymmetric: true }, AGREEMENT)).toBe(4);
  });
});

const SLIDE = ['ackedId', 'leader', 'acks.*', 'down.*'];

describe('renamed steps', () => {
  it.each(SYMMETRIC)('of %s (%j) are the steps of renamed nodes', (protocol, flags) => {
    const steps = [...'0123456789'].map((seed) =>
      randomWalk(drawn(protocol, flags, Number(seed)), seed, null),
    );

    expect(Math.max(...steps)).toBeGreaterThan(15);
  });

  it.each([
    ['bully-oneshot', { of: 'members', state: ['leader'] }],
    ['cr-join', { of: 'ring', state: ['leader'] }],
    ['peterson', { of: 'ring', state: ['leader', 'tid'] }],
    ['zk-slide-quorum', { of: 'members', state: SLIDE }],
    ['itai-rodeh', { of: 'members', state: ['leader'] }],
    ['raft', { of: 'members', state: ['leader', 'granted.*', 'refused.*', 'active.*'] }],
    ['raft', { of: 'members', state: ['votedFor', 'term'] }],
  ] as const)('of %s with the false statement %j are not', (protocol, claim) => {
    const symmetry: Symmetry = { persisted: ['votedFor', 'ackedId'], store: null, ...claim };

    expect(() => {
      for (const seed of '0123456789') randomWalk(instanceOf(protocol, 3), seed, symmetry);
    }).toThrow(new RegExp(`^protocol ${protocol}: "symmetry" is wrong: .*instead of`));
  });
});

const WALK = 400;

/** Carries out drawn actions, whose steps are compared with renamed ones. Returns how many there were. */
function randomWalk(instance: Instance, seed: string, claim: Symmetry | null): number {
  const worlds = new Worlds(instance, null);
  const { symmetry } = PROTOCOLS[instance.protocol];
  const stated = claim ?? symmetry;
  if (typeof stated !== 'object') throw new Error('expected a symmetry');
  const renamings = renamingsOf(instance, stated);
  const paths = pathsOf(PROTOCOLS[instance.protocol], stated, undefined);
  // Each verifies a step with one renaming.
  for (const [index, renaming] of renamings.entries()) {
    if (index > 0) new Orbits(worlds, [renamings[0] ?? [], renaming], paths);
  }
  return randomPath(worlds, createRandom(parseSeed(seed), 'walk'), WALK).path.length;
}
