/**
 * @module
 * The anonymous ring of Itai and Rodeh: what chance does to it, against what the paper's argument
 * says. Convention: a message is one send; ELECTED, n hops, is listed apart. Statistical bounds are
 * four standard errors under fixed seeds. `CHANCE_RUNS` makes it more runs.
 */

import { describe, expect, it } from 'vitest';
import { parseSeed } from '../../../src/random.ts';
import type { ElectionOptions, ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { faultRun } from '../run/fault-runs.ts';
import { distribution, SEED, sum } from './rings.ts';

const RUNS = Number(process.env.CHANCE_RUNS ?? 600);

function elect(run: number, options: Omit<ElectionOptions, 'protocol' | 'seed'>): ElectionOutcome {
  return simulateElection({ protocol: 'itai-rodeh', seed: parseSeed(String(run)), ...options });
}

function outcomes(options: Omit<ElectionOptions, 'protocol' | 'seed'>): ElectionOutcome[] {
  return Array.from({ length: RUNS }, (_, run) => elect(run, options));
}

/** Expects the mean of `samples` to be `expected` within four standard errors. */
function expectMean(samples: readonly number[], expected: number): void {
  const mean = sum(samples) / samples.length;
  const variance = sum(samples.map((sample) => (sample - mean) ** 2)) / (samples.length - 1);

  expect(Math.abs(mean - expected)).toBeLessThan(4 * Math.sqrt(variance / samples.length));
}

describe('itai-rodeh', () => {
  it.each([1, 2, 3, 4, 5, 6])('%i nodes: one leader that all follow, on any links', (nodes) => {
    for (const fifo of [true, false]) {
      const latency = { type: 'uniform', ticksMin: 1, ticksMax: 50 } as const;
      for (const { leader, agreed, messages, verdict } of outcomes({ nodes, latency, fifo })) {
        expect(leader).not.toBeNull();
        expect(agreed).toBe(true);
        expect(messages.ELECTED).toBe(nodes);
        expect(verdict.properties.uniqueness.value).toBe('true');
      }
    }
  });

  it('lets everybody lead as often as everybody else', () => {
    const leaders = distribution(outcomes({ nodes: 5 }).map(({ leader }) => leader ?? 0));

    expect(Object.keys(leaders)).toEqual(['1', '2', '3', '4', '5']);
    for (const count of Object.values(leaders)) {
      expect(Math.abs(count - RUNS / 5)).toBeLessThan(4 * Math.sqrt(RUNS * 0.2 * 0.8));
    }
  });

  it.each([2, 3, 5, 8])('%i nodes: ends in round 1 as often as one ID is the highest', (nodes) => {
    // The highest of n draws from 0..n−1 is k and unique: n·(1/n)·(k/n)^(n−1), summed over k.
    const unique = sum(Array.from({ length: nodes }, (_, k) => (k / nodes) ** (nodes - 1)));

    const firsts = Array.from({ length: RUNS }, (_, run) => {
      const simulation = createSimulation({
        protocol: 'itai-rodeh',
        nodes,
        seed: parseSeed(String(run)),
        trace: true,
      });
      simulation.start();
      simulation.advance({ until: 'idle' });
      const elections = simulation.records().flatMap(({ effects }) => effects);
      return elections.some((effect) => effect.type === 'elect' && effect.epoch === 1) ? 1 : 0;
    });

    expectMean(firsts, unique);
  });

  it('costs two nodes 7 TOKEN in the mean: 4 for a tie, then again, 3 for a winner', () => {
    const tokens = outcomes({ nodes: 2 }).map(({ messages }) => messages.TOKEN ?? 0);

    expectMean(tokens, 7);
    expect(tokens.every((count) => count % 4 === 3)).toBe(true);
  });

  it('makes the only one who starts the leader, in n TOKEN', () => {
    for (let initiator = 1; initiator <= 6; initiator += 1) {
      const outcome = elect(initiator, { nodes: 6, initiators: [initiator] });

      expect(outcome.leader).toBe(initiator);
      expect(outcome.messages).toEqual({ TOKEN: 6, ELECTED: 6, total: 12 });
      expect(outcome.ticks).toBe(12);
    }
  });

  it('knows the size of the ring that is closed around the dead', () => {
    for (const { leader, agreed, messages } of outcomes({ nodes: 6, crashedBefore: [6, 2] })) {
      expect([1, 3, 4, 5]).toContain(leader);
      expect(agreed).toBe(true);
      expect(messages.ELECTED).toBe(4);
    }
  });

  it('elects again, and the old leader steps down first', () => {
    const simulation = createSimulation({ protocol: 'itai-rodeh', nodes: 5, seed: SEED });
    for (let election = 0; election < 20; election += 1) {
      simulation.start();
      simulation.advance({ until: 'idle' });

      expect(simulation.status().agreed).toBe(true);
    }
    expect(simulation.status().verdict.properties.uniqueness.value).toBe('true');
  });

  it('depends on the seed alone', () => {
    expect(elect(7, { nodes: 9 })).toEqual(elect(7, { nodes: 9 }));
    expect(new Set(outcomes({ nodes: 9 }).map(({ leader }) => leader)).size).toBe(9);
  });
});

describe('itai-rodeh, where nodes crash and return', () => {
  it('never has two leaders; the TOKEN of one that crashed may silence all others', () => {
    const verdicts = Array.from({ length: RUNS }, (_, run) => {
      const outcome = simulateElection(faultRun(run, { protocol: 'itai-rodeh', heals: true }));
      expect(outcome.bound).toBe('idle');
      return outcome.verdict.properties;
    });

    expect(verdicts.filter(({ uniqueness }) => uniqueness.value !== 'true')).toEqual([]);
    expect(verdicts.filter(({ agreement }) => agreement.value !== 'true')).toEqual([]);
    expect(verdicts.some(({ termination }) => termination.value === 'false')).toBe(true);
  });
});
