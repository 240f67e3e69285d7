/**
 * @module
 * The audit trail: what hand-made trails add up to, and real runs against a look at every tick.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAULT_KINDS } from '../../../src/election/definition/drawn-faults.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { parseSeed } from '../../../src/random.ts';
import { drawSchedule } from '../../../src/simulation/faults/draw.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { AuditOptions, LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import { createAudit } from '../../../src/simulation/run/audit.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

/** At a tick a node follows somebody in an epoch; `down` is down. */
type Note = readonly [at: number, rank: number, leader: number | null | 'down', epoch: number];

function audit(notes: readonly Note[], options: Partial<AuditOptions> = {}) {
  const made = createAudit({ nodes: 3, ...options });
  for (const [at, rank, leader, epoch] of notes) {
    const up = leader !== 'down';
    made.observe(at, { rank, up, leader: leader === 'down' ? null : leader, epoch });
  }
  return made;
}

const ELECTED: readonly Note[] = [
  [4, 3, 3, 1],
  [5, 1, 3, 1],
  [6, 2, 3, 1],
];

describe('a hand-made trail', () => {
  it('of nothing is a run without a leader', () => {
    expect(audit([]).finish(10)).toEqual({
      ...{ ticks: 10, ticksWithoutLeader: 10, ticksSplit: 0, reigns: 0, changes: 0 },
      ...{ epochs: 0, leadersPerEpochMax: null, stableFrom: null },
    });
  });

  it('counts a leader from when it leads, and stability from when the last one follows', () => {
    expect(audit(ELECTED).finish(10)).toEqual({
      ...{ ticks: 10, ticksWithoutLeader: 4, ticksSplit: 0, reigns: 1, changes: 0 },
      ...{ epochs: 1, leadersPerEpochMax: 1, stableFrom: 6 },
    });
  });

  it('counts the ticks in which two lead, and those in which three do once', () => {
    const measures = audit([
      ...ELECTED,
      [10, 2, 2, 2],
      [12, 1, 1, 3],
      [15, 3, 2, 2],
      [17, 1, 2, 2],
    ]).finish(20);

    expect(measures).toMatchObject({ ticksSplit: 7, ticksWithoutLeader: 4, stableFrom: 17 });
    expect(measures).toMatchObject({ reigns: 3, changes: 2, epochs: 3, leadersPerEpochMax: 1 });
  });

  it('ends a reign with a crash, and stability with it', () => {
    const measures = audit([...ELECTED, [10, 3, null, 0], [10, 3, 'down', 0]]).finish(16);

    expect(measures).toMatchObject({ ticksWithoutLeader: 4 + 6, stableFrom: null });
  });

  it('is stable once the only one who followed another is down', () => {
    const notes: Note[] = [...ELECTED, [8, 1, 2, 1], [11, 1, 'down', 0]];

    expect(audit(notes).finish(16).stableFrom).toBe(11);
    expect(audit([...notes, [13, 1, null, 0]]).finish(16).stableFrom).toBe(null);
    expect(audit([...notes, [13, 1, null, 0], [14, 1, 3, 1]]).finish(16).stableFrom).toBe(14);
  });

  it('is not stable under a leader that is down or does not lead', () => {
    const all = (leader: number): Note[] => [1, 2, 3].map((rank) => [2, rank, leader, 1]);

    expect(audit([...all(3), [5, 3, 'down', 0]]).finish(9).stableFrom).toBe(null);
    expect(audit(all(1).slice(1)).finish(9).stableFrom).toBe(null);
    expect(audit(all(1)).finish(9).stableFrom).toBe(2);
  });

  it('knows the leader that all followed before the run', () => {
    const away: Note = [0, 3, 'down', 0];
    const returned: Note = [7, 3, 3, 1];

    expect(audit([away, returned], { crashedBefore: [3] }).finish(9).stableFrom).toBe(7);
    expect(audit([away, returned]).finish(9).stableFrom).toBe(null);
  });

  it('counts no change when the same node leads again', () => {
    const again = audit([...ELECTED, [8, 3, null, 0], [9, 3, 3, 2]]).finish(10);

    expect(again).toMatchObject({ reigns: 2, changes: 0, epochs: 2, ticksWithoutLeader: 5 });
  });

  it('goes on with a reign in its next epoch, without a break', () => {
    const made = audit([...ELECTED, [8, 3, 3, 2]]);

    expect(made.finish(10)).toMatchObject({ reigns: 1, epochs: 2, ticksWithoutLeader: 4 });
    expect(made.trail()).toEqual([
      { at: 4, node: 3, leads: true, epoch: 1 },
      { at: 8, node: 3, leads: false, epoch: 1 },
      { at: 8, node: 3, leads: true, epoch: 2 },
    ]);
  });

  it('finds two leaders of one epoch however far apart', () => {
    const notes: Note[] = [...ELECTED, [8, 3, null, 0], [90, 1, 1, 1], [91, 1, null, 0]];

    expect(audit(notes).finish(99)).toMatchObject({ leadersPerEpochMax: 2, epochs: 1 });
  });

  it('distinguishes no epochs if elections have no number', () => {
    const notes: Note[] = [
      [1, 1, 1, 0],
      [2, 2, 2, 0],
    ];

    expect(audit(notes).finish(9)).toMatchObject({ epochs: 0, leadersPerEpochMax: null });
  });

  it('counts what no longer fits the trail', () => {
    const made = audit([...ELECTED, [8, 3, 3, 2], [9, 3, null, 0]], { trailMax: 2 });

    expect(made.trail()).toHaveLength(2);
    expect(made.omitted()).toBe(2);
    expect(made.finish(10)).toMatchObject({ epochs: 2, ticksWithoutLeader: 5 });
  });

  it('can be finished twice, and go on in between', () => {
    const made = audit(ELECTED);

    expect(made.finish(10)).toEqual(made.finish(10));
    made.observe(12, { rank: 3, up: true, leader: null, epoch: 0 });
    expect(made.finish(14)).toMatchObject({ ticksWithoutLeader: 4 + 2, stableFrom: null });
  });

  it('is interrupted by nothing that is over within its tick', () => {
    const returns: Note[] = [
      [8, 1, 'down', 0],
      [9, 1, null, 0],
      [9, 1, 3, 1],
    ];
    const wavers: Note[] = [
      [9, 2, 2, 2],
      [9, 2, 3, 1],
    ];

    expect(audit([...ELECTED, ...returns]).finish(20).stableFrom).toBe(6);
    expect(audit([...ELECTED, ...wavers]).finish(20)).toMatchObject({
      stableFrom: 6,
      ticksSplit: 0,
    });
  });

  it('takes no notice of a store', () => {
    const made = audit(ELECTED);
    made.observe(7, { rank: 4, up: true, leader: 4, epoch: 9 });

    expect(made.finish(10)).toEqual(audit(ELECTED).finish(10));
  });
});

describe('a run', () => {
  const NAMES: readonly ProtocolName[] = ['bully-oneshot', 'bully-gm82', 'cr-join', 'ring-robust'];
  const TICKS = 300;

  it('adds up to what a look at every tick finds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...NAMES),
        fc.nat(10_000),
        fc.boolean(),
        (protocol, seed, dead) => {
          const options = optionsOf(protocol, seed, dead ? [4, 5] : []);

          const measures = measured(options);

          expect(measures).toMatchObject(looked(options));
        },
      ),
      { seed: 5, numRuns: 120 },
    );
  });

  it('sometimes is split, and sometimes without a leader at the end', () => {
    const runs = Array.from({ length: 60 }, (_, seed) =>
      measured(optionsOf('bully-oneshot', seed, [])),
    );

    expect(Math.max(...runs.map(({ ticksSplit }) => ticksSplit))).toBeGreaterThan(0);
    expect(runs.some(({ stableFrom }) => stableFrom === null)).toBe(true);
    expect(runs.some(({ stableFrom }) => stableFrom !== null)).toBe(true);
  });

  function optionsOf(
    protocol: ProtocolName,
    number: number,
    crashedBefore: readonly number[],
  ): SimulationOptions {
    const seed = parseSeed(String(number));
    const schedule = drawSchedule(seed, {
      ...{ name: 'swarm', nodes: 5, kinds: FAULT_KINDS.filter((kind) => kind !== 'join') },
      ...{ electionTicks: 20, calmAt: 200, calmTicks: 100, restart: false, detector: 'crashes' },
    });
    const isThere = (rank: number) => !crashedBefore.includes(rank);
    const faults = schedule.faults.filter((fault) => !('rank' in fault) || isThere(fault.rank));
    const latency = { type: 'uniform', ticksMin: 1, ticksMax: 4 } as const;
    const shape = { protocol, nodes: 5, latency, seed, crashedBefore };
    return { ...shape, schedule: { ...schedule, faults } };
  }

  function measured(options: SimulationOptions): LeadershipMeasures {
    const simulation = createSimulation({ ...options, audit: true });
    simulation.start();
    simulation.advance({ until: TICKS });
    const measures = simulation.audit()?.finish(TICKS);
    if (measures === undefined) throw new Error('no audit was kept');
    return measures;
  }

  function looked(options: SimulationOptions): Partial<LeadershipMeasures> {
    const simulation = createSimulation(options);
    simulation.start();
    let ticksWithoutLeader = 0;
    let ticksSplit = 0;
    let agreed: number | null = null;
    let stableFrom: number | null = null;
    for (let tick = 0; tick <= TICKS; tick += 1) {
      simulation.advance({ until: tick });
      const nodes = simulation.nodes();
      const leaders = nodes.filter(({ up, rank, leader }) => up && rank === leader).length;
      const { agreed: agree, leader } = simulation.status();
      if (tick < TICKS && leaders === 0) ticksWithoutLeader += 1;
      if (tick < TICKS && leaders > 1) ticksSplit += 1;
      const now = agree ? leader : null;
      if (now !== agreed) stableFrom = now === null ? null : tick;
      agreed = now;
    }
    return { ticksWithoutLeader, ticksSplit, stableFrom };
  }
});
