/**
 * @module
 * One thread of a sweep, for all of its phases: it searches responses, executes chunks and reports their packed
 * records, and makes the bytes of windows of the tables.
 */

import type { SearchRates, ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { settled } from '../../experiment/runs/run.ts';
import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import type { SeedOf } from '../../experiment/sweep/chunk.ts';
import { executePacked } from '../../experiment/sweep/chunk.ts';
import { runColumns } from '../../experiment/sweep/columns.ts';
import type { RowBlock } from '../../experiment/sweep/rows.ts';
import type { CellSum } from '../../experiment/sweep/sums.ts';
import type { Chunk, PackedReport, SweepCell } from '../../experiment/sweep/sweep.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from '../threads/clocks.ts';
import { kernelSource, textHasher } from '../threads/kernels.ts';
import { serveRanges } from '../threads/range-pool.ts';
import type { TextFormat } from './table-writers.ts';
import { textForm } from './table-writers.ts';
import type { Window } from './window.ts';
import { readWindow, SeedSource } from './window.ts';

export interface SweepWork {
  readonly frame: SweepFrame;
}

/** A model whose responses are open. Answered by its `Settled`. */
export interface SettlingOrder {
  readonly type: 'settle';
  readonly model: ThreatModel;
  readonly rateMeasured: SearchRates;
}

/** Answered by `ChunkReports`. */
export interface ChunkOrder {
  readonly type: 'chunks';
  /** Each with its cell. A thread does not keep all cells, which would take too much memory. */
  readonly items: readonly { readonly chunk: Chunk; readonly cell: SweepCell }[];
}

export interface ChunkReports {
  readonly reports: readonly PackedReport[];
}

/** A window of a cell. Answered by `WindowText`. */
export interface WindowOrder {
  readonly type: 'window';
  readonly cell: SweepCell;
  readonly window: Window;
  /** Null if only sums are needed. */
  readonly format: TextFormat | null;
}

export interface WindowText {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sums: readonly CellSum[];
}

export type SweepOrder = SettlingOrder | ChunkOrder | WindowOrder;

/** Texts as bytes, in memory that is used again. */
class LineBytes {
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(2 ** 22);
  #length = 0;

  add(text: string): void {
    // A UTF-16 unit takes up to three bytes.
    const needed = this.#length + 3 * text.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(2 * needed);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#length += this.#encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
  }

  /** A copy of all bytes, which are then forgotten. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.slice(0, this.#length);
    this.#length = 0;
    return bytes;
  }
}

serveRanges(
  ({ frame }: SweepWork) => {
    const texts = textHasher();
    // Deriving a seed takes a third of the time of a cheap run, and paired cells have the same seeds.
    const seeds = new SeedSource(frame.spec);
    const seedOf: SeedOf = (cellDigest, repetition) => seeds.of(cellDigest, repetition);
    // The settings of the cells contain a measured rate as a number.
    const services = {
      clocks: threadClocks,
      kernels: kernelSource(),
      plain: plainVerifier,
      texts,
      rateMeasured: null,
    };
    const reportOf = ({ chunk, cell }: ChunkOrder['items'][number]): PackedReport => {
      const start = threadClocks.wallSeconds();
      const spec = { ...frame.spec, cells: [cell] };
      const executed = executePacked(spec, { ...chunk, cell: 0 }, services, seedOf);
      return { chunk, ...executed, wallSeconds: threadClocks.wallSeconds() - start };
    };
    const lines = new LineBytes();
    const textOf = ({ cell, window, format }: WindowOrder): WindowText => {
      const form = format === null ? null : textForm(format, runColumns(frame.axes));
      const onBlocks =
        form === null ? null : (blocks: readonly RowBlock[]) => lines.add(form.lines(blocks));
      const sums = readWindow({ frame, cell, texts }, window, onBlocks);
      return { bytes: lines.take(), sums };
    };
    return (order: SweepOrder): Settled | ChunkReports | WindowText => {
      switch (order.type) {
        case 'settle':
          return settled(order.model, order.rateMeasured);
        case 'chunks':
          return { reports: order.items.map(reportOf) };
        case 'window':
          return textOf(order);
        default:
          return order satisfies never;
      }
    };
  },
  // Bytes are handed over, because copying them takes longer than writing them.
  (report) => ('bytes' in report ? [report.bytes.buffer] : []),
);
