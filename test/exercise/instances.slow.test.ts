/**
 * @module
 * Each of a hundred students can solve depose-leader.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';

import { createInstance } from '../../src/exercise/instance.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';

const EXERCISE = (await readExercises()).find(({ name }) => name === 'depose-leader');
const SECRET = new Uint8Array(32).fill(7);
const RECORD = { elections: {}, forgeries: [] };
const cutSchema = z.object({ from: z.int(), toMax: z.int() });

it('two cuts depose the leader of each student in spite of pre-vote', () => {
  if (EXERCISE === undefined) throw new Error('no exercise depose-leader');
  for (let student = 100; student < 200; student += 1) {
    const { goal } = createInstance(EXERCISE, { secret: SECRET, student: `u${student}` });
    const { from, toMax } = cutSchema.parse(goal.given);
    const deposes = (to: number) => {
      const settings = { plainTo: 0, preVoteTo: to, flags: 'both' };
      const judged = goal.judge({ type: 'settings', settings }, RECORD);
      return judged.find(({ criterion }) => criterion === 'preVote')?.missing === null;
    };
    let ends = 0;
    for (let to = toMax; to > from && ends < 2; to -= 1) if (deposes(to)) ends += 1;
    expect({ student, ends }).toEqual({ student, ends: 2 });
  }
}, 600_000);
