/**
 * @module
 * This folder grades the submissions of a class offline. This file reads them from a folder or an archive into memory:
 * nothing is unpacked to disk, so that no path leads outside. The files are first listed. What exceeds a limit is left out,
 * so that it concerns only the student who submits it, and takes no memory.
 */

import { createReadStream } from 'node:fs';
import { lstat, opendir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { getFileNameLowLevel, openPromise } from 'yauzl';
import { LabError } from '../../errors.ts';
import type { Entry, Plan } from './submission-listing.ts';
import {
  CommonFolder,
  FILE_BYTES_MAX,
  isIgnored,
  Listing,
  refused,
  STUDENT_FILES_MAX,
  shown,
} from './submission-listing.ts';

/**
 * Files by path, with `/` between folders: the bytes, or for a file that is left out, the reason. A path that ends with a
 * slash, or the empty path, stands for all files below it.
 */
export type SubmittedTree = ReadonlyMap<string, Uint8Array | string>;

interface ReadingOptions {
  /** All files are those of one student. */
  readonly isOne?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The submissions at a path. Throws LabError `file.missing` or `file.unreadable`, which names the file, and the reason of the
 * signal if it stops the reading.
 */
export async function readSubmissions(
  path: string,
  { isOne = false, signal }: ReadingOptions = {},
): Promise<SubmittedTree> {
  const entry = await lstat(path).catch(() => null);
  if (entry === null) throw new LabError('file.missing', `${path} does not exist`);
  if (entry.isDirectory()) return readFolder(path, isOne, signal);
  if (!entry.isFile()) throw refused(path, 'it is neither a folder nor a file');
  const beginning = await buffer(createReadStream(path, { end: 1 }));
  const isZip = beginning.equals(ZIP);
  if (!isZip && !beginning.equals(GZIP)) {
    throw refused(path, 'it is neither a folder nor an archive (.zip, .tar.gz)');
  }
  const packed = () => (isZip ? packedInZip(path, signal) : packedInTar(path, signal));
  try {
    return await readArchive(path, packed, isOne);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof LabError) throw error;
    throw refused(
      path,
      `the archive is damaged: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Goes over an archive three times, so that no more of it is in memory than what is graded. */
async function readArchive(
  source: string,
  packed: () => AsyncIterable<Packed>,
  isOne: boolean,
): Promise<SubmittedTree> {
  const common = isOne ? '' : await commonFolderOf(packed());
  const listing = new Listing(source, { isOne, common });
  for await (const { entry } of packed()) {
    listing.add(entry);
    if (isOne && listing.isFull(entry.path)) break;
  }
  const plan = listing.plan();
  const read = new Map<string, Uint8Array>();
  let wanted = [...plan.files.values()].filter((reason) => reason === null).length;
  for await (const { entry, bytes } of packed()) {
    if (wanted === 0) break;
    if (plan.files.get(entry.path) !== null) continue;
    read.set(entry.path, await bytes());
    wanted -= 1;
  }
  return treeOf(plan, read);
}

async function commonFolderOf(packed: AsyncIterable<Packed>): Promise<string> {
  const common = new CommonFolder();
  for await (const { entry } of packed) {
    common.add(entry.path);
    if (common.isDecided) break;
  }
  return common.prefix;
}

const ZIP = Buffer.from('PK');
const GZIP = Buffer.from([0x1f, 0x8b]);

/** The tree of a plan, of whose files these were read, or could not be read for a reason. */
function treeOf(
  { files, common }: Plan,
  read: ReadonlyMap<string, Uint8Array | string>,
): SubmittedTree {
  const entries = [...files].map(([path, reason]): [string, Uint8Array | string] => {
    const content = reason ?? read.get(path) ?? `${shown(path)} is not in the archive any more`;
    return [path.startsWith(common) ? path.slice(common.length) : path, content];
  });
  return new Map(entries);
}

async function readFolder(
  root: string,
  isOne: boolean,
  signal: AbortSignal | undefined,
): Promise<SubmittedTree> {
  const listing = new Listing(root, { isOne, common: '' });
  const visit = async (folder: string): Promise<void> => {
    const isOfClass = folder === '' && !isOne;
    const most = isOfClass ? Number.POSITIVE_INFINITY : NAMES_MAX;
    const names = await namesIn(join(root, folder), most).catch(codeOf);
    if (typeof names === 'string') {
      const why = `cannot be read: ${names}`;
      if (folder === '') throw refused(root, `it ${why}`);
      listing.refuse(folder, why);
      return;
    }
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      signal?.throwIfAborted();
      if (listing.isFull(path)) continue;
      const entry = await lstat(join(root, path)).catch(codeOf);
      if (typeof entry === 'string') {
        listing.add({ path, size: 0, type: 'file', fault: `cannot be read: ${entry}` });
      } else if (entry.isDirectory()) {
        listing.addFolder(path);
        await visit(path);
      } else {
        const type = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'special';
        listing.add({ path, size: entry.size, type });
      }
    }
  };
  await visit('');
  const plan = listing.plan();
  const read = new Map<string, Uint8Array | string>();
  for (const [path, reason] of plan.files) {
    signal?.throwIfAborted();
    if (reason !== null) continue;
    const content = await readFile(join(root, path)).catch(codeOf);
    const isRead = typeof content !== 'string';
    read.set(path, isRead ? content : `${shown(path)} cannot be read: ${content}`);
  }
  return treeOf(plan, read);
}

/** A folder with more names has more files or more folders than a student may have. */
const NAMES_MAX = 2 * STUDENT_FILES_MAX + 1;

/** The names in a folder in their order, or some of them if there are more than `most`. */
async function namesIn(folder: string, most: number): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (!isIgnored(name)) names.push(name);
    if (names.length > most) break;
  }
  return names.toSorted();
}

/** The code of an error of the system. Throws others. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) throw error;
  return String(error.code);
}

/** Bits of the mode of a file in Unix, which an entry of a zip has in the upper half of its attributes. */
const TYPE_BITS = 0o170000;
const LINK = 0o120000;
const FIFO = 0o010000;
const SOCKET = 0o140000;
const CHARACTER_DEVICE = 0o020000;
const BLOCK_DEVICE = 0o060000;
const SPECIAL: readonly number[] = [FIFO, SOCKET, CHARACTER_DEVICE, BLOCK_DEVICE];

/** By the mode of an entry of a zip. Other systems than Unix state none. */
function typeOfMode(mode: number): Entry['type'] {
  if ((mode & TYPE_BITS) === LINK) return 'link';
  return SPECIAL.includes(mode & TYPE_BITS) ? 'special' : 'file';
}

/** A file in an archive. Its bytes can be read until the next file is asked for. */
interface Packed {
  readonly entry: Entry;
  readonly bytes: () => Promise<Uint8Array>;
}

async function* packedInZip(
  source: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Packed, void> {
  // With names decoded, yauzl would refuse the whole archive for a path that leads outside.
  const archive = await openPromise(source, { decodeStrings: false });
  for await (const entry of archive.eachEntry()) {
    signal?.throwIfAborted();
    const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
    // Backslashes, which some archivers of Windows write, become slashes.
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
    const path = plainPath(name);
    if (path.endsWith('/') || path === '') continue;
    const type = typeOfMode(entry.externalFileAttributes >>> 16);
    yield {
      entry: { path, size: entry.uncompressedSize, type },
      // yauzl ends the stream with an error when it is longer than the entry states.
      bytes: async () => bytesOf(await archive.openReadStreamPromise(entry)),
    };
  }
}

/** Other entries are folders and notes about the archive. */
const TAR_TYPES: ReadonlyMap<string, Entry['type']> = new Map([
  ['file', 'file'],
  ['contiguous-file', 'file'],
  ['link', 'link'],
  ['symlink', 'link'],
  ['fifo', 'special'],
  ['character-device', 'special'],
  ['block-device', 'special'],
]);

/** The path of an entry without `./` before it, which some archivers write. */
function plainPath(name: string): string {
  return name.replace(/^(\.\/)+/, '');
}

/** Files that are left out must be unpacked, too, to find the next one. Larger pieces make this faster. */
const UNPACKED_PIECE = { chunkSize: 2 ** 18 };

async function* packedInTar(
  source: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Packed, void> {
  const entries = extract();
  const unpacked = createGunzip(UNPACKED_PIECE);
  const reading = pipeline(createReadStream(source), unpacked, entries, { signal });
  // Its error also ends the entries.
  reading.catch(() => undefined);
  for await (const stream of entries) {
    const { name, size = 0, type } = stream.header;
    const path = plainPath(name);
    const kind = TAR_TYPES.get(type ?? 'file');
    if (kind !== undefined && path !== '') {
      yield { entry: { path, size, type: kind }, bytes: () => bytesOf(stream) };
    }
    stream.resume();
  }
  await reading;
}

/** The bytes of a stream. A longer one than what is read of any file ends with an error. */
async function bytesOf(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    const chunk = part as Uint8Array; // Streams of archives give bytes.
    length += chunk.length;
    if (length > FILE_BYTES_MAX) throw new Error('a file is longer than the archive states');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
