/**
 * @module
 * What an action of `usurp exercise` works on.
 */

import { LabError } from '../../errors.ts';
import type { OutputOptions } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { Remote } from './remote.ts';

/** What an action works on. */
export interface ExerciseTask {
  readonly remote: Remote;
  readonly options: OutputOptions;
  readonly terminal: Terminal;
  /** Null if none is given. */
  readonly name: string | null;
  /** The number of a hint, or the file of an answer. */
  readonly item: string | null;
}

/** The name of the exercise. Throws LabError `arguments` without one. */
export function nameIn({ name }: ExerciseTask): string {
  if (name !== null) return name;
  const detail = 'name an exercise, for example verify-claim; usurp exercise list has the names';
  throw new LabError('arguments', detail);
}

/** The path of an exercise on the server. */
export function pathOf(name: string): string {
  return `/v1/exercises/${encodeURIComponent(name)}`;
}
