/**
 * @module
 * What the scenarios of partitions, forgotten votes and drifting clocks show in numbers, and how those
 * that come in pairs differ. That each gives its outcome under every seed is tested for all at once.
 */

import { describe, expect, it } from 'vitest';

import { overlapTicks } from '../../../src/election/lease-interval.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ScheduledFault } from '../../../src/simulation/faults/schedule.ts';
import type { PlayedRun } from '../../../src/simulation/scenarios/played-run.ts';
import {
  auditOf,
  followedAt,
  leadersAt,
  measuresOf,
  playRun,
} from '../../../src/simulation/scenarios/played-run.ts';
import { findScenario } from '../../../src/simulation/scenarios/registry.ts';
import type { PlayedScenario } from '../../../src/simulation/scenarios/scenario.ts';
import { playScenario, runNamed } from '../../../src/simulation/scenarios/scenario.ts';

const SEEDS = Array.from({ length: 20 }, (_, number) => number + 1);
const END = Number.POSITIVE_INFINITY;

function play(name: string, seed: number): PlayedScenario {
  return playScenario(findScenario(name), { seed: parseSeed(String(seed)) });
}

function onlyRun({ runs }: PlayedScenario): PlayedRun {
  const [run] = runs;
  if (run === undefined || runs.length !== 1) throw new RangeError('expected one run');
  return run;
}

describe.each([
  ['raft-partial-partition', 'raft-partial-partition-prevote', ['changes', 'termGrows', 'lasting']],
  ['split-brain-bully', 'split-brain-raft', ['broken', 'led']],
])('%s and its pair %s', (one, other, members) => {
  it('end differently under the same seed', () => {
    for (const seed of SEEDS) {
      const [left, right] = [one, other].map((name) => play(name, seed).observed.members);

      for (const member of members) {
        expect(left?.[member], `${member}, seed ${seed}`).not.toEqual(right?.[member]);
      }
    }
  });

  it('are staged with the same faults', () => {
    const setting = { nodes: 5, seed: parseSeed('1') };
    const [left = [], right = []] = [one, other].map((name) => findScenario(name).stage(setting));

    for (const [index, { options }] of left.entries()) {
      expect(right[index]?.options.schedule).toEqual(options.schedule);
      expect(right[index]?.options.latency).toEqual(options.latency);
      expect(right[index]?.options.initiators).toEqual(options.initiators);
    }
  });
});

describe('raft-partial-partition', () => {
  it('has ever new leaders, none for a third of the time, and never two in a term', () => {
    for (const seed of SEEDS) {
      const played = play('raft-partial-partition', seed);
      const { reignsAfterCut = 0, lastTerm = 0, longestReignTicks = END } = played.figures;

      expect(reignsAfterCut, `seed ${seed}`).toBeGreaterThanOrEqual(10);
      // Candidacies without a winner raise it too.
      expect(lastTerm, `seed ${seed}`).toBeGreaterThan(reignsAfterCut);
      expect(longestReignTicks, `seed ${seed}`).toBeLessThan(7600);
      expect(measuresOf(onlyRun(played)).leadersPerEpochMax).toBe(1);
    }
  });

  it('is led by 1, 2 and 3 alone: 4 and 5 depose and never win', () => {
    for (const seed of SEEDS) {
      const { reigns } = onlyRun(play('raft-partial-partition', seed));

      expect(Math.max(...reigns.map(({ rank }) => rank)), `seed ${seed}`).toBeLessThanOrEqual(3);
    }
  });
});

describe('raft-partial-partition-prevote', () => {
  it('leaves 4 alone without a leader, asking in vain', () => {
    for (const seed of SEEDS) {
      const run = onlyRun(play('raft-partial-partition-prevote', seed));
      const asking = new Set(
        run.sent.filter(({ message }) => message.type === 'PRE_VOTE').map(({ from }) => from),
      );

      expect(leadersAt(run, [1, 2, 5], END), `seed ${seed}`).toEqual([3]);
      expect(followedAt(run, 4, END), `seed ${seed}`).toBeNull();
      // 3 asked once, before it led.
      expect([...asking], `seed ${seed}`).toEqual([3, 4]);
    }
  });
});

describe('split-brain-bully and split-brain-raft', () => {
  it('have two leaders for the whole partition with Bully, with Raft none too many but by a split second', () => {
    for (const seed of SEEDS) {
      const bully = play('split-brain-bully', seed).figures;
      const raft = play('split-brain-raft', seed).figures;

      expect(bully.splitTicksBroken, `seed ${seed}`).toBeGreaterThan(4500);
      // When it heals the majority may elect another before the first learns of the later term.
      expect(raft.splitTicksBroken, `seed ${seed}`).toBeLessThanOrEqual(27);
    }
  });

  it('leave an old leader in the minority to believe on, for two time-outs at most with checkQuorum', () => {
    for (const seed of SEEDS) {
      const { runs, figures } = play('split-brain-raft', seed);
      const checked = runNamed(runs, 'leader n in the minority, checkQuorum');
      const [first] = checked.reigns;

      expect(figures.splitTicksLed, `seed ${seed}`).toBeGreaterThan(2000);
      expect(first, `seed ${seed}`).toMatchObject({ rank: 5 });
      expect(first?.to, `seed ${seed}`).toBeLessThanOrEqual(600 + 2 * 190);
      expect(figures.splitTicksChecked, `seed ${seed}`).toBeLessThanOrEqual(2 * 190);
    }
  });

  it('keep the minority of Raft standing, term after term, without electing a leader', () => {
    const run = runNamed(play('split-brain-raft', 1).runs, 'broken from the start');
    const votes = run.sent.filter(({ t, from, message }) => {
      return t < 4600 && from > 3 && message.type === 'VOTE';
    });
    const rises = auditOf(run).trail();

    expect(votes.length).toBeGreaterThan(20);
    expect(rises.filter(({ at, node }) => at < 4600 && node > 3)).toEqual([]);
  });
});

describe('amnesia-double-vote', () => {
  it('breaks uniqueness of a term where the vote is forgotten, and only there', () => {
    for (const seed of SEEDS) {
      const uniqueness = play('amnesia-double-vote', seed).runs.map(({ name, outcome }) => {
        return [name, outcome.verdict.properties.uniqueness.value];
      });

      expect(uniqueness, `seed ${seed}`).toEqual([
        ['its vote is forgotten', 'false'],
        ['its vote is on disk', 'true'],
      ]);
    }
  });

  it('leaves the voter to follow both leaders in turn', () => {
    const run = runNamed(play('amnesia-double-vote', 1).runs, 'its vote is forgotten');
    const followed = run.changes.filter(({ t, node }) => t > 2000 && node === 2);

    expect(followed.length).toBeGreaterThan(20);
    expect(new Set(followed.map(({ leader }) => leader))).toEqual(new Set([1, 3]));
  });
});

describe('lease-clock-drift', () => {
  const bound = overlapTicks({ leaseTicks: 100_000, driftPpm: 10_000 });
  /** A message, an attempt after 75 ticks at most, its round trip, and two that clash. */
  const ELECTION_TICKS = 9 + 3 * (75 + 18);

  it('overlaps by 2Dp/(1-p^2) less an election, and by nothing when it is taken off', () => {
    expect(bound).toBe(2001);
    for (const seed of SEEDS) {
      const { splitTicksIgnored = 0, splitTicksCorrected } = play(
        'lease-clock-drift',
        seed,
      ).figures;

      expect(splitTicksIgnored, `seed ${seed}`).toBeLessThanOrEqual(bound);
      expect(splitTicksIgnored, `seed ${seed}`).toBeGreaterThan(bound - ELECTION_TICKS);
      expect(splitTicksCorrected, `seed ${seed}`).toBe(0);
    }
  });

  it('overlaps even when it is taken off, if clocks drift by twice as much', () => {
    const [, corrected] = findScenario('lease-clock-drift').stage({
      nodes: 3,
      seed: parseSeed('1'),
    });
    if (corrected === undefined) throw new RangeError('expected two runs');
    const { schedule } = corrected.options;
    const faults = (schedule?.faults ?? []).map((fault): ScheduledFault => {
      if (fault.type !== 'skew') return fault;
      return { ...fault, denominator: fault.denominator < 100 ? 98 : 102 };
    });

    const run = playRun({
      ...corrected,
      options: {
        ...corrected.options,
        schedule: { calm: null, detector: 'crashes', faults },
      },
    });

    expect(measuresOf(run).ticksSplit).toBeGreaterThan(1000);
  });
});
