/**
 * @module
 * The work of every sweep engine: it executes the repetitions of a chunk, each from its own seed, and
 * records them. If every run of a model is the same, one is executed and recorded for all repetitions. If a model
 * refuses a run, its record contains the failure and the chunk goes on.
 */

import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import { createObserver } from '../runs/run.ts';
import type { Services } from '../runs/runner.ts';
import { constantGroups } from '../runs/variation.ts';
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
  const run = recorder(cell.digest, cell.model, services);
  return Array.from({ length: chunk.count }, (_, index) => {
    const repetition = chunk.from + index;
    return run(seedOf(cell.digest, repetition), repetition);
  });
}

/** A row is run 0 under its own seed, so `usurp run --runs 1 --seed …` repeats it. */
function recorder(
  digest: string,
  model: ThreatModel,
  services: Services,
): (seed: Seed, repetition: number) => RunRecord {
  let cell: KnownCell | null = null;
  let observe: ReturnType<typeof createObserver> | null = null;
  return (seed, repetition) => {
    try {
      cell ??= knownCell(digest, model);
      observe ??= createObserver(model, services);
      const outcomes = cell.outcomes ?? observe({ seed, run: 0 });
      if (!cell.varies) cell.outcomes = outcomes;
      return { repetition, outcomes, failure: null };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      const failure = `${error.code}: ${error.message}`;
      return { repetition, outcomes: null, failure };
    }
  };
}

/** What a thread knows of the cell whose chunk it executed last. Mostly the next chunk is of the same cell. */
interface KnownCell {
  readonly digest: string;
  /** Whether the seed decides something. To find that out can take an election. */
  readonly varies: boolean;
  /** The outcomes of every run if they are all the same, once they are known. */
  outcomes: readonly ObservedOutcome[] | null;
}

let lastCell: KnownCell | null = null;

function knownCell(digest: string, model: ThreatModel): KnownCell {
  if (lastCell?.digest === digest) return lastCell;
  const varies = constantGroups(model).includes(false);
  lastCell = { digest, varies, outcomes: null };
  return lastCell;
}
