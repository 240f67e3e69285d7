/**
 * @module
 * Laws of sessions against numerical integrals of their survival functions, stationary networks, and traces.
 */

import { describe, expect, it } from 'vitest';

import {
  parseSessionLaw,
  parseTrace,
  sessionsIn,
  sessionsOf,
} from '../../../src/experiment/churn/sessions.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';

const SEED = parseSeed('3');
const DRAWS = 40_000;

const LAWS: readonly (readonly [text: string, survival: (seconds: number) => number])[] = [
  ['exp:50m', (t) => Math.exp(-t / 3000)],
  ['weibull:0.59:41.9m', (t) => Math.exp(-((t / 2514) ** 0.59))],
  ['weibull:2:10m', (t) => Math.exp(-((t / 600) ** 2))],
  ['pareto:2.5:10m', (t) => (t < 600 ? 1 : (600 / t) ** 2.5)],
];

/** The integral of the survival function up to here, by the midpoint rule over steps that grow. */
function integral(survival: (t: number) => number, end: number): number {
  let [sum, at]: [number, number] = [0, 0];
  while (at < end) {
    const step = Math.min(0.5 + at / 500, end - at);
    sum += step * survival(at + step / 2);
    at += step;
  }
  return sum;
}

function shareAbove(draws: readonly number[], limit: number): number {
  return draws.filter((draw) => draw > limit).length / draws.length;
}

describe('a law', () => {
  it.each(LAWS)(
    '%s has its mean, its survival and the rest of sessions under way',
    (text, survival) => {
      const law = parseSessionLaw(text);
      const random = createRandom(SEED, text);
      const draws = Array.from({ length: DRAWS }, () => law.draw(random));
      const rests = Array.from({ length: DRAWS }, () => law.drawRest(random));
      const mean = integral(survival, 1e9);

      expect(law.meanS / mean).toBeCloseTo(1, 3);
      for (const limit of [300, 700, 3000, 20_000]) {
        expect(Math.abs(shareAbove(draws, limit) - survival(limit))).toBeLessThan(0.01);
        const rest = 1 - integral(survival, limit) / mean;
        expect(Math.abs(shareAbove(rests, limit) - rest)).toBeLessThan(0.01);
      }
    },
  );

  it.each(LAWS)('%s keeps the number of sessions', (text) => {
    const sessions = sessionsOf(parseSessionLaw(text), 2000, SEED);
    const all = sessions.initial.map((leaveS): [number, number] => [0, leaveS]);
    while (sessions.joinS < 20_000) {
      all.push([sessions.joinS, sessions.leaveS]);
      sessions.advance();
    }
    for (const now of [1000, 5000, 20_000]) {
      const here = all.filter(([joinS, leaveS]) => joinS <= now && leaveS > now).length;
      // A Poisson number with a deviation of √2000 = 45.
      expect(Math.abs(here - 2000)).toBeLessThan(200);
    }
  });

  it.each([
    'exp',
    'exp:1',
    'exp:2h:3',
    'weibull:0.1:3m',
    'weibull:0.59',
    'pareto:1:5m',
    'gamma:2:5m',
    'exp:0',
  ])('%s is %s', (text) => {
    if (text === 'exp:1') expect(parseSessionLaw(text).meanS).toBeCloseTo(1, 12);
    else expect(() => parseSessionLaw(text)).toThrow('must be exp:MEAN');
  });
});

describe('a trace', () => {
  it('has sessions that are under way at 0, in the order in which they join, and endless ones', () => {
    const sessions = sessionsIn(parseTrace('joinS,leaveS\n5,6.5\n-3,2\n1.25,\n0,9\n'));

    expect(sessions.initial).toEqual([2, 9]);
    expect([sessions.joinS, sessions.leaveS]).toEqual([1.25, Number.POSITIVE_INFINITY]);
    sessions.advance();
    expect([sessions.joinS, sessions.leaveS]).toEqual([5, 6.5]);
    sessions.advance();
    expect(sessions.joinS).toBe(Number.POSITIVE_INFINITY);
    expect(sessions.joinRate).toBeCloseTo(2 / 5, 12);
  });

  it.each([
    ['join,leave\n1,2', 'line 1 of the trace must be joinS,leaveS'],
    ['joinS,leaveS\n', 'line 2 of the trace must be a session'],
    ['joinS,leaveS\n1,2\n3,2', 'line 3 of the trace'],
    ['joinS,leaveS\n-5,-1', 'line 2 of the trace'],
    ['joinS,leaveS\n1e3,2e3', 'line 2 of the trace'],
    ['joinS,leaveS\n,5', 'line 2 of the trace'],
  ])('%j is refused', (text, refusal) => {
    expect(() => parseTrace(text)).toThrow(refusal);
  });
});
