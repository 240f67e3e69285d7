/**
 * @module
 * The files of the exercises that are solved by files, for each student of a class: the solution gets all points, and each
 * wrong one does not, with a finding that says what is missing. The edges have one student, the slow suite twenty.
 */

import { stripTypeScriptTypes } from 'node:module';
import { expect, it } from 'vitest';
import { IS_WHOLE } from '../../sample.ts';
import {
  describeJudged,
  exerciseNamed,
  judgeForAll,
  SECONDS,
  summary,
  textOf,
} from './judged-files.ts';

/** What each file lacks. */
const MISSING: Readonly<Record<string, RegExp>> = {
  'implement-chang-roberts/solution.ts': /^$/,
  'implement-chang-roberts/wrong-renamed-skeleton.ts':
    /in which [\d, ]+ start, your nodes send \d+ PROBE, and \d+ if they run that of the lab/,
  'implement-chang-roberts/wrong-keeps-announcement.ts': /your nodes send 1 SELECTED, and \d+ if/,
  'mend-ring/solution.ts': /^$/,
  'mend-ring/wrong-drops-lower.ts': /expected ok\/L, seen stop .*your nodes send \d+ PROBE, and/s,
  'mend-ring/wrong-first-leader.ts': /nodes \d and \d both led/,
  'survive-stalling/solution.ts': /^$/,
  'survive-stalling/wrong-impatient.ts': /messages with your defence|all others should follow node/,
  'survive-stalling/wrong-no-answers.ts': /although all are honest|all others should follow node/,
  'beat-skip-list/solution.ts': /^$/,
  'beat-skip-list/wrong-never-announced.ts': /they agree on a live leader/,
  'beat-skip-list/wrong-silent.ts': /they agree on a live leader/,
};

const STUDENTS = Array.from({ length: IS_WHOLE ? 20 : 1 }, (_, index) => `student-${index}`);

describeJudged(
  'files of exercises',
  (judges) => {
    it.each(Object.entries(MISSING))('%s', async (path, expected) => {
      const [exercise = '', file = ''] = path.split('/');
      const isSolution = file === 'solution.ts';
      const { points: pointsMax, wrongPoints } = exerciseNamed(exercise);
      const intended = isSolution ? pointsMax : (wrongPoints[file.replace(/\.ts$/, '')] ?? 0);

      const outcomes = await judgeForAll(judges(), textOf(path), STUDENTS, exercise);

      expect(outcomes).toHaveLength(STUDENTS.length);
      for (const [index, outcome] of outcomes.entries()) {
        const { points, missing } = summary(outcome);
        expect({ index, isComplete: points === pointsMax }).toEqual({
          index,
          isComplete: isSolution,
        });
        expect(points).toBeLessThanOrEqual(intended);
        expect(missing).toMatch(expected);
      }
    });

    it.each([
      'beat-skip-list',
      ...(IS_WHOLE ? ['survive-stalling', 'implement-chang-roberts', 'mend-ring'] : []),
    ])('%s/solution.ts as JavaScript, imported by another file', async (exercise) => {
      const text = stripTypeScriptTypes(textOf(`${exercise}/solution.ts`));
      const all = `export * from './solution.js';`;
      const files = { 'solution.js': text };

      const [outcome] = await judgeForAll(judges(), all, ['student-0'], exercise, files);

      const { points } = exerciseNamed(exercise);
      expect(outcome === undefined ? null : summary(outcome)).toEqual({ points, missing: '' });
    });
  },
  9 * SECONDS,
);
