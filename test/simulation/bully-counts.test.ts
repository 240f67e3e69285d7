/**
 * @module
 * What the one-shot Bully election costs, exactly (Garcia-Molina 1982 and the lectures after it).
 * Convention: a message is one send, those to dead nodes count, announcements are listed apart; unit
 * delay; within a tick ELECTION and OK, then COORDINATOR, then timers.
 */

import { describe, expect, it } from 'vitest';

import type { BullyFlags } from '../../src/election/bully/bully-oneshot.ts';
import { createBullyOneshot } from '../../src/election/bully/bully-oneshot.ts';
import type { AnyMachine } from '../../src/election/registry.ts';
import type { ElectionOutcome } from '../../src/simulation/simulate.ts';
import { runElection, simulateElection } from '../../src/simulation/simulate.ts';
import { createSimulation } from '../../src/simulation/simulation.ts';
import { SEED } from './rings.ts';

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
    algorithm: 'bully-oneshot',
    nodes,
    crashedBefore: [nodes],
    initiators,
    seed: SEED,
  });
}

function withFlags(
  flags: BullyFlags,
  options: { readonly nodes: number; readonly crashedBefore?: readonly number[] },
  initiators: readonly number[],
): ElectionOutcome {
  const machine: AnyMachine = createBullyOneshot({ latencyTicksMax: 1 }, flags);
  const simulation = createSimulation(
    { algorithm: 'bully-oneshot', seed: SEED, ...options },
    () => machine,
  );
  return runElection(simulation, initiators);
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

    const outcome = withFlags(
      { coordTo: 'all', aliveTop: 'reannounce' },
      { nodes, crashedBefore: [nodes] },
      [detector],
    );

    expect(outcome.messages.total).toBe(total + 1);
  });

  it('takes 5 message times from the lowest, 4 from the second highest', () => {
    expect(withHighestDead(10, [1]).ticks).toBe(5);
    expect(withHighestDead(10, [9]).ticks).toBe(4);
  });
});

describe('the highest is dead and all detect it at once', () => {
  it.each(SIZES)('%i nodes: as if the lowest had', (nodes) => {
    const outcome = withHighestDead(nodes);

    expect(slashed(outcome)).toBe(LOWEST_DETECTS[nodes]);
    expect(outcome.leader).toBe(nodes - 1);
  });
});

describe('the highest is alive and one node suspects it', () => {
  it.each(ALIVE)('$nodes nodes, $detector: it announces once in each tick it is asked', (row) => {
    const { nodes, detector, higher } = row;
    const questions = (higher * (higher + 1)) / 2;

    const outcome = simulateElection({
      algorithm: 'bully-oneshot',
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

    const outcome = withFlags({ coordTo: 'lower', aliveTop: 'announceOnce' }, { nodes }, [
      detector,
    ]);

    expect(outcome.messages.total).toBe(higher * (higher + 1) + nodes - 1);
    expect(outcome.leader).toBe(nodes);
    expect(outcome.agreed).toBe(true);
  });

  it.each(SIZES)('%i nodes: the lowest costs n² − 1 when it announces once', (nodes) => {
    const outcome = withFlags({ coordTo: 'lower', aliveTop: 'announceOnce' }, { nodes }, [1]);

    expect(outcome.messages.total).toBe(nodes * nodes - 1);
  });

  it.each(SIZES)('%i nodes: the highest itself says so and no more', (nodes) => {
    const outcome = simulateElection({
      algorithm: 'bully-oneshot',
      nodes,
      initiators: [nodes],
      seed: SEED,
    });

    expect(slashed(outcome)).toBe(`0/0/${nodes - 1}`);
  });

  it('announces again to those who ask after it has been quiet', () => {
    const machine = createBullyOneshot(
      { latencyTicksMax: 1 },
      { coordTo: 'lower', aliveTop: 'announceOnce' },
    );
    const simulation = createSimulation(
      { algorithm: 'bully-oneshot', nodes: 4, seed: SEED },
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
    const simulation = createSimulation({ algorithm: 'bully-oneshot', nodes, seed: SEED });
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
