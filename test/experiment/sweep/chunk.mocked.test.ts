/**
 * @module
 * Chunks of cells whose runs are all the same: one run is executed, and every row has its outcome.
 */

import { describe, expect, it, vi } from 'vitest';
import { executeChunk } from '../../../src/experiment/sweep/chunk.ts';
import { outlineSweep, planCells } from '../../../src/experiment/sweep/plan.ts';
import { parseSeed } from '../../../src/random.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { STILL } from '../models.ts';

const counter = vi.hoisted(() => ({ runs: 0 }));

vi.mock(import('../../../src/experiment/runs/run.ts'), async (original) => {
  const actual = await original();
  const createObserver: typeof actual.createObserver = (model, services) => {
    const observe = actual.createObserver(model, services);
    return (of) => {
      counter.runs += 1;
      return observe(of);
    };
  };
  return { ...actual, createObserver };
});

const SEED = parseSeed('7');

async function cellOf(...sets: readonly string[]) {
  const model = await findInCatalogue('partition-bully');
  const outline = outlineSweep(model, { sets, document: null, runs: 40, seed: SEED });
  return planCells(model, outline, { seed: SEED, rateMeasured: null });
}

describe('a chunk of a cell whose runs are all the same', () => {
  it.each([
    ['network.election.latency=1', 1],
    ['network.election.latency=uniform:1:2', 12],
  ])('with %s executes %d of 12 runs in two chunks', async (setting, executed) => {
    const cells = await cellOf(setting);
    const spec = { cells, seed: SEED, seedRule: 'paired' } as const;
    counter.runs = 0;

    const records = [0, 6].flatMap((from) =>
      executeChunk(spec, { cell: 0, from, count: 6 }, STILL),
    );

    expect(counter.runs).toBe(executed);
    expect(records.map(({ repetition }) => repetition)).toEqual([...Array(12).keys()]);
    const different = new Set(records.map(({ outcomes }) => JSON.stringify(outcomes)));
    expect(different.size === 1).toBe(executed === 1);
  });

  it('keeps the outcomes of two cells apart', async () => {
    const cells = await cellOf('network.election.latency=1,3');
    const spec = { cells, seed: SEED, seedRule: 'paired' } as const;

    const texts = [0, 1, 0].map((cell) =>
      JSON.stringify(executeChunk(spec, { cell, from: 0, count: 2 }, STILL)),
    );

    expect(texts[2]).toBe(texts[0]);
    expect(texts[1]).not.toBe(texts[0]);
  });
});
