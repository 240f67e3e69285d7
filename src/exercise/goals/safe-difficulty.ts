/**
 * @module
 * The goal of choosing a difficulty: an adversary with a budget leads with at most the given probability, and honest
 * nodes can still afford to join. The probability is exact (src/experiment/theory/closed-forms.ts).
 */

import { z } from 'zod';
import { safeDifficultyBits, topProbability } from '../../experiment/theory/closed-forms.ts';
import { createRandom } from '../../random.ts';
import { defineGoal } from './goal.ts';

const BITS_MAX = 64;
const range = (max: number) => z.tuple([z.int().min(1).max(max), z.int().min(1).max(max)]);

/** Join times that are accepted: one more bit than needed, and some time to spare. */
const SPARE_FACTOR = 3;

interface Task {
  readonly honest: number;
  readonly attempts: number;
  readonly probability: number;
  readonly attemptsPerSecond: number;
  readonly expectedJoinSecondsMax: number;
}

export const SAFE_DIFFICULTY = defineGoal({
  name: 'safe-difficulty',
  summary:
    'Choose whole static bits at which the adversary leads with at most a probability, and honest nodes join within a time.',
  submission: 'number',
  needs: [],
  parameters: {
    honest: range(10_000).describe('Smallest and largest number of honest nodes.'),
    attemptsBits: range(40).describe('log2 of the smallest and the largest budget in attempts.'),
    attemptsPerSecond: z.int().min(1).max(1_000_000_000).describe('Rate of an honest node.'),
    probability: z.number().gt(0).lt(1).describe('The bound on the probability to lead.'),
  },
  criteria: {
    difficulty: { weight: 1, meaning: 'The difficulty is safe, and honest nodes can afford it.' },
  },
  task({ honest, attemptsBits, attemptsPerSecond, probability }, { seed }): Task {
    const random = createRandom(seed('difficulty'));
    const draw = ([low, high]: readonly [number, number]) => low + random.below(high - low + 1);
    const network = { honest: draw(honest), attempts: 2 ** draw(attemptsBits) };
    const neededBits = Math.max(0, Math.ceil(safeDifficultyBits(network, probability)));
    const expectedJoinSecondsMax = (SPARE_FACTOR * 2 ** neededBits) / attemptsPerSecond;
    return { ...network, probability, attemptsPerSecond, expectedJoinSecondsMax };
  },
  given: (task) => ({ ...task }),
  judge: (task, { number }) => ({ difficulty: missingIn(task, number) }),
  isOf: () => false,
});

function missingIn(task: Task, bits: number): string | null {
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
