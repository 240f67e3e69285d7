/**
 * @module
 * ZooKeeper's recipe, simulated: what a change of leader costs, how soon it comes, whether the old
 * leader has gone by then, and one leader an epoch whatever happens.
 */

import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../src/election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import { holderTicks } from '../../../src/election/lease-interval.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { scheduleOf, swarmRun } from '../schedules.ts';

const protocol = 'zk-recipe';
const SEEDS = Array.from({ length: 300 }, (_, seed) => seed);
const SIZES = [3, 4, 5, 6, 7, 8];

/** An election at rest, by one tick a message; with them node 1 is the first in line. */
function settled(options: Partial<SimulationOptions>): Simulation {
  const simulation = createSimulation({ protocol, nodes: 3, seed: SEED, ...options });
  runElection(simulation);
  return simulation;
}

/** What was sent from now until the leader's successor has settled. */
function changeOfLeader(simulation: Simulation): Record<string, number> {
  const before = simulation.status();
  simulation.crash(before.leader ?? 0);
  simulation.advance({ until: 'idle' });
  const { messages, agreed } = simulation.status();
  expect(agreed).toBe(true);
  return Object.fromEntries(
    Object.entries(messages).map(([type, count]) => [type, count - (before.messages[type] ?? 0)]),
  );
}

function auditOf(simulation: Simulation, ticks: number) {
  simulation.start();
  simulation.advance({ until: ticks });
  const audit = simulation.audit();
  const measures = audit?.finish(ticks);
  if (audit === null || measures === undefined) throw new TypeError('"audit" expected one');
  return { measures, trail: audit.trail() };
}

describe('messages, pings not counted', () => {
  it.each(SIZES)('costs 4 calls and answers a node to begin, the leader 3, n = %i', (nodes) => {
    const { messages } = settled({ nodes }).status();

    const { CONNECT, CREATE, GET_CHILDREN, EXISTS } = messages;
    expect({ CONNECT, CREATE, GET_CHILDREN, EXISTS }).toEqual({
      ...{ CONNECT: nodes, CREATE: nodes, GET_CHILDREN: nodes, EXISTS: nodes - 1 },
    });
  });

  it.each(SIZES)('costs 1 watch event and 1 getChildren to change the leader, n = %i', (nodes) => {
    const sent = changeOfLeader(settled({ nodes }));

    expect(sent).toMatchObject({ DELETED: 1, GET_CHILDREN: 1, CHILDREN: 1, EXISTS: 0, CREATE: 0 });
  });

  it.each(SIZES)('costs n-1 of each in a herd, the dead one counted in n, n = %i', (nodes) => {
    const sent = changeOfLeader(settled({ nodes, flags: { herd: 'on' } }));

    expect(sent).toMatchObject({ DELETED: nodes - 1, GET_CHILDREN: nodes - 1, EXISTS: nodes - 2 });
  });

  it('changes only the successor when a node in the middle of the line leaves', () => {
    const simulation = settled({ nodes: 5 });
    const { messages, leader } = simulation.status();

    simulation.crash(3);
    simulation.advance({ until: 'idle' });

    const after = simulation.status();
    expect(after.leader).toBe(leader);
    expect((after.messages.DELETED ?? 0) - (messages.DELETED ?? 0)).toBe(1);
  });
});

describe('a change of leader', () => {
  it('comes within sessionTicks + 4Δ of the last word of the dead leader to the store', () => {
    const sessionTicks = 60;
    const latency = { type: 'constant', ticks: 3 } as const;
    const faults = [{ type: 'crash', rank: 1, at: 100 }] as const;
    const simulation = createSimulation({
      ...{ protocol, nodes: 3, seed: SEED, latency, faults, audit: true },
      flags: { sessionTicks: String(sessionTicks) },
    });

    const { trail } = auditOf(simulation, 300);

    const at = trail.find(({ node, leads }) => node === 2 && leads)?.at ?? 0;
    // Sent within a third of a session before the crash; then CONNECT's way, DELETED's, and a read.
    expect(at).toBeGreaterThan(100 + (2 * sessionTicks) / 3);
    expect(at).toBeLessThanOrEqual(100 + sessionTicks + 4 * latency.ticks);
  });

  it('follows the order of arrival at the store, not of ranks', () => {
    const first = SEEDS.slice(0, 40).map((seed) => {
      const latency = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
      return simulateElection({ protocol, nodes: 3, seed: parseSeed(String(seed)), latency })
        .leader;
    });

    expect(new Set(first)).toEqual(new Set([1, 2, 3]));
  });
});

/** The leader's clock is as slow as 1 % allows, and from tick 100 on no node receives its messages. */
function cutOffLeader(flags: Flags) {
  const faults: ScheduledFault[] = [
    { type: 'skew', rank: 1, numerator: 100, denominator: 99 },
    { type: 'partition', cut: { kind: 'isolate', rank: 1 }, from: 100, to: null },
  ];
  return createSimulation({
    ...{ protocol, nodes: 3, seed: SEED, schedule: scheduleOf(...faults), audit: true },
    flags: { sessionTicks: '3000', driftPpm: '10000', ...flags },
  });
}

describe('a leader that is cut off', () => {
  it('steps down on its slow clock before the store gives its place away', () => {
    const { measures, trail } = auditOf(cutOffLeader({}), 4000);

    expect(trail.map(({ node, leads }) => [node, leads])).toEqual([
      [1, true],
      [1, false],
      [2, true],
    ]);
    // The lease counts from its CONNECT at tick 0; the store heard that, and CREATE, GET_CHILDREN later.
    const lease = holderTicks({ leaseTicks: 3000, driftPpm: 10_000 });
    expect(trail[1]?.at).toBe(Math.round((lease * 100) / 99));
    expect(measures.ticksSplit).toBe(0);
  });

  it('leads beside the next one for the drift when that is ignored', () => {
    const { measures } = auditOf(cutOffLeader({ drift: 'ignored' }), 4000);

    // Its 3000 ticks take 3030. The store counts 3000 from GET_CHILDREN, which came at 5; DELETED,
    // GET_CHILDREN and CHILDREN take 3 more.
    expect(measures.ticksSplit).toBe(Math.round((3000 * 100) / 99) - (5 + 3000 + 3));
    expect(measures.leadersPerEpochMax).toBe(1);
  });

  it('leads as a zombie while it is paused, stops when it wakes, and gets no new followers', () => {
    const faults: ScheduledFault[] = [{ type: 'pause', rank: 1, from: 20, to: 200 }];
    const simulation = createSimulation({
      ...{ protocol, nodes: 3, seed: SEED, schedule: scheduleOf(...faults), audit: true },
    });

    const { measures, trail } = auditOf(simulation, 400);

    expect(trail.map(({ node, leads, at }) => [node, leads, at >= 200])).toEqual([
      [1, true, false],
      [2, true, false],
      [1, false, true],
    ]);
    expect(measures.ticksSplit).toBeGreaterThan(100);
    expect(measures.leadersPerEpochMax).toBe(1);
  });
});

describe('lost words', () => {
  it.each(['off', 'on'])('hangs on no lost watch event, herd %s', (herd) => {
    // Node 1 crashes at 20, having pinged at 12; its session ends at 13 + 30. What the store says
    // then is lost.
    const faults: ScheduledFault[] = [
      { type: 'crash', rank: 1, at: 20 },
      { type: 'blackout', from: 43, to: 44 },
    ];
    const options = { protocol, nodes: 3, seed: SEED, flags: { herd } } as const;
    const simulation = createSimulation({ ...options, schedule: scheduleOf(...faults) });

    const { leader, agreed, messages } = runElection(simulation);

    expect({ leader, agreed }).toEqual({ leader: 2, agreed: true });
    expect(messages.DELETED).toBeGreaterThan(0);
  });

  it('leaves no znode behind to lead when the answer to CREATE is lost', () => {
    // CREATE leaves at 2 and is answered at 3.
    const schedule = scheduleOf({ type: 'blackout', from: 3, to: 4 });
    const simulation = createSimulation({ protocol, nodes: 3, seed: SEED, schedule });

    const { agreed, messages } = runElection(simulation);

    expect(agreed).toBe(true);
    expect(messages).toMatchObject({ CREATE: 3, CREATED: 3 });
  });

  it('keeps the znode of a dead client from leading for longer than its session', () => {
    // It crashes before it learns that its znode, the first, was created.
    const faults = [{ type: 'crash', rank: 1, at: 3 }] as const;

    const { leader, agreed } = simulateElection({ protocol, nodes: 3, seed: SEED, faults });

    expect({ leader, agreed }).toEqual({ leader: 2, agreed: true });
  });
});

/** No node pauses, and clocks drift up to the bound. */
const TIMELY: readonly FaultKind[] = FAULT_KINDS.filter(
  (kind) => !['pause', 'skew', 'drift', 'jump'].includes(kind),
);

describe('any schedule', () => {
  it.each(['off', 'on'])('has one leader an epoch and settles, in 300 seeds, herd %s', (herd) => {
    const bad = SEEDS.filter((seed) => {
      const { verdict } = simulateElection({ ...swarmRun(seed, { protocol }), flags: { herd } });
      return verdict.value !== 'true';
    });

    expect(bad).toEqual([]);
  });

  it.each([
    ['corrected', false],
    ['ignored', true],
  ] as const)('has two at a moment without pauses only by drift: %s', (drift, isSplit) => {
    const split = SEEDS.filter((seed) => {
      const options = withDrift(swarmRun(seed, { protocol, kinds: TIMELY }), seed);
      const flags = { drift, driftPpm: '300000', sessionTicks: '120' };
      const simulation = createSimulation({ ...options, flags, audit: true });
      return auditOf(simulation, 600).measures.ticksSplit > 0;
    });

    expect(split.length > 0).toBe(isSplit);
  });
});

/** Each clock at the slow or at the fast edge of 30 %, and one node alone for long. */
function withDrift(options: SimulationOptions, seed: number): SimulationOptions {
  const random = createRandom(parseSeed(String(seed)), 'drift');
  const skews = Array.from({ length: options.nodes }, (_, index): ScheduledFault => {
    const [numerator, denominator] = random.below(2) === 0 ? [10, 7] : [10, 13];
    return { type: 'skew', rank: index + 1, numerator, denominator };
  });
  const cut = { kind: 'isolate', rank: 1 + random.below(options.nodes) } as const;
  const alone: ScheduledFault = { type: 'partition', cut, from: 100, to: 400 };
  const faults = [...(options.schedule?.faults ?? []), ...skews, alone];
  return { ...options, schedule: scheduleOf(...faults) };
}
