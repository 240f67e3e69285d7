/**
 * @module
 * The exit codes of every verb, and the one place that turns an error into one. They answer a script's
 * question: 0 it holds, 1 it does not, 2 unknown; above 250 the question was never asked.
 */

import { CommanderError } from 'commander';
import { LabError } from '../../errors.ts';

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

/** The exit code of an error, and the lines for stderr that say what would be right. */
export function exitOf(error: unknown): { readonly code: ExitCode; readonly lines: string[] } {
  if (error instanceof CommanderError) {
    // Help and version are answers; commander has already printed whatever there is to print.
    return { code: error.exitCode === 0 ? EXIT.holds : EXIT.refused, lines: [] };
  }
  if (error instanceof LabError) {
    const code = MACHINE_FAULTS.has(error.code) ? EXIT.internal : EXIT.refused;
    return { code, lines: [`usurp: ${error.message}`] };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    code: EXIT.internal,
    lines: ['usurp: internal error, please report it with the command that led here', text],
  };
}

const MACHINE_FAULTS: ReadonlySet<string> = new Set([
  'file.unwritable',
  'internal',
  'job.failed',
  'storage.unavailable',
]);
