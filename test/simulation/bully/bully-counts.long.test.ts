/**
 * @module
 * What the one-shot Bully election costs, exactly (Garcia-Molina 1982 and the lectures after it).
 * Convention: a message is one send, those to dead nodes count, announcements are listed apart; unit
 * delay, T = 3 units; within a tick deliveries in send order, then timers. With the highest dead, no
 * tick of these runs has an ELECTION and a COORDINATOR for one node; alive, the order matters: last table.
 */

import { describe, expect, it } from 'vitest';
import type { BullyFlags } from '../../../src/election/bully/bully-oneshot.ts';
import { createBullyOneshot } from '../../../src/election/bully/bully-oneshot.ts';
import type { Flags } from '../../../src/election/definition/flags.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { createCast } from '../../../src/election/world/cast.ts';
import type { Action } from '../../../src/election/world/world.ts';
import { applyTraced, createWorld } from '../../../src/election/world/world.ts';
import type { World } from '../../../src/election/world/world-state.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

/** Total messages with the highest of n dead, for the one detector i = 1..n−1. */
const TOTALS: Readonly<Record<number, readonly number[]>> = {
  2: [1],
  3: [5, 2],
  4: [11, 6, 3],
  5: [19, 12, 7, 4],
  6: [29, 20, 13, 8, 5],
  7: [41, 30, 21, 14, 9, 6],
  8: [55, 42, 31, 22, 15, 10, 7],
  9: [71, 56, 43, 32, 23, 16, 11, 8],
  10: [89, 72, 57, 44, 33, 24, 17, 12, 9],
};
const LOWEST_DETECTS: Readonly<Record<number, string>> = {
  2: '1/0/0',
  3: '3/1/1',
  4: '6/3/2',
  5: '10/6/3',
  6: '15/10/4',
  7: '21/15/5',
  8: '28/21/6',
  9: '36/28/7',
  10: '45/36/8',
};
const SIZES = Object.keys(TOTALS).map(Number);
/** Every detector of every size. */
const DETECTORS = SIZES.flatMap((nodes) =>
  (TOTALS[nodes] ?? []).map((total, index) => ({ nodes, detector: index + 1, total })),
);
const ALIVE = DETECTORS.map(({ nodes, detector }) => ({
  nodes,
  detector,
  higher: nodes - detector,
}));

function withHighestDead(nodes: number, initiators?: readonly number[]): ElectionOutcome {
  return simulateElection({
    protocol: 'bully-oneshot',
    nodes,
    crashedBefore: [nodes],
    initiators,
    seed: SEED,
  });
}

function withFlags(
  flags: Partial<BullyFlags>,
  options: { readonly nodes: number; readonly crashedBefore?: readonly number[] },
  initiators: readonly number[],
): ElectionOutcome {
  const machine: AnyMachine = createBullyOneshot({ latencyTicksMax: 1 }, flags);
  const simulation = createSimulation(
    { protocol: 'bully-oneshot', seed: SEED, ...options },
    () => machine,
  );
  return runElection(simulation, initiators);
}

const NAIVE_FLAG = { rejoin: 'naive' };

/** The one-shot machine by the names of its flags, as they are reached from outside. */
function naive(options: Omit<SimulationOptions, 'protocol' | 'seed'>, flags: Flags): Simulation {
  const machine = PROTOCOLS['bully-oneshot'].create(
    { latencyTicksMax: 1 },
    { ...NAIVE_FLAG, ...flags },
  );
  return createSimulation({ protocol: 'bully-oneshot', seed: SEED, ...options }, () => machine);
}

function slashed({ messages }: ElectionOutcome): string {
  return [messages.ELECTION, messages.OK, messages.COORDINATOR].join('/');
}

describe('the highest is dead and one node detects it', () => {
  it.each(DETECTORS)('$nodes nodes, detector $detector: $total messages', (row) => {
    const { nodes, detector, total } = row;
    const higher = nodes - detector;

    const outcome = withHighestDead(nodes, [detector]);

    expect(outcome.messages).toEqual({
      ELECTION: (higher * (higher + 1)) / 2,
      OK: (higher * (higher - 1)) / 2,
      COORDINATOR: nodes - 2,
      total,
    });
    expect(outcome.leader).toBe(nodes - 1);
    expect(outcome.agreed).toBe(true);
    expect(outcome.verdict.value).toBe('true');
  });

  it.each(SIZES)('%i nodes, the lowest detects: ELECTION/OK/COORDINATOR', (nodes) => {
    expect(slashed(withHighestDead(nodes, [1]))).toBe(LOWEST_DETECTS[nodes]);
  });

  it.each(DETECTORS)('$nodes nodes, detector $detector: one more if told to all', (row) => {
    const { nodes, detector, total } = row;

    const outcome = withFlags({ coordTo: 'all' }, { nodes, crashedBefore: [nodes] }, [detector]);

    expect(outcome.messages.total).toBe(total + 1);
  });

  // A question, T, the announcement: T + 2 message times, 5 with this T = 3. Lectures come to 5 with
  // T = 2, where OK and the second highest's own question leave one after the other.
  it('takes 5 message times from the lowest, 4 from the second highest', () => {
    expect(withHighestDead(10, [1]).ticks).toBe(5);
    expect(withHighestDead(10, [9]).ticks).toBe(4);
  });

  it.each([1, 2, 5])('takes T + 2 message times with a T of 2·%i + 1', (latencyTicksMax) => {
    const machine = createBullyOneshot({ latencyTicksMax });
    const simulation = createSimulation(
      { protocol: 'bully-oneshot', nodes: 10, crashedBefore: [10], seed: SEED },
      () => machine,
    );

    expect(runElection(simulation, [1]).ticks).toBe(2 * latencyTicksMax + 3);
  });
});

describe('the highest is dead and all detect it at once', () => {
  it.each(SIZES)('%i nodes: as if the lowest had', (nodes) => {
    const outcome = withHighestDead(nodes);

    expect(slashed(outcome)).toBe(LOWEST_DETECTS[nodes]);
    expect(outcome.leader).toBe(nodes - 1);
  });

  it.each(SIZES)('%i nodes: one more if told to all', (nodes) => {
    const starting = Array.from({ length: nodes - 1 }, (_, index) => index + 1);

    const outcome = withFlags({ coordTo: 'all' }, { nodes, crashedBefore: [nodes] }, starting);

    expect(outcome.messages.total).toBe(nodes * nodes - nodes);
    expect(outcome.leader).toBe(nodes - 1);
  });
});

/** The highest dead, the lowest detects, COORDINATOR to all: ELECTION, OK, COORDINATOR, elections. */
const NAIVE: Readonly<Record<number, readonly [number, number, number, number]>> = {
  3: [3, 1, 2, 2],
  4: [7, 3, 6, 4],
  5: [15, 7, 16, 8],
  6: [31, 15, 40, 16],
  7: [63, 31, 96, 32],
  8: [127, 63, 224, 64],
  9: [255, 127, 512, 128],
  10: [511, 255, 1152, 256],
};

describe('every question starts another election (naive)', () => {
  it.each(Object.entries(NAIVE))('%s nodes, told to all: %o', (size, counts) => {
    const nodes = Number(size);
    const simulation = naive({ nodes, crashedBefore: [nodes], trace: true }, { coordTo: 'all' });

    const { messages, leader, agreed } = runElection(simulation, [1]);

    const elections = simulation
      .records()
      .flatMap(({ effects }) => effects)
      .filter((effect) => effect.type === 'set-timer' && effect.timer.startsWith('answer:'));
    const counted = [messages.ELECTION, messages.OK, messages.COORDINATOR, elections.length];
    expect(counted).toEqual(counts);
    expect(counts).toEqual([
      2 ** (nodes - 1) - 1,
      2 ** (nodes - 2) - 1,
      (nodes - 1) * 2 ** (nodes - 3),
      2 ** (nodes - 2),
    ]);
    expect({ leader, agreed }).toEqual({ leader: nodes - 1, agreed: true });
    expect(messages.total).toBe((nodes + 5) * 2 ** (nodes - 3) - 2);
  });

  it.each(Object.keys(NAIVE))('%s nodes, told to the lower: one less an announcement', (size) => {
    const nodes = Number(size);
    const simulation = naive({ nodes, crashedBefore: [nodes] }, {});

    const { messages } = runElection(simulation, [1]);

    expect(messages.COORDINATOR).toBe((nodes - 2) * 2 ** (nodes - 3));
  });

  it.each([
    { starting: [1], label: 'one start' },
    { starting: [1, 2, 3, 4, 5, 6], label: 'all start' },
  ])('elects the highest that is alive, $label', ({ starting }) => {
    const outcome = runElection(naive({ nodes: 6 }, {}), starting);

    expect({ leader: outcome.leader, agreed: outcome.agreed }).toEqual({ leader: 6, agreed: true });
  });
});

describe('the highest is alive and one node suspects it', () => {
  it.each(ALIVE)('$nodes nodes, $detector: it announces once in each tick it is asked', (row) => {
    const { nodes, detector, higher } = row;
    const questions = (higher * (higher + 1)) / 2;

    const outcome = simulateElection({
      protocol: 'bully-oneshot',
      nodes,
      initiators: [detector],
      seed: SEED,
    });

    expect(slashed(outcome)).toBe(`${questions}/${questions}/${(nodes - 1) * Math.min(2, higher)}`);
    expect(outcome.leader).toBe(nodes);
    expect(outcome.agreed).toBe(true);
  });

  it.each(ALIVE)('$nodes nodes, $detector: it announces once in all, if so told', (row) => {
    const { nodes, detector, higher } = row;

    const outcome = withFlags({ aliveTop: 'announceOnce' }, { nodes }, [detector]);

    expect(outcome.messages.total).toBe(higher * (higher + 1) + nodes - 1);
    expect(outcome.leader).toBe(nodes);
    expect(outcome.agreed).toBe(true);
  });

  it.each(ALIVE)('$nodes nodes, $detector: all are lower, so `all` changes nothing', (row) => {
    const { nodes, detector, higher } = row;

    const once = withFlags({ coordTo: 'all', aliveTop: 'announceOnce' }, { nodes }, [detector]);
    const again = withFlags({ coordTo: 'all' }, { nodes }, [detector]);

    expect(once.messages.COORDINATOR).toBe(nodes - 1);
    expect(again.messages.COORDINATOR).toBe((nodes - 1) * Math.min(2, higher));
  });

  it.each(SIZES)('%i nodes: the lowest costs n² − 1 when it announces once', (nodes) => {
    const outcome = withFlags({ aliveTop: 'announceOnce' }, { nodes }, [1]);

    expect(outcome.messages.total).toBe(nodes * nodes - 1);
  });

  it.each(SIZES)('%i nodes: the highest itself says so and no more', (nodes) => {
    const outcome = simulateElection({
      protocol: 'bully-oneshot',
      nodes,
      initiators: [nodes],
      seed: SEED,
    });

    expect(slashed(outcome)).toBe(`0/0/${nodes - 1}`);
  });

  it('announces again to those who ask after it has been quiet', () => {
    const machine = createBullyOneshot({ latencyTicksMax: 1 }, { aliveTop: 'announceOnce' });
    const simulation = createSimulation(
      { protocol: 'bully-oneshot', nodes: 4, seed: SEED },
      () => machine,
    );

    const first = runElection(simulation, [3]).messages;
    const second = runElection(simulation, [3]).messages;

    expect(first).toEqual({ ELECTION: 1, OK: 1, COORDINATOR: 3, total: 5 });
    expect(second).toEqual({ ELECTION: 2, OK: 2, COORDINATOR: 6, total: 10 });
  });
});

describe('a highest node that comes and goes', () => {
  it.each([3, 5, 10, 50])('%i nodes: costs n² − 2 messages a cycle', (nodes) => {
    const simulation = createSimulation({ protocol: 'bully-oneshot', nodes, seed: SEED });
    runElection(simulation, [nodes]);
    const before = simulation.status().messages.total ?? 0;

    for (let cycle = 1; cycle <= 3; cycle += 1) {
      simulation.crash(nodes);
      simulation.advance({ until: 'idle' });
      expect(simulation.status().leader).toBe(nodes - 1);
      simulation.recover(nodes);
      simulation.advance({ until: 'idle' });

      expect(simulation.status().leader).toBe(nodes);
      expect(simulation.status().messages.total).toBe(before + cycle * (nodes * nodes - 2));
    }
    expect(simulation.status().verdict.value).toBe('true');
  });
});

/** The same machines in lock step, but whatever comes first in `order` is delivered first in a tick. */
function lockStep(
  machine: AnyMachine,
  run: { readonly nodes: number; readonly starts: number; readonly ticks: number },
  order: readonly string[],
): World {
  const ring = Array.from({ length: run.nodes }, (_, index) => index + 1);
  const timing = { latencyTicksMax: 1 };
  const options = { protocol: 'bully-oneshot', timing, ring, crashedBefore: [] } as const;
  const cast = createCast(options, () => machine);
  const due = new Map<string, { readonly at: number; readonly action: Action }>();
  let world = createWorld(cast, []);
  const act = (now: number, node: number, action: Action) => {
    const traced = applyTraced(cast, world, action);
    world = traced.world;
    for (const effect of traced.effects) {
      if (effect.type !== 'set-timer' && effect.type !== 'cancel-timer') continue;
      due.delete(`${node} ${effect.timer}`);
      if (effect.type === 'cancel-timer') continue;
      const timeout = { type: 'timeout', node, timer: effect.timer } as const;
      due.set(`${node} ${effect.timer}`, { at: now + effect.ticks, action: timeout });
    }
  };
  act(0, run.starts, { type: 'start', node: run.starts });
  for (let now = 1; now <= run.ticks; now += 1) {
    const arriving = order.flatMap((type) =>
      world.inFlight.filter(({ message }) => message.type === type),
    );
    for (const { id, to } of arriving) act(now, to, { type: 'deliver', message: id });
    for (const [key, { at, action }] of due) {
      if (at > now || action.type !== 'timeout') continue;
      due.delete(key);
      act(now, action.node, action);
    }
  }
  return world;
}

describe('18 nodes that take each question for an election of its own', () => {
  it('ask 2^(18-i) - 1 times for each detector i, in seconds', { timeout: 10_000 }, () => {
    const naive = { protocol: 'bully-oneshot', flags: { rejoin: 'naive' } } as const;

    const outcome = simulateElection({ ...naive, nodes: 18, crashedBefore: [18], seed: SEED });

    expect(outcome.messages).toMatchObject({ ELECTION: 2 ** 18 - 2 - 17 });
    expect(outcome.verdict.value).toBe('true');
  });
});

describe('the highest of 10 is alive and the lowest suspects it: the order within a tick', () => {
  const ANNOUNCES_ONCE = createBullyOneshot({ latencyTicksMax: 1 }, { aliveTop: 'announceOnce' });
  // T' = 8 ticks: until then no node asks again.
  const RUN = { nodes: 10, starts: 1, ticks: 8 };

  it('makes 99 messages with ELECTION before COORDINATOR', () => {
    const { sent, sentByType } = lockStep(ANNOUNCES_ONCE, RUN, ['ELECTION', 'OK', 'COORDINATOR']);

    expect(sentByType).toEqual({ ELECTION: 45, OK: 45, COORDINATOR: 9 });
    expect(sent).toBe(99);
  });

  it('makes 155 with COORDINATOR before ELECTION, since those it has settled are asked again', () => {
    const { sent, sentByType } = lockStep(ANNOUNCES_ONCE, RUN, ['COORDINATOR', 'ELECTION', 'OK']);

    expect(sentByType).toEqual({ ELECTION: 73, OK: 73, COORDINATOR: 9 });
    expect(sent).toBe(155);
  });
});
