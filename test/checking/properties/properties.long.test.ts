/**
 * @module
 * This folder contains tests of what is checked: properties and goals.
 * The properties: each is violated in one instance and holds in another, and what their histories keep is what the
 * same actions show in the reference semantics.
 */

import { describe, expect, it } from 'vitest';

import { check } from '../../../src/checking/check.ts';
import type { Monitored } from '../../../src/checking/monitor.ts';
import { monitorOf } from '../../../src/checking/monitor.ts';
import { FENCED_WRITES, LATE_WRITE_ASKED } from '../../../src/checking/properties/fenced-writes.ts';
import {
  AGREEMENT,
  ASSERTION_1,
  ASSERTION_2,
  COMES_TO_REST,
  HIGHEST_WINS,
  LEADER_APPEARS,
  LEADER_ELECTED,
  ONE_LEADER,
  SETTLES,
  SOMEONE_LEADS,
} from '../../../src/checking/properties/followers.ts';
import { neverReached } from '../../../src/checking/properties/goals.ts';
import {
  AGREEMENT_PER_EPOCH,
  ONE_LEADER_PER_EPOCH,
} from '../../../src/checking/properties/one-leader-per-epoch.ts';
import { ONE_VOTE } from '../../../src/checking/properties/one-vote.ts';
import {
  CHECKED_PROPERTIES,
  claimedBy,
  whyUnclaimed,
} from '../../../src/checking/properties/registry.ts';
import type { History, WorldView } from '../../../src/checking/property.ts';
import type { Trace } from '../../../src/checking/traces/trace.ts';
import { traceOf } from '../../../src/checking/traces/trace.ts';
import { Worlds } from '../../../src/checking/worlds.ts';
import { resourceIn } from '../../../src/election/lease/workload-cast.ts';
import type { Json } from '../../../src/election/machine.ts';
import type { NodeView, PropertyName } from '../../../src/election/properties.ts';
import { createObservations, judge, noteLeads } from '../../../src/election/properties.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { castWithStore } from '../../../src/election/world/cast.ts';
import { recordsOf } from '../../../src/experiment/checks/counterexample.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { isLinkEvent } from '../../../src/simulation/trace/describe.ts';
import { traceEvents } from '../../../src/simulation/trace/events.ts';
import { IS_WHOLE } from '../../sample.ts';
import type { Given } from '../checked.ts';
import { checked } from '../checked.ts';
import { drawInstance, randomPath } from '../drawn.ts';
import { instanceOf } from '../small-instances.ts';

const SYNC = { timing: 'synchronous' } as const;
/** Lengths of time-outs have no meaning in a check. One length is enough. */
const RAFT = { flags: { spreadTicks: '1' }, statesMax: 400_000 } as const;
const AMNESIA = { bounds: { crash: 1, amnesia: 1 } };
/** As many timeouts as a stale write needs: two writes, and the end of the lease between them. */
const LEASES = { bounds: { timeout: 3 } };
/** One instance: with three a search of three timeouts is capped. */
const REDLOCK = { flags: { instances: '1' }, bounds: { timeout: 3 } } as const;
/** A candidate reads again after the end of the lease, which takes one timeout more. */
const KUBERNETES = { bounds: { timeout: 4 } };
/** Takes longer than the same lease with a register. The slow suite alone has it. */
const LEASE_WITH_MAXIMUM = [
  'lease-local',
  [FENCED_WRITES],
  { ...LEASES, resource: 'fencing-max' },
] as const;
/** Where stale writes are looked for. */
const STAGE = {
  ...{ protocol: PROTOCOLS['db-lease'], flags: {}, timing: { latencyTicksMax: 1 } },
  resource: 'fencing-max',
} as const;
const STALE = expect.stringMatching(
  /^the resource accepted write \d+ of node 1, which led epoch 1, after an operation of node 2 of epoch 2$/,
);

describe('the histories of a random path', () => {
  it.each(Array.from({ length: 200 }, (_, index) => index))(
    'keep what its actions show in the reference semantics (%i)',
    (index) => {
      const { instance, text } = drawInstance(index);
      const { protocol, bounds } = instance;
      const byzantine = new Set(index % 3 === 0 ? [1] : []);
      const monitored = { byzantine, protocol, bounds };
      const worlds = new Worlds(instance, monitorOf(CHECKED_PROPERTIES, monitored));
      const { path, world } = randomPath(worlds, createRandom(parseSeed(String(index)), 'past'));

      const trace = traceOf(worlds, path);

      for (const history of CHECKED_PROPERTIES.flatMap(({ histories }) => histories)) {
        const kept = worlds.monitor?.pastOf(world.words, worlds.layout.monitor, history);
        expect(kept, text).toEqual(foldOver(trace, history, monitored));
      }
    },
  );
});

/** What a history keeps of a trace, computed from its records alone. */
function foldOver(
  { actions }: Trace,
  history: History,
  { protocol, bounds, byzantine }: Monitored,
): Json {
  let past = history.first;
  for (const { record, node, flight } of traceEvents(recordsOf(actions))) {
    const { action, effects } = record;
    if (node === null || byzantine.has(node) || isLinkEvent(action)) continue;
    const step = { rank: node, protocol, bounds, action, delivered: flight, effects };
    for (const note of history.notesOf(step)) past = history.fold(past, note);
  }
  return past;
}

describe('each property', () => {
  it.each([
    ['bully-oneshot', ONE_LEADER, {}, 'nodes 1 and 3 lead at the same time'],
    [
      'bully-oneshot',
      AGREEMENT,
      { bounds: { loss: 2 }, ...SYNC },
      'at rest, nodes 1 and 2 follow node 2, and node 3 leads',
    ],
    ['raft', ONE_LEADER_PER_EPOCH, { ...RAFT, ...AMNESIA }, 'nodes 1 and 3 both led epoch 1'],
    [
      'raft',
      AGREEMENT_PER_EPOCH,
      { ...RAFT, ...AMNESIA },
      '1 and 3 were both followed as leaders of epoch 1',
    ],
    [
      'raft',
      ONE_VOTE,
      { ...RAFT, ...AMNESIA },
      'node 2 gave two votes (VOTE_REPLY 1), to 1 and to 2',
    ],
    [
      'quorum-lease',
      ONE_VOTE,
      { bounds: { crash: 1, amnesia: 1 } },
      'node 2 gave two votes (GRANT 1), to 1 and to 2',
    ],
    [
      'bully-gm82',
      ASSERTION_1,
      { bounds: { timeout: 4 } },
      'honest nodes in Reorganization or Normal have the coordinators 1 and 2',
    ],
    [
      'bully-2phase',
      AGREEMENT,
      { ...SYNC, bounds: { pause: 1, timeout: 3 } },
      'at rest, nodes 1 and 3 follow node 3, and node 2 leads',
    ],
    ['lease-local', FENCED_WRITES, { ...LEASES, resource: 'unfenced' }, STALE],
    ['db-lease', FENCED_WRITES, { ...LEASES, resource: 'unfenced' }, STALE],
    ['kubernetes-lease', FENCED_WRITES, { ...KUBERNETES, resource: 'unfenced' }, STALE],
    ['redlock', FENCED_WRITES, { ...REDLOCK, resource: 'unfenced' }, STALE],
  ] as const)('of %s is violated where it must be', (protocol, property, given, breach) => {
    const nodes = property === FENCED_WRITES ? 2 : 3;
    const result = checked(protocol, nodes, { ...given, properties: [property] });

    expect(result).toMatchObject({ type: 'violated', property: { name: property.name }, breach });
  });
});

describe('each property', () => {
  it.each([
    [
      'raft',
      [ONE_LEADER_PER_EPOCH, AGREEMENT_PER_EPOCH, ONE_VOTE],
      // With a return it takes many seconds. Those of bully-gm82 are below.
      { ...RAFT, bounds: { crash: 1, recover: IS_WHOLE ? 1 : 0, timeout: 2 } },
    ],
    ['bully-gm82', [ASSERTION_1], { ...SYNC, bounds: { crash: 1, timeout: 3 } }],
    ['bully-gm82', [ASSERTION_1], { ...SYNC, bounds: { crash: 1, recover: 1, timeout: 2 } }],
    ['bully-gm82', [ASSERTION_1, ASSERTION_2], SYNC],
    ...(IS_WHOLE ? [LEASE_WITH_MAXIMUM] : []),
    ['lease-local', [FENCED_WRITES], { ...LEASES, resource: 'fencing-register' }],
    ['db-lease', [FENCED_WRITES], { ...LEASES, resource: 'fencing-max' }],
    ['kubernetes-lease', [FENCED_WRITES], { ...KUBERNETES, resource: 'fencing-max' }],
    ['redlock', [FENCED_WRITES], { ...REDLOCK, resource: 'fencing-register' }],
  ] as const)('of %s holds where it must', (protocol, properties, given) => {
    const nodes = properties.some((each) => each === FENCED_WRITES) ? 2 : 3;
    const result = checked(protocol, nodes, { ...given, statesMax: 2_000_000, properties });

    expect(result.type).toBe('exhausted');
  });
});

describe('a fence in a check', () => {
  const properties = [FENCED_WRITES, LATE_WRITE_ASKED];
  const given = { ...LEASES, statesMax: 2_000_000 };

  it('has something to refuse, and refuses it', () => {
    const result = checked('db-lease', 2, { ...given, resource: 'fencing-max', properties });

    expect(result).toMatchObject({ type: 'exhausted', witnessed: ['late-write-asked'] });
  });

  // The store forgets the fence, and what its own counts compare with, before each operation.
  it('that is wrong is found, whatever it counts itself', () => {
    const instance = instanceOf('db-lease', 2, { ...given, resource: 'fencing-max' });
    const { store } = instance.cast;
    if (store === null) throw new Error('the instance has no store');
    const right = instance.cast.machineOf(store);
    const forgetful: typeof right = {
      init: right.init,
      step(self, state, event, effects) {
        Object.assign(resourceIn(state) ?? {}, { max: 0, highest: 0 });
        right.step(self, state, event, effects);
        Object.assign(resourceIn(state) ?? {}, { lateWrites: 0 });
      },
    };
    const cast = castWithStore(instance.cast, forgetful);

    const steps = check({
      ...{ instance: { ...instance, cast }, properties, byzantine: new Set<number>() },
      ...{ order: 'breadth', isReduced: false, statesMax: 2_000_000, bytesMax: 2 ** 30 },
    });
    let step = steps.next();
    while (step.done !== true) step = steps.next();

    expect(step.value).toMatchObject({ type: 'violated', breach: STALE });
  });

  it('does not refuse a stale write that comes before the first operation of the next leader', () => {
    const sought = neverReached('stale-writes', STAGE);
    const result = checked('db-lease', 2, {
      ...{ ...given, resource: 'fencing-max', properties: sought },
    });

    expect(result).toMatchObject({
      type: 'violated',
      breach:
        'the resource accepted write 1 of node 1, which led epoch 1, when node 2 had led epoch 2',
    });
  });
});

describe('a world at rest', () => {
  it('is judged as the simulator judges a run with the same nodes', () => {
    for (const nodes of scenes(4)) {
      const view = restOf(nodes);
      const observations = createObservations();
      for (const { rank, leader } of nodes) {
        if (leader === rank) noteLeads(observations, { rank, moment: 0 });
      }
      const { properties } = judge(observations, nodes, true);
      const isTrue = (name: PropertyName) => properties[name].value === 'true';
      const alike = [
        [ONE_LEADER, isTrue('uniqueness')],
        [AGREEMENT, isTrue('agreement')],
        [HIGHEST_WINS, isTrue('highestLiveWins')],
        [LEADER_ELECTED, isTrue('termination') && isTrue('agreement')],
      ] as const;

      for (const [property, expected] of alike) {
        expect(property.holds(view), `${property.name} of ${JSON.stringify(nodes)}`).toBe(expected);
      }
    }
  });

  it('with a dead leader breaks no safety', () => {
    const dead = [3, 3, null].map((leader, index) => ({ rank: index + 1, up: index < 2, leader }));

    expect(HIGHEST_WINS.holds(restOf(dead))).toBe(true);
    expect(LEADER_ELECTED.holds(restOf(dead))).toBe(false);
  });

  it('may have a Byzantine leader above all honest nodes, but none below', () => {
    const follow = (rank: number) =>
      [1, 2, 3].map((each) => ({ rank: each, up: true, leader: each === rank ? null : rank }));
    const judged = (rank: number) =>
      HIGHEST_WINS.holds({ ...restOf(follow(rank)), byzantine: new Set([rank]) });

    expect([1, 2, 3].map(judged)).toEqual([false, false, true]);
  });
});

/** All ways in which this number of nodes, of which one is up, can be down, or follow a node or none. */
function scenes(count: number): NodeView[][] {
  const views = [null, ...Array.from({ length: count }, (_, index) => index + 1)];
  const states = [...views.map((leader) => ({ up: true, leader })), { up: false, leader: null }];
  let all: NodeView[][] = [[]];
  for (let rank = 1; rank <= count; rank += 1) {
    all = all.flatMap((nodes) => states.map((state) => [...nodes, { rank, ...state }]));
  }
  return all.filter((nodes) => nodes.some(({ up }) => up));
}

/** A world at rest of nodes that remember nothing. */
function restOf(nodes: readonly NodeView[]): WorldView {
  const none = () => {
    throw new Error('nothing is remembered or read');
  };
  return {
    ...{ protocol: 'bully-oneshot', nodes, byzantine: new Set(), isAtRest: true, store: null },
    ...{ phantoms: new Set(), pastOf: none, factOf: none, nodeOf: none },
    ...{ inFlight: none, isOrdered: false },
  };
}

describe('a claim', () => {
  const namesOf = (protocol: ProtocolName, given: Given = {}) =>
    claimedBy(PROTOCOLS[protocol], instanceOf(protocol, 3, given)).map(({ name }) => name);

  it.each([
    [
      'bully-oneshot',
      { ...SYNC, bounds: { crash: 1 } },
      ['one-leader', 'agreement', 'highest-wins', 'leader-elected'],
    ],
    ['bully-oneshot', {}, []],
    ['bully-oneshot', { ...SYNC, bounds: { loss: 1 } }, []],
    ['cr-join', {}, ['one-leader', 'agreement', 'highest-wins', 'leader-elected']],
    ['cr-join', { bounds: { loss: 1 } }, ['one-leader', 'agreement', 'highest-wins']],
    ['peterson', { links: 'any' }, []],
    ['raft', {}, ['one-leader-per-epoch', 'agreement-per-epoch', 'one-vote', 'agreement']],
    ['raft', { bounds: { crash: 1, amnesia: 1 } }, []],
    ['db-lease', {}, ['one-leader-per-epoch', 'agreement-per-epoch', 'agreement']],
  ] as const)('of %s (%j) follows from its row of the fault matrix', (protocol, given, names) => {
    const partners = [SOMEONE_LEADS.name, COMES_TO_REST.name];

    expect(namesOf(protocol, given).filter((name) => !partners.includes(name))).toEqual(names);
  });

  const RINGS = PROTOCOL_NAMES.filter((name) => PROTOCOLS[name].family === 'ring');

  it.each(RINGS.filter((name) => PROTOCOLS[name].elects === 'highest'))(
    'of %s under a crash is kept within 60 000 worlds',
    (protocol) => {
      const given = { bounds: { crash: 1 }, isReduced: true, statesMax: 60_000 };
      const instance = instanceOf(protocol, 3, given);
      const properties = claimedBy(PROTOCOLS[protocol], instance);

      const result = checked(protocol, 3, { ...given, properties });

      expect(properties).toContain(HIGHEST_WINS);
      expect(result.type).not.toBe('violated');
    },
  );

  it('that is not made has a reason', () => {
    const reasonOf = (given: Given) =>
      whyUnclaimed(ONE_LEADER, PROTOCOLS['bully-oneshot'], instanceOf('bully-oneshot', 3, given));

    expect(reasonOf({})).toBe('asynchronous timing: An OK that arrives after T counts as none.');
    expect(reasonOf({ ...SYNC, bounds: { loss: 1 } })).toMatch(/^loss: /);
    expect(reasonOf(SYNC)).toBeNull();
    expect(whyUnclaimed(ONE_LEADER, PROTOCOLS.raft, null)).toMatch(/^it allows two leaders/);
    const returns = { ...SYNC, bounds: { crash: 1, recover: 1, amnesia: 1 } };
    const { 'bully-gm82': gm82 } = PROTOCOLS;
    expect(whyUnclaimed(ASSERTION_1, gm82, instanceOf('bully-gm82', 3, returns))).toBeNull();
  });
});

describe('an election among no live nodes', () => {
  it.each([
    ['bully-oneshot', 2, { ...SYNC, bounds: { crash: 2 } }],
    ['cr-join', 1, { bounds: { crash: 1 } }],
  ] as const)('violates no liveness of %s', (protocol, nodes, given) => {
    const result = checked(protocol, nodes, { ...given, properties: [LEADER_ELECTED] });

    expect(result.type).toBe('exhausted');
  });

  it('is none of the simulator, either: no L in the fault matrix', () => {
    const down = [1, 2].map((rank) => ({ rank, up: false, leader: null }));

    for (const property of [LEADER_ELECTED, LEADER_APPEARS, SETTLES, ASSERTION_2]) {
      expect(property.holds(restOf(down)), property.name).toBe(true);
    }
  });
});

describe('a world without an elected leader', () => {
  const phantoms = new Set([3]);
  it.each([
    [[null, 2, 2], {}, 'node 1 follows no leader'],
    [[null, 2, null], {}, 'nodes 1 and 3 follow no leader'],
    [[1, 2, 2], {}, 'node 1 leads, and nodes 2 and 3 follow node 2'],
    [[3, 3, 'down'], {}, 'nodes 1 and 2 follow node 3, which is down'],
    [[3, 3, 'down'], { phantoms }, 'nodes 1 and 2 follow node 3, which does not exist'],
  ] as const)('of %j is described', (leaders, given, breach) => {
    const nodes = leaders.map((leader, index) => ({
      rank: index + 1,
      up: leader !== 'down',
      leader: leader === 'down' ? null : leader,
    }));
    const view = { ...restOf(nodes), ...given };

    expect(LEADER_ELECTED.holds(view)).toBe(false);
    expect(LEADER_ELECTED.breach(view)).toBe(breach);
  });
});

describe('every always or eventually property', () => {
  it('has a partner that shows that it says something', () => {
    const sometimes = CHECKED_PROPERTIES.filter(({ kind }) => kind === 'sometimes');
    const always = CHECKED_PROPERTIES.filter(({ kind }) => kind !== 'sometimes');

    expect(sometimes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(always.map(({ partner }) => partner)),
    );
  });
});

describe('the words of properties', () => {
  it('say that only honest nodes are judged', () => {
    const vague = CHECKED_PROPERTIES.filter(
      ({ description, isGoal }) => isGoal !== true && /live nodes?\b/.test(description),
    ).filter(({ description }) => !/honest live nodes?/.test(description));

    expect(vague.map(({ name, description }) => `${name}: ${description}`)).toEqual([]);
  });

  it('do not contradict each other where honest nodes follow a Byzantine one', () => {
    const nodes = [1, 2].map((rank) => ({ rank, up: true, leader: 2 }));
    const view = { ...restOf(nodes), byzantine: new Set([2]) };

    expect([LEADER_ELECTED.holds(view), SOMEONE_LEADS.holds(view)]).toEqual([true, false]);
    expect(LEADER_ELECTED.description).toBe(
      'at some moment all honest live nodes follow one live node',
    );
    expect(SOMEONE_LEADS.description).toBe('an honest live node leads');
  });
});
