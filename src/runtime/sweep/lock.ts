/**
 * @module
 * One sweep at a time on one set of files: a lock file that names the process that holds it. A lock
 * whose process is dead is taken over; a file that is no lock is somebody's and stays. A process is
 * known by its number and, where the system tells, by when it started, since numbers are used again.
 */

import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { codeOf, unwritable } from '../files/file-faults.ts';

const HOLDER = z.object({
  format: z.literal('usurp-sweep-lock/1'),
  // 0 and below are groups of processes to the system, not one.
  pid: z.int().min(1),
  /** In ticks since the system's start; null where it does not tell. */
  started: z.string().nullable(),
});
type Holder = z.infer<typeof HOLDER>;

/**
 * Takes the lock; the answer gives it back. Throws LabError `file.exists` if a living process has it,
 * or a file that is no lock is in its place (unless forced).
 */
export function takeLock(path: string, { force }: { readonly force: boolean }): () => void {
  const text = lockText();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    if (createLock(path, text)) return () => removeIf(path, text);
    const found = lockAt(path, force);
    if (found === null) continue;
    const holder = holderOf(found);
    if (holder !== null && isAlive(holder)) throw held(path, holder);
    if (holder === null && found !== '' && !force) throw foreign(path);
    takeOver(path, found);
  }
  throw new LabError('file.exists', `${path} is fought over by other sweeps; try again`);
}

const ATTEMPTS_MAX = 8;
/** More than any lock has. */
const LOCK_BYTES_MAX = 4096;

/** No two are equal, so that each holder knows its own. */
function lockText(): string {
  const { pid } = process;
  const holder: Holder = { format: 'usurp-sweep-lock/1', pid, started: startOf(pid) };
  return `${JSON.stringify({ ...holder, id: randomBytes(8).toString('hex') })}\n`;
}

/** Whole or not at all: a lock without its holder would look dead. */
function createLock(path: string, text: string): boolean {
  const aside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(aside, text, { flag: 'wx' });
    linkSync(aside, path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw unwritable(path, error);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** What the file at the place of a lock says; null if it has gone by now. */
function lockAt(path: string, force: boolean): string | null {
  try {
    const entry = lstatSync(path);
    if (!entry.isFile()) throw foreign(path);
    if (entry.size <= LOCK_BYTES_MAX) return readFileSync(path, 'utf8');
    if (!force) throw foreign(path);
    return TOO_LONG;
  } catch (error) {
    if (error instanceof LabError) throw error;
    if (codeOf(error) === 'ENOENT') return null;
    throw unwritable(path, error);
  }
}

const TOO_LONG = 'too long for a lock';

function holderOf(text: string): Holder | null {
  try {
    return HOLDER.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Removes a dead lock, under a lock of its own: two that found it dead would otherwise remove it one
 * after the other, and the second one would take away what the first has made in its place.
 */
function takeOver(path: string, dead: string): void {
  const release = takeLock(`${path}-takeover`, { force: false });
  try {
    if (lockAt(path, true) === dead) rmSync(path, { force: true });
  } finally {
    release();
  }
}

/** Somebody who took this process for dead may have a lock of its own there. */
function removeIf(path: string, text: string): void {
  try {
    if (lockAt(path, true) === text) rmSync(path, { force: true });
  } catch (error) {
    // What is there now is not this lock, or cannot be removed: it will be found dead.
    if (!(error instanceof LabError)) throw error;
  }
}

/** Whether the process of this number is there, whoever's it is. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive all the same.
    return codeOf(error) === 'EPERM';
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (!isRunning(pid)) return false;
  const now = startOf(pid);
  return started === null || now === null || now === started;
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

function foreign(path: string): LabError {
  return new LabError(
    'file.exists',
    `${path} is no lock of a sweep and was left unchanged; move it or choose another --out`,
  );
}
