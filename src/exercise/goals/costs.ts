/**
 * @module
 * Goals about the cost of identities.
 */

import { z } from 'zod';

import { safeDifficultyBits, topProbability } from '../../experiment/theory/closed-forms.ts';
import { createRandom } from '../../random.ts';
import { defineGoal, drawn, range } from './goal.ts';

/** The easier of two puzzles that differ by one bit takes a third of the attempts. */
const APART_MAX = 1;

/** Wrong answers that a finding tells apart differ by more. */
const CONFUSED_TOLERANCE = 0.01;

/**
 * The goal of predicting the expected number of tested candidates for some identities. Difficulties and the number of
 * identities differ from student to student.
 */
export const EXPECTED_COST = defineGoal({
  name: 'expected-cost',
  summary:
    'State the expected number of keys and solutions that are tested for identities with c1 and c2 bits.',
  submission: 'number',
  needs: [],
  parameters: {
    c1: range(0, 64).describe('Smallest and largest static bits.'),
    c2: range(0, 64).describe(
      'Smallest and largest dynamic bits. They differ from c1 by at most one, unless this range requires it.',
    ),
    identities: range(0, 64).describe('Smallest and largest number of identities.'),
    tolerance: z.number().gt(0).max(0.5).describe('Largest relative error that is accepted.'),
  },
  criteria: {
    prediction: { weight: 1, meaning: 'The number is within the tolerance of the expectation.' },
  },
  task({ c1, c2, identities, tolerance }, { seed }) {
    const random = createRandom(seed('cost'));
    const bits = drawn(random, c1);
    // Between puzzles that differ by more, the harder one alone could be within the tolerance.
    const other = drawn(random, [bits - APART_MAX, bits + APART_MAX]);
    const [low, high] = c2;
    const both = { c1: bits, c2: Math.max(low, Math.min(high, other)) };
    return { ...both, identities: drawn(random, identities), tolerance };
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
  if (isNear(number, expected, tolerance)) return null;
  const isAbout = (value: number) => isNear(number, value, CONFUSED_TOLERANCE);
  // What the answer confuses, and not how the right one is computed: that is a hint, which costs points.
  if (isAbout(identities * keys * solutions)) {
    return 'this is the product of both puzzles: an X that fails does not cost a new key';
  }
  if (isAbout(identities * keys) || isAbout(identities * solutions))
    return 'this is one puzzle alone';
  if (isAbout(keys + solutions)) return 'this is the cost of one identity';
  if (isAbout(Math.LN2 * expected)) return 'this is the median, and the mean is asked for';
  return `the number is more than ${Math.round(100 * tolerance)} % off`;
}

function isNear(number: number, value: number, tolerance: number): boolean {
  return Math.abs(number - value) <= tolerance * value;
}

const BITS_MAX = 64;

/** Join times that are accepted: one more bit than needed, and some time to spare. */
const SPARE_FACTOR = 3;

interface SafeDifficultyTask {
  readonly honest: number;
  readonly attempts: number;
  readonly probability: number;
  readonly attemptsPerSecond: number;
  readonly expectedJoinSecondsMax: number;
}

/**
 * The goal of choosing a difficulty: an adversary with a budget leads with at most the given probability, and honest
 * nodes can still afford to join. The probability is exact (src/experiment/theory/closed-forms.ts).
 */
export const SAFE_DIFFICULTY = defineGoal({
  name: 'safe-difficulty',
  summary:
    'Choose whole static bits at which the adversary leads with at most a probability, and honest nodes join within a time.',
  submission: 'number',
  needs: [],
  parameters: {
    honest: range(1, 10_000).describe('Smallest and largest number of honest nodes.'),
    attemptsBits: range(1, 40).describe('log2 of the smallest and the largest budget in attempts.'),
    attemptsPerSecond: z.int().min(1).max(1_000_000_000).describe('Rate of an honest node.'),
    probability: z.number().gt(0).lt(1).describe('The bound on the probability to lead.'),
  },
  criteria: {
    difficulty: { weight: 1, meaning: 'The difficulty is safe, and honest nodes can afford it.' },
  },
  task({ honest, attemptsBits, attemptsPerSecond, probability }, { seed }): SafeDifficultyTask {
    const random = createRandom(seed('difficulty'));
    const network = { honest: drawn(random, honest), attempts: 2 ** drawn(random, attemptsBits) };
    const neededBits = Math.max(0, Math.ceil(safeDifficultyBits(network, probability)));
    const expectedJoinSecondsMax = (SPARE_FACTOR * 2 ** neededBits) / attemptsPerSecond;
    return { ...network, probability, attemptsPerSecond, expectedJoinSecondsMax };
  },
  given: (task) => ({ ...task }),
  judge: (task, { number }) => ({ difficulty: safeDifficultyMissingIn(task, number) }),
  isOf: () => false,
});

function safeDifficultyMissingIn(task: SafeDifficultyTask, bits: number): string | null {
  const { probability, attemptsPerSecond, expectedJoinSecondsMax } = task;
  if (!Number.isInteger(bits) || bits > BITS_MAX) {
    return `the difficulty must be a whole number of bits from 0 to ${BITS_MAX}`;
  }
  const isSafe = topProbability({ ...task, difficultyBits: bits }) <= probability;
  const isAffordable = 2 ** bits / attemptsPerSecond <= expectedJoinSecondsMax;
  if (isSafe && isAffordable) return null;
  // Neither the direction nor a number: a search by submissions would need no model.
  return `with ${bits} bits one of the two demands is not met: compute the probability that the adversary leads, and the mean time of an honest node to join`;
}
