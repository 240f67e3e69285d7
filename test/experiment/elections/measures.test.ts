/**
 * @module
 * The measures of a run against counts from its trace and against published figures.
 */

import { describe, expect, it } from 'vitest';

import { measuredRun } from '../../../src/experiment/elections/tables.ts';
import { parseSeed } from '../../../src/random.ts';
import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { parseFaultText } from '../../../src/simulation/faults/text.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

type Options = Omit<SimulationOptions, 'seed'> & { readonly initiators?: readonly number[] };

function held(seed: number, { initiators, ...options }: Options, crash?: string) {
  const faults = crash === undefined ? [] : parseFaultText('crash', crash);
  const schedule: Schedule | undefined =
    crash === undefined ? undefined : { faults, calm: null, detector: 'crashes' };
  const keeps = { audit: true, bytes: true, trace: true };
  const parts = { seed: parseSeed(String(seed)), ...options, ...keeps };
  const simulation = createSimulation({ ...parts, schedule });
  simulation.start(initiators);
  simulation.advance({ until: 'idle' });
  return simulation;
}

/** Replays the trace: the tick of the crash of the leader, and the first later tick that ends with agreement. */
function downtimeInTrace(simulation: ReturnType<typeof held>, nodes: number): number {
  const leaders = new Map<number, number>();
  const up = new Set(Array.from({ length: nodes }, (_, index) => index + 1));
  let crashedAt: number | null = null;
  const agreed = () => {
    const followed = new Set([...up].map((rank) => leaders.get(rank) ?? 0));
    const [leader = 0] = followed;
    return followed.size === 1 && up.has(leader);
  };
  let before = 0;
  for (const { t, action, effects } of simulation.records()) {
    if (crashedAt !== null && t > before && agreed()) return before - crashedAt;
    before = t;
    const node = 'node' in action ? action.node : simulation.plan.nodes;
    if (action.type === 'crash' && leaders.get(node) === node) crashedAt = t;
    if (action.type === 'crash') up.delete(node);
    const actor = action.type === 'deliver' ? recipients(simulation).get(action.message) : node;
    for (const effect of effects) {
      if (effect.type === 'elect') leaders.set(actor ?? 0, Number(effect.leader));
      if (effect.type === 'step-down') leaders.delete(actor ?? 0);
    }
  }
  return crashedAt !== null && agreed() ? before - crashedAt : Number.POSITIVE_INFINITY;
}

/** The recipient of each message. */
function recipients(simulation: ReturnType<typeof held>): ReadonlyMap<number, number> {
  return new Map(
    simulation
      .records()
      .flatMap(({ effects }) =>
        effects.flatMap((each) =>
          each.type === 'send' ? [[each.id, Number(each.to)] as const] : [],
        ),
      ),
  );
}

describe('a measured run', () => {
  it.each([4, 9, 50])(
    'of Bully with %i nodes has the n² − n − 1 messages of the textbooks',
    (n) => {
      const options = { nodes: n, crashedBefore: [n], initiators: [1] };
      const { measures } = measuredRun(held(1, { protocol: 'bully-oneshot', ...options }));

      expect(measures?.messages).toBe(n * n - n - 1);
      expect(measures).toMatchObject({ leaderCrashes: 1, ticksSplit: 0, mistakes: null });
    },
  );

  it.each(['raft', 'bully-oneshot', 'db-lease'] as const)(
    'of %s has the downtime of its trace',
    (protocol) => {
      for (let seed = 1; seed <= 10; seed += 1) {
        const options = {
          protocol,
          nodes: 4,
          latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
        } as const;
        const simulation = held(seed, options, 'leader@900-990');
        const { measures } = measuredRun(simulation);

        expect(measures?.leaderCrashes).toBe(1);
        expect(measures?.downtimeTicks).toBe(downtimeInTrace(simulation, 4));
      }
    },
  );

  it('counts the bytes of the messages in the trace', () => {
    const simulation = held(3, { protocol: 'raft', nodes: 5 });
    const sent = simulation
      .records()
      .flatMap(({ effects }) =>
        effects.flatMap((each) => (each.type === 'send' ? [JSON.stringify(each.message)] : [])),
      );

    expect(measuredRun(simulation).measures?.bytes).toBe(sent.join('').length);
  });

  it('has no downtime without a crash, and an endless one if no node is elected again', () => {
    const raft = { protocol: 'raft', nodes: 3 } as const;

    expect(measuredRun(held(1, raft)).measures?.downtimeTicks).toBeNull();
    const measures = measuredRun(held(1, raft, 'leader@900,leader@2000')).measures;
    expect(measures).toMatchObject({ leaderCrashes: 2, downtimeTicks: Number.POSITIVE_INFINITY });
  });
});

describe('Raft, as in figure 16 of the paper', () => {
  const RUNS = 150;

  /** Downtimes, ascending: 5 servers, messages of about 7 ticks, the crash uniform in a heartbeat interval. */
  function downtimes(electionTicks: number, spreadTicks: number): number[] {
    const heartbeatTicks = Math.floor(electionTicks / 2);
    const flags = { electionTicks, spreadTicks, heartbeatTicks };
    const options = {
      protocol: 'raft',
      nodes: 5,
      latency: { type: 'uniform', ticksMin: 5, ticksMax: 8 },
      flags: Object.fromEntries(Object.entries(flags).map(([name, ticks]) => [name, `${ticks}`])),
    } as const;
    return Array.from({ length: RUNS }, (_, seed) => {
      const { measures } = measuredRun(held(seed, options, `leader@6000-${6000 + heartbeatTicks}`));
      return measures?.downtimeTicks ?? Number.NaN;
    }).toSorted((one, other) => one - other);
  }

  it('is longer with less randomness, and its worst case with 50 ticks is near 513', () => {
    const [narrow = [], wide = []] = [5, 50].map((spread) => downtimes(150, spread));

    expect(narrow[RUNS >> 1]).toBeGreaterThan(wide[RUNS >> 1] ?? 0);
    // The smallest possible downtime is about half of the shortest time-out. 513 is the worst of 1000 trials.
    for (const each of [narrow, wide]) expect(each[0]).toBeGreaterThan(75);
    expect(wide.at(-1)).toBeLessThan(600);
    expect(wide.at(-1)).toBeGreaterThan(200);
  });
});
