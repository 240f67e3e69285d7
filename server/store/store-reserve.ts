/**
 * @module
 * Room on the disk that only removals may use: a file beside the data file. On a full disk it is given up, so that callers can
 * delete what they do not need. It is made again when there is room.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** A removal of an election with many actions writes some hundred kilobytes to the log. */
export const RESERVE_BYTES = 512 * 1024;

const CHUNK = new Uint8Array(64 * 1024);

export class StoreReserve {
  readonly #path: string;

  /** Makes the reserve of a data file, if there is room. */
  constructor(data: string) {
    this.#path = `${data}-reserve`;
    this.fill();
  }

  /** Makes the reserve, if there is room. Never throws. */
  fill(): void {
    const partial = `${this.#path}.partial`;
    try {
      if (statSync(this.#path, { throwIfNoEntry: false })?.size === RESERVE_BYTES) return;
      const file = openSync(partial, 'w', 0o600);
      try {
        for (let bytes = 0; bytes < RESERVE_BYTES; bytes += CHUNK.length) writeSync(file, CHUNK);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(partial, this.#path);
    } catch {
      // Without room there is no reserve, and what was written of it is given back.
      rmSync(partial, { force: true });
    }
  }

  /** Gives the room up. False if there is no reserve. */
  release(): boolean {
    if (!existsSync(this.#path)) return false;
    rmSync(this.#path, { force: true });
    return true;
  }
}
