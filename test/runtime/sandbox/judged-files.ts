/**
 * @module
 * Files of students that are judged, in tests of the sandbox.
 */

import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { Exercise } from '../../../src/exercise/document.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';
import { sandboxFault } from '../../../src/runtime/sandbox/bubblewrap.ts';
import type { FileOutcome } from '../../../src/runtime/sandbox/judges.ts';
import { Judges } from '../../../src/runtime/sandbox/judges.ts';

const EXERCISES = await readExercises();

/** Why these tests are skipped: no sandbox can be started here. */
export const NO_SANDBOX = sandboxFault();
if (NO_SANDBOX !== null) {
  process.stderr.write(`tests of submitted files are skipped: ${NO_SANDBOX}\n`);
}

/** Far more than a judge needs, also on a loaded machine. */
export const SECONDS = 300;

/** The text of a file of an exercise. */
export function textOf(path: string): string {
  return readFileSync(new URL(`../../../exercises/${path}`, import.meta.url), 'utf8');
}

/** The exercise of this name. */
export function exerciseNamed(name: string): Exercise {
  const found = EXERCISES.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`"name" expected an exercise, got ${name}`);
  return found;
}

/** Judges that stop after the given time. */
export function judgesFor(seconds = SECONDS): Judges {
  return new Judges({ seconds, signal: new AbortController().signal });
}

/** The outcome of one file for one student. */
export async function judge(judges: Judges, text: string): Promise<FileOutcome> {
  const [outcome] = await judgeForAll(judges, text, ['alice']);
  if (outcome === undefined) throw new TypeError('"outcome" expected one');
  return outcome;
}

/** The outcomes of one file for these students. */
export function judgeForAll(
  judges: Judges,
  text: string,
  students: readonly string[],
  exercise = 'implement-chang-roberts',
): Promise<readonly FileOutcome[]> {
  return judges.grade({
    exercise: exerciseNamed(exercise),
    secret: new Uint8Array(32).fill(7),
    ...{ students, file: 'submission.ts' },
    files: new Map([['submission.ts', new TextEncoder().encode(text)]]),
  });
}

/** The points of a grade, and what is missing. */
export function summary(outcome: FileOutcome): {
  readonly points: number;
  readonly missing: string;
} {
  if (outcome.outcome === 'not-graded') return { points: 0, missing: outcome.reason };
  const missing = outcome.grade.findings.filter(({ met }) => !met).map(({ detail }) => detail);
  return { points: outcome.grade.points, missing: missing.join('\n') };
}
