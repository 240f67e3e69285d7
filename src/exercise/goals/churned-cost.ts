/**
 * @module
 * The goal of a puzzle under churn (Gupta, Saia and Young, Bankrupting Sybil Despite Churn, 2021): identities that live
 * longer are paid for less often, and an adversary that has more windows needs more bits. The student finds the cheapest
 * lifetime, and states its price.
 */

import { z } from 'zod';

import { firstInteger } from '../../experiment/theory/bisection.ts';
import { topProbability } from '../../experiment/theory/closed-forms.ts';
import { createRandom } from '../../random.ts';
import { defineGoal, drawn, range, settingsOf } from './goal.ts';

const BITS_MAX = 64;
/** So much less than whole bits suffices for the lifetime 1. Then a longer one is cheaper, and this draw decides which. */
const [SPARE_BITS, SPARE_BITS_DRAWN] = [0.35, 0.6];
/** Largest relative error of a price. A wrong formula differs by more. */
const TOLERANCE = 1e-4;

interface Task {
  readonly honest: number;
  /** Probability that an honest node leaves between two epochs. */
  readonly churn: number;
  readonly windowAttempts: number;
  readonly lifetimeMax: number;
  readonly probability: number;
}

export const CHURNED_COST = defineGoal({
  name: 'churned-cost',
  summary:
    'Choose the lifetime and the bits of identities that limit an adversary most cheaply under churn, and state the price.',
  submission: 'settings',
  answer: settingsOf({
    lifetime: z.int().min(1).max(64).describe('Epochs for which an identity counts.'),
    c1: z.int().min(0).max(BITS_MAX).describe('Bits of the static puzzle.'),
    attempts: z.number().min(0).describe('Attempts of all honest nodes in an epoch, on average.'),
  }),
  needs: [],
  parameters: {
    honest: range(16, 10_000).describe('Smallest and largest number of honest nodes.'),
    churnPermille: range(1, 900).describe('Least and most that leave, in thousandths.'),
    c1: range(4, 32).describe('Fewest and most bits that the lifetime 1 needs.'),
    lifetimeMax: z.int().min(2).max(64).describe('Longest lifetime in epochs.'),
    probability: z.number().gt(0).lt(1).describe('The bound on the probability to lead.'),
  },
  criteria: {
    bits: { weight: 1, meaning: 'The bits are the fewest that are safe with the lifetime.' },
    lifetime: { weight: 2, meaning: 'No other lifetime has a lower price.' },
    attempts: { weight: 2, meaning: 'The price of the cheapest lifetime is right.' },
  },
  task({ honest: nodes, churnPermille, c1, ...limits }, { seed }): Task {
    const random = createRandom(seed('churn'));
    const [honest, churn] = [drawn(random, nodes), drawn(random, churnPermille) / 1000];
    // λ/(n+λ) is about the bound at so many bits.
    const bits = drawn(random, c1) - SPARE_BITS - random.unit() * SPARE_BITS_DRAWN;
    const valid = (honest * limits.probability) / (1 - limits.probability);
    return { honest, churn, windowAttempts: Math.floor(valid * 2 ** bits), ...limits };
  },
  given: (task) => ({ ...task }),
  judge(task, { settings: { lifetime, c1, attempts } }) {
    if (lifetime > task.lifetimeMax || c1 !== fewestBits(task, lifetime)) {
      const text = `${c1} bits with the lifetime ${lifetime} are not the fewest that are safe: an adversary keeps its identities as long as honest nodes do, for at most ${task.lifetimeMax} epochs`;
      return { bits: text, lifetime: text, attempts: text };
    }
    const least = priceOf(task, lifetime);
    const lifetimes = Array.from({ length: task.lifetimeMax }, (_, index) => index + 1);
    const isCheapest = lifetimes.every((other) => priceOf(task, other) >= least);
    const other = `another lifetime than ${lifetime} has a lower price: compare all, each with its fewest bits`;
    const missing = isCheapest ? null : other;
    const price = missingPrice(task, lifetime, attempts);
    return { bits: null, lifetime: missing, attempts: price ?? missing };
  },
  isOf: (task, { settings }) => missingPrice(task, settings.lifetime, settings.attempts) === null,
});

/** The fewest bits with which an adversary that keeps its identities for a lifetime leads rarely. */
export function fewestBits(
  { honest, windowAttempts, probability }: Task,
  lifetime: number,
): number {
  const attempts = lifetime * windowAttempts;
  const isSafe = (difficultyBits: number) =>
    topProbability({ honest, attempts, difficultyBits }) <= probability;
  return firstInteger(isSafe, { from: 0, to: BITS_MAX });
}

/**
 * A node needs one identity in the mean time for which one serves: until it expires or the node leaves. Other numbers of
 * identities that a node needs in an epoch are wrong.
 */
export function priceOf(task: Task, lifetime: number, perNode?: number): number {
  const { honest, churn } = task;
  const needed = perNode ?? churn / (1 - (1 - churn) ** lifetime);
  return honest * needed * 2 ** fewestBits(task, lifetime);
}

function missingPrice(task: Task, lifetime: number, stated: number): string | null {
  const isPrice = (perNode?: number) =>
    Math.abs(stated / priceOf(task, lifetime, perNode) - 1) <= TOLERANCE;
  const renewing = task.churn + (1 - task.churn) / lifetime;
  if (isPrice()) return null;
  if (isPrice(1 / lifetime)) return 'this is the price without churn: newcomers pay, too';
  if (isPrice(1)) return 'this is the price if every node pays in every epoch';
  return isPrice(renewing)
    ? 'this renews too often: a newcomer renews a lifetime after it has joined, if it stays'
    : `this is not the price of the lifetime ${lifetime} with its fewest bits`;
}
