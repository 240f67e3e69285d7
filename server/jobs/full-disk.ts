/**
 * @module
 * Jobs that end because the disk of the server is full. That is no fault of the server, and its caller can submit
 * the job again.
 */

import { LabError } from '../../src/errors.ts';
import { codeOf } from '../../src/runtime/files/file-sink.ts';

/** The refusal `storage.unavailable` if an error of a job has a full disk or a quota as its cause; else null. */
export function fullDiskOf(error: unknown): LabError | null {
  const isUnwritable = error instanceof LabError && error.code === 'file.unwritable';
  // A file of a sweep that cannot be written has the system's code at the end of its refusal.
  const code = isUnwritable ? (error.message.split(' ').at(-1) ?? '') : codeOf(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  const detail = `the disk of the server is full (${code}); submit the job again when there is room`;
  return new LabError('storage.unavailable', detail);
}
