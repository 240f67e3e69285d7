/**
 * @module
 * The folders for the tables of sweeps: beside the data file, where they survive a restart, or among the
 * system's temporary files, where they are removed when the server stops. A file in each folder says which
 * data file it belongs to. Nothing else is ever removed: neither a folder without that file, nor a file with
 * another name than those of a sweep. A folder with finished tables is removed with its job only, because
 * another copy of the data file may know it.
 */

import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, open, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

import { codeOf } from '../../../src/runtime/files/file-sink.ts';
import { sweepFiles, TABLE_FORMATS } from '../../../src/runtime/sweep/files.ts';
import type { StoreFile } from '../../store/store-file.ts';

/** Ending of the folder beside the data file. */
export const SWEEPS_ENDING = '.sweeps';

/** The folders of one server, in a folder that is created with the first of them. */
export class SweepFolders {
  /** The folder beside the data file; null without a data file. */
  readonly #kept: string | null;
  /** Who made the folders: a data file, or none. */
  readonly #maker: string;
  #root: Promise<string> | null = null;
  readonly #removals = new Set<Promise<void>>();

  /** `file` is the data file; null puts the folders among the temporary files. */
  constructor(file: Pick<StoreFile, 'path' | 'id'> | null = null) {
    this.#kept = file === null ? null : `${file.path}${SWEEPS_ENDING}`;
    this.#maker = file?.id ?? TEMPORARY;
  }

  /** Creates a folder that only this user may enter. */
  async make(): Promise<string> {
    this.#root ??= this.#makeRoot();
    const folder = await mkdtemp(join(await this.#root, PREFIX));
    await mark(folder, this.#maker);
    return folder;
  }

  /** Says that the tables in a folder are finished. Resolves when that is on disk with their names. */
  async finish(folder: string): Promise<void> {
    await writeSynced(join(folder, FINISHED), '');
    for (const path of [folder, join(folder, '..')]) await sync(path);
  }

  /** Removes the files of a sweep, and the folder if no other file is in it. */
  async remove(folder: string): Promise<void> {
    const removal = removeOwn(folder, this.#maker);
    this.#removals.add(removal);
    await removal.finally(() => this.#removals.delete(removal));
  }

  /** The present path of a folder from before a restart. */
  at(folder: string | null): string | null {
    return folder === null || this.#kept === null ? null : join(this.#kept, basename(folder));
  }

  /**
   * Removes the folders of killed servers, and those of this data file with unfinished tables, except `kept`.
   * Returns what the operator should know about the others.
   */
  async restore(kept: readonly string[]): Promise<string[]> {
    await removeLeftBehind();
    if (this.#kept === null || !existsSync(this.#kept)) return [];
    // Of jobs that were forgotten when they were restored.
    await Promise.allSettled(this.#removals);
    const unknown: string[] = [];
    for (const name of await readdir(this.#kept)) {
      const path = join(this.#kept, name);
      if (kept.includes(path)) continue;
      const isUnfinished = (await isOwn(path, this.#maker)) && !existsSync(join(path, FINISHED));
      if (isUnfinished) await this.remove(path);
      if (existsSync(path)) unknown.push(name);
    }
    if (unknown.length === 0) return [];
    const shown = unknown.slice(0, SHOWN_MAX).join(', ');
    const more = unknown.length > SHOWN_MAX ? ', …' : '';
    return [
      `${this.#kept} has ${unknown.length} entries of which the data file knows no sweep: ${shown}${more}. ` +
        'They were left; another state of the data file may need them',
    ];
  }

  /** Removes the temporary folders. */
  async close(): Promise<void> {
    if (this.#kept === null && this.#root !== null) await removeTemporary(await this.#root);
  }

  async #makeRoot(): Promise<string> {
    if (this.#kept === null) {
      const root = await mkdtemp(join(tmpdir(), `${TEMPORARY}${process.pid}-`));
      await mark(root, TEMPORARY);
      return root;
    }
    await mkdir(this.#kept, { recursive: true, mode: 0o700 });
    return this.#kept;
  }
}

const PREFIX = 'sweep-';
/** Has the maker of a folder and its name, so that a copy under another name is another folder. */
const OWNER = 'usurp-owner';
/** Is there if the tables are finished. */
const FINISHED = 'usurp-finished';
const SHOWN_MAX = 3;

/** Machines and containers may share the folder, and have processes with the same number. */
const TEMPORARY = `usurp-sweeps-${hostname().replaceAll(/[^\w.]/g, '_')}-`;

const FILES_OF_SWEEPS: ReadonlySet<string> = new Set(
  TABLE_FORMATS.flatMap((format) => {
    const { runs, cells, manifest, journal } = sweepFiles(`rows.${format}`, format);
    return [runs, cells, manifest, journal, `${journal}-wal`, `${journal}-shm`];
  }),
);
/** A table that was being written. */
const ASIDE = /^rows\.[\w.]+\.[0-9]+-[0-9a-f]{12}\.usurp-tmp$/;

async function mark(folder: string, maker: string): Promise<void> {
  await writeSynced(join(folder, OWNER), ownerText(folder, maker));
}

function ownerText(folder: string, maker: string): string {
  return `${maker} ${basename(folder)}\n`;
}

/** Whether this is a folder, not a link to one, that was made by `maker` under this name. */
async function isOwn(folder: string, maker: string): Promise<boolean> {
  const entry = await lstat(folder).catch(() => null);
  if (!entry?.isDirectory()) return false;
  const text = await readFile(join(folder, OWNER), 'utf8').catch(() => null);
  return text === ownerText(folder, maker);
}

/** Another server that starts may be removing the same folder. */
async function removeOwn(folder: string, maker: string): Promise<void> {
  if (!(await isOwn(folder, maker))) return;
  // In this order, so that a removal that is interrupted can be completed later.
  await rm(join(folder, FINISHED), { force: true });
  for (const name of await namesIn(folder)) {
    if (FILES_OF_SWEEPS.has(name) || ASIDE.test(name))
      await rm(join(folder, name), { force: true });
  }
  await removeMarked(folder);
}

/** The names in a folder; none if it is gone. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Removes the mark, and the folder if nothing else is in it. */
async function removeMarked(folder: string): Promise<void> {
  await rm(join(folder, OWNER), { force: true });
  await rmdir(folder).catch((error: unknown) => {
    if (!LEFT_OR_GONE.has(codeOf(error))) throw error;
  });
}

const LEFT_OR_GONE: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT']);

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes the names in a folder durable, where the system can do that. */
async function sync(folder: string): Promise<void> {
  const opened = await open(folder, 'r').catch(() => null);
  await opened?.sync().catch(() => undefined);
  await opened?.close();
}

async function removeLeftBehind(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(/^(\d+)-\w+$/.exec(name.replace(TEMPORARY, ''))?.[1]);
    if (!name.startsWith(TEMPORARY) || Number.isNaN(pid) || isAlive(pid)) continue;
    const path = join(tmpdir(), name);
    const entry = await lstat(path).catch(() => null);
    if (entry?.uid !== process.getuid?.()) continue;
    await removeTemporary(path);
  }
}

/** Removes the temporary folder of a server. */
async function removeTemporary(root: string): Promise<void> {
  if (!(await isOwn(root, TEMPORARY))) return;
  const folders = new SweepFolders();
  for (const name of await namesIn(root)) await folders.remove(join(root, name));
  await removeMarked(root);
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
