/**
 * @module
 * What the system says of files, as refusals: a full disk, a closed folder.
 */

import { LabError } from '../../errors.ts';

/** The system's code of an error, such as `ENOSPC`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** The refusal for a file that could not be written. */
export function unwritable(path: string, error: unknown): LabError {
  return new LabError('file.unwritable', `${path} could not be written: ${codeOf(error)}`);
}
