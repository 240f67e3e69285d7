/**
 * @module
 * The expected cost of a collection against closed forms, and against the law of the number of attempts, which is
 * followed attempt by attempt.
 */

import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/experiment/theory/collecting.ts';
import { collectionCost } from '../../../src/experiment/theory/collecting.ts';

function wantedOf(...sets: readonly (readonly number[])[]): Collection['wanted'] {
  return sets.map((counts) => ({ counts, finishing: 0 }));
}

describe('the attempts of a collection', () => {
  it.each([
    ['one kind: 1/p', [0.05, 0.2], wantedOf([1, 0]), 20],
    ['one kind twice: 2/p', [0.05, 0.2], wantedOf([2, 0]), 40],
    ['either of two: 1/(p+q)', [0.05, 0.2], wantedOf([1, 0], [0, 1]), 4],
    ['two kinds: 1/p + 1/q - 1/(p+q)', [0.05, 0.2], wantedOf([1, 1]), 20 + 5 - 4],
    ['all of three: n times H(n)', [1 / 3, 1 / 3, 1 / 3], wantedOf([1, 1, 1]), 5.5],
    ['nothing', [0.5], wantedOf([0]), 0],
    ['an impossible kind', [0, 0.5], wantedOf([1, 1]), Number.POSITIVE_INFINITY],
    ['an impossible kind, or another', [0, 0.5], wantedOf([1, 1], [0, 2]), 4],
    ['no set', [0.5], [], Number.POSITIVE_INFINITY],
  ] as const)('%s', (_, probabilities, wanted, expected) => {
    const { attempts, cost } = collectionCost({ probabilities, perAttempt: 2, wanted });

    expect(attempts).toBeCloseTo(expected, 10);
    expect(cost).toBeCloseTo(2 * attempts, 10);
  });

  it.each([
    [[0.3, 0.1, 0.25], wantedOf([2, 1, 0], [0, 0, 2])],
    [[0.2, 0.2, 0.2, 0.2], wantedOf([1, 1, 0, 0], [0, 0, 3, 0], [0, 1, 1, 1])],
    [[0.6, 0.1], wantedOf([3, 1])],
  ] as const)('follow the law: %j', (probabilities, wanted) => {
    const { attempts } = collectionCost({ probabilities, perAttempt: 1, wanted });

    expect(attempts).toBeCloseTo(followed(probabilities, wanted), 10);
  });

  it('are worth going on if the set at hand is expensive to use', () => {
    const wanted = [
      { counts: [1, 0], finishing: 100 },
      { counts: [0, 1], finishing: 1 },
    ];
    const probabilities = [0.5, 0.1];

    const { attempts, cost } = collectionCost({ probabilities, perAttempt: 1, wanted });

    expect(attempts).toBeCloseTo(10, 10);
    expect(cost).toBeCloseTo(11, 10);
  });

  it('are not worth going on if the set at hand is cheap enough to use', () => {
    const wanted = [
      { counts: [1, 0], finishing: 10 },
      { counts: [0, 1], finishing: 1 },
    ];
    const probabilities = [0.5, 0.1];

    const { cost } = collectionCost({ probabilities, perAttempt: 1, wanted });

    // 1/0.6 attempts, of whose results five sixths cost 10 and one sixth 1.
    expect(cost).toBeCloseTo(1 / 0.6 + 10 * (5 / 6) + 1 / 6, 10);
  });
});

describe('a collection whose results may make the use free', () => {
  const finishing = 4;

  it.each([
    // Each of the results leaves three quarters of the price.
    ['one kind three times', [[3, 0]], 3 / 0.5 + finishing * 0.75 ** 3],
    [
      'either of two',
      [
        [1, 0],
        [0, 1],
      ],
      1 / 0.6 + finishing * 0.75,
    ],
    // The second kind is rare. The first one alone is not enough, and may still be the free one.
    ['both of two', [[1, 1]], 1 / 0.5 + 1 / 0.1 - 1 / 0.6 + finishing * 0.75 ** 2],
  ] as const)('%s', (_, sets, expected) => {
    const wanted = sets.map((counts) => ({ counts, finishing }));
    const collection = { probabilities: [0.5, 0.1], perAttempt: 1, sparing: 0.25, wanted };

    expect(collectionCost(collection).cost).toBeCloseTo(expected, 10);
  });
});

describe('the tests of a collection', () => {
  it('are those of the wanted kinds alone', () => {
    const { attempts, cost } = collectionCost({
      probabilities: [0.05, 0.2],
      perAttempt: 1,
      testing: [0.5, 0.3],
      wanted: wantedOf([1, 0]),
    });

    expect(attempts).toBeCloseTo(20, 10);
    expect(cost).toBeCloseTo(20 * 1.5, 10);
  });

  it.each([
    [[0.3, 0.1, 0.25], [0.6, 0.4, 0.5], wantedOf([2, 1, 0], [0, 0, 2])],
    [[0.2, 0.2], [3, 0.2], wantedOf([1, 0], [0, 2])],
    [[0.1, 0.3], [9, 9], wantedOf([1, 1], [2, 0], [0, 3])],
  ] as const)(
    'cost least if each state has its best set of kinds: %j',
    (probabilities, testing, wanted) => {
      const { cost } = collectionCost({ probabilities, perAttempt: 1, testing, wanted });

      expect(cost).toBeCloseTo(
        cheapest(
          { probabilities, testing, wanted },
          probabilities.map(() => 0),
        ),
        10,
      );
    },
  );
});

/** The least expected cost from a state, over all sets of kinds to test for. */
function cheapest(
  all: {
    probabilities: readonly number[];
    testing: readonly number[];
    wanted: Collection['wanted'];
  },
  held: readonly number[],
): number {
  const { probabilities, testing, wanted } = all;
  if (wanted.some(({ counts }) => counts.every((count, kind) => (held[kind] ?? 0) >= count)))
    return 0;
  if (held.some((count) => count > 3)) return Number.POSITIVE_INFINITY;
  const kinds = probabilities.map((_, kind) => kind);
  const sets = Array.from({ length: 2 ** kinds.length - 1 }, (_, bits) =>
    kinds.filter((kind) => ((bits + 1) >> kind) % 2 === 1),
  );
  const costs = sets.map((set) => {
    const parts = set.map((kind) => {
      const chance = probabilities[kind] ?? 0;
      const next = cheapest(all, held.with(kind, (held[kind] ?? 0) + 1));
      return { chance, cost: (testing[kind] ?? 0) + chance * next };
    });
    const chance = parts.reduce((sum, part) => sum + part.chance, 0);
    return (1 + parts.reduce((sum, part) => sum + part.cost, 0)) / chance;
  });
  return Math.min(...costs);
}

/** E[T] = Σ P(T > t), from the law of what is held after t attempts. */
function followed(probabilities: readonly number[], wanted: Collection['wanted']): number {
  const isComplete = (held: readonly number[]) =>
    wanted.some(({ counts }) => counts.every((count, kind) => (held[kind] ?? 0) >= count));
  let law = new Map([[probabilities.map(() => 0).join(), 1]]);
  const nothing = 1 - probabilities.reduce((total, each) => total + each, 0);
  let mean = 0;
  for (let attempt = 0; attempt < 2000; attempt += 1) {
    const next = new Map<string, number>();
    const add = (held: readonly number[], probability: number) => {
      const kept = held.map((count) => Math.min(count, 4)).join();
      next.set(kept, (next.get(kept) ?? 0) + probability);
    };
    for (const [key, probability] of law) {
      const held = key.split(',').map(Number);
      if (isComplete(held)) continue;
      mean += probability;
      add(held, probability * nothing);
      for (const [kind, each] of probabilities.entries()) {
        add(held.with(kind, (held[kind] ?? 0) + 1), probability * each);
      }
    }
    law = next;
  }
  return mean;
}
