/**
 * @module
 * This folder grades the submissions of a class offline. This file reads them from a folder or an archive into memory:
 * nothing is unpacked to disk, so that no path leads outside. The files are first listed. What exceeds a limit is left out,
 * so that it concerns only the student who submits it.
 */

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromBufferPromise } from 'yauzl';
import { LabError } from '../../errors.ts';
import type { Entry, Plan } from './submission-listing.ts';
import { FILE_BYTES_MAX, isIgnored, Listing, refused, shown } from './submission-listing.ts';

/**
 * Files by path, with `/` between folders: the bytes, or for a file that is left out, the reason. A path that ends with a
 * slash, or the empty path, stands for all files below it.
 */
export type SubmittedTree = ReadonlyMap<string, Uint8Array | string>;

export const ARCHIVE_BYTES_MAX = 256 * 2 ** 20;
/** Bytes of files that are left out, which must be unpacked to find the next file of a tar archive. */
const SKIPPED_BYTES_MAX = 2 ** 32;

/**
 * The submissions at a path. `isOne` says that all files are those of one student. Throws LabError `file.missing` or
 * `file.unreadable`, which names the file.
 */
export async function readSubmissions(path: string, isOne = false): Promise<SubmittedTree> {
  const entry = await lstat(path).catch(() => null);
  if (entry === null) throw new LabError('file.missing', `${path} does not exist`);
  const listing = new Listing(path, isOne);
  if (entry.isDirectory()) return readFolder(path, listing);
  if (!entry.isFile()) throw refused(path, 'it is neither a folder nor a file');
  if (entry.size > ARCHIVE_BYTES_MAX)
    throw refused(path, `it has more than ${ARCHIVE_BYTES_MAX} bytes`);
  const bytes = await readFile(path);
  const isZip = bytes.subarray(0, 2).equals(ZIP);
  if (!isZip && !bytes.subarray(0, 2).equals(GZIP)) {
    throw refused(path, 'it is neither a folder nor an archive (.zip, .tar.gz)');
  }
  const contentsOf = isZip ? contentsOfZip : contentsOfTar;
  const list = (listed: Entry) => {
    listing.add(listed);
    return false;
  };
  try {
    await contentsOf(bytes, list).next();
    const plan = listing.plan(true);
    const read = new Map<string, Uint8Array>();
    const contents = contentsOf(bytes, (listed) => plan.files.get(listed.path) === null);
    for await (const content of contents) read.set(content.path, content.bytes);
    return treeOf(plan, read);
  } catch (error) {
    if (error instanceof LabError) throw error;
    throw refused(
      path,
      `the archive is damaged: ${error instanceof Error ? error.message : error}`,
    );
  }
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
    return [path.slice(common.length), content];
  });
  return new Map(entries);
}

async function readFolder(root: string, listing: Listing): Promise<SubmittedTree> {
  const visit = async (folder: string): Promise<void> => {
    const names = (await readdir(join(root, folder))).toSorted();
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isIgnored(path)) continue;
      const entry = await lstat(join(root, path));
      if (entry.isDirectory()) await visit(path);
      else {
        const type = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'special';
        listing.add({ path, size: entry.size, type });
      }
    }
  };
  await visit('');
  const plan = listing.plan(false);
  const read = new Map<string, Uint8Array | string>();
  for (const [path, reason] of plan.files) {
    if (reason !== null) continue;
    const content = await readFile(join(root, path)).catch(codeOf);
    const isRead = typeof content !== 'string';
    read.set(path, isRead ? content : `${shown(path)} cannot be read: ${content}`);
  }
  return treeOf(plan, read);
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

/** The content of a file of an archive. */
interface Content {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** Which files of an archive are read. It is asked once for each, in their order. */
type IsWanted = (entry: Entry) => boolean;

async function* contentsOfZip(bytes: Buffer, isWanted: IsWanted): AsyncGenerator<Content, void> {
  // yauzl reads backslashes, which some archivers of Windows write, as slashes, and refuses paths that lead outside.
  const archive = await fromBufferPromise(bytes, { lazyEntries: true });
  for await (const entry of archive.eachEntry()) {
    const path = plainPath(entry.fileName);
    if (path.endsWith('/') || path === '') continue;
    const type = typeOfMode(entry.externalFileAttributes >>> 16);
    if (!isWanted({ path, size: entry.uncompressedSize, type })) continue;
    // yauzl ends the stream with an error when it is longer than the entry states.
    const stream = await archive.openReadStreamPromise(entry);
    yield { path, bytes: await bytesOf(stream) };
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

async function* contentsOfTar(bytes: Buffer, isWanted: IsWanted): AsyncGenerator<Content, void> {
  const entries = extract();
  const reading = pipeline(Readable.from([bytes]), createGunzip(), entries);
  // Its error also ends the entries.
  reading.catch(() => undefined);
  let skipped = 0;
  for await (const stream of entries) {
    const { name, size = 0, type } = stream.header;
    const path = plainPath(name);
    const kind = TAR_TYPES.get(type ?? 'file') ?? null;
    const isTaken = kind !== null && isWanted({ path, size, type: kind });
    skipped += isTaken ? 0 : size;
    if (skipped > SKIPPED_BYTES_MAX) {
      throw new Error(`files up to ${shown(path)} have more than ${SKIPPED_BYTES_MAX} bytes`);
    }
    const content = await bytesOf(stream, isTaken ? FILE_BYTES_MAX : 0);
    if (isTaken) yield { path, bytes: content };
  }
  await reading;
}

/** The bytes of a stream up to a bound. The others are read and dropped. */
async function bytesOf(
  stream: AsyncIterable<unknown>,
  bytesMax = FILE_BYTES_MAX,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const part of stream) {
    const chunk = part as Uint8Array; // Streams of archives give bytes.
    length += chunk.length;
    if (length <= bytesMax) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
