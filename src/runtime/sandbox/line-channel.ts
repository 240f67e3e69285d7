/**
 * @module
 * Lines of JSON between two processes, read and written by blocking calls, so that the machine of a node can be in the
 * other process although a step is a function call. A line has a bound.
 */

import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';

/** One line. A state or a message is far shorter. */
export const LINE_BYTES_MAX = 256 * 1024;
/** The descriptors of the process in the sandbox. Those of standard streams lead nowhere. */
export const REQUESTS_FD = 3;
export const ANSWERS_FD = 4;

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 10;

/** The other process broke the protocol. */
export class ChannelFault extends Error {}

/** The other process has ended. */
export class ChannelEnd extends ChannelFault {}

/** One end of the two pipes. */
export class LineChannel {
  readonly #input: number;
  readonly #output: number;
  /** Read into again and again: a new one for each of many short lines takes as long as all else. */
  readonly #chunk = Buffer.alloc(CHUNK_BYTES);
  #rest = Buffer.alloc(0);

  constructor({ input, output }: { readonly input: number; readonly output: number }) {
    this.#input = input;
    this.#output = output;
  }

  /** Throws ChannelEnd if the reader has ended. */
  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#output, bytes, done);
    } catch {
      throw new ChannelEnd('the process has ended');
    }
  }

  /** The next line. Throws ChannelEnd at the end, and ChannelFault for a line that is too long. */
  read(): string {
    for (;;) {
      const end = this.#rest.indexOf(NEWLINE);
      if (end >= 0) {
        const line = this.#rest.subarray(0, end).toString('utf8');
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      if (this.#rest.length > LINE_BYTES_MAX) {
        throw new ChannelFault(`an answer is longer than ${LINE_BYTES_MAX} bytes`);
      }
      const length = readSync(this.#input, this.#chunk, 0, CHUNK_BYTES, null);
      if (length === 0) throw new ChannelEnd('the process has ended');
      this.#rest = Buffer.concat([this.#rest, this.#chunk.subarray(0, length)]);
    }
  }

  /** Whether more was received than was read. */
  get hasMore(): boolean {
    return this.#rest.length > 0;
  }
}
