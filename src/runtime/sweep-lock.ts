/**
 * @module
 * One sweep at a time on one set of files: a lock file that names the process that holds it. A lock
 * whose process is dead is taken over. A process is known by its number and, where the system tells,
 * by when it started, since numbers are used again.
 */

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { LabError } from '../errors.ts';
import { codeOf, unwritable } from './file-faults.ts';

interface Holder {
  readonly pid: number;
  /** In ticks since the system's start; null where it does not tell. */
  readonly started: string | null;
}

/** Takes the lock or throws LabError `file.exists`; the answer gives it back. */
export function takeLock(path: string): () => void {
  const mine: Holder = { pid: process.pid, started: startOf(process.pid) };
  const text = `${JSON.stringify(mine)}\n`;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (createLock(path, text)) return () => rmSync(path, { force: true });
    const holder = readHolder(path);
    if (holder !== null && isAlive(holder)) throw held(path, holder);
    putAside(path, holder);
  }
  throw new LabError('file.exists', `${path} is fought over by other sweeps; try again`);
}

const ATTEMPTS_MAX = 8;

/** Whole or not at all: a lock without its holder would look dead. */
function createLock(path: string, text: string): boolean {
  const aside = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(aside, text);
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw unwritable(path, error);
  } finally {
    rmSync(aside, { force: true });
  }
}

function readHolder(path: string): Holder | null {
  try {
    const { pid, started }: Partial<Holder> = JSON.parse(readFileSync(path, 'utf8'));
    return Number.isInteger(pid) && pid !== undefined ? { pid, started: started ?? null } : null;
  } catch {
    return null;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user is alive all the same.
    if (codeOf(error) !== 'EPERM') return false;
  }
  const now = startOf(pid);
  return started === null || now === null || now === started;
}

/** Moves a dead lock away; whoever did so first may have a lock of its own there by now. */
function putAside(path: string, dead: Holder | null): void {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw unwritable(path, error);
  }
  const moved = readHolder(aside);
  try {
    if (moved !== null && (moved.pid !== dead?.pid || moved.started !== dead.started)) {
      linkSync(aside, path);
    }
  } catch {
    // Somebody else has taken the place: theirs stands.
  }
  rmSync(aside, { force: true });
}

/** Field 22 of proc(5)'s stat, after the name, which may have spaces. */
function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return fields[19] ?? null;
  } catch {
    return null;
  }
}

function held(path: string, { pid }: Holder): LabError {
  return new LabError(
    'file.exists',
    `${path}: process ${pid} is sweeping into these files; wait for it or choose another --out`,
  );
}
