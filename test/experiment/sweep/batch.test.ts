/**
 * @module
 * Batches of sampled runs give the same bytes as the runs one by one: chunks of sweeps and tallies of experiments.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { sampledBatch } from '../../../src/experiment/runs/sampled-batch.ts';
import { executeChunk, executePacked } from '../../../src/experiment/sweep/chunk.ts';
import { packRecords } from '../../../src/experiment/sweep/packing.ts';
import { outlineSweep, planCells } from '../../../src/experiment/sweep/plan.ts';
import { parseSeed } from '../../../src/random.ts';
import { textHasher } from '../../../src/runtime/threads/kernels.ts';
import { modelFrom, STILL, topId } from '../models.ts';

const SEED = parseSeed('7');
const BATCHED = { ...STILL, texts: textHasher() };
const LONG_SEED = parseSeed(String(2n ** 256n - 1n));

function cellsOf(id: string, ...sets: readonly string[]) {
  const model = modelFrom(id);
  const outline = outlineSweep(model, { sets, document: null, runs: 40, seed: SEED });
  return planCells(model, outline, { seed: SEED, rateMeasured: null });
}

describe('a chunk that is executed in a batch', () => {
  it.each([
    ['top-id', ['work=sampled', 'network.identity.c1=0,1,4,8,40']],
    ['top-id', ['work=sampled', 'adversaries.main.budget.attempts=1,2^12,2^40']],
    ['top-id', ['work=sampled', 'network.honest=1,2,33']],
    ['top-id', ['work=sampled', 'adversaries.main.registers=before,after']],
    ['top-id', ['work=sampled', 'network.election.defences=[],[beacon-rank],[frozen-membership]']],
    ['top-id', ['work=sampled', 'expect.property=adversary-leads,honest-leads']],
    ['rented-hash-power', ['work=sampled', 'adversaries.main.budget={attempts: 48e10}']],
    ['rented-hash-power', ['work=sampled', 'adversaries.main.goal=all']],
  ])('has the same bytes: %s %j', (id, sets) => {
    const cells = cellsOf(id, ...sets);
    let batches = 0;
    for (const seedRule of ['paired', 'independent'] as const) {
      for (const seed of [SEED, LONG_SEED]) {
        const spec = { cells, seed, seedRule };
        for (const { index, model } of cells) {
          if (model === null) continue;
          if (sampledBatch(model, null) !== null) batches += 1;
          for (const [from, count] of [
            [0, 300],
            [99_999, 1],
            [4090, 7],
          ] as const) {
            const chunk = { cell: index, from, count };

            const plain = packRecords(executeChunk(spec, chunk, STILL));

            expect(executePacked(spec, chunk, BATCHED).packed).toBe(plain);
            expect(executePacked(spec, chunk, STILL).packed).toBe(plain);
          }
        }
      }
    }
    expect(batches).toBeGreaterThan(0);
  });

  it('crosses the limit of one call of the kernel', () => {
    const cells = cellsOf('top-id', 'work=sampled');
    const spec = { cells, seed: SEED, seedRule: 'paired' } as const;
    const chunk = { cell: 0, from: 3, count: 8192 };

    const { packed } = executePacked(spec, chunk, BATCHED);

    expect(packed).toBe(packRecords(executeChunk(spec, chunk, STILL)));
  });

  it('is not used for runs that hold an election', () => {
    const cells = cellsOf('top-id', 'work=sampled', 'confirmRuns=1');
    const spec = { cells, seed: SEED, seedRule: 'paired' } as const;
    const chunk = { cell: 0, from: 0, count: 3 };

    const { packed } = executePacked(spec, chunk, BATCHED);

    expect(packed).toBe(packRecords(executeChunk(spec, chunk, STILL)));
    expect(packed).toContain('"elections":2');
  });
});

describe('the tally of runs in a batch', () => {
  it.each([
    ['0', { from: 0, count: 700 }],
    ['5', { from: 0, count: 1 }],
    ['5', { from: 199, count: 2 }],
    ['5', { from: 150, count: 4200 }],
    [LONG_SEED, { from: 2 ** 40, count: 99 }],
  ])('is that of the runs one by one: seed %s, %j', (text, range) => {
    const model = topId('work=sampled', 'network.identity.c1=5');

    const tally = executeRuns(model, parseSeed(text), range, BATCHED);

    expect(tally).toEqual(executeRuns(model, parseSeed(text), range, STILL));
  });
});
