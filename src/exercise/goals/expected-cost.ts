/**
 * @module
 * The goal of predicting the expected number of tested candidates for some identities. Difficulties and the number of
 * identities differ from student to student.
 */

import { z } from 'zod';
import { createRandom } from '../../random.ts';
import { defineGoal } from './goal.ts';

const range = z.tuple([z.int().min(0).max(64), z.int().min(0).max(64)]);

export const EXPECTED_COST = defineGoal({
  name: 'expected-cost',
  summary:
    'State the expected number of keys and solutions that are tested for identities with c1 and c2 bits.',
  submission: 'number',
  needs: [],
  parameters: {
    c1: range.describe('Smallest and largest static bits.'),
    c2: range.describe('Smallest and largest dynamic bits.'),
    identities: range.describe('Smallest and largest number of identities.'),
    tolerance: z.number().gt(0).max(0.5).describe('Largest relative error that is accepted.'),
  },
  criteria: {
    prediction: { weight: 1, meaning: 'The number is within the tolerance of the expectation.' },
  },
  task({ c1, c2, identities, tolerance }, { seed }) {
    const random = createRandom(seed('cost'));
    const draw = ([low, high]: readonly [number, number]) => low + random.below(high - low + 1);
    return { c1: draw(c1), c2: draw(c2), identities: draw(identities), tolerance };
  },
  given: ({ c1, c2, identities, tolerance }) => ({ c1, c2, identities, tolerance }),
  judge: (task, { number }) => ({ prediction: missingIn(task, number) }),
  isOf: () => false,
});

interface Task {
  readonly c1: number;
  readonly c2: number;
  readonly identities: number;
  readonly tolerance: number;
}

function missingIn({ c1, c2, identities, tolerance }: Task, number: number): string | null {
  const [keys, solutions] = [2 ** c1, 2 ** c2];
  const expected = identities * (keys + solutions);
  const isNear = (value: number) => Math.abs(number - value) <= tolerance * value;
  if (isNear(expected)) return null;
  if (isNear(identities * keys * solutions)) {
    return 'the two puzzles are solved one after the other, so their expected attempts are added, not multiplied';
  }
  if (isNear(keys + solutions)) return 'this is the cost of one identity';
  if (isNear(Math.LN2 * expected)) {
    return 'this is the median; the number of attempts is geometric, and its expectation is 1/p';
  }
  return `the number is more than ${Math.round(100 * tolerance)} % off: an attempt meets c bits with probability 2^-c, each identity needs a key and then a solution`;
}
