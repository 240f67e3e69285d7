/**
 * @module
 * The files of the exercises that are solved by files: the solution gets all points, and each wrong one does not, with a
 * finding that says what is missing.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Judges } from '../../../src/runtime/sandbox/judges.ts';
import {
  exerciseNamed,
  judge,
  judgesFor,
  NO_SANDBOX,
  SECONDS,
  summary,
  textOf,
} from './judged-files.ts';

/** What each file lacks. */
const MISSING: Readonly<Record<string, RegExp>> = {
  'implement-chang-roberts/solution.ts': /^$/,
  'implement-chang-roberts/wrong-passes-all.ts': /your nodes send \d+ PROBE, and those of the lab/,
  'implement-chang-roberts/wrong-keeps-announcement.ts': /your nodes send 1 SELECTED, and those of/,
  'survive-stalling/solution.ts': /^$/,
  'survive-stalling/wrong-impatient.ts': /messages with your defence|all others should follow node/,
  'survive-stalling/wrong-no-answers.ts': /although all are honest|all others should follow node/,
  'beat-skip-list/solution.ts': /^$/,
  'beat-skip-list/wrong-never-announced.ts': /they agree on a live leader/,
  'beat-skip-list/wrong-silent.ts': /they agree on a live leader/,
};

/** Judges all files for these students. */
export function describeFileExercises(students: readonly string[]): void {
  describe.skipIf(NO_SANDBOX !== null)('files of exercises', { timeout: 9 * SECONDS * 1e3 }, () => {
    let judges: Judges;
    beforeAll(() => {
      judges = judgesFor();
    });
    afterAll(() => judges.close());

    it.each(Object.entries(MISSING))('%s', async (path, expected) => {
      const [exercise = '', file = ''] = path.split('/');
      const isSolution = file === 'solution.ts';
      const pointsMax = exerciseNamed(exercise).points;
      for (const student of students) {
        const outcome = await judge(judges, textOf(path), { exercise, student });
        const { points, missing } = summary(outcome);
        expect({ student, isComplete: points === pointsMax }).toEqual({
          student,
          isComplete: isSolution,
        });
        expect(missing).toMatch(expected);
      }
    });
  });
}
