/**
 * @module
 * Budgets: how many whole attempts they pay for, and when their seconds are used up.
 */

import { describe, expect, it } from 'vitest';
import { affordableAttempts, isTimeSpent } from '../../src/mining/ledger.ts';

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
    ['attempts before hashes', { attempts: 3, hashes: 8 }, 2, 3],
    ['hashes before attempts', { attempts: 5, hashes: 8 }, 2, 4],
  ])('%s', (_name, budget, hashes, attempts) => {
    expect(affordableAttempts(budget, { hashes, groupOperations: 65 })).toBe(attempts);
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
  ])('after 2 s of CPU and 3 s of wall: %s', (_name, budget, spent) => {
    expect(isTimeSpent(budget, { cpuSeconds: 2, wallSeconds: 3 })).toBe(spent);
  });
});
