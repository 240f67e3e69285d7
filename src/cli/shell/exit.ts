/**
 * @module
 * The exit codes of every verb, and the only function that turns an error into one. For a script 0 means
 * that the property holds, 1 that it does not, and 2 unknown. Above 250 the verb gave no answer.
 */

import { CommanderError } from 'commander';
import { LabError } from '../../errors.ts';
import { userFrame } from '../../runtime/load/module-hooks.ts';

export const EXIT = {
  /** Holds, found, valid. */
  holds: 0,
  /** Violated, not found in the budget, invalid. */
  violated: 1,
  /** A bound was hit or an interval is too wide. */
  unknown: 2,
  /** Interrupted; what was finished is kept. */
  interrupted: 130,
  /** Bad arguments or a bad document. */
  refused: 254,
  /** A fault of usurp or of the machine. */
  internal: 255,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The user has interrupted a verb that waited for input. */
export class Interrupted extends Error {}

/** The exit code of an error, and the lines for stderr that explain it. */
export function exitOf(error: unknown): { readonly code: ExitCode; readonly lines: string[] } {
  if (error instanceof CommanderError) {
    // Help and version are answers; commander has already printed them.
    return { code: error.exitCode === 0 ? EXIT.holds : EXIT.refused, lines: [] };
  }
  if (error instanceof LabError) {
    const code = MACHINE_FAULTS.has(error.code) ? EXIT.internal : EXIT.refused;
    return { code, lines: [`usurp: ${error.message}`] };
  }
  if (error instanceof Interrupted) {
    return { code: EXIT.interrupted, lines: [`usurp: ${error.message}`] };
  }
  const position = error instanceof Error ? userFrame(error) : null;
  if (position !== null) {
    return { code: EXIT.internal, lines: [`usurp: ${position}: error in a loaded file: ${error}`] };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: EXIT.internal,
    lines: ['usurp: internal error, please report it with the command that led here', text],
  };
}

const MACHINE_FAULTS: ReadonlySet<string> = new Set([
  'device.failed',
  'file.unwritable',
  'internal',
  'job.failed',
  'storage.unavailable',
]);
