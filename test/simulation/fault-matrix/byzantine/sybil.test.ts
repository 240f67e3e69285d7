/**
 * @module
 * The Sybil row of the fault matrix: one secret, eight keys of it. With the torsion check at the gate it
 * has one member; without, eight, which win where the highest ID does and buy a majority where votes count.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../../src/random.ts';
import type { SimulationOptions } from '../../../../src/simulation/plan/plan.ts';
import type { Simulation } from '../../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../../src/simulation/run/simulation.ts';

import type { ColumnName } from '../columns.ts';
import { flagsOf, GUARDED_RAFT, protocolOf } from '../columns.ts';
import type { Violation } from '../judge.ts';
import { byzantineViolations } from './judge.ts';
import type { Electorate } from './sybil.ts';
import { createApplicants, electorateOf, GATES } from './sybil.ts';

/** The eight claims of a run take some 40 ms to make and to judge. */
const RUNS_MAX = 400;
const RUNS = Math.min(RUNS_MAX, Number(process.env.FAULT_MATRIX_SEEDS ?? 30));
const HONEST = 4;
const SIBLINGS = 8;
const RANKED: readonly ColumnName[] = ['cr-join', 'cr-replace', 'cr-always', 'bully-oneshot'];

const APPLICANTS = Array.from({ length: RUNS }, (_, number) =>
  createApplicants(parseSeed(String(number)), HONEST),
);

describe('eight torsion keys of one secret', () => {
  it.each([
    ['on', 1],
    ['off', SIBLINGS],
  ] as const)('with the gate %s are %i members', (gate, members) => {
    for (const { siblings } of APPLICANTS) expect(new Set(siblings[gate]).size).toBe(members);
  });

  describe.each(RANKED)('%s', (column) => {
    it.each([
      ['on', 1 / (HONEST + 1)],
      ['off', SIBLINGS / (HONEST + SIBLINGS)],
    ] as const)('with the gate %s have a share of %f of all wins', (gate, share) => {
      let wins = 0;

      APPLICANTS.forEach((applicants, number) => {
        const electorate = electorateOf(applicants, { gate, honestNodes: HONEST });
        const run = elect(column, electorate, number);
        // Who wins is the highest, safely; that it should have been one ID of a secret no node can see.
        expect(violationsOf(run, []), `seed ${number}`).toEqual([]);
        if (electorate.forged.includes(run.status().leader ?? 0)) wins += 1;
      });

      const deviation = Math.sqrt(RUNS * share * (1 - share));
      expect(Math.abs(wins - RUNS * share)).toBeLessThan(3 * deviation);
    });
  });

  describe.each(['raft', GUARDED_RAFT] as const)('%s', (column) => {
    // With an even number of nodes, two majorities have at least two nodes in common. One Byzantine node is too few.
    it.each(GATES)('with the gate %s, voting for everybody', (gate) => {
      const found: Violation[] = [];

      APPLICANTS.forEach((applicants, number) => {
        const electorate = electorateOf(applicants, { gate, honestNodes: HONEST - 1 });
        const run = elect(column, electorate, number, {
          behaviours: ['double-vote'],
          // Of two leaders neither gives way.
          untilTicks: gate === 'on' ? 2000 : 200,
        });
        found.push(...violationsOf(run, electorate.forged));
      });

      const properties = new Set(found.map(({ property }) => property));
      if (gate === 'on') expect(found).toEqual([]);
      else expect([...properties]).toEqual(expect.arrayContaining(['S1', 'S4']));
    });
  });
});

interface Voting {
  /** Of the forged. */
  readonly behaviours?: readonly string[];
  readonly untilTicks?: number;
}

function elect(
  column: ColumnName,
  { nodes, forged }: Electorate,
  number: number,
  { behaviours = [], untilTicks = 2000 }: Voting = {},
): Simulation {
  const options: SimulationOptions = {
    ...{ protocol: protocolOf(column), flags: flagsOf(column), nodes },
    ...{ seed: parseSeed(String(number)), level: 'L3', trace: true, untilTicks },
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    byzantine: forged.map((rank) => ({ rank, behaviours })),
  };
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until: 'idle' });
  return simulation;
}

function violationsOf(
  simulation: Simulation,
  byzantineRanks: readonly number[],
): readonly Violation[] {
  const { protocol, nodes } = simulation.plan;
  return byzantineViolations({
    ...{ protocol, nodes, byzantineRanks, absent: [], unheard: new Set() },
    ...{ records: simulation.records(), end: simulation.status().ticks },
  });
}
