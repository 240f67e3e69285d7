/**
 * @module
 * Reads and writes the files of the command line. Input is bounded, and every error names the file. Output
 * is complete or absent (written to a temporary file, synced, renamed). An existing file is replaced only
 * with --force.
 */

import { randomBytes } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { access, link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { LabError } from '../../errors.ts';
import { codeOf, unwritable } from '../../runtime/files/file-sink.ts';
import { Interrupted } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** Readable and writable by the owner alone. */
export const PRIVATE_MODE = 0o600;
const INPUT_BYTES_MAX = 1024 * 1024;
const PUBLIC_MODE = 0o644;
/** All permissions of the group and of others. */
const OTHERS_MODE = 0o077;

/**
 * The text of a file, or of stdin for `-`. A byte order mark is dropped. Throws LabError that names
 * the file: absent, a directory, unreadable, empty, too large, not UTF-8. Throws Interrupted if the user interrupts
 * while it waits for input.
 */
export async function readText(
  path: string,
  terminal: Terminal,
  bytesMax = INPUT_BYTES_MAX,
): Promise<string> {
  const name = nameOf(path);
  const bytes = await readAtMost(byteChunks(path, terminal, bytesMax), bytesMax);
  if (bytes.length > bytesMax) throw tooLarge(name, bytesMax);
  if (bytes.length === 0) throw new LabError('file.unreadable', `${name} is empty`);
  return decoded(name, () => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
}

/** The same in chunks, of any length in total. */
export async function* textChunks(path: string, terminal: Terminal): AsyncGenerator<string> {
  const name = nameOf(path);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isEmpty = true;
  for await (const bytes of byteChunks(path, terminal)) {
    isEmpty &&= bytes.length === 0;
    yield decoded(name, () => decoder.decode(bytes, { stream: true }));
  }
  if (isEmpty) throw new LabError('file.unreadable', `${name} is empty`);
  yield decoded(name, () => decoder.decode());
}

/** Reads a whole stream. Stops after the chunk with which it exceeds `bytesMax`. */
async function readAtMost(
  stream: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  return Buffer.concat(chunks);
}

/** The name of an input in messages. */
export function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}

/** What `work` returns; its refusals get the name of the input before them. */
export function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${nameOf(path)}: ${error.message}`, error.faults);
  }
}

function decoded(name: string, decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new LabError('file.unreadable', `${name} is not text in UTF-8`);
  }
}

/** Whether a file that exists is replaced; null if the command has no --force. */
type Force = boolean | null;

/**
 * Throws LabError for a file that could not be written later: it exists and `force` is not true, it is a
 * directory, or its folder is missing or not writable. Called first, so that no long work is lost.
 */
export async function refuseTarget(path: string, force: Force): Promise<void> {
  // `lstat` finds a symbolic link without a target, which could not be written either.
  const entry = (await stat(path).catch(() => null)) ?? (await lstat(path).catch(() => null));
  if (entry?.isDirectory()) throw new LabError('arguments', `${path} is a directory`);
  if (entry?.isFile() === false) throw new LabError('arguments', `${path} is not a regular file`);
  if (entry !== null && force !== true) throw fileExists(path, force);
  const folder = dirname(path);
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new LabError(
      'arguments',
      `${path}: the folder ${folder} is not writable (${codeOf(error)})`,
    );
  }
}

/** Throws LabError for a pipe, in which a secret would be read once and have no owner. */
export async function assertNoPipe(path: string): Promise<void> {
  const entry = path === '-' ? null : await stat(path).catch(() => null);
  if (entry?.isFIFO() !== true) return;
  throw new LabError('file.unreadable', `${path} is a pipe; name a file`);
}

/**
 * Throws LabError for a file of secrets that users other than its owner can read. Does not check stdin,
 * devices and missing files. Refuses a pipe.
 */
export async function assertPrivate(path: string): Promise<void> {
  await assertNoPipe(path);
  const entry = path === '-' ? null : await stat(path).catch(() => null);
  if (entry?.isFile() !== true || (entry.mode & OTHERS_MODE) === 0) return;
  const detail = `${path} is readable by users other than its owner; run chmod 600 ${path}`;
  throw new LabError('file.unreadable', detail);
}

/** Writes a complete file. Throws LabError if it exists and `force` is not true. */
export async function writeWhole(
  path: string,
  text: string,
  options: { readonly force: Force; readonly isPrivate: boolean },
): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const file = await open(aside, 'wx', options.isPrivate ? PRIVATE_MODE : PUBLIC_MODE);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    // A hard link fails if the target exists; a rename would replace it.
    await (options.force === true ? rename(aside, path) : link(aside, path));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw fileExists(path, options.force);
    throw unwritable(path, error);
  } finally {
    await rm(aside, { force: true });
  }
}

/**
 * Writes the files of a verb, then prints its answer. After the answer nothing is certain to run: the process ends
 * if stdout is closed early (`| head -1`) or full. The answer is printed also if a file could not be written.
 */
export async function writeThenPrint(write: () => Promise<void>, print: () => void): Promise<void> {
  try {
    await write();
  } finally {
    print();
  }
}

async function* byteChunks(
  path: string,
  terminal: Terminal,
  bytesMax = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  const { stdin, signal } = terminal;
  try {
    if (path !== '-') yield* openedStream(path, bytesMax, signal);
    else yield* addAbortSignal(signal, stdin instanceof Readable ? stdin : Readable.from(stdin));
  } catch (error) {
    if (error instanceof LabError) throw error;
    const name = nameOf(path);
    if (codeOf(error) === 'ABORT_ERR') throw new Interrupted(`interrupted while ${name} was read`);
    if (codeOf(error) === 'ENOENT') throw new LabError('file.missing', `${name} does not exist`);
    throw new LabError('file.unreadable', `${name} could not be read: ${codeOf(error)}`);
  }
}

/**
 * Opening does not wait for the writer of a pipe. Pipes and terminals are read where the signal can end the wait: a thread
 * that waits in a read would keep the process from ending.
 */
function openedStream(path: string, bytesMax: number, signal: AbortSignal): Readable {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const entry = fstatSync(file);
    if (entry.isDirectory()) throw new LabError('file.unreadable', `${path} is a directory`);
    if (entry.isFIFO()) {
      return addAbortSignal(signal, new Socket({ fd: file, readable: true, writable: false }));
    }
    if (isatty(file)) return addAbortSignal(signal, new ReadStream(file));
    if (entry.size > bytesMax) throw tooLarge(path, bytesMax);
    return createReadStream(path, { fd: file });
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function tooLarge(name: string, bytesMax: number): LabError {
  return new LabError('file.unreadable', `${name} is larger than ${bytesMax} bytes`);
}

function fileExists(path: string, force: Force): LabError {
  const remedy = force === null ? 'name a new file' : '--force replaces it';
  return new LabError('file.exists', `${path} exists and was left unchanged; ${remedy}`);
}

/** Runs `work`. Puts the name of the file before the message of a LabError. */
export function inFile<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${name}: ${error.message}`, error.faults);
  }
}
