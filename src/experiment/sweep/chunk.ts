/**
 * @module
 * The work of every sweep engine: the repetitions of a chunk, each from its own seed, as records. A
 * run that its model refuses is a record of its failure and the chunk goes on; a bug is thrown.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { createRunner } from '../runs/run.ts';
import type { Runner, Services } from '../runs/runner.ts';
import { rowSeed } from './seeds.ts';
import type { Chunk, RunRecord, SweepSpec } from './sweep.ts';

/** The part of a sweep that runs depend on; what engines send to workers once. */
export type ChunkSpec = Pick<SweepSpec, 'cells' | 'seed' | 'seedRule'>;

/** The seed of one repetition of a cell, as `rowSeed` derives it. */
export type SeedOf = (cellDigest: string, repetition: number) => Seed;

/** Executes the repetitions of a chunk, in their order; `seedOf` may have kept the seeds. */
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

/** Run 0 under the row's own seed, so that `usurp run --runs 1 --seed …` is the same run. */
function recorder(
  model: ThreatModel,
  services: Services,
): (seed: Seed, repetition: number) => RunRecord {
  let runner: Runner | null = null;
  return (seed, repetition) => {
    try {
      runner ??= createRunner(model, services);
      const { won, observations = {} } = runner({ seed, run: 0 });
      return { repetition, won, observations, failure: null };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const failure = `${error.code}: ${error.message}`;
      return { repetition, won: null, observations: {}, failure };
    }
  };
}
