/**
 * @module
 * The fault matrix with a Byzantine node, run: each cell of cells.ts in `FAULT_MATRIX_SEEDS` runs, and
 * in as many more as it takes to find what it says can be found. A violation is found and named.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../../src/random.ts';
import type { ScheduledFault } from '../../../../src/simulation/faults/schedule.ts';
import { createSimulation } from '../../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../../schedules.ts';

import type { Cell } from '../cell.ts';
import type { ColumnName } from '../columns.ts';
import { flagsOf, GUARDED_RAFT, protocolOf } from '../columns.ts';
import type { Violation } from '../judge.ts';
import { BYZANTINE_CELLS, BYZANTINE_COLUMNS } from './cells.ts';
import { byzantineViolations } from './judge.ts';
import { BYZANTINE_ROW_NAMES, BYZANTINE_ROWS } from './rows.ts';
import type { ByzantineCell, ByzantineRun } from './runs.ts';
import { formOf, runByzantineCell } from './runs.ts';

/** About when the first of them stand. */
const JOIN_AT = 40;
const SEEDS = Number(process.env.BYZANTINE_SEEDS ?? 6);
/** Within this number of seeds everything that can be found is found. */
const BUDGET_SEEDS = 2000;
/** Runs of the vote that is slow. */
const SLOW_VOTE_RUNS = 10 * SEEDS;
/** The divisor of the number of runs where a run costs much. */
const DEAR = 5;

const TABLE = BYZANTINE_ROW_NAMES.flatMap((row) =>
  Object.entries(BYZANTINE_CELLS[row]).flatMap(([form, cells]) =>
    cells.flatMap((cell) =>
      cell.columns.map((column) => {
        const label = [cell.expected, ...cell.breaks].join(' ');
        return { ...cell, row, form, column, label };
      }),
    ),
  ),
).filter(({ expected }) => expected !== '-');

/** What a cell has to show: its violations, or for `stop` somebody without a leader. */
function soughtOf({ expected, breaks }: Cell): readonly Violation['property'][] {
  return expected === 'stop' ? ['L'] : breaks;
}

/** Runs a cell, checks every run, and answers the first violation of each property sought. */
function explore(matrixCell: ByzantineCell & Cell) {
  const found = new Map<Violation['property'], Violation>();
  const sought = soughtOf(matrixCell);
  const seeds = formOf(matrixCell).isDear === true ? Math.ceil(SEEDS / DEAR) : SEEDS;
  for (let number = 0; number < BUDGET_SEEDS; number += 1) {
    if (number >= seeds && found.size === sought.length) break;
    const run = runByzantineCell(matrixCell, number);
    expect(surprisesIn(run, matrixCell), `seed ${number}`).toEqual([]);
    for (const violation of run.violations) {
      const { property } = violation;
      if (sought.includes(property) && !found.has(property)) found.set(property, violation);
    }
  }
  return found;
}

/** What no run of a cell may do, in words. */
function surprisesIn({ violations, bound }: ByzantineRun, cell: Cell): string[] {
  const { expected, breaks, rarely } = cell;
  const surprises = violations
    .filter(({ property }) => {
      if (property === 'L' && (expected === 'stop' || expected === 'X')) return false;
      return !(rarely.includes(property) || (property !== 'L' && breaks.includes(property)));
    })
    .map(({ property, what }) => `${property}: ${what}`);
  // The Byzantine node need not come to rest, but its messages must end.
  return bound === 'events' ? [...surprises, 'sends without end'] : surprises;
}

describe.each(BYZANTINE_ROW_NAMES)('%s', (row) => {
  const cells = TABLE.filter((each) => each.row === row);

  it('has one cell for every form and column', () => {
    const forms = Object.entries(BYZANTINE_CELLS[row]);

    expect(forms.map(([form]) => form)).toEqual(Object.keys(BYZANTINE_ROWS[row].forms));
    for (const [form, each] of forms) {
      const named = each.flatMap(({ columns }) => columns);
      expect(named.toSorted(), form).toEqual([...BYZANTINE_COLUMNS].toSorted());
    }
  });

  it.each(cells)('$form, $column: $label; $why', (matrixCell) => {
    const found = explore(matrixCell);

    expect([...found.keys()].toSorted()).toEqual([...soughtOf(matrixCell)].toSorted());
    for (const { who, what } of found.values()) {
      expect(who.length, what).toBeGreaterThan(0);
      for (const rank of who) expect(what).toContain(String(rank));
    }
  });
});

describe('newcomers that all members know at once, while a vote is slow to reach one of three', () => {
  const slow = [1, 2].map((from) => ({ from, to: 3, factor: 20 }));

  function twoLed(column: ColumnName, newcomers: readonly number[], number: number): boolean {
    const nodes = 3 + newcomers.length;
    const simulation = createSimulation({
      ...{ protocol: protocolOf(column), flags: flagsOf(column), nodes, trace: true },
      ...{ seed: parseSeed(String(number)), links: { type: 'given', factors: slow } },
      schedule: scheduleOf(
        ...newcomers.map((rank): ScheduledFault => ({ type: 'join', rank, at: JOIN_AT })),
      ),
    });
    simulation.start();
    simulation.advance({ until: JOIN_AT + 60 });
    const { protocol, absent } = simulation.plan;
    const violations = byzantineViolations({
      ...{ protocol, nodes, absent, byzantineRanks: [], unheard: new Set() },
      ...{ records: simulation.records(), end: simulation.status().ticks },
    });
    return violations.some(({ property }) => property === 'S1');
  }

  // Two of three and three of five share no node, so that a leader must not admit both at once.
  it.each([
    ['raft', [4, 5]],
    ['raft', [4]],
    [GUARDED_RAFT, [4, 5]],
    [GUARDED_RAFT, [4]],
  ] as const)('%s: %j make no two leaders of a term', (column, newcomers) => {
    const numbers = Array.from({ length: SLOW_VOTE_RUNS }, (_, number) => number);

    expect(numbers.filter((number) => twoLed(column, newcomers, number))).toEqual([]);
  });
});
