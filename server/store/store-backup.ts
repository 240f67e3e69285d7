/**
 * @module
 * Copies a data file while it is in use, completely or not at all.
 */

import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

import { LabError } from '../../src/errors.ts';

/** Writes everything that was committed to `target`, which is complete without a log. Throws LabError. */
export async function copyTo(database: DatabaseSync, target: string): Promise<void> {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    await copyPages(database, part);
    const copy = new DatabaseSync(part);
    copy.exec('PRAGMA journal_mode = DELETE; UPDATE state SET closed = 1');
    copy.close();
    sync(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new LabError('file.unwritable', `a backup cannot be written to ${target}: ${why}`);
  }
}

/**
 * Copies all pages in one step, because a write between two steps would start the copy again. A write of
 * this connection during the step makes it fail; it is then repeated.
 */
async function copyPages(database: DatabaseSync, target: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await backup(database, target, { rate: 0x7fffffff });
      return;
    } catch (error) {
      if (tries === COPY_TRIES_MAX) throw error;
      await delay(COPY_PAUSE_MS);
    }
  }
}

const COPY_TRIES_MAX = 20;
const COPY_PAUSE_MS = 25;

function sync(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
