/**
 * @module
 * The lines of a large file one by one, with their places, in the memory of the longest.
 */

import { readSync } from 'node:fs';

export interface Line {
  /** Without its end. */
  readonly line: string;
  readonly offset: number;
  /** With its end. */
  readonly bytes: number;
}

const BLOCK_BYTES = 1 << 20;
const LINE_END = 0x0a;

/** The lines that have an end, of the first `size` bytes of an open file. */
export function* linesOf(file: number, size: number): Generator<Line, void> {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let at = 0;
  while (at < size) {
    const got = readSync(file, block, 0, Math.min(BLOCK_BYTES, size - at), at);
    if (got === 0) return;
    let start = 0;
    for (let end = block.indexOf(LINE_END); end >= 0 && end < got; ) {
      const piece = block.subarray(start, end);
      const whole = begunBytes === 0 ? piece : Buffer.concat([...begun, piece]);
      yield {
        line: whole.toString('utf8'),
        offset: at + start - begunBytes,
        bytes: begunBytes + piece.length + 1,
      };
      begun = [];
      begunBytes = 0;
      start = end + 1;
      end = block.indexOf(LINE_END, start);
    }
    if (start < got) {
      begun.push(Buffer.from(block.subarray(start, got)));
      begunBytes += got - start;
    }
    at += got;
  }
}
