/**
 * @module
 * The ring that heals itself, around cr-join and around peterson: it costs nothing while no node fails,
 * survives s − 1 neighbours that fail together, and stops, rather than guess, when s do. s = 3.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Fault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { ElectionOptions } from '../../../src/simulation/run/simulate.ts';
import { runElection, simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { faultRun } from '../run/fault-runs.ts';
import { SEED } from './rings.ts';

const RUNS = 3000;
const ROBUST = [
  { protocol: 'ring-robust', wrapped: 'cr-join' },
  { protocol: 'ring-robust:peterson', wrapped: 'peterson' },
] as const;

function crashes(ranks: readonly number[], at: number): Fault[] {
  return ranks.map((rank) => ({ type: 'crash', rank, at }));
}

/** Ten nodes by rank, all starting, and these faults. */
function tenNodes(protocol: ProtocolName, faults: readonly Fault[]): SimulationOptions {
  return { protocol, nodes: 10, ring: 'by-id', faults, seed: SEED };
}

describe.each(ROBUST)('$protocol', ({ protocol, wrapped }) => {
  it('costs the same as the wrapped protocol while no node fails', () => {
    for (let run = 0; run < 300; run += 1) {
      const options = { nodes: 1 + (run % 9), seed: parseSeed(String(run)) };

      const outcome = simulateElection({ protocol, ...options });

      const bare = simulateElection({ protocol: wrapped, ...options });
      expect(outcome.messages, `run ${run}`).toMatchObject(bare.messages);
      expect(outcome.leader).toBe(options.nodes);
    }
  });

  it.each([0, 1, 3, 5, 9, 14, 40])('survives two neighbours that crash at tick %i', (at) => {
    for (let rank = 1; rank <= 10; rank += 1) {
      const pair = [rank, (rank % 10) + 1];

      const outcome = simulateElection(tenNodes(protocol, crashes(pair, at)));

      expect(outcome.verdict.value, `${pair}`).toBe('true');
    }
  });

  it('falls silent when three neighbours crash together, and elects no wrong node', () => {
    const outcome = simulateElection(tenNodes(protocol, crashes([4, 5, 6], 1)));

    expect(outcome.bound).toBe('idle');
    expect(outcome.leader).toBeNull();
    expect(outcome.verdict.reason).toBe('no live node follows a leader');
    expect(outcome.verdict.properties.uniqueness.value).toBe('true');
  });

  it('goes on when one of the three returns', () => {
    const faults = crashes([4, 5, 6], 1);

    const outcome = simulateElection(
      tenNodes(protocol, [...faults, { type: 'recover', rank: 5, at: 60 }]),
    );

    expect(outcome.verdict.value).toBe('true');
    expect(outcome.leader).toBe(10);
  });

  it('survives nine that fail one after the other', () => {
    const simulation = createSimulation({ protocol, nodes: 10, ring: 'by-id', seed: SEED });
    runElection(simulation);

    for (let rank = 10; rank > 1; rank -= 1) {
      simulation.crash(rank);
      simulation.advance({ until: 'idle' });

      expect(simulation.status().leader).toBe(rank - 1);
      expect(simulation.status().agreed).toBe(true);
    }
    expect(simulation.status().verdict.value).toBe('true');
  });

  it('keeps every property where nodes crash and return', () => {
    const broken = Array.from({ length: RUNS }, (_, run) =>
      faultRun(run, { protocol, heals: true }),
    )
      .map((options) => simulateElection(options).verdict)
      .filter(({ value }) => value !== 'true');

    expect(broken).toEqual([]);
  });

  it('keeps every property where nodes stay down, fewer than its list is long', () => {
    const runs = Array.from({ length: RUNS }, (_, run) =>
      faultRun(run, { protocol, heals: false }),
    ).filter(({ nodes, faults = [] }) => downAtMost(faults) <= Math.min(2, nodes - 2));

    const broken = runs
      .map((options) => simulateElection(options).verdict)
      .filter(({ value }) => value !== 'true');

    expect(runs.length).toBeGreaterThan(RUNS / 2);
    expect(broken).toEqual([]);
  });
});

describe.each(ROBUST)('$protocol, when a node returns', ({ protocol }) => {
  it('heeds no answer to its earlier life, though who was down then has returned', () => {
    const faults: Fault[] = [
      { type: 'crash', rank: 1, at: 22 },
      { type: 'crash', rank: 3, at: 48 },
      { type: 'recover', rank: 3, at: 53 },
      { type: 'crash', rank: 3, at: 54 },
      { type: 'recover', rank: 1, at: 61 },
      { type: 'recover', rank: 3, at: 64 },
    ];

    const broken = withSlowLinks({ protocol, faults, initiators: [5] });

    expect(broken).toEqual([]);
  });

  it('is told who is down by one that had first to be told itself', () => {
    // 1 asks 2, 3 and 4: 2 is down, 4 when it is asked, and 3 has just returned, as it has.
    const faults: Fault[] = [
      { type: 'crash', rank: 2, at: 10 },
      { type: 'crash', rank: 1, at: 20 },
      { type: 'recover', rank: 1, at: 40 },
      { type: 'crash', rank: 3, at: 41 },
      { type: 'recover', rank: 3, at: 43 },
      { type: 'crash', rank: 4, at: 44 },
    ];

    const broken = withSlowLinks({ protocol, faults, ring: 'by-id' });

    expect(broken).toEqual([]);
  });
});

describe('reconstruction', () => {
  it('asks the last of its list for the next piece of the ring: LOOKUP and SUCCESSORS', () => {
    const before = simulateElection(tenNodes('ring-robust', []));

    const outcome = simulateElection(tenNodes('ring-robust', crashes([5], 40)));

    // The three nodes before it have become short of one neighbour, and no node starts another election.
    expect(outcome.messages).toMatchObject({
      ...before.messages,
      LOOKUP: 3,
      SUCCESSORS: 3,
      total: expect.any(Number),
    });
  });
});

/** The seeds under which six nodes, whose messages take 1 to 12 ticks, do not agree. */
function withSlowLinks(election: Pick<ElectionOptions, 'protocol'> & Partial<ElectionOptions>) {
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 12 } as const;
  return Array.from({ length: 500 }, (_, run) => parseSeed(String(run))).filter((seed) => {
    const { verdict } = simulateElection({ nodes: 6, latency, seed, ...election });
    return verdict.value !== 'true';
  });
}

/** The largest number of nodes that are down at once. */
function downAtMost(faults: readonly Fault[]): number {
  let down = 0;
  let most = 0;
  for (const { type } of faults) {
    down += type === 'crash' ? 1 : -1;
    most = Math.max(most, down);
  }
  return most;
}
