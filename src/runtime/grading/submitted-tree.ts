/**
 * @module
 * This folder grades the submissions of a class offline. This file reads them from a folder or an archive into memory:
 * nothing is unpacked to disk, so that no path leads outside. A link, a special file or a file that is too large is left out, so that it
 * concerns only the student who submits it.
 */

import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { fromBufferPromise } from 'yauzl';
import { LabError } from '../../errors.ts';

/** Files by path, with `/` between folders: the bytes, or for a file that is left out, the reason. */
export type SubmittedTree = ReadonlyMap<string, Uint8Array | string>;

export const ARCHIVE_BYTES_MAX = 256 * 2 ** 20;
export const TREE_BYTES_MAX = 256 * 2 ** 20;
export const FILE_BYTES_MAX = 2 ** 20;
export const FILES_MAX = 20_000;
/** Bytes of files that are left out, which must be unpacked to find the next file of a tar archive. */
const SKIPPED_BYTES_MAX = 2 ** 31;
/** Limits of file systems: of a path, less the folder in which it is judged, and of each of its parts. */
const PATH_BYTES_MAX = 2_048;
const PART_BYTES_MAX = 255;
/** Characters of a refused path that are shown: they begin with the name of the student. */
const SHOWN_CHARACTERS_MAX = 100;

/** Names that are no submissions: of version control, of packages, and of what archivers add. */
const IGNORED = /(^|\/)(\.[^./][^/]*|node_modules|__MACOSX)(\/|$)/;

/** The submissions at a path. Throws LabError `file.missing` or `file.unreadable`, which names the file. */
export async function readSubmissions(path: string): Promise<SubmittedTree> {
  const entry = await lstat(path).catch(() => null);
  if (entry === null) throw new LabError('file.missing', `${path} does not exist`);
  if (entry.isDirectory()) return readFolder(path);
  if (!entry.isFile()) throw refused(path, 'it is neither a folder nor a file');
  if (entry.size > ARCHIVE_BYTES_MAX)
    throw refused(path, `it has more than ${ARCHIVE_BYTES_MAX} bytes`);
  const bytes = await readFile(path);
  const isZip = bytes.subarray(0, 2).equals(ZIP);
  if (!isZip && !bytes.subarray(0, 2).equals(GZIP)) {
    throw refused(path, 'it is neither a folder nor an archive (.zip, .tar.gz)');
  }
  const tree = new Tree(path);
  try {
    await (isZip ? readZip(bytes, tree) : readTar(bytes, tree));
  } catch (error) {
    if (error instanceof LabError) throw error;
    throw refused(
      path,
      `the archive is damaged: ${error instanceof Error ? error.message : error}`,
    );
  }
  tree.leaveOutFoldersThatAreFiles();
  return withoutCommonFolder(tree.files);
}

const ZIP = Buffer.from('PK');
const GZIP = Buffer.from([0x1f, 0x8b]);

/** `special` is a pipe, a socket or a device. */
type EntryType = 'file' | 'link' | 'special';

/** Collects files, leaves out those that cannot be graded, and refuses paths and sizes that endanger this process. */
class Tree {
  readonly files = new Map<string, Uint8Array | string>();
  readonly #source: string;
  #bytes = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Whether a file of this path and size is taken. Throws LabError. */
  takes(
    path: string,
    { size, type }: { readonly size: number; readonly type: EntryType },
  ): boolean {
    const fault = pathFault(path);
    if (fault !== null) throw refused(this.#source, `${shown(path)} ${fault}`);
    if (IGNORED.test(path)) return false;
    if (this.files.size >= FILES_MAX)
      throw refused(this.#source, `it has more than ${FILES_MAX} files`);
    const reason = this.files.has(path) ? 'is there twice' : fileFault(path, { size, type });
    if (reason !== null) {
      this.leaveOut(path, reason);
      return false;
    }
    this.#bytes += size;
    if (this.#bytes > TREE_BYTES_MAX)
      throw refused(this.#source, `its files have more than ${TREE_BYTES_MAX} bytes`);
    return true;
  }

  add(path: string, bytes: Uint8Array): void {
    this.files.set(path, bytes);
  }

  leaveOut(path: string, reason: string): void {
    this.files.set(path, `${shown(path)} ${reason}`);
  }

  /** No file system can have a file that is also a folder of another one. */
  leaveOutFoldersThatAreFiles(): void {
    // In this order the files of a folder follow its path.
    const sorted = [...this.files.keys()].map((path) => `${path}/`).toSorted();
    for (const [index, path] of sorted.entries()) {
      if (sorted[index + 1]?.startsWith(path) !== true) continue;
      const why = 'is a file and a folder of another file; remove one of the two';
      this.leaveOut(path.slice(0, -1), why);
    }
  }
}

/** What is wrong with a path, which no student writes by mistake; null if nothing is. */
function pathFault(path: string): string | null {
  if (path.includes('\0')) return 'has a character that no path may have';
  if (/^[/\\]/.test(path) || /^[A-Za-z]:/.test(path)) return 'is an absolute path';
  // A backslash separates folders on Windows, to which a student may unpack it.
  const parts = path.split(/[/\\]/);
  if (parts.includes('..')) return 'leads outside of the archive';
  return parts.some((part) => part === '' || part === '.') ? 'is no plain path' : null;
}

/** Why a file is left out; null if it is taken. */
function fileFault(
  path: string,
  { size, type }: { readonly size: number; readonly type: EntryType },
): string | null {
  if (path.includes('\\')) return 'has a backslash in its path; pack the folder with slashes';
  if (type === 'link') return 'is a link; submit the file itself';
  if (type === 'special') return 'is no regular file (a pipe, a socket or a device)';
  if (size > FILE_BYTES_MAX) return `has more than ${FILE_BYTES_MAX} bytes`;
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    return `has more than ${PATH_BYTES_MAX} bytes; give it a shorter path`;
  }
  const isLong = path.split('/').some((part) => Buffer.byteLength(part) > PART_BYTES_MAX);
  return isLong ? `has a name of more than ${PART_BYTES_MAX} bytes; give it a shorter one` : null;
}

/** A path in a message. */
function shown(path: string): string {
  const text =
    path.length > SHOWN_CHARACTERS_MAX ? `${path.slice(0, SHOWN_CHARACTERS_MAX)}…` : path;
  return JSON.stringify(text.toWellFormed());
}

async function readFolder(root: string): Promise<SubmittedTree> {
  const tree = new Tree(root);
  const visit = async (folder: string): Promise<void> => {
    const names = (await readdir(join(root, folder))).toSorted();
    for (const name of names) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const entry = await lstat(join(root, path));
      if (IGNORED.test(path)) continue;
      if (entry.isDirectory()) await visit(path);
      else {
        const type = entry.isFile() ? 'file' : entry.isSymbolicLink() ? 'link' : 'special';
        if (!tree.takes(path, { size: entry.size, type })) continue;
        const bytes = await readFile(join(root, path)).catch(codeOf);
        if (typeof bytes === 'string') tree.leaveOut(path, `cannot be read: ${bytes}`);
        else tree.add(path, bytes);
      }
    }
  };
  await visit('');
  return tree.files;
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
function typeOfMode(mode: number): EntryType {
  if ((mode & TYPE_BITS) === LINK) return 'link';
  return SPECIAL.includes(mode & TYPE_BITS) ? 'special' : 'file';
}

async function readZip(bytes: Buffer, tree: Tree): Promise<void> {
  // yauzl reads backslashes, which some archivers of Windows write, as slashes, and refuses paths that lead outside.
  const archive = await fromBufferPromise(bytes, { lazyEntries: true });
  for await (const entry of archive.eachEntry()) {
    const path = plainPath(entry.fileName);
    if (path.endsWith('/') || path === '') continue;
    const type = typeOfMode(entry.externalFileAttributes >>> 16);
    if (!tree.takes(path, { size: entry.uncompressedSize, type })) continue;
    // yauzl ends the stream with an error when it is longer than the entry states.
    const stream = await archive.openReadStreamPromise(entry);
    tree.add(path, await bytesOf(stream));
  }
}

/** Other entries are folders and notes about the archive. */
const TAR_TYPES: ReadonlyMap<string, EntryType> = new Map([
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

async function readTar(bytes: Buffer, tree: Tree): Promise<void> {
  const entries = extract();
  const reading = pipeline(Readable.from([bytes]), createGunzip(), entries);
  let skipped = 0;
  const taking = (async () => {
    for await (const stream of entries) {
      const { name, size = 0, type } = stream.header;
      const path = plainPath(name);
      const kind = TAR_TYPES.get(type ?? 'file') ?? null;
      const isTaken = kind !== null && tree.takes(path, { size, type: kind });
      skipped += isTaken ? 0 : size;
      if (skipped > SKIPPED_BYTES_MAX) {
        throw new Error(`files that are left out have more than ${SKIPPED_BYTES_MAX} bytes`);
      }
      const content = await bytesOf(stream, isTaken ? FILE_BYTES_MAX : 0);
      if (isTaken) tree.add(path, content);
    }
  })();
  await Promise.all([reading, taking]);
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

/** Archives of a folder have its name before every path. */
function withoutCommonFolder(files: SubmittedTree): SubmittedTree {
  const paths = [...files.keys()];
  const [first = ''] = (paths[0] ?? '').split('/');
  const isCommon = paths.every(
    (path) => path.startsWith(`${first}/`) && path.split('/').length > 2,
  );
  if (!isCommon || paths.length === 0) return files;
  return new Map([...files].map(([path, bytes]) => [path.slice(first.length + 1), bytes]));
}

function refused(source: string, why: string): LabError {
  return new LabError('file.unreadable', `${source}: ${why}`);
}
