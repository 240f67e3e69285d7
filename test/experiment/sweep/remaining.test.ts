/**
 * @module
 * The remaining time of sweeps whose cells differ in cost, with a clock that the test moves.
 */

import { describe, expect, it } from 'vitest';
import { applySettings, settingOf } from '../../../src/experiment/reading/settings.ts';
import type { AxisValue } from '../../../src/experiment/sweep/grid.ts';
import { expectedWork, RemainingWork } from '../../../src/experiment/sweep/remaining.ts';
import type { SweepCell } from '../../../src/experiment/sweep/sweep.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { topId } from '../models.ts';

const RUNS = 40;
const CHUNK = 4;

function cellsOver(path: string, values: readonly AxisValue[]): SweepCell[] {
  return values.map((value, index) => ({
    ...{ index, values: [value], settings: [], digest: `d${index}` },
    model: applySettings(topId(), [settingOf(path, value)]),
    refusal: null,
  }));
}

interface Clock {
  /** Seconds of one row of a cell. */
  readonly rowSeconds: (cell: SweepCell) => number;
  readonly threads: number;
  readonly warmUpSeconds: number;
}

/** The estimate at shares of the whole time, with the truth and with what counting rows would say. */
function estimates(cells: readonly SweepCell[], { rowSeconds, threads, warmUpSeconds }: Clock) {
  const remaining = new RemainingWork({ cells, missing: () => RUNS });
  const chunks = cells.flatMap((cell) =>
    Array.from({ length: RUNS / CHUNK }, (_, index) => ({ cell, from: index * CHUNK })),
  );
  const total = chunks.reduce((sum, { cell }) => sum + CHUNK * rowSeconds(cell), warmUpSeconds);
  const found: { share: number; left: number; estimate: number | null; byRows: number }[] = [];
  let spent = 0;
  for (const [index, { cell, from }] of chunks.entries()) {
    const seconds = CHUNK * rowSeconds(cell) + (index === 0 ? warmUpSeconds : 0);
    spent += seconds;
    remaining.finish({ cell: cell.index, from, count: CHUNK }, seconds);
    const elapsed = spent / threads;
    const rowsLeft = chunks.length - index - 1;
    found.push({
      share: spent / total,
      left: (total - spent) / threads,
      estimate: remaining.secondsLeft(elapsed),
      byRows: (elapsed / (index + 1)) * rowsLeft,
    });
  }
  return found;
}

/** The greatest factor between estimate and truth while 10 % to 90 % of the time has passed. */
function worst(found: ReturnType<typeof estimates>, member: 'estimate' | 'byRows'): number {
  const factors = found
    .filter(({ share }) => share > 0.1 && share < 0.9)
    .map((each) => Math.abs(Math.log((each[member] ?? 0) / each.left)));
  expect(factors.length).toBeGreaterThan(3);
  return Math.exp(Math.max(...factors));
}

const C1 = 'network.identity.c1';
const RISING = cellsOver(
  C1,
  Array.from({ length: 17 }, (_, bits) => bits),
);
const FALLING = cellsOver(
  C1,
  Array.from({ length: 17 }, (_, bits) => 16 - bits),
);

describe('the remaining time', () => {
  // 40 µs for 8 nodes with 0 bits, 6 s with 16: not what the first estimate says.
  const mining: Clock = {
    rowSeconds: ({ values }) => 2e-5 + 12e-6 * 8 * 2 ** Number(values[0]),
    threads: 2,
    warmUpSeconds: 0,
  };

  it.each([
    ['rise', RISING],
    ['fall', FALLING],
  ])('is right within a factor of 2 where costs %s by a factor of 65536', (_name, cells) => {
    const found = estimates(cells, mining);

    expect(worst(found, 'estimate')).toBeLessThan(2);
    expect(worst(found, 'byRows')).toBeGreaterThan(5);
  });

  it('is right where each cell differs from its neighbours', () => {
    const random = createRandom(parseSeed('3'), 'cells');
    const cells = cellsOver(
      C1,
      Array.from({ length: 40 }, () => random.below(14)),
    );

    expect(worst(estimates(cells, mining), 'estimate')).toBeLessThan(2);
  });

  it('soon forgets that the first rows of a thread are slow', () => {
    const cells = cellsOver('network.election.latency', [1, 2, 3, 4, 5, 6]);
    const found = estimates(cells, { rowSeconds: () => 0.05, threads: 1, warmUpSeconds: 3 });

    const [, , , fourth] = found;
    const fifteenth = found[14];
    expect(found[0]?.estimate).toBeNull();
    expect(fourth?.estimate).toBeLessThan(fourth?.byRows ?? 0);
    expect((fifteenth?.estimate ?? 0) / (fifteenth?.left ?? 1)).toBeLessThan(2);
  });

  it('announces no hours for large rows because the first tiny ones are slow', () => {
    const cells = cellsOver(C1, [0, 16]);
    const remaining = new RemainingWork({ cells, missing: () => RUNS });
    // Two seconds in which threads start, for rows of some microseconds.
    remaining.finish({ cell: 0, from: 0, count: CHUNK }, 2);
    remaining.finish({ cell: 0, from: CHUNK, count: CHUNK }, 0.001);

    expect(remaining.secondsLeft(2)).toBeLessThan(
      20 * RUNS * expectedWork(topId('network.identity.c1=16')),
    );
  });

  it('is 0 when nothing is missing, and leaves refused cells out', () => {
    const cells = RISING.map((cell, index) =>
      index > 0 ? { ...cell, model: null, refusal: 'no' } : cell,
    );
    const remaining = new RemainingWork({ cells, missing: () => RUNS });
    remaining.finish({ cell: 0, from: 0, count: RUNS / 2 }, 1);
    remaining.finish({ cell: 0, from: RUNS / 2, count: RUNS / 2 }, 1);

    expect(remaining.secondsLeft(2)).toBe(0);
  });
});

describe('the expected work of a run', () => {
  it('grows with nodes, messages, difficulty and budget', () => {
    const work = (path: string, value: AxisValue) =>
      expectedWork(applySettings(topId(), [settingOf(path, value)]));

    expect(work('network.honest', 800)).toBeGreaterThan(20 * work('network.honest', 8));
    expect(work(C1, 20)).toBeGreaterThan(100 * work(C1, 10));
    const budget = 'adversaries.main.budget.attempts';
    expect(work(budget, 1e6)).toBeGreaterThan(100 * work(budget, 64));
    expect(work(C1, 20)).toBeGreaterThan(1e4 * work('work', 'sampled'));
  });
});
