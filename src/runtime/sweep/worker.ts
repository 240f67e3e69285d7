/**
 * @module
 * One thread of a sweep: executes chunks and reports their packed records.
 */

import type { SeedOf } from '../../experiment/sweep/chunk.ts';
import { executePacked } from '../../experiment/sweep/chunk.ts';
import type { Chunk, PackedReport, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from '../threads/clocks.ts';
import { kernelSource, textHasher } from '../threads/kernels.ts';
import { serveRanges } from '../threads/range-pool.ts';
import { SeedSource } from './window.ts';

export type SweepWork = Pick<SweepSpec, 'seed' | 'seedRule'>;

export interface ChunkOrder {
  /** Each with its cell. A thread does not keep all cells, which would take too much memory. */
  readonly items: readonly { readonly chunk: Chunk; readonly cell: SweepCell }[];
}

export interface ChunkReports {
  readonly reports: readonly PackedReport[];
}

serveRanges((work: SweepWork) => {
  // Deriving a seed takes a third of the time of a cheap run, and paired cells have the same seeds.
  const seeds = new SeedSource(work);
  const seedOf: SeedOf = (cellDigest, repetition) => seeds.of(cellDigest, repetition);
  // The settings of the cells contain a measured rate as a number.
  const services = {
    clocks: threadClocks,
    kernels: kernelSource(),
    plain: plainVerifier,
    texts: textHasher(),
    rateMeasured: null,
  };
  const reportOf = ({ chunk, cell }: ChunkOrder['items'][number]): PackedReport => {
    const start = threadClocks.wallSeconds();
    const spec = { ...work, cells: [cell] };
    const executed = executePacked(spec, { ...chunk, cell: 0 }, services, seedOf);
    return { chunk, ...executed, wallSeconds: threadClocks.wallSeconds() - start };
  };
  return ({ items }: ChunkOrder): ChunkReports => ({ reports: items.map(reportOf) });
});
