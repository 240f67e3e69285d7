/**
 * @module
 * Detectors measured alone against closed forms that share no code with them. A node sends a heartbeat every η ticks; each
 * is lost with probability p or takes D ticks. A fixed time-out θ is the simple algorithm of Chen, Toueg and Aguilera
 * (2002): after a heartbeat, k lost ones follow with probability p^k (1 − p), and the next arrives (k + 1)η + D′ − D later.
 * It is a mistake if that is more than θ. No heartbeat overtakes another here, since D is at most η. φ-accrual detectors
 * with heartbeats at equal distances suspect at the crossing times of a table.
 */

import { describe, expect, it } from 'vitest';

import { createDetector, parseDetector } from '../../../src/election/detectors/registry.ts';
import type { ObservationSettings } from '../../../src/experiment/detectors/observation.ts';
import { observe } from '../../../src/experiment/detectors/observation.ts';
import { qualityOf } from '../../../src/experiment/detectors/quality.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { parseLatency } from '../../../src/simulation/faults/latency.ts';

const SEED = parseSeed('7');

function observations(
  text: string,
  network: { latency: string; loss: number },
  { everyTicks, periods }: Pick<ObservationSettings, 'everyTicks' | 'periods'>,
  count: number,
) {
  const detector = createDetector(parseDetector(text), { latencyTicksMax: 1 });
  if (detector === null) throw new TypeError(`"text" expected a machine, got ${text}`);
  return Array.from({ length: count }, (_, index) =>
    observe(detector, {
      ...{ latency: parseLatency(network.latency), loss: network.loss, everyTicks, periods },
      random: createRandom(SEED, text, network.latency, network.loss, index),
    }),
  );
}

/** P(D = t): an exponential time of this mean, rounded, from 1 to ten times the mean. */
function exponentialLaw(mean: number): Map<number, number> {
  const below = (time: number) => 1 - Math.exp(-time / mean);
  const law = new Map<number, number>();
  for (let ticks = 1; ticks <= 10 * mean; ticks += 1) {
    const from = ticks === 1 ? 0 : below(ticks - 0.5);
    law.set(ticks, (ticks === 10 * mean ? 1 : below(ticks + 0.5)) - from);
  }
  return law;
}

interface Expected {
  readonly rate: number;
  readonly accuracy: number;
  readonly duration: number;
  readonly detection: number;
}

/** Sums over D, D′, the lost heartbeats and the phase of the crash. */
function expected(
  law: ReadonlyMap<number, number>,
  { eta, theta, loss }: { eta: number; theta: number; loss: number },
): Expected {
  let [mistakes, silent, detection] = [0, 0, 0];
  for (let lost = 0; lost < 12; lost += 1) {
    const weight = loss ** lost * (1 - loss);
    for (const [one, p] of law) {
      for (const [other, q] of law) {
        const late = (lost + 1) * eta + other - one - theta;
        if (late <= 0) continue;
        mistakes += weight * p * q;
        silent += weight * p * q * late;
      }
      for (let since = 1; since <= eta; since += 1) {
        detection += (weight * p * Math.max(0, one + theta - since - lost * eta)) / eta;
      }
    }
  }
  const beats = (1 - loss) / eta;
  const [rate, accuracy] = [beats * mistakes, 1 - beats * silent];
  return { rate, accuracy, duration: (1 - accuracy) / rate, detection };
}

describe('a fixed time-out under exponential latencies', () => {
  const [mean, eta] = [20, 200];
  const law = exponentialLaw(mean);

  it('has half of an exponential tail as the probability of a mistake at a heartbeat', () => {
    const { rate } = expected(law, { eta, theta: eta + 60, loss: 0 });

    // P(D′ − D > x) = e^(−x/m)/2 for two exponential times; ticks are whole.
    expect(rate * eta).toBeCloseTo(Math.exp(-60 / mean) / 2, 2);
  });

  it.each([
    [220, 0],
    [260, 0],
    [290, 0],
    [260, 0.1],
    [450, 0.1],
  ])('measures what the closed form says, θ = %i, loss %d', (theta, loss) => {
    const closed = expected(law, { eta, theta, loss });
    const network = { latency: `exp:${mean}`, loss };
    const measured = qualityOf(
      observations(
        `fd-heartbeat:every=${eta},timeout=${theta}`,
        network,
        { everyTicks: eta, periods: 1000 },
        60,
      ),
      0.999,
    );

    expect(measured.missed).toBe(0);
    for (const [estimate, value] of [
      [measured.mistakeRate, closed.rate],
      [measured.mistakeTicks, closed.duration],
      [measured.queryAccuracy, closed.accuracy],
      [measured.detectionTicks, closed.detection],
    ] as const) {
      const [low, high] = estimate?.interval ?? [Number.NaN, Number.NaN];
      expect(value).toBeGreaterThanOrEqual(low);
      expect(value).toBeLessThanOrEqual(high);
      // The interval says something.
      expect(high - low).toBeLessThan(0.5 * Math.max(value, 1 - value));
    }
  });
});

describe('an accrual detector with heartbeats at equal distances', () => {
  // A window of 50 intervals has forgotten the start. Crossing times for μ = 1000 and σ = 100, rounded up to whole ticks.
  it.each([
    ['fd-phi-normal:every=1000,window=50,threshold=1', 1129],
    ['fd-phi-normal:every=1000,window=50,threshold=8', 1562],
    ['fd-phi-normal:every=1000,window=50,threshold=12', 1704],
    ['fd-phi-akka:every=1000,window=50,threshold=3,pause=0', 1306],
    ['fd-phi-akka:every=1000,window=50,threshold=8,pause=0', 1523],
    ['fd-phi-exp:every=1000,window=50,threshold=3', 6908],
    ['fd-phi-exp:every=1000,window=50,threshold=8', 18421],
  ])('%s suspects %i ticks after the last arrival', (text, crossing) => {
    const seen = observations(
      text,
      { latency: '10', loss: 0 },
      { everyTicks: 1000, periods: 3 },
      8,
    );

    for (const { detectionTicks, phaseTicks, mistakes, suspectedTicks } of seen) {
      expect([mistakes, suspectedTicks]).toEqual([0, 0]);
      const since = phaseTicks === 0 ? 1000 : phaseTicks;
      expect((detectionTicks ?? 0) + since).toBe(10 + crossing);
    }
  });
});

describe('the estimates', () => {
  const one = { ticks: 100, suspectedTicks: 0, mistakes: 0, detectionTicks: 5, phaseTicks: 1 };

  it('bound a rate of 0, and have no interval where nothing varies, as in an accuracy of 1', () => {
    const quality = qualityOf([one, one], 0.95);

    expect(quality.mistakeRate.interval?.[1]).toBeCloseTo(3.6889 / 200, 6);
    expect(quality.mistakeTicks).toBeNull();
    // One mistake can have any length.
    expect(quality.queryAccuracy).toEqual({ value: 1, interval: null });
    expect(quality.detectionTicks).toEqual({ value: 5, interval: null });
  });

  it('rise with the number of mistakes, and exclude a rate of 0 and an accuracy of 1', () => {
    const wrong = { ...one, suspectedTicks: 2, mistakes: 1 };
    const qualities = Array.from({ length: 31 }, (_, count) =>
      qualityOf([...Array(count).fill(wrong), ...Array(60 - count).fill(one)], 0.95),
    );
    const rates = qualities.map(({ mistakeRate }) => mistakeRate.interval ?? []);
    const perTick = 1 / 6000;

    // Garwood's limits.
    for (const [count, low, high] of [
      [0, 0, 3.689],
      [1, 0.0253, 5.572],
      [7, 2.814, 14.423],
    ] as const) {
      expect(rates[count]?.map((end) => end / perTick)).toEqual([
        expect.closeTo(low, 3),
        expect.closeTo(high, 3),
      ]);
    }
    for (const end of [0, 1]) {
      const ends = rates.slice(0, 20).map((interval) => interval[end] ?? Number.NaN);
      expect(ends).toEqual([...new Set(ends)].toSorted((left, right) => left - right));
    }
    for (const { queryAccuracy, mistakeRate } of qualities.slice(1)) {
      expect(mistakeRate.interval?.[0]).toBeGreaterThan(0);
      expect(queryAccuracy.interval?.[1]).toBeLessThan(1);
    }
  });

  it('reach as far as the jackknife where all mistakes are those of one observation', () => {
    const burst = { ...one, suspectedTicks: 60, mistakes: 30 };
    const [low = 0, high] =
      qualityOf([burst, ...Array(29).fill(one)], 0.95).mistakeRate.interval ?? [];

    expect(low).toBeGreaterThan(0);
    // Student's quantile at 29 degrees is 2.045.
    expect(high).toBeCloseTo((30 * 3.045) / 3000, 3);
  });

  it('count a suspicion that lasts throughout as no mistake, and say nothing of the rate', () => {
    const { mistakeRate, mistakeTicks, queryAccuracy } = qualityOf(
      observations(
        'fd-heartbeat:every=100,timeout=150',
        { latency: '30', loss: 1 },
        { everyTicks: 100, periods: 20 },
        3,
      ),
      0.95,
    );

    expect([mistakeRate, mistakeTicks]).toEqual([{ value: 0, interval: null }, null]);
    expect(queryAccuracy.value).toBe(0);
  });

  it('count crashes without a suspicion', () => {
    const quality = qualityOf([one, { ...one, detectionTicks: null }], 0.95);

    expect([quality.missed, quality.detectionTicks?.value]).toEqual([1, 5]);
  });
});
