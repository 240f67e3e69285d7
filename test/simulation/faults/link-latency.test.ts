/**
 * @module
 * Latencies that are exponential, and links that are slower than others.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { createRandom } from '../../../src/random.ts';
import {
  createDelay,
  EXPONENTIAL_CAP,
  latencyText,
  latencyTicks,
  latencyTicksMax,
  parseLatency,
} from '../../../src/simulation/faults/latency.ts';
import type { LinkFactors } from '../../../src/simulation/faults/link-factors.ts';
import {
  createKeyedDraws,
  createLinkFactors,
} from '../../../src/simulation/faults/link-factors.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

describe('an exponential latency', () => {
  it.each(['exp:1', 'exp:30', 'exp:100000'])('is read and written: %s', (text) => {
    expect(latencyText(parseLatency(text))).toBe(text);
  });

  it.each(['exp:0', 'exp:1.5', 'exp', 'exp:100001'])('is refused: %s', (text) => {
    expect(() => parseLatency(text)).toThrow(LabError);
  });

  it('has about its mean, at least one tick and at most ten means', () => {
    const latency = parseLatency('exp:30');
    const delay = createDelay(latency, createRandom(SEED, 'latency'));

    const drawn = Array.from({ length: 20_000 }, delay);

    const mean = drawn.reduce((sum, ticks) => sum + ticks, 0) / drawn.length;
    expect(mean).toBeGreaterThan(29);
    expect(mean).toBeLessThan(31);
    expect(Math.min(...drawn)).toBe(1);
    expect(latencyTicks(latency, 1 - 2 ** -53)).toBe(30 * EXPONENTIAL_CAP);
    expect(latencyTicksMax(latency)).toBe(300);
  });
});

describe('keyed draws', () => {
  it('are even, and differ by purpose, link and number', () => {
    const draws = createKeyedDraws(SEED, 'test');
    const tenths = new Array(10).fill(0);

    const seen = new Set<number>();
    for (let count = 0; count < 20_000; count += 1) {
      const unit = draws(count % 3, 1 + (count % 5), 1 + (count % 7), count);
      tenths[Math.floor(unit * 10)] += 1;
      seen.add(unit);
    }

    // Five standard deviations of 20 000 draws into ten.
    for (const share of tenths) expect(Math.abs(share - 2000)).toBeLessThan(212);
    expect(seen.size).toBeGreaterThan(19_990);
    expect(draws(0, 1, 2, 0)).not.toBe(draws(0, 2, 1, 0));
  });
});

describe('link factors', () => {
  const latenciesOf = (links: LinkFactors) => {
    const simulation = createSimulation({
      protocol: 'bully-oneshot',
      nodes: 4,
      seed: SEED,
      links,
      trace: true,
    });
    simulation.start([1]);
    simulation.advance({ until: 'idle' });
    return simulation;
  };

  it('drawn from the seed are whole, within bounds, and the same again', () => {
    const links = { type: 'seeded', factorMax: 5 } as const;
    const [factor, again] = [createLinkFactors(links, SEED), createLinkFactors(links, SEED)];

    const pairs = Array.from({ length: 400 }, (_, index) => [1 + (index % 20), 1 + index] as const);

    const factors = pairs.map(([from, to]) => factor(from, to));
    expect(new Set(factors)).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(pairs.map(([from, to]) => again(from, to))).toEqual(factors);
  });

  it('slow the links they name, and lengthen the time-outs', () => {
    const links = { type: 'given', factors: [{ from: 1, to: 4, factor: 7 }] } as const;

    const simulation = latenciesOf(links);

    const arrivals = simulation
      .records()
      .flatMap(({ t, action }) => (action.type === 'deliver' && action.message < 3 ? [t] : []));
    expect(arrivals).toEqual([1, 1, 7]);
    expect(simulation.plan.timing.latencyTicksMax).toBe(7);
    expect(simulation.status()).toMatchObject({ leader: 4, agreed: true });
  });

  it.each<[string, LinkFactors]>([
    ['factorMax must be a whole number in 1..1000, not 0', { type: 'seeded', factorMax: 0 }],
    [
      'to must be a whole number in 1..4, not 5',
      { type: 'given', factors: [{ from: 1, to: 5, factor: 2 }] },
    ],
    [
      'links names 1>2 twice',
      { type: 'given', factors: [2, 3].map((factor) => ({ from: 1, to: 2, factor })) },
    ],
  ])('are refused: %s', (detail, links) => {
    expect(() => latenciesOf(links)).toThrow(detail);
  });
});
