/**
 * @module
 * The folders for the tables of sweeps: beside the data file, where they survive a restart, or among the
 * system's temporary files, where they are removed when the server stops. The name of a temporary folder
 * contains machine and process, so that the folders of a killed server can be recognized.
 */

import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import process from 'node:process';

/** The folders of one server, in a folder that is created with the first of them. */
export class SweepFolders {
  /** The folder beside the data file; null without a data file. */
  readonly #kept: string | null;
  #root: Promise<string> | null = null;

  /** `data` is the data file; null puts the folders among the temporary files. */
  constructor(data: string | null = null) {
    this.#kept = data === null ? null : `${resolve(data)}${SWEEPS_ENDING}`;
  }

  /** Creates a folder that only this user may enter. */
  async make(): Promise<string> {
    this.#root ??= this.#makeRoot();
    return mkdtemp(join(await this.#root, PREFIX));
  }

  async remove(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true });
  }

  /** The present path of a folder from before a restart; null if it does not exist. */
  found(folder: string | null): string | null {
    if (folder === null || this.#kept === null) return null;
    const path = join(this.#kept, basename(folder));
    return existsSync(path) ? path : null;
  }

  /** Removes the folders of killed servers, and those of this data file except `kept`. */
  async restore(kept: readonly string[]): Promise<void> {
    await removeLeftBehind();
    if (this.#kept === null || !existsSync(this.#kept)) return;
    for (const name of await readdir(this.#kept)) {
      const path = join(this.#kept, name);
      if (name.startsWith(PREFIX) && !kept.includes(path)) await this.remove(path);
    }
  }

  /** Removes the temporary folders. */
  async close(): Promise<void> {
    if (this.#kept === null && this.#root !== null) await this.remove(await this.#root);
  }

  async #makeRoot(): Promise<string> {
    if (this.#kept === null) return mkdtemp(join(tmpdir(), `${TEMPORARY}${process.pid}-`));
    await mkdir(this.#kept, { recursive: true, mode: 0o700 });
    return this.#kept;
  }
}

/** Ending of the folder beside the data file. */
export const SWEEPS_ENDING = '.sweeps';

const PREFIX = 'sweep-';

/** Machines and containers may share the folder, and have processes with the same number. */
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

/** Whether a process with this number exists, also one of another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
