/**
 * @module
 * This folder contains sweeps. A sweep executes all repetitions of all cells. A cell is one point of the
 * axes: a threat model with settings applied. A run depends only on the model of its cell and on its own
 * seed, so no row depends on the order, the engine or the number of workers. This file has the data types
 * that plans, engines, journals and tables share.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { utf8ToBytes } from '../../bytes.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed, labelText } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { Origin } from '../response/settle.ts';
import type { ObservedOutcome } from '../runs/run.ts';
import type { GridCell, SeedRule } from './grid.ts';

/** The response of adversaries in a cell, in words. */
export interface CellResponse {
  /** Empty if no election is held. */
  readonly protocols: readonly ProtocolName[];
  readonly text: string;
  readonly found: Origin;
}

export interface SweepCell extends GridCell {
  /** `path=value`, as `usurp run --set` takes them: first those of the sweep, then those of the axes. */
  readonly settings: readonly string[];
  /** Null if the document refuses these values. */
  readonly model: ThreatModel | null;
  /** How adversaries respond, for each group of equal responses. */
  readonly responses?: readonly CellResponse[];
  /** Hex of SHA-256 over the canonical JSON of the model. Seeds and ids of rows depend on it. */
  readonly digest: string;
}

/** The order to an engine. It is plain JSON. */
export interface SweepSpec {
  readonly cells: readonly SweepCell[];
  /** The base seed. */
  readonly seed: Seed;
  readonly seedRule: SeedRule;
  /** Repetitions of each cell. */
  readonly runs: number;
  /** Package version and digest of the sources. Rows of another version are never reused. */
  readonly codeVersion: string;
}

/** Repetitions from..from+count−1 of one cell. */
export interface Chunk {
  readonly cell: number;
  readonly from: number;
  readonly count: number;
}

/** The result of one run of a cell. It is plain JSON. */
export interface RunRecord {
  readonly repetition: number;
  /** One for each group of protocols of the cell. Null if the run failed. */
  readonly outcomes: readonly ObservedOutcome[] | null;
  /** Why the run failed. Null if it has an outcome. */
  readonly failure: string | null;
}

/** A finished chunk. */
export interface ChunkReport {
  readonly chunk: Chunk;
  readonly records: readonly RunRecord[];
  readonly wallSeconds: number;
}

/** A finished chunk with the records as `packRecords` writes them. */
export interface PackedReport {
  readonly chunk: Chunk;
  readonly packed: string;
  /** The number of records with a failure. */
  readonly failed: number;
  readonly wallSeconds: number;
}

/** The source of an engine's chunks and the receiver of its reports. */
export interface SweepDriver {
  /** The next chunk to compute. Null if none is left. No chunk is issued twice. */
  next(): Chunk | null;
  /** Takes a finished chunk. A chunk that is reported twice counts once. */
  accept(report: ChunkReport | PackedReport): void;
  readonly signal: AbortSignal;
}

/** Executes chunks on threads of this process or on a fleet. */
export interface SweepEngine {
  /** Resolves when the driver has no chunk left and all issued chunks are reported, or at an abort. */
  execute(spec: SweepSpec, driver: SweepDriver): Promise<void>;
  /** A text for the progress line, such as `2 threads` or `3 workers live, 12 jobs waiting`. */
  status(): string;
  /** Cancels pending work and frees all resources. */
  close(): Promise<void>;
}

type SeedSource = Pick<SweepSpec, 'seed' | 'seedRule'>;

/**
 * The seed of one repetition of a cell, as `usurp run --seed` takes it. Paired seeds depend on the repetition alone,
 * so that cells are compared under the same random numbers. The seeds and the ids of rows. Seeds depend on the
 * repetition, and on request on the model of the cell. Ids depend on model, seed and code. Neither depends on the
 * index of a cell, the order or the engine, so that a sweep can be divided, extended and shared without changing its
 * rows.
 */
export function rowSeed(source: SeedSource, cellDigest: string, repetition: number): Seed {
  switch (source.seedRule) {
    case 'paired':
      return deriveSeed(source.seed, 'repetition', repetition);
    case 'independent':
      return deriveSeed(source.seed, 'repetition', repetition, cellDigest);
    default:
      return source.seedRule satisfies never;
  }
}

/**
 * Makes the numbers of the hasher the seeds of repetitions: those of `rowSeed`, all at once. They remain until its
 * next numbers. `seedsOf` reads them.
 */
export function rowSeeds(
  texts: TextHasher,
  source: SeedSource,
  cellDigest: string,
  { from, count }: { readonly from: number; readonly count: number },
): void {
  const before = labelText(source.seed, 'repetition', '');
  texts.count(from, count);
  texts.hash(before, source.seedRule === 'paired' ? '' : `\0${cellDigest}`);
  texts.chain();
}

/** The seeds that are the numbers of a hasher. */
export function seedsOf(texts: TextHasher): readonly Seed[] {
  // Digests of 256 bits as decimal numbers are seeds.
  return texts.decimals() as Seed[];
}

/**
 * The text around the seed whose SHA-256 is the id of a row: its model, its seed, the version of the code, and its
 * protocols if the run has other rows.
 */
export function rowIdAround(
  cellDigest: string,
  codeVersion: string,
  protocols: readonly string[],
): readonly [string, string] {
  const before = ['usurp/row/v1', cellDigest, ''].join('\0');
  return [before, ['', codeVersion, ...protocols].join('\0')];
}

/** Hex of SHA-256 over texts without NUL. */
export function hexDigest(...texts: readonly string[]): string {
  return hexOfText(texts.join('\0'));
}

/** Joins all digits at once: a text that grows digit by digit keeps its parts, 1 kB in each cell. */
function hexOfText(text: string): string {
  const digits = Array.from(sha256(utf8ToBytes(text)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  return digits.join('');
}
