/**
 * @module
 * Budgets: how many whole attempts they pay for, what is left of them, and when their seconds are used up; sums of ledgers.
 */

import { describe, expect, it } from 'vitest';
import type { Budget } from '../../src/mining/ledger.ts';
import {
  addLedgers,
  affordableAttempts,
  affordableSorted,
  attemptTime,
  isTimeSpent,
  remainingBudget,
} from '../../src/mining/ledger.ts';

const UNBOUNDED = Number.POSITIVE_INFINITY;

describe('whole attempts that a budget pays for', () => {
  it.each([
    ['no bound', {}, 2, UNBOUNDED],
    ['seconds alone', { cpuSeconds: 1, wallSeconds: 1 }, 2, UNBOUNDED],
    ['attempts', { attempts: 7 }, 2, 7],
    ['no attempts', { attempts: 0 }, 2, 0],
    ['an even number of hashes at two each', { hashes: 8 }, 2, 4],
    ['an odd number of hashes at two each', { hashes: 9 }, 2, 4],
    ['too few hashes for one attempt', { hashes: 1 }, 2, 0],
    ['hashes at one each', { hashes: 9 }, 1, 9],
    ['hashes that no attempt needs', { attempts: 3, hashes: 0 }, 0, 3],
    ['attempts before hashes', { attempts: 3, hashes: 8 }, 2, 3],
    ['hashes before attempts', { attempts: 5, hashes: 8 }, 2, 4],
  ])('%s', (_name, budget, hashes, attempts) => {
    expect(affordableAttempts(budget, { hashes, groupOperations: 65 })).toBe(attempts);
  });
});

describe('keys that a budget pays for if only the best one is tested', () => {
  const half = { made: 1, whole: 2, probability: 1 / 16 };

  it.each<[string, Budget, typeof half, number]>([
    // 84 keys, and the 16 puzzles until one is valid.
    ['all hashes but those of the expected puzzles', { hashes: 100 }, half, 84],
    ['as many as in turn, if puzzles take too much', { hashes: 20 }, half, 10],
    ['as many as in turn, if puzzles take all', { hashes: 9 }, half, 4],
    ['whole keys', { hashes: 100.5 }, half, 84],
    ['no more than its attempts', { attempts: 60, hashes: 100 }, half, 60],
    ['its attempts, without a bound of hashes', { attempts: 7, cpuSeconds: 1 }, half, 7],
    ['as many as in turn, if an ID takes no hash', { hashes: 9 }, { ...half, made: 0 }, 4],
    ['twice as many, without a puzzle', { hashes: 9 }, { ...half, whole: 1 }, 9],
  ])('are %s', (_name, budget, { made, whole, probability }, keys) => {
    const costs = { made: costOf(made), whole: costOf(whole), probability };

    expect(affordableSorted(budget, costs)).toBe(keys);
  });

  it('pay for an attempt in hashes and in group operations of two hashes each', () => {
    expect(attemptTime({ hashes: 3, groupOperations: 5 })).toBe(13);
  });
});

function costOf(hashes: number) {
  return { hashes, groupOperations: 65 };
}

const SPENT = {
  ...{ attempts: 5, hashes: 20, groupOperations: 2 },
  ...{ cpuSeconds: 2, wallSeconds: 3, overshoot: 1 },
};

describe('what is left of a budget', () => {
  it('is each bound less what was spent of it', () => {
    const budget = {
      ...{ attempts: 6, hashes: 22 },
      ...{ cpuSeconds: 5, wallSeconds: 7, deviceSeconds: 8 },
    };

    expect(remainingBudget(budget, { ...SPENT, deviceSeconds: 4 })).toEqual({
      ...{ attempts: 1, hashes: 2 },
      ...{ cpuSeconds: 3, wallSeconds: 4, deviceSeconds: 4 },
    });
    expect(remainingBudget({ deviceSeconds: 8 }, SPENT)).toEqual({ deviceSeconds: 8 });
  });

  it.each<[string, Budget]>([
    ['attempts', { attempts: 5, hashes: 99 }],
    ['hashes', { attempts: 99, hashes: 19 }],
    ['CPU seconds', { cpuSeconds: 2, wallSeconds: 9 }],
    ['wall seconds', { cpuSeconds: 9, wallSeconds: 3 }],
    ['device seconds', { deviceSeconds: 0 }],
  ])('is nothing if all %s are spent, whatever else is left', (_name, budget) => {
    expect(remainingBudget(budget, SPENT)).toBeNull();
  });
});

describe('the ledgers of two searches', () => {
  const other = {
    ...{ attempts: 100, hashes: 300, groupOperations: 700 },
    ...{ cpuSeconds: 1100, wallSeconds: 1300, overshoot: 1700 },
  };
  const sum = {
    ...{ attempts: 105, hashes: 320, groupOperations: 702 },
    ...{ cpuSeconds: 1102, wallSeconds: 1303, overshoot: 1701 },
  };

  it('are added member by member', () => {
    expect(addLedgers(SPENT, other)).toEqual(sum);
    expect(addLedgers(SPENT, other)).not.toHaveProperty('deviceSeconds');
  });

  it.each([
    [4, 19, 23],
    [4, undefined, 4],
    [undefined, 19, 19],
  ])('have seconds of a device if one of them has: %s and %s', (one, another, seconds) => {
    const [first, second] = [one, another].map((of) =>
      of === undefined ? {} : { deviceSeconds: of },
    );

    const both = addLedgers({ ...SPENT, ...first }, { ...other, ...second });

    expect(both).toEqual({ ...sum, deviceSeconds: seconds });
  });
});

describe('seconds of a budget', () => {
  it.each([
    ['no bound', {}, false],
    ['a bound not reached', { cpuSeconds: 2.001, wallSeconds: 3.001 }, false],
    ['CPU seconds reached', { cpuSeconds: 2, wallSeconds: 3.001 }, true],
    ['wall seconds reached', { cpuSeconds: 2.001, wallSeconds: 3 }, true],
    ['CPU seconds passed', { cpuSeconds: 1 }, true],
    ['no seconds at all', { wallSeconds: 0 }, true],
    ['attempts alone', { attempts: 0, hashes: 0 }, false],
    ['seconds of a device that did not search', { deviceSeconds: 1 }, false],
  ])('after 2 s of CPU and 3 s of wall: %s', (_name, budget, spent) => {
    expect(isTimeSpent(budget, { cpuSeconds: 2, wallSeconds: 3 })).toBe(spent);
  });
});
