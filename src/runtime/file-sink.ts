/**
 * @module
 * A file that is written in order, in large pieces, with its digest on the way, beside its name and
 * then moved to it, so that whoever reads that name finds a whole file, new or old.
 */

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { unwritable } from './file-faults.ts';

const BUFFERED_CHARACTERS = 1 << 20;

/** Owns a file until `finish` or `discard`. The name is the caller's alone while it does. */
export class FileSink {
  readonly path: string;
  readonly #aside: string;
  readonly #hash = createHash('sha256');
  readonly #file: number;
  #pending: string[] = [];
  #pendingCharacters = 0;
  #isOpen = true;

  constructor(path: string) {
    this.path = path;
    this.#aside = `${path}.tmp`;
    this.#file = this.#try(() => openSync(this.#aside, 'w'));
  }

  writeText(text: string): void {
    this.#pending.push(text);
    this.#pendingCharacters += text.length;
    if (this.#pendingCharacters >= BUFFERED_CHARACTERS) this.#flush();
  }

  writeBytes(bytes: Uint8Array): void {
    this.#flush();
    this.#write(bytes);
  }

  /** Completes the file aside; resolves to its digest. `publish` gives it its name. */
  finish(): string {
    this.#flush();
    this.#try(() => fsyncSync(this.#file));
    this.#close();
    return this.#hash.digest('hex');
  }

  publish(): void {
    this.#try(() => renameSync(this.#aside, this.path));
  }

  /** Forgets what was written; the name keeps the file that it has. */
  discard(): void {
    this.#close();
    rmSync(this.#aside, { force: true });
  }

  #flush(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.from(this.#pending.join(''), 'utf8');
    this.#pending = [];
    this.#pendingCharacters = 0;
    this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    let written = 0;
    while (written < bytes.length) {
      written += this.#try(() => writeSync(this.#file, bytes, written));
    }
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#file);
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }
}
