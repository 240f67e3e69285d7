/**
 * @module
 * Which files of the submissions of a class are read, before any of them is. The limits are those of one student, so that
 * a student who exceeds them is left out alone.
 */

import { LabError } from '../../errors.ts';

/** Files of one student. */
export const STUDENT_FILES_MAX = 2_000;
/** Bytes of all files of one student. */
export const STUDENT_BYTES_MAX = 8 * 2 ** 20;
/** Bytes of all files that are read. */
const TREE_BYTES_MAX = 256 * 2 ** 20;
export const FILE_BYTES_MAX = 2 ** 20;
/** Files that are listed. Each takes about 200 bytes of memory. */
const ENTRIES_MAX = 1_000_000;
/** Limits of file systems: of a path, less the folder in which it is judged, and of each of its parts. */
const PATH_BYTES_MAX = 2_048;
const PART_BYTES_MAX = 255;
/** Characters of a path that are shown: they begin with the name of the student. */
const SHOWN_CHARACTERS_MAX = 100;

/** Names that are no submissions: of version control, of packages, and of what archivers add. */
const IGNORED = /(^|\/)(\.[^./][^/]*|node_modules|__MACOSX)(\/|$)/;

/** A file before it is read. `special` is a pipe, a socket or a device. */
export interface Entry {
  readonly path: string;
  readonly size: number;
  readonly type: 'file' | 'link' | 'special';
}

/** What is done with the files of a listing. */
export interface Plan {
  /** In the order of the listing: the reason for what is left out; null for a file that is read. */
  readonly files: ReadonlyMap<string, string | null>;
  /** What precedes the folders of the students: empty, or a name with a slash. */
  readonly common: string;
}

/** A student with what it has submitted. */
interface Share {
  readonly folder: string;
  readonly entries: Entry[];
  bytes: number;
}

/** Whether a path is that of no submission. */
export function isIgnored(path: string): boolean {
  return IGNORED.test(path);
}

export class Listing {
  readonly #source: string;
  readonly #entries: Entry[] = [];
  readonly #isOne: boolean;

  /** `isOne` says that all files are those of one student. */
  constructor(source: string, isOne: boolean) {
    this.#source = source;
    this.#isOne = isOne;
  }

  /** Throws LabError `file.unreadable` for a path that endangers this process. */
  add(entry: Entry): void {
    const fault = pathFault(entry.path);
    if (fault !== null) throw refused(this.#source, `${shown(entry.path)} ${fault}`);
    if (isIgnored(entry.path)) return;
    if (this.#entries.length >= ENTRIES_MAX) {
      const detail = `it has more than ${ENTRIES_MAX} files, the last of them ${shown(entry.path)}`;
      throw refused(this.#source, detail);
    }
    this.#entries.push(entry);
  }

  /** `isArchive` says that a folder which contains all others may be that of the class. */
  plan(isArchive: boolean): Plan {
    const reasons = faultsIn(this.#entries);
    const common = isArchive && !this.#isOne ? commonFolder(this.#entries) : '';
    const files = new Map<string, string | null>();
    const shares = this.#sharesOf(common, reasons);
    const left = leftOutOf(shares);
    for (const share of shares) {
      const why = left.get(share);
      if (why !== undefined) files.set(share.folder, why);
      else for (const { path } of share.entries) files.set(path, reasons.get(path) ?? null);
    }
    return { files, common };
  }

  #sharesOf(common: string, reasons: Map<string, string>): readonly Share[] {
    const shares = new Map<string, Share>();
    for (const entry of this.#entries) {
      const { path, size } = entry;
      const [name = '', ...rest] = path.slice(common.length).split('/');
      const folder = this.#isOne ? '' : rest.length === 0 ? path : `${common}${name}/`;
      if (!this.#isOne && rest.length === 0) {
        reasons.set(path, `${shown(path)} is in no folder of a student`);
      }
      const share = shares.get(folder) ?? { folder, entries: [], bytes: 0 };
      share.entries.push(entry);
      if (!reasons.has(path)) share.bytes += size;
      shares.set(folder, share);
    }
    return [...shares.values()];
  }
}

/** Why all files of a student are left out. */
function leftOutOf(shares: readonly Share[]): ReadonlyMap<Share, string> {
  const left = new Map<Share, string>();
  for (const share of shares) {
    const name = share.folder === '' ? 'the submission' : shown(share.folder.slice(0, -1));
    if (share.entries.length > STUDENT_FILES_MAX) {
      left.set(share, `${name} has more than ${STUDENT_FILES_MAX} files`);
    } else if (share.bytes > STUDENT_BYTES_MAX) {
      left.set(share, `the files of ${name} have more than ${STUDENT_BYTES_MAX} bytes`);
    }
  }
  // The largest ones first: a usual submission has a few kilobytes.
  const largest = shares
    .filter((share) => !left.has(share))
    .toSorted((one, other) => other.bytes - one.bytes || (one.folder < other.folder ? -1 : 1));
  let bytes = largest.reduce((sum, share) => sum + share.bytes, 0);
  for (const share of largest) {
    if (bytes <= TREE_BYTES_MAX) break;
    bytes -= share.bytes;
    const name = shown(share.folder.slice(0, -1));
    left.set(share, `${name} is one of the largest of all, which exceed ${TREE_BYTES_MAX} bytes`);
  }
  return left;
}

/** Why single files are left out, by path. */
function faultsIn(entries: readonly Entry[]): Map<string, string> {
  const reasons = new Map<string, string>();
  const paths = new Set<string>();
  for (const entry of entries) {
    const { path } = entry;
    const why = paths.has(path) ? 'is there twice' : fileFault(entry);
    paths.add(path);
    if (why !== null) reasons.set(path, `${shown(path)} ${why}`);
  }
  // In this order the files of a folder follow its path. No file system can have a file that is also a folder.
  const sorted = [...paths].map((path) => `${path}/`).toSorted();
  for (const [index, path] of sorted.entries()) {
    if (sorted[index + 1]?.startsWith(path) !== true) continue;
    const file = path.slice(0, -1);
    const why = 'is a file and a folder of another file; remove one of the two';
    reasons.set(file, `${shown(file)} ${why}`);
  }
  return reasons;
}

/** Archives of a class have its name before every path. One folder in it may be a folder of its student. */
function commonFolder(entries: readonly Entry[]): string {
  const [first = ''] = entries[0]?.path.split('/') ?? [];
  const common = `${first}/`;
  const inside = entries.map(({ path }) => path.slice(common.length).split('/'));
  const isCommon = entries.every(({ path }) => path.startsWith(common));
  const hasFolders = inside.every((parts) => parts.length > 1);
  const isOfSeveral = new Set(inside.map(([folder]) => folder)).size > 1;
  return isCommon && hasFolders && isOfSeveral ? common : '';
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
function fileFault({ path, size, type }: Entry): string | null {
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
export function shown(path: string): string {
  const text =
    path.length > SHOWN_CHARACTERS_MAX ? `${path.slice(0, SHOWN_CHARACTERS_MAX)}…` : path;
  return JSON.stringify(text.toWellFormed());
}

export function refused(source: string, why: string): LabError {
  return new LabError('file.unreadable', `${source}: ${why}`);
}
