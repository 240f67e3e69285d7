/**
 * @module
 * Which files of the submissions of a class are read, before any of them is. The limits are those of one student, so that
 * a student who exceeds them is left out alone, and takes no more memory than another one.
 */

import { LabError } from '../../errors.ts';

/** Files of one student, and as many folders. */
export const STUDENT_FILES_MAX = 2_000;
/** Bytes of all files of one student that are read. */
export const STUDENT_BYTES_MAX = 8 * 2 ** 20;
/** Bytes of all files of one student, with those that are left out. */
export const STUDENT_LISTED_BYTES_MAX = 2 ** 30;
/** Bytes of all files that are read. */
const TREE_BYTES_MAX = 256 * 2 ** 20;
export const FILE_BYTES_MAX = 2 ** 20;
/** Files that are listed, of all students within their limit. Each takes about 200 bytes of memory. */
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
  /** Why it cannot be read. */
  readonly fault?: string;
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
  /** Empty as soon as the student has too many. */
  readonly entries: Entry[];
  /** Also those of what is left out. */
  count: number;
  folders: number;
  bytes: number;
  /** Why all of it is left out. */
  fault: string | null;
}

/** Whether a path is that of no submission. */
export function isIgnored(path: string): boolean {
  return IGNORED.test(path);
}

/** Whether a student can have a folder of this name. */
export function isStudentName(name: string): boolean {
  return !['', '.', '..'].includes(name) && !/[\0\\]|^[A-Za-z]:/.test(name);
}

/**
 * Finds the folder of a class in an archive, which precedes every path. One folder in it may be a folder of its student.
 * Paths that lead outside of the archive do not count.
 */
export class CommonFolder {
  #first: string | null = null;
  #inside: string | null = null;
  #isCommon = true;
  #isOfSeveral = false;

  add(path: string): void {
    if (isIgnored(path)) return;
    const [first = '', inside = '', ...rest] = path.split('/', 3);
    if (!isStudentName(first)) return;
    this.#first ??= first;
    if (first !== this.#first || rest.length === 0) this.#isCommon = false;
    if (!isStudentName(inside)) return;
    this.#inside ??= inside;
    if (inside !== this.#inside) this.#isOfSeveral = true;
  }

  /** Whether no further path can change the answer. */
  get isDecided(): boolean {
    return !this.#isCommon;
  }

  /** Empty, or the name with a slash. */
  get prefix(): string {
    return this.#isCommon && this.#isOfSeveral ? `${this.#first}/` : '';
  }
}

/** Where the folders of the students are. */
interface Layout {
  /** All files are those of one student. */
  readonly isOne: boolean;
  /** What precedes the folders of the students. */
  readonly common: string;
}

export class Listing {
  readonly #source: string;
  readonly #layout: Layout;
  readonly #shares = new Map<string, Share>();
  #kept = 0;

  constructor(source: string, layout: Layout) {
    this.#source = source;
    this.#layout = layout;
  }

  /** Throws LabError `file.unreadable` if students within their limits have too many files together. */
  add(entry: Entry): void {
    if (isIgnored(entry.path)) return;
    const share = this.#shareOf(this.#folderOf(entry.path));
    share.count += 1;
    share.bytes += entry.size;
    const isOver = share.fault !== null || share.count > STUDENT_FILES_MAX;
    const why = isOver ? null : pathFault(entry.path);
    if (why !== null) share.fault = `${shown(entry.path)} ${why}`;
    if (isOver || why !== null) {
      this.#kept -= share.entries.length;
      share.entries.length = 0;
    } else {
      // A longer path is left out, and its end is never needed.
      share.entries.push({ ...entry, path: entry.path.slice(0, PATH_BYTES_MAX + 1) });
      this.#kept += 1;
    }
    if (Math.max(this.#kept, this.#shares.size) <= ENTRIES_MAX) return;
    const detail = `it has more than ${ENTRIES_MAX} files, the last of them ${shown(entry.path)}`;
    throw refused(this.#source, detail);
  }

  /** Counts a folder of a student. */
  addFolder(path: string): void {
    const folder = this.#folderOf(path);
    if (this.#isOfStudent(folder)) this.#shareOf(folder).folders += 1;
  }

  /** Leaves the student out who has this folder. */
  refuse(folder: string, why: string): void {
    this.#shareOf(this.#folderOf(`${folder}/`)).fault ??= `${shown(folder)} ${why}`;
  }

  /** Whether the student who has this path is left out, whatever else there is. */
  isFull(path: string): boolean {
    const share = this.#shares.get(this.#folderOf(path));
    return share !== undefined && Math.max(share.count, share.folders) > STUDENT_FILES_MAX;
  }

  plan(): Plan {
    const shares = [...this.#shares.values()];
    const entries = shares.flatMap((share) => share.entries);
    const reasons = faultsIn(entries);
    for (const { path } of entries) {
      if (this.#isOfStudent(this.#folderOf(path))) continue;
      reasons.set(path, `${shown(path)} is in no folder of a student`);
    }
    const files = new Map<string, string | null>();
    const left = leftOutOf(shares, reasons);
    for (const share of shares) {
      const why = left.get(share);
      if (why !== undefined) files.set(share.folder, why);
      else for (const { path } of share.entries) files.set(path, reasons.get(path) ?? null);
    }
    return { files, common: this.#layout.common };
  }

  #shareOf(folder: string): Share {
    const share = this.#shares.get(folder) ?? {
      folder,
      entries: [],
      fault: null,
      count: 0,
      folders: 0,
      bytes: 0,
    };
    this.#shares.set(folder, share);
    return share;
  }

  /** The folder of the student with a slash. A path that is in none stands for itself. */
  #folderOf(path: string): string {
    const { isOne, common } = this.#layout;
    if (isOne) return '';
    const [name = '', ...rest] = path.slice(common.length).split('/', 2);
    const isInside = path.startsWith(common) && isStudentName(name) && rest.length > 0;
    return isInside ? `${common}${name}/` : path.slice(0, PATH_BYTES_MAX + 1);
  }

  #isOfStudent(folder: string): boolean {
    return this.#layout.isOne || folder.endsWith('/');
  }
}

/** Why all files of a student are left out. */
function leftOutOf(
  shares: readonly Share[],
  reasons: ReadonlyMap<string, string>,
): ReadonlyMap<Share, string> {
  const left = new Map<Share, string>();
  const read = new Map<Share, number>();
  for (const share of shares) {
    const taken = share.entries.filter(({ path }) => !reasons.has(path));
    const bytes = taken.reduce((sum, { size }) => sum + size, 0);
    const why = share.fault ?? tooLarge(share, bytes);
    if (why === null) read.set(share, bytes);
    else left.set(share, why);
  }
  // The largest ones first: a usual submission has a few kilobytes.
  const largest = [...read].toSorted(
    ([one, bytes], [other, more]) => more - bytes || (one.folder < other.folder ? -1 : 1),
  );
  let sum = largest.reduce((before, [, bytes]) => before + bytes, 0);
  for (const [share, bytes] of largest) {
    if (sum <= TREE_BYTES_MAX) break;
    sum -= bytes;
    const name = shown(share.folder.slice(0, -1));
    left.set(
      share,
      `${name} is one of the largest submissions, and all together exceed ${TREE_BYTES_MAX} bytes`,
    );
  }
  return left;
}

/** The limit that a student exceeds, with the bytes that would be read; null if there is none. */
function tooLarge(share: Share, bytes: number): string | null {
  const { folder, count, folders, bytes: listed } = share;
  const name = folder === '' ? 'the submission' : shown(folder.slice(0, -1));
  if (count > STUDENT_FILES_MAX) return `${name} has more than ${STUDENT_FILES_MAX} files`;
  if (folders > STUDENT_FILES_MAX) return `${name} has more than ${STUDENT_FILES_MAX} folders`;
  const limits = [
    { size: bytes, limit: STUDENT_BYTES_MAX },
    { size: listed, limit: STUDENT_LISTED_BYTES_MAX },
  ];
  const exceeded = limits.find(({ size, limit }) => size > limit);
  return exceeded === undefined
    ? null
    : `the files of ${name} have more than ${exceeded.limit} bytes`;
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
function fileFault({ path, size, type, fault }: Entry): string | null {
  if (fault !== undefined) return fault;
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
