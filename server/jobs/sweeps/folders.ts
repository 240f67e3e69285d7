/**
 * @module
 * Where sweeps keep their tables: beside the data file, where finished ones stay over a restart, or in the
 * system's folder for temporary files, from which everything goes when the server does. What a server that
 * was killed left there is known by its name: machine and process.
 */

import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';

/** The folders of one server, in one of its own that is made when the first is needed. */
export class SweepFolders {
  /** Stays, where there is a data file. */
  readonly #kept: string | null;
  #root: Promise<string> | null = null;

  /** Beside this data file; null is among temporary files. */
  constructor(data: string | null = null) {
    this.#kept = data === null ? null : `${resolve(data)}.sweeps`;
  }

  /** A new folder that only this user may enter. */
  async make(): Promise<string> {
    this.#root ??= this.#makeRoot();
    return mkdtemp(join(await this.#root, PREFIX));
  }

  async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  /** Where a folder of before a restart is now; null where it is not. */
  found(folder: string | null): string | null {
    if (folder === null || this.#kept === null) return null;
    const path = join(this.#kept, basename(folder));
    return existsSync(path) ? path : null;
  }

  /** Removes the folders of servers that were killed, and all of this data file's but these. */
  async restore(kept: readonly string[]): Promise<void> {
    await removeLeftBehind();
    if (this.#kept === null || !existsSync(this.#kept)) return;
    for (const name of await readdir(this.#kept)) {
      const path = join(this.#kept, name);
      if (name.startsWith(PREFIX) && !kept.includes(path)) await this.remove(path);
    }
  }

  /** Removes all that nobody could find again. */
  async close(): Promise<void> {
    if (this.#kept === null && this.#root !== null) await this.remove(await this.#root);
  }

  async #makeRoot(): Promise<string> {
    if (this.#kept === null) return mkdtemp(join(tmpdir(), `${TEMPORARY}${process.pid}-`));
    await mkdir(this.#kept, { recursive: true, mode: 0o700 });
    return this.#kept;
  }
}

const PREFIX = 'sweep-';

/** Other machines, and containers, may have the same folder and processes of the same numbers. */
const TEMPORARY = `usurp-sweeps-${hostname().replaceAll(/[^\w.]/g, '_')}-`;

async function removeLeftBehind(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^(\d+)-\w+$/.exec(name.replace(TEMPORARY, ''))?.[1]);
    if (!name.startsWith(TEMPORARY) || Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(tmpdir(), name);
    const entry = await lstat(path).catch(() => null);
    if (!entry?.isDirectory() || entry.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** A process of somebody else has that number too: what it left is not ours to remove. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
