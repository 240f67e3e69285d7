/**
 * @module
 * What the fault matrix says of quorum and lease protocols beyond its cells: a node that receives nothing deposes no leader
 * if it asks first, a leader without its majority stops in time, what it writes meanwhile or after a
 * pause is fenced off, and a lease is worth no more than the clocks that count it.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

import type { ColumnName } from './columns.ts';
import { flagsOf, GUARDED_RAFT, protocolOf } from './columns.ts';
import { judgeSimulation } from './runs.ts';

const NODES = 5;
const RANKS = [1, 2, 3, 4, 5];
const SEEDS = Array.from({ length: 20 }, (_, number) => number);
/** An election is over, and a reign has lasted. */
const FAULT_AT = 400;
const ENDS_AT = 1000;

/** Run `number` of a column, whose fault hits the node that leads at that time. */
function hit(
  column: ColumnName,
  number: number,
  faultsOf: (leader: number) => readonly ScheduledFault[],
  more: Partial<SimulationOptions> = {},
): { readonly simulation: Simulation; readonly leader: number } {
  const options: SimulationOptions = {
    protocol: protocolOf(column),
    flags: flagsOf(column),
    nodes: NODES,
    seed: parseSeed(String(number)),
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    ...more,
    audit: true,
    trace: true,
  };
  const before = advanced({ ...options, schedule: { ...CALMLESS, faults: [] } }, FAULT_AT);
  const { leader } = before.status();
  if (leader === null) throw new RangeError(`"leader" expected one at ${FAULT_AT}, seed ${number}`);
  const schedule = { ...CALMLESS, faults: faultsOf(leader) };
  return { leader, simulation: advanced({ ...options, schedule }, ENDS_AT) };
}

/** Who sleeps is suspected, for those that have no other way to know. */
const CALMLESS = { calm: null, detector: 'links' } as const;

function advanced(options: SimulationOptions, until: number): Simulation {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until });
  return simulation;
}

function others(rank: number): number[] {
  return RANKS.filter((other) => other !== rank);
}

function highestTerm(simulation: Simulation): number {
  const terms = RANKS.map((rank) => {
    const state = simulation.stateOf(rank);
    return typeof state === 'object' && state !== null && 'term' in state ? Number(state.term) : 0;
  });
  return Math.max(...terms);
}

function propertiesBrokenBy(simulation: Simulation): string[] {
  return judgeSimulation(simulation).map(({ property }) => property);
}

describe('a follower that sends and receives nothing', () => {
  const deafen = (rank: number): ScheduledFault[] =>
    others(rank).map((from) => {
      const cut = { kind: 'one-way', from, to: rank } as const;
      return { type: 'partition', cut, from: FAULT_AT, to: null };
    });
  const run = (column: ColumnName, number: number) =>
    hit(column, number, (leader) => deafen(others(leader)[number % 4] ?? 0)).simulation;

  it('deposes the leader of raft time and again, and terms run away', () => {
    for (const number of SEEDS) {
      const simulation = run('raft', number);

      const { reigns } = simulation.audit()?.finish(ENDS_AT) ?? {};
      expect(reigns, `seed ${number}`).toBeGreaterThan(2);
      expect(highestTerm(simulation), `seed ${number}`).toBeGreaterThan(10);
    }
  });

  it('deposes none with preVote and checkQuorum', () => {
    for (const number of SEEDS) {
      const simulation = run(GUARDED_RAFT, number);

      const since = simulation
        .audit()
        ?.trail()
        .filter(({ at }) => at >= FAULT_AT);
      expect(since, `seed ${number}`).toEqual([]);
      expect(simulation.status().leader, `seed ${number}`).not.toBeNull();
      expect(highestTerm(simulation), `seed ${number}`).toBeLessThan(5);
    }
  });
});

describe('a leader that is cut off from all others, and not from what it writes to', () => {
  const isolate = (leader: number): ScheduledFault[] => {
    const links = others(leader).map((rank) => [leader, rank] as const);
    return [{ type: 'partition', cut: { kind: 'links', links }, from: FAULT_AT, to: ENDS_AT }];
  };
  const withWorkload = (resource: 'unfenced' | 'fencing-max') =>
    ({ workload: { resource, everyTicks: null } }) as const;

  it.each<[ColumnName, number, string]>([
    [GUARDED_RAFT, 60, 'an election time-out, and as much as was left of the one before'],
    ['quorum-lease', 80, 'a lease'],
    ['zab-fle', 80, 'its silence and a heartbeat'],
  ])('%s: steps down within %i ticks, %s', (column, ticksMax) => {
    for (const number of SEEDS) {
      const { simulation, leader } = hit(column, number, isolate, withWorkload('fencing-max'));

      const end = simulation
        .audit()
        ?.trail()
        .find(({ at, node, leads }) => at >= FAULT_AT && node === leader && !leads);
      expect(end?.at, `seed ${number}`).toBeLessThanOrEqual(FAULT_AT + ticksMax);
      expect(simulation.resource()?.lateWrites, `seed ${number}`).toBe(0);
    }
  });

  it('raft: leads on beside the next one, whose term fences its writes off', () => {
    for (const number of SEEDS) {
      const fenced = hit('raft', number, isolate, withWorkload('fencing-max')).simulation;
      const unfenced = hit('raft', number, isolate, withWorkload('unfenced')).simulation;

      const { ticksSplit } = fenced.audit()?.finish(ENDS_AT) ?? {};
      expect(ticksSplit, `seed ${number}`).toBeGreaterThan(ENDS_AT - FAULT_AT - 400);
      expect(propertiesBrokenBy(fenced), `seed ${number}`).not.toContain('S1');
      expect(fenced.resource(), `seed ${number}`).toMatchObject({ lateWrites: 0 });
      expect(fenced.resource()?.refused, `seed ${number}`).toBeGreaterThan(0);
      expect(unfenced.resource()?.lateWrites, `seed ${number}`).toBeGreaterThan(10);
    }
  });
});

describe('a leader that wakes from a pause longer than any time-out', () => {
  const pause = (rank: number): ScheduledFault[] => [
    { type: 'pause', rank, from: FAULT_AT, to: FAULT_AT + 400 },
  ];

  it.each<ColumnName>(['zab-fle', 'db-lease', 'lease-local', 'zk-recipe'])(
    '%s: writes once more, unless there is a fence',
    (column) => {
      const writes = SEEDS.map((number) => lateWrites(column, number));

      expect(writes.filter(({ unfenced }) => unfenced > 0)).toHaveLength(SEEDS.length);
      expect(writes.filter(({ fenced }) => fenced > 0)).toEqual([]);
    },
  );

  it.each<ColumnName>(['raft', GUARDED_RAFT, 'quorum-lease', 'zk-slide-quorum'])(
    '%s: receives the queued message of the next leader first',
    (column) => {
      const writes = SEEDS.map((number) => lateWrites(column, number));

      expect(writes.filter(({ fenced, unfenced }) => fenced + unfenced > 0)).toEqual([]);
    },
  );

  function lateWrites(column: ColumnName, number: number) {
    const under = (resource: 'unfenced' | 'fencing-max') => {
      const workload = { resource, everyTicks: null };
      return hit(column, number, pause, { workload }).simulation.resource()?.lateWrites ?? 0;
    };
    return { unfenced: under('unfenced'), fenced: under('fencing-max') };
  }
});

describe('a master by quorum-lease whose clock is slow', () => {
  /** It alone is started; its voters' promises are over long before its lease is. */
  const slow = (numerator: number): Simulation => {
    const skews = RANKS.map((rank): ScheduledFault => {
      return rank === 1
        ? { type: 'skew', rank, numerator, denominator: 1 }
        : { type: 'skew', rank, numerator: 1, denominator: numerator };
    });
    const simulation = createSimulation({
      protocol: 'quorum-lease',
      flags: { leaseTicks: '60', retryTicks: '19' },
      nodes: NODES,
      seed: parseSeed('1'),
      schedule: { ...CALMLESS, faults: skews },
      audit: true,
      trace: true,
    });
    simulation.start([1]);
    simulation.advance({ until: ENDS_AT });
    return simulation;
  };

  it('leads beside the next one, in another term', () => {
    expect(propertiesBrokenBy(slow(4))).toEqual(['M']);
  });

  it('does not where clocks are even', () => {
    expect(propertiesBrokenBy(slow(1))).toEqual([]);
  });
});
