/**
 * @module
 * What is there, what is next, and records as journals carry them.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Coverage, Dispatch } from '../../../src/experiment/sweep/dispatch.ts';
import { packRecords, unpackRecords } from '../../../src/experiment/sweep/packing.ts';
import type { Chunk, RunRecord, SweepCell } from '../../../src/experiment/sweep/sweep.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';

const MODEL = await findInCatalogue('top-id');

function cells(count: number, refused: readonly number[] = []): readonly SweepCell[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ index, values: [index], settings: [], digest: `d${index}` },
    model: refused.includes(index) ? null : MODEL,
    refusal: refused.includes(index) ? 'no' : null,
  }));
}

function drained(dispatch: Dispatch): Chunk[] {
  const chunks: Chunk[] = [];
  for (let chunk = dispatch.next(); chunk !== null; chunk = dispatch.next()) chunks.push(chunk);
  return chunks;
}

describe('Coverage', () => {
  it('knows its gaps whatever the order of chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 9 }))), (asked) => {
        const coverage = new Coverage();
        const there = new Set<number>();
        for (const [from, count] of asked) {
          const rows = Array.from({ length: count }, (_, index) => from + index);
          const isNew = rows.every((row) => !there.has(row));

          expect(coverage.add({ cell: 2, from, count })).toBe(isNew);

          if (isNew) for (const row of rows) there.add(row);
        }
        const missing = coverage
          .gaps(2, 50)
          .flatMap((gap) => Array.from({ length: gap.count }, (_, index) => gap.from + index));

        expect(coverage.rows).toBe(there.size);
        expect(coverage.rowsOf(2)).toBe(there.size);
        expect(coverage.endOf(2)).toBe(Math.max(-1, ...there) + 1);
        expect(missing).toEqual([...Array(50).keys()].filter((row) => !there.has(row)));
      }),
      { seed: 3 },
    );
  });
});

describe('Dispatch', () => {
  it('hands out every missing row once', () => {
    const coverage = new Coverage();
    coverage.add({ cell: 1, from: 2, count: 3 });
    const request = { cells: cells(3, [2]), runs: 6, coverage };

    const rows = drained(new Dispatch(request)).flatMap(({ cell, from, count }) =>
      Array.from({ length: count }, (_, index) => `${cell}.${from + index}`),
    );

    expect(rows).toEqual([...[0, 1, 2, 3, 4, 5].map((row) => `0.${row}`), '1.0', '1.1', '1.5']);
  });

  it('sends more rows together while they are cheap, and one alone when they are dear', () => {
    const request = { cells: cells(1), runs: 1e6, coverage: new Coverage() };
    const sizes = (rowSeconds: number) => {
      const dispatch = new Dispatch(request);
      return Array.from({ length: 9 }, () => {
        const chunk = dispatch.next();
        if (chunk !== null) dispatch.learn(chunk, chunk.count * rowSeconds);
        return chunk?.count;
      });
    };

    expect(sizes(1e-5)).toEqual([1, 4, 16, 64, 256, 1024, 4096, 8192, 8192]);
    expect(sizes(0.01)).toEqual([1, 4, 10, 10, 10, 10, 10, 10, 10]);
    expect(sizes(3)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 1]);
  });
});

describe('packRecords', () => {
  const observation = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), {
    nil: undefined,
  });
  const outcome = fc.record({
    won: fc.boolean(),
    messages: observation,
    cpuS: observation,
    failure: fc.option(fc.string({ minLength: 1 })),
  });

  it('is undone by unpackRecords', () => {
    fc.assert(
      fc.property(fc.array(outcome, { minLength: 1, maxLength: 20 }), (outcomes) => {
        const records = outcomes.map(({ won, failure, ...seen }, index): RunRecord => {
          // JSON has one zero.
          const entries = Object.entries(seen).filter(([, value]) => value !== undefined);
          const observations = Object.fromEntries(entries.map(([k, v]) => [k, Number(v) + 0]));
          const repetition = 7 + index;
          if (failure !== null) return { repetition, outcomes: null, failure };
          const other = { won: !won, observations: {} };
          return { repetition, outcomes: [{ won, observations }, other], failure };
        });
        const chunk = { cell: 0, from: 7, count: records.length };

        expect([...unpackRecords(packRecords(records), chunk)]).toEqual(records);
      }),
      { seed: 11 },
    );
  });

  it('refuses a line of another chunk', () => {
    const line = packRecords([
      { repetition: 0, outcomes: [{ won: true, observations: {} }], failure: null },
    ]);

    expect(() => [...unpackRecords(line, { cell: 0, from: 0, count: 2 })]).toThrow(RangeError);
  });
});
