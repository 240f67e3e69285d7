/**
 * @module
 * The odds of a memoryless search against published quantiles of the geometric distribution, and the
 * law of how many identities it takes to pass the highest of n honest ones.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes, leadingZeroBits } from '../../src/bytes.ts';
import { NAMED_POLICIES } from '../../src/identity/named-policies.ts';
import { meetsGoal } from '../../src/mining/goal.ts';
import {
  attemptOdds,
  foundProbability,
  pairProbability,
  shortIdsOf,
  timeOdds,
  winProbability,
} from '../../src/mining/odds.ts';
import { sha256 } from './openssl-keys.ts';
import { HIGHEST_ID, policyWith, policyWithout } from './tasks.ts';

/** Bits, mean, median, 90 %, 99 %, P(found within the mean). */
const GEOMETRIC = [
  [1, 2, 1, 4, 7, 0.75],
  [4, 16, 11, 36, 72, 0.64392587],
  [8, 256, 178, 589, 1177, 0.63284025],
  [12, 4096, 2839, 9431, 18861, 0.63216547],
  [16, 65536, 45426, 150902, 301803, 0.63212337],
  [20, 1048576, 726818, 2414435, 4828869, 0.63212073],
  [24, 16777216, 11629080, 38630967, 77261933, 0.63212057],
] as const;

describe('attempts until the first success', () => {
  it.each(GEOMETRIC)('at %d bits', (bits, expected, p50, p90, p99, withinMean) => {
    const odds = attemptOdds(2 ** -bits);

    expect(odds).toMatchObject({ expected, p50, p90, p99 });
    expect(foundProbability(2 ** -bits, expected)).toBeCloseTo(withinMean, 8);
  });

  it('each quantile is the first attempt that reaches it', () => {
    const probability = fc.double({ min: 1e-9, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(probability, (p) => {
        const odds = attemptOdds(p);
        for (const [quantile, attempts] of [
          [0.5, odds.p50],
          [0.9, odds.p90],
          [0.95, odds.p95],
          [0.99, odds.p99],
        ] as const) {
          // A hair of slack for quantiles that fall on an attempt exactly.
          expect(foundProbability(p, attempts)).toBeGreaterThanOrEqual(quantile - 1e-9);
          expect(foundProbability(p, attempts - 1)).toBeLessThan(quantile + 1e-9);
        }
      }),
      { seed: 20070512, numRuns: 300 },
    );
  });

  it('are one if every attempt succeeds', () => {
    expect(attemptOdds(1)).toEqual({ expected: 1, p50: 1, p90: 1, p95: 1, p99: 1 });
  });

  it('are without end if none can', () => {
    const never = Number.POSITIVE_INFINITY;

    expect(attemptOdds(0)).toEqual({
      expected: never,
      p50: never,
      p90: never,
      p95: never,
      p99: never,
    });
  });

  it('stay finite and ordered at 256 bits', () => {
    const odds = attemptOdds(2 ** -256);

    expect(odds.expected).toBe(2 ** 256);
    expect(odds.p50 / odds.expected).toBeCloseTo(Math.LN2, 12);
    expect(odds.p99).toBeLessThan(Number.POSITIVE_INFINITY);
  });

  it.each([-0.1, 1.1, Number.NaN])('refuses the probability %d', (probability) => {
    expect(() => attemptOdds(probability)).toThrow(
      new RangeError(`"probability" expected 0..1, got ${probability}`),
    );
  });
});

describe('the probability of having found by now', () => {
  it.each([
    ['never, before the first attempt', 0.25, 0, 0],
    ['never, even where every attempt succeeds, before the first', 1, 0, 0],
    ['p, after one attempt', 0.25, 1, 0.25],
    ['1 − (1−p)², after two', 0.25, 2, 0.4375],
    ['1, where every attempt succeeds', 1, 1, 1],
    ['0, where none can', 0, 1e15, 0],
    ['1, after endless attempts', 0.25, Number.POSITIVE_INFINITY, 1],
  ])('is %s', (_name, probability, attempts, found) => {
    expect(foundProbability(probability, attempts)).toBeCloseTo(found, 15);
  });

  it('keeps its digits where 1 − p rounds to 1', () => {
    const found = foundProbability(2 ** -60, 1000);

    expect(found / (1000 * 2 ** -60)).toBeCloseTo(1, 12);
  });
});

describe('the odds in seconds', () => {
  it('are the attempts divided by the rate', () => {
    const odds = timeOdds(attemptOdds(2 ** -4), 8);

    expect(odds).toEqual({ expected: 2, p50: 11 / 8, p90: 36 / 8, p95: 47 / 8, p99: 72 / 8 });
  });
});

describe('the probability that one attempt wins', () => {
  const upperQuarter = idBeginningWith(0xc0);

  it.each([
    ['2^−c1 for any identity', policyWith({ c1: 10 }), null, 2 ** -10],
    ['1 without a puzzle', policyWith({ c1: 0 }), null, 1],
    ['1 if the static check is off', { ...policyWithout('static'), c1: 10 }, null, 1],
    ['the product of puzzle and goal', policyWith({ c1: 4 }), upperQuarter, 2 ** -6],
    ['0 above the highest ID', policyWith({ c1: 4 }), HIGHEST_ID, 0],
    // c2 is solved after the key was found: it costs hashes, but no key fails by it.
    ['not lower with a dynamic puzzle', policyWith({ c1: 4, c2: 20 }), null, 2 ** -4],
  ])('is %s', (_name, policy, nodeId, probability) => {
    const goal =
      nodeId === null ? ({ type: 'any' } as const) : ({ type: 'above', nodeId } as const);

    expect(winProbability(policy, goal)).toBeCloseTo(probability, 14);
  });

  it('of a key that is the ID is that of the goal among keys that begin with c1 zero bits', () => {
    const yggdrasil = { ...NAMED_POLICIES.yggdrasil.policy, c1: 10 };

    // Half of these keys are above 2^245.
    const nodeId = Uint8Array.of(0, 0x20, ...new Uint8Array(30));

    expect(winProbability(yggdrasil, { type: 'any' })).toBeCloseTo(2 ** -10, 14);
    expect(winProbability(yggdrasil, { type: 'above', nodeId })).toBeCloseTo(2 ** -11, 14);
  });

  it('is that of the leading bits if all IDs end with the zeros of the puzzle', () => {
    const storj = policyWith({ idRule: 'storj', c1: 12 });
    const above = { type: 'above', nodeId: idBeginningWith(0xc0) } as const;

    const highest = { type: 'above', nodeId: HIGHEST_ID.with(31, 0xf8) } as const;

    expect(winProbability(storj, above)).toBeCloseTo(2 ** -6, 14);
    expect(winProbability(storj, highest)).toBe(0);
    expect(winProbability(policyWith({ c1: 4 }), highest) / (7 * 2 ** -260)).toBeCloseTo(1, 12);
  });

  it('expects 2^c1 / (1−u) attempts to pass the quantile u of all IDs', () => {
    const goal = { type: 'above', nodeId: idBeginningWith(0xe0) } as const;

    const { expected } = attemptOdds(winProbability(policyWith({ c1: 5 }), goal));

    expect(expected).toBeCloseTo(2 ** 5 / (1 - 0.875), 8);
  });
});

describe('short IDs', () => {
  it.each([
    ['a bit too long', { idBits: 48, c1: 7 }, null],
    ['the longest that are short', { idBits: 48, c1: 8 }, { admissible: 2 ** 40, share: 2 ** -8 }],
    [
      'whose version does not count',
      { idRule: 'storj', c1: 218 },
      { admissible: 2 ** 38, share: 2 ** -210 },
    ],
    ['without a puzzle', { idBits: 16 }, { admissible: 2 ** 16, share: 1 }],
    [
      'of a slow puzzle, which no one counts',
      { idBits: 16, c1: 4, puzzle: { function: 'iterated', iterations: 2 } },
      { admissible: 2 ** 12, share: 2 ** -4 },
    ],
    [
      'longer than those that are counted',
      { idBits: 24, c1: 4 },
      { admissible: 2 ** 20, share: 2 ** -4 },
    ],
  ] as const)('%s', (_name, changes, ids) => {
    expect(shortIdsOf(policyWith(changes))).toEqual(ids);
  });

  it('of 16 bits are those whose hash begins with the zero bits', () => {
    const c1 = 9;
    const all = Array.from({ length: 2 ** 16 }, (_, id) => Buffer.of(id >> 8, id & 0xff));
    const admissible = all.filter((id) => leadingZeroBits(sha256(id)) >= c1).length;

    // A second question about the policy is answered from memory.
    for (const ids of [1, 2].map(() => shortIdsOf(policyWith({ idBits: 16, c1 })))) {
      expect(ids).toEqual({ admissible, share: admissible / 2 ** 16 });
    }
  });
});

describe('the probability of a pair with one ID', () => {
  it.each([100, 1000, 5000])('is that of the birthday problem after %d admitted keys', (keys) => {
    let differing = 1;
    for (let drawn = 0; drawn < keys; drawn += 1) differing *= 1 - drawn / 2 ** 24;

    const probability = pairProbability(policyWith({ idBits: 32, c1: 8 }), keys * 2 ** 8);

    // The bound counts n²/2 pairs in place of n(n − 1)/2.
    expect(Math.abs(probability / (1 - differing) - 1)).toBeLessThan(1.1 / keys);
  });

  it('is 0 if the key is the ID', () => {
    expect(pairProbability(NAMED_POLICIES.yggdrasil.policy, 1e9)).toBeCloseTo(0, 15);
  });
});

describe('identities until one passes the highest of n honest ones', () => {
  it.each([
    [1, 1],
    [4, 12],
    [9, 9],
    [9, 81],
  ])('n = %d: more than %d with probability n/(n+k)', (honest, tries) => {
    const trials = 2000;
    const probability = honest / (honest + tries);
    const sigma = Math.sqrt(trials * probability * (1 - probability));
    const idsOf = (trial: number, role: string, count: number) =>
      Array.from({ length: count }, (_, index) => sha256(`${honest}/${trial}/${role}/${index}`));

    let failures = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const nodeId = idsOf(trial, 'honest', honest).reduce((high, id) =>
        compareBytes(id, high) > 0 ? id : high,
      );
      const passed = idsOf(trial, 'forged', tries).some((id) =>
        meetsGoal({ type: 'above', nodeId }, id),
      );
      if (!passed) failures += 1;
    }

    expect(Math.abs(failures - trials * probability)).toBeLessThan(4 * sigma);
  });
});

function idBeginningWith(byte: number): Uint8Array {
  const nodeId = new Uint8Array(32);
  nodeId[0] = byte;
  return nodeId;
}
