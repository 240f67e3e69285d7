/**
 * @module
 * `expect.by`: the adversaries of a document together, any one of them, or one by name. The numbers are sums over
 * both binomials, for two adversaries with 350 attempts each among 11 honest nodes and 6 bits.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { modelFrom, STILL } from '../models.ts';
import { refusedBy } from '../reading/refusals.ts';

const RUNS = 4000;

function twoAdversaries(property: string, count: number, by: string): ThreatModel {
  const forging = '{budget: {attempts: 350}, goal: all, behaviours: []}';
  return modelFrom(
    'top-id',
    ...['work=sampled', 'network.honest=11', 'network.identity.c1=6', 'adversaries.main=null'],
    ...[`adversaries.ann=${forging}`, `adversaries.bob=${forging}`],
    ...[`expect.property=${property}`, `expect.count=${count}`, `expect.by=${by}`],
  );
}

describe('two adversaries', () => {
  it.each([
    ['top-captured', 3, 'together', 0.107341],
    ['top-captured', 3, 'any', 0.02672],
    ['top-captured', 3, 'bob', 0.01336],
    ['successors-captured', 2, 'together', 0.254113],
    ['successors-captured', 2, 'any', 0.126875],
    ['majority-captured', 1, 'together', 0.413211],
    ['majority-captured', 1, 'any', 0.000625],
    ['adversary-leads', 1, 'any', 0.487107],
    ['adversary-leads', 1, 'ann', 0.243554],
  ])('with %s of %d, judged by %s, have it with probability %d', (property, count, by, share) => {
    const model = twoAdversaries(property, count, by);

    const { wins } = executeRuns(model, parseSeed('1'), { from: 0, count: RUNS }, STILL);

    expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(share, 6);
    const [low, high] = exactInterval({ wins: wins[0] ?? 0, runs: RUNS, confidence: 0.9999 });
    expect(low).toBeLessThanOrEqual(share);
    expect(high).toBeGreaterThanOrEqual(share);
  });
});

it.each([
  ['expect.by=bob', 'expect.by must be together, any or main'],
  ['expect.by=constructor', 'expect.by must be together, any or main'],
  ['adversaries.any={budget: {attempts: 1}}', 'adversaries.any must have another name'],
])('%s is refused: %s', (setting, message) => {
  expect(refusedBy(() => modelFrom('top-id', setting)).message).toContain(message);
});

it('refuses a choice for a property that is not about adversaries', () => {
  const refusal = refusedBy(() => modelFrom('top-id', 'expect.property=split', 'expect.by=main'));

  expect(refusal.message).toContain('expect.by does not apply to split');
});
