/**
 * @module
 * Latencies as text and as draws.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { createRandom } from '../../../src/random.ts';
import {
  createDelay,
  LATENCY_TICKS_LIMIT,
  latencyText,
  latencyTicksMax,
  parseLatency,
} from '../../../src/simulation/faults/latency.ts';
import { SEED } from '../ring/rings.ts';

describe('parseLatency', () => {
  it.each([
    { text: '1', latency: { type: 'constant', ticks: 1 }, ticksMax: 1 },
    { text: '1000000', latency: { type: 'constant', ticks: 1_000_000 }, ticksMax: 1_000_000 },
    {
      text: 'uniform:10:50',
      latency: { type: 'uniform', ticksMin: 10, ticksMax: 50 },
      ticksMax: 50,
    },
    { text: 'uniform:7:7', latency: { type: 'uniform', ticksMin: 7, ticksMax: 7 }, ticksMax: 7 },
  ])('reads $text', ({ text, latency, ticksMax }) => {
    const parsed = parseLatency(text);

    expect(parsed).toEqual(latency);
    expect(latencyText(parsed)).toBe(text);
    expect(latencyTicksMax(parsed)).toBe(ticksMax);
  });

  it.each([
    '',
    '0',
    '01',
    '-1',
    '1.5',
    ' 1',
    '1e3',
    String(LATENCY_TICKS_LIMIT + 1),
    'uniform',
    'uniform:10',
    'uniform:0:5',
    'uniform:10:50:60',
    'Uniform:1:2',
  ])('refuses %j', (text) => {
    expect(() => parseLatency(text)).toThrow(
      new LabError(
        'arguments',
        `latency ${JSON.stringify(text)} must be whole ticks in 1..1000000, such as 1, uniform:10:50 or exp:30`,
      ),
    );
  });

  it('refuses reversed bounds and says what would be right', () => {
    expect(() => parseLatency('uniform:50:10')).toThrow(
      new LabError('arguments', 'latency "uniform:50:10" has reversed bounds; write uniform:10:50'),
    );
  });
});

describe('a delay', () => {
  it('is drawn from all ticks of its range and no others', () => {
    const delay = createDelay(parseLatency('uniform:10:14'), createRandom(SEED, 'latency'));

    const drawn = new Set(Array.from({ length: 500 }, delay));

    expect([...drawn].toSorted((left, right) => left - right)).toEqual([10, 11, 12, 13, 14]);
  });

  it('that is constant draws nothing', () => {
    const random = createRandom(SEED, 'latency');

    createDelay(parseLatency('9'), random)();

    expect(random.unit()).toBe(createRandom(SEED, 'latency').unit());
  });
});
