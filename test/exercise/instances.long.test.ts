/**
 * @module
 * What is drawn for students: each can solve the exercise, and no answer is the same for most of them.
 */

import { expect, it } from 'vitest';
import { z } from 'zod';

import { fewestBits, priceOf } from '../../src/exercise/goals/churned-cost.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import { createInstance } from '../../src/exercise/instance.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';

const EXERCISES = await readExercises();
const SECRET = new Uint8Array(32).fill(7);
const RECORD = { elections: {}, forgeries: [] };

function instanceOf(name: string, student: string): Instance {
  const exercise = EXERCISES.find((each) => each.name === name);
  if (exercise === undefined) throw new Error(`no exercise ${name}`);
  return createInstance(exercise, { secret: SECRET, student });
}

/** The criteria that these settings meet. */
function metBy({ goal }: Instance, settings: Record<string, string | number>): readonly string[] {
  return goal
    .judge({ type: 'settings', settings }, RECORD)
    .flatMap(({ criterion, missing }) => (missing === null ? [criterion] : []));
}

const cutSchema = z.object({ from: z.int(), toMax: z.int() });

/** The ends of cuts that depose the leader in spite of pre-vote, up to the second one. */
function twoEnds(instance: Instance): readonly number[] {
  const { from, toMax } = cutSchema.parse(instance.goal.given);
  const ends: number[] = [];
  for (let to = toMax; to > from && ends.length < 2; to -= 1) {
    const met = metBy(instance, { plainTo: 0, preVoteTo: to, flags: 'both' });
    if (met.includes('preVote')) ends.push(to);
  }
  return ends;
}

// Some of these had no solution when the schedule was drawn once.
const STUDENTS = ['u194', 'u255', 'u276', 'u323'];

it.each(STUDENTS)('two cuts depose the leader of %s in spite of pre-vote', (student) => {
  expect(twoEnds(instanceOf('depose-leader', student))).toHaveLength(2);
});

it('the cut that ends just before the shortest one without flags is no answer with pre-vote', () => {
  for (const student of ['u194', 'u323']) {
    const instance = instanceOf('depose-leader', student);
    // No time-out is shorter than 30 ticks.
    let to = cutSchema.parse(instance.goal.given).from + 25;
    let met: readonly string[] = [];
    while (!met.includes('plain')) {
      to += 1;
      met = metBy(instance, { plainTo: to, preVoteTo: to - 1, flags: 'both' });
    }
    expect(met).toEqual(['plain']);
  }
});

const churnSchema = z.object({
  ...{ honest: z.number(), churn: z.number(), windowAttempts: z.number() },
  ...{ lifetimeMax: z.number(), probability: z.number() },
});

it('the cheapest lifetime differs from student to student, and its price alone counts', () => {
  const cheapest = Array.from({ length: 40 }, (_, n) => {
    const instance = instanceOf('price-churn', `s${n}`);
    const task = churnSchema.parse(instance.goal.given);
    const prices = Array.from({ length: task.lifetimeMax }, (_, index) => priceOf(task, index + 1));
    const lifetime = prices.indexOf(Math.min(...prices)) + 1;
    const answer = (each: number) => {
      return { lifetime: each, c1: fewestBits(task, each), attempts: priceOf(task, each) };
    };
    expect(metBy(instance, answer(lifetime))).toEqual(['bits', 'lifetime', 'attempts']);
    expect(metBy(instance, answer(1))).toEqual(['bits']);
    return lifetime;
  });
  const counts = [...Map.groupBy(cheapest, (lifetime) => lifetime).values()];

  expect(Math.max(...counts.map(({ length }) => length))).toBeLessThan(25);
});
