/**
 * @module
 * The work of every sweep engine: it executes the repetitions of a chunk, each from its own seed, and
 * records them. If every run of a model is the same, one is executed and recorded for all repetitions. If a model
 * refuses a run, its record contains the failure and the chunk goes on.
 */

import { LabError } from '../../errors.ts';
import { TEXTS_MAX } from '../../mining/kernel/text-kernel.ts';
import type { Seed } from '../../random.ts';
import { labelText } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import { createBatch, createObserver } from '../runs/run.ts';
import type { Services } from '../runs/runner.ts';
import type { SampledBatch } from '../runs/sampled-batch.ts';
import { constantGroups } from '../runs/variation.ts';
import { packBatch, packRecords } from './packing.ts';
import type { Chunk, RunRecord, SweepSpec } from './sweep.ts';
import { rowSeed, rowSeeds } from './sweep.ts';

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

/** The records of a chunk as `packRecords` writes them. */
export interface ExecutedChunk {
  readonly packed: string;
  /** The number of records with a failure. */
  readonly failed: number;
}

/** Executes a chunk as `executeChunk` does, and packs its records. Sampled runs are executed in batches. */
export function executePacked(
  spec: ChunkSpec,
  chunk: Chunk,
  services: Services,
  seedOf?: SeedOf,
): ExecutedChunk {
  const packed = executeBatch(spec, chunk, services);
  if (packed !== null) return { packed, failed: 0 };
  const records = executeChunk(spec, chunk, services, seedOf);
  const failed = records.filter((record) => record.outcomes === null).length;
  return { packed: packRecords(records), failed };
}

/** The packed records of a batch. Null if the runs of the cell must be executed one by one. */
export function executeBatch(spec: ChunkSpec, chunk: Chunk, services: Services): string | null {
  const { digest, model = null } = spec.cells[chunk.cell] ?? {};
  const { texts = null } = services;
  if (digest === undefined || model === null || texts === null) return null;
  const batch = knownBatch(digest, model, services);
  // A row is run 0.
  if (batch === null || batch.from > 0) return null;
  const won = new Uint8Array(chunk.count);
  const identities = new Float64Array(chunk.count);
  for (let done = 0; done < chunk.count; done += TEXTS_MAX) {
    const count = Math.min(TEXTS_MAX, chunk.count - done);
    rowSeeds(texts, spec, digest, { from: chunk.from + done, count });
    texts.hash(labelText(''), '\0run\x000');
    const drawn = batch.draw(texts.words());
    won.set(drawn.won, done);
    identities.set(drawn.identities, done);
  }
  return packBatch({ won, identities }, batch.observations);
}

let lastBatch: { readonly digest: string; readonly batch: SampledBatch | null } | null = null;

/** The batch of a cell. Null also for a model that refuses its runs, so that the records contain the failure. */
function knownBatch(digest: string, model: ThreatModel, services: Services): SampledBatch | null {
  if (lastBatch?.digest === digest) return lastBatch.batch;
  let batch: SampledBatch | null = null;
  try {
    batch = createBatch(model, services);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
  }
  lastBatch = { digest, batch };
  return batch;
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
