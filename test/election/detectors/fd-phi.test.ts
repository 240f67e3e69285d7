/**
 * @module
 * The accrual detectors as machines, and how late beats train them.
 */

import { describe, expect, it } from 'vitest';

import type { AccrualRule } from '../../../src/election/detectors/fd-phi.ts';
import {
  createPhiDetector,
  hearBeat,
  noArrivals,
  suspicionTicks,
} from '../../../src/election/detectors/fd-phi.ts';
import { runDetectors } from './detector-network.ts';

const EVERY = 20;
const FORMULAS = ['normal', 'akka', 'exponential'] as const;

describe.each(FORMULAS)('φ, %s', (formula) => {
  const rule = ruleOf(formula);
  const crashAt = 4000;
  const { words, suspected } = runDetectors({
    nodes: 4,
    create: () => createPhiDetector(EVERY, rule),
    delay: (_flight, random) => 1 + random.below(5),
    lives: [
      { at: crashAt, rank: 4, type: 'crash' },
      { at: 6000, rank: 4, type: 'return' },
    ],
    until: 8000,
  });

  it('suspects no node that sends its beats', () => {
    expect(words.filter(({ about }) => about !== 4)).toEqual([]);
    expect(words.filter(({ at }) => at < crashAt)).toEqual([]);
  });

  it('suspects who crashed, once, and trusts it when it is back', () => {
    const said = words.filter(({ by }) => by === 1).map(({ type }) => type);

    expect(said).toEqual(['suspect', 'trust']);
    expect(suspected).toEqual([]);
  });

  it('suspects as soon as φ reaches the threshold, by the window that it has', () => {
    const patience = { normal: [23, 40], akka: [23, 45], exponential: [350, 400] }[formula];

    for (const { at } of words.filter(({ type }) => type === 'suspect')) {
      expect(at - crashAt).toBeGreaterThanOrEqual((patience[0] ?? 0) - EVERY);
      expect(at - crashAt).toBeLessThanOrEqual((patience[1] ?? 0) + 5);
    }
  });

  it('suspects who never sent a beat', () => {
    const never = runDetectors({
      nodes: 2,
      create: () => createPhiDetector(EVERY, rule),
      delay: () => 1,
      lives: [{ at: 0, rank: 2, type: 'crash' }],
      until: 1000,
    });

    expect(never.words.map(({ at }) => at)).toEqual([suspicionTicks(rule, guessed(rule))]);
  });
});

describe('the textbook form', () => {
  const rule = ruleOf('textbook');

  it('suspects all nodes at first, and none that dies after its first beat', () => {
    const { words } = runDetectors({
      nodes: 2,
      create: () => createPhiDetector(EVERY, rule),
      delay: () => 1,
      lives: [{ at: 10, rank: 2, type: 'crash' }],
      until: 10_000,
    });

    expect(words).toEqual([
      { at: 0, by: 1, about: 2, type: 'suspect' },
      { at: 0, by: 2, about: 1, type: 'suspect' },
      { at: 1, by: 2, about: 1, type: 'trust' },
      { at: 1, by: 1, about: 2, type: 'trust' },
    ]);
  });
});

describe('late beats (slow drip)', () => {
  it.each(FORMULAS)('lengthen the silence of %s in proportion to the mean', (formula) => {
    const delays = [200, 400, 800, 1600].map((longest) => drip(ruleOf(formula), longest));

    for (const [index, delay] of delays.slice(1).entries()) {
      expect(delay / (delays[index] ?? 0)).toBeGreaterThan(1.85);
      expect(delay / (delays[index] ?? 0)).toBeLessThan(2.15);
    }
    expect(delays[0]).toBeGreaterThan(suspicionTicks(ruleOf(formula), guessed(ruleOf(formula))));
  });

  it.each(FORMULAS)('do no more to %s than its ceiling allows', (formula) => {
    const capped = { ...ruleOf(formula), intervalTicksMax: EVERY + 5 };

    const [short, long] = [drip(capped, 200), drip(capped, 1600)];

    expect(long).toBe(short);
    expect(long).toBeLessThan(drip(ruleOf(formula), 200) / 4);
  });

  it('are not noticed while they drip, without a ceiling', () => {
    for (const formula of FORMULAS) expect(wasNoticed(ruleOf(formula), 1600)).toBe(false);
    const capped = { ...ruleOf('normal'), intervalTicksMax: EVERY + 5 };
    expect(wasNoticed(capped, 1600)).toBe(true);
  });
});

function ruleOf(formula: AccrualRule['formula']): AccrualRule {
  return {
    formula,
    threshold: 8,
    windowIntervals: 20,
    deviationTicksMin: 2,
    pauseTicks: 0,
    intervalTicksMax: Number.POSITIVE_INFINITY,
    guessTicks: EVERY,
  };
}

/** How long the silence after a drip up to intervals of `longest` may last. */
function drip(rule: AccrualRule, longest: number): number {
  return suspicionTicks(rule, dripped(rule, longest).arrivals);
}

function wasNoticed(rule: AccrualRule, longest: number): boolean {
  return dripped(rule, longest).noticed;
}

/** Beats that come 5 % later each time, and at the end as late as that a window long. */
function dripped(rule: AccrualRule, longest: number) {
  const arrivals = guessed(rule);
  let noticed = false;
  let interval = EVERY;
  let now = 0;
  const beat = () => {
    noticed ||= interval >= suspicionTicks(rule, arrivals);
    now += interval;
    hearBeat(rule, arrivals, now);
  };
  while (interval < longest) {
    interval = Math.min(longest, Math.ceil(interval * 1.05));
    beat();
  }
  return { arrivals, noticed };
}

function guessed(rule: AccrualRule) {
  const arrivals = noArrivals();
  hearBeat(rule, arrivals, 0);
  return arrivals;
}
