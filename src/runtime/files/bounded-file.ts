/**
 * @module
 * Reads whole files that another program can have changed: a pipe does not hold the reader up, and no more is read than the
 * file may have.
 */

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { LabError } from '../../errors.ts';
import { codeOf } from './file-sink.ts';

/** What a file should be, and what a user can do about another one. */
export interface ExpectedFile {
  /** Such as `a key file`. */
  readonly kind: string;
  readonly bytesMax: number;
  /** Which one it is, if its name does not say so. */
  readonly role?: string;
  readonly remedy: string;
}

/** The bytes of a regular file. Throws LabError `file.missing` or `file.unreadable` with the remedy. */
export function readWithin(path: string, { kind, bytesMax, role, remedy }: ExpectedFile): Buffer {
  const named = role === undefined ? path : `${path}, ${role},`;
  const refusal = (why: string, code: 'file.missing' | 'file.unreadable' = 'file.unreadable') =>
    new LabError(code, `${named} ${why}; ${remedy}`);
  const file = opened(path, (error) => {
    if (codeOf(error) === 'ENOENT') return refusal('does not exist', 'file.missing');
    return refusal(`cannot be read (${codeOf(error)})`);
  });
  try {
    const entry = fstatSync(file);
    if (entry.isDirectory()) throw refusal(`is a folder, not ${kind}`);
    if (!entry.isFile()) throw refusal(`is a pipe or a device, not ${kind}`);
    if (entry.size > bytesMax) throw refusal(`is longer than ${kind}`);
    const bytes = Buffer.alloc(entry.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Without waiting for the writer of a pipe. */
function opened(path: string, refusalOf: (error: unknown) => LabError): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw refusalOf(error);
  }
}
