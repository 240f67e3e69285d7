/**
 * @module
 * This folder reads and writes files. This file writes a file in order under a temporary name, computes its
 * digest, and then renames it. A reader of the name always finds a complete file, the old one or the new one.
 */

import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { LabError } from '../../errors.ts';

/** The system's code of an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** The refusal for a file that could not be written. */
export function unwritable(path: string, error: unknown): LabError {
  return new LabError('file.unwritable', `${path} could not be written: ${codeOf(error)}`);
}

/**
 * Makes a folder and those above it, if they are missing. Throws LabError `file.unwritable`. Node's own recursion never ends
 * below a folder that refuses new ones with ENOENT, such as /proc.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process can have made it.
    if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
  }
}

const BUFFERED_CHARACTERS = 1 << 20;
const ASIDE = '.usurp-tmp';
const ASIDE_NAME = /\.([1-9][0-9]*)-[0-9a-f]{12}\.usurp-tmp$/;

/** Removes the temporary files of a stem whose processes no longer exist. */
export function removeAbandoned(stem: string): void {
  const before = `${basename(stem)}.`;
  for (const found of readdirSync(dirname(stem))) {
    const [, pid] = ASIDE_NAME.exec(found) ?? [];
    if (pid === undefined || !found.startsWith(before) || isRunning(Number(pid))) continue;
    rmSync(join(dirname(stem), found), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return codeOf(error) === 'EPERM';
  }
}

/** Owns a temporary file until `finish` or `discard`. */
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
    this.#aside = `${path}.${process.pid}-${randomBytes(6).toString('hex')}${ASIDE}`;
    this.#file = this.#try(() => openSync(this.#aside, 'wx'));
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

  /** Completes the temporary file and returns its digest. `publish` gives it its name. */
  finish(): string {
    this.#flush();
    this.#try(() => fsyncSync(this.#file));
    this.#close();
    return this.#hash.digest('hex');
  }

  publish(): void {
    this.#try(() => renameSync(this.#aside, this.path));
  }

  /** Removes the temporary file. A file with the name stays as it is. */
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
