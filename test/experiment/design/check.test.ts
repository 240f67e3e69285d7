/**
 * @module
 * Designs against sampled runs: at ten points the difficulty holds and two bits less does not; and what
 * a check does to the verdict.
 */

import { describe, expect, it } from 'vitest';
import type {
  DesignCheck,
  DesignReport,
  DesignRuns,
} from '../../../src/experiment/design/check.ts';
import {
  checkedDifficulty,
  checkModel,
  checkOf,
  checkRuns,
  designReport,
} from '../../../src/experiment/design/check.ts';
import { designCost } from '../../../src/experiment/design/cost.ts';
import type { Design } from '../../../src/experiment/design/design.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';

/** ε, the adversary's seconds, n. */
const POINTS = [
  [0.5, 60, 16],
  [0.3, 600, 4],
  [0.2, 5, 64],
  [0.1, 60, 1],
  [0.1, 3600, 100],
  [0.05, 1, 16],
  [0.05, 60, 9],
  [0.02, 60, 32],
  [0.01, 60, 16],
  [0.01, 600, 3],
] as const;

describe('a design and a sweep about its difficulty', () => {
  it.each(POINTS)('agree at ε = %d, %d s, n = %d', (epsilon, time, nodes) => {
    const answer = design({ ...REST, epsilon, time, nodes });
    const { wholeBits, probability } = answer.needed;
    const runs = Math.ceil(60 / epsilon);

    const [held, less, least] = [wholeBits, wholeBits - 1, wholeBits - 2].map((bits) => {
      const wins = winsAt(answer, bits, runs);
      return exactInterval({ wins, runs, confidence: 0.999 });
    });

    expect(held?.[0]).toBeLessThanOrEqual(epsilon);
    expect(held?.[0]).toBeLessThanOrEqual(probability);
    expect(held?.[1]).toBeGreaterThanOrEqual(probability);
    expect(less?.[1]).toBeGreaterThan(epsilon);
    expect(least?.[0]).toBeGreaterThan(epsilon);
  });
});

describe('the check', () => {
  it('is at the bits needed where a design is possible, else at the most that are borne', () => {
    const possible = design({ ...REST, epsilon: 0.5, time: 1, nodes: 16 });
    const not = design({ ...REST, epsilon: 0.01, time: 60, nodes: 16 });
    const never = design({
      ...REST,
      epsilon: 0.01,
      time: 60,
      nodes: 16,
      joinTime: 1e-5,
    });

    expect(checkedDifficulty(possible)).toBe(possible.needed);
    expect(checkedDifficulty(not)).toBe(not.bearable);
    expect(checkedDifficulty(never)).toBeNull();
  });

  it('is not made of more attempts than a threat model can say', () => {
    const vast = design({
      ...REST,
      epsilon: 0.5,
      time: 1e8,
      nodes: 16,
      advantage: 1e6,
    });

    expect(checkedDifficulty(vast)).toBeNull();
  });

  it('has the more runs the nearer the closed form is to ε, within limits', () => {
    const answer = design({ ...REST, epsilon: 0.1, time: 60, nodes: 16 });
    const runsFor = (probability: number) => checkRuns(answer, { ...answer.needed, probability });

    expect(runsFor(0.01)).toBe(10_000);
    expect(runsFor(0.095) / (0.095 * 0.905 * (4 / 0.005) ** 2)).toBeCloseTo(1, 4);
    expect(runsFor(0.1)).toBe(400_000);
    const large = design({ ...REST, epsilon: 0.1, time: 60, nodes: 1_000_000 });
    expect(checkRuns(large, large.needed)).toBe(100);
  });

  it.each<[string, number, Omit<DesignRuns, 'confidence'>, string, RegExp]>([
    [
      'confirms a possible design',
      0.5,
      { runs: 1000, wins: 300 },
      'true',
      /^Possible: 10 bits limit/,
    ],
    [
      'doubts one on the edge',
      0.5,
      { runs: 100, wins: 48 },
      'unknown',
      /more runs make it narrower/,
    ],
    [
      'contradicts one that fails',
      0.5,
      { runs: 1000, wins: 900 },
      'unknown',
      /are on different sides of/,
    ],
    [
      'confirms an impossible one',
      0.01,
      { runs: 1000, wins: 300 },
      'false',
      /^Not possible: to limit/,
    ],
    [
      'doubts one that may hold',
      0.01,
      { runs: 100, wins: 2 },
      'unknown',
      /more runs make it narrower/,
    ],
  ])('%s', (_name, epsilon, runs, value, sentence) => {
    const answer = design({ ...REST, epsilon, time: 1, nodes: 16 });

    const { verdict } = reportOf(answer, checkWith(answer, runs));

    expect(verdict.value).toBe(value);
    expect(verdict.sentence).toMatch(sentence);
  });

  it('prints needed bits just above a whole number as such', () => {
    const answer = design({
      ...{ epsilon: 0.01, time: 60, rate: 10_000, advantage: 8 },
      ...{ nodes: 677, joinTime: 390 },
    });

    expect(reportOf(answer, null).verdict.sentence).toMatch(
      /takes 20\.002 bits, and no whole number lies between them and the 20\.31 bits/,
    );
  });

  it('is not needed for an answer by the closed form alone', () => {
    const possible = design({ ...REST, epsilon: 0.5, time: 1, nodes: 16 });
    const not = design({
      ...REST,
      epsilon: 0.01,
      time: 60,
      nodes: 16,
      joinTime: 1e-5,
    });

    expect(reportOf(possible, null).verdict.value).toBe('true');
    expect(reportOf(not, null).verdict).toMatchObject({
      value: 'false',
      sentence: expect.stringContaining('an honest node cannot test a single candidate'),
    });
  });

  it('names the defences that would make it possible: alone, together or none', () => {
    const question = { ...REST, epsilon: 0.05, time: 3600, joinTime: 30 };
    const sentence = (members: object) =>
      reportOf(design({ ...question, nodes: 500, ...members }), null).verdict.sentence;

    expect(sentence({})).toContain('With commit-then-beacon it would be possible');
    const swift = { advantage: 16, machines: 1 };
    expect(sentence({ ...swift, preparation: 60 })).toContain('Only the listed defences together');
    expect(sentence(swift)).toContain('No listed defence is enough');
    expect(sentence({ advantage: 16, nodes: 2 })).toContain('No listed defence is enough');
  });
});

/** A design asked at 10 000 candidates a second and ten seconds to join, p95. */
const REST = { rate: 10_000, joinTime: 10 };

function winsAt(answer: Design, difficultyBits: number, runs: number): number {
  const model = checkModel(answer, difficultyBits);
  return executeRuns(model, parseSeed('22'), { from: 0, count: runs }, STILL).wins[0] ?? 0;
}

function reportOf(answer: Design, check: DesignCheck | null): DesignReport {
  return designReport(answer, check, designCost(answer, { elections: [], defences: [] }));
}

function checkWith(answer: Design, runs: Omit<DesignRuns, 'confidence'>): DesignCheck {
  const difficulty = checkedDifficulty(answer);
  if (difficulty === null) throw new TypeError('"answer" expected a design to check');
  return checkOf(difficulty, { ...runs, confidence: 0.95 });
}
