/**
 * @module
 * The work of every sweep engine: it executes the repetitions of a chunk, each from its own seed, and
 * records them. If a model refuses a run, its record contains the failure and the chunk goes on.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { createObserver } from '../runs/run.ts';
import type { Services } from '../runs/runner.ts';
import { rowSeed } from './seeds.ts';
import type { Chunk, RunRecord, SweepSpec } from './sweep.ts';

/** The part of a sweep that runs depend on. */
export type ChunkSpec = Pick<SweepSpec, 'cells' | 'seed' | 'seedRule'>;

/** Returns the same seeds as `rowSeed`. */
export type SeedOf = (cellDigest: string, repetition: number) => Seed;

/** Executes the repetitions of a chunk in their order. `seedOf` can be a cache of seeds. */
export function executeChunk(
  spec: ChunkSpec,
  chunk: Chunk,
  services: Services,
  seedOf: SeedOf = (cellDigest, repetition) => rowSeed(spec, cellDigest, repetition),
): readonly RunRecord[] {
  const cell = spec.cells[chunk.cell];
  if (cell === undefined || cell.model === null) {
    throw new RangeError(`"chunk.cell" expected a cell with a model, got ${chunk.cell}`);
  }
  const run = recorder(cell.model, services);
  return Array.from({ length: chunk.count }, (_, index) => {
    const repetition = chunk.from + index;
    return run(seedOf(cell.digest, repetition), repetition);
  });
}

/** A row is run 0 under its own seed, so `usurp run --runs 1 --seed …` repeats it. */
function recorder(
  model: ThreatModel,
  services: Services,
): (seed: Seed, repetition: number) => RunRecord {
  let observe: ReturnType<typeof createObserver> | null = null;
  return (seed, repetition) => {
    try {
      observe ??= createObserver(model, services);
      return { repetition, outcomes: observe({ seed, run: 0 }), failure: null };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const failure = `${error.code}: ${error.message}`;
      return { repetition, outcomes: null, failure };
    }
  };
}
