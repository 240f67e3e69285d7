/**
 * @module
 * Raft's distributions and safety at full length: what the quick tests sample.
 */

import { describe, expect, it } from 'vitest';

import { splitVoteProbability } from '../../election/quorum/raft-odds.ts';
import { downtimesMs } from './raft-election-times.ts';
import { runRaftUnderFaults } from './raft-fault-runs.ts';
import { doubleTerms, isFirstElectionSplit } from './raft-runs.ts';

const SAMPLES = 20_000;
const SPREAD_TICKS = 10_000;
const FAULT_RUNS = 2000;
const TRIALS = 1000;

describe('split votes of the machine', () => {
  it.each(
    [3, 5, 7, 9].flatMap((nodes) => [0.05, 0.1, 0.2, 0.5].map((delta) => [nodes, delta] as const)),
  )(
    `of ${SAMPLES} elections among %i at δ = %d are within 4.5 standard errors of the closed form`,
    (nodes, delta) => {
      const election = { nodes, latencyTicks: delta * SPREAD_TICKS, spreadTicks: SPREAD_TICKS };
      let split = 0;
      for (let seed = 1; seed <= SAMPLES; seed += 1) {
        if (isFirstElectionSplit(election, seed)) split += 1;
      }

      const chance = splitVoteProbability({ members: nodes, delta });
      const error = Math.sqrt((chance * (1 - chance)) / SAMPLES);
      expect(Math.abs(split / SAMPLES - chance)).toBeLessThan(4.5 * error);
    },
  );

  it('are 39/8000 of all 160 000 choices at n = 5, ET + rand[0, 20), for any assignment to nodes', () => {
    const election = { nodes: 5, latencyTicks: 1, spreadTicks: 20 };
    let split = 0;
    for (let number = 0; number < 20 ** 4; number += 1) {
      const choices = [0, 1, 2, 3].map((position) => Math.floor(number / 20 ** position) % 20);
      if (isFirstElectionSplit(election, choices)) split += 1;
    }

    expect(split).toBe((39 * 20 ** 4) / 8000);
  });
});

describe(`${FAULT_RUNS} elections of Raft under drawn faults without amnesia`, () => {
  it('never have two leaders in a term, and have one that all follow in the end', () => {
    for (let number = 1; number <= FAULT_RUNS; number += 1) {
      const { reigns, value, reason } = runRaftUnderFaults(number);

      expect(doubleTerms(reigns), `seed ${number}`).toEqual([]);
      expect(value, `seed ${number}: ${reason}`).toBe('true');
    }
  });
});

describe(`the time without a leader in ${TRIALS} trials`, () => {
  it.each([
    [150, 155, { median: [230, 340], longest: [600, 3000] }],
    [150, 200, { median: [130, 180], longest: [300, 1000] }],
    [12, 24, { median: [30, 60], longest: [80, 304] }],
  ])('of %i to %i ms is as in the quick tests, in narrower bands', (minMs, maxMs, bands) => {
    const downtimes = downtimesMs(TRIALS, { minMs, maxMs }, 20_000);

    const found = { median: downtimes[TRIALS / 2] ?? 0, longest: downtimes.at(-1) ?? 0 };
    for (const name of ['median', 'longest'] as const) {
      const [low = 0, high = 0] = bands[name];
      expect(found[name], name).toBeGreaterThan(low);
      expect(found[name], name).toBeLessThan(high);
    }
  });
});
