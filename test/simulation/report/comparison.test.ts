/**
 * @module
 * Protocols side by side: the same seeds and faults for all, and what the figures are made of.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../../src/errors.ts';
import { parseSeed } from '../../../src/random.ts';
import {
  comparedRun,
  createComparison,
  horizonOf,
} from '../../../src/simulation/report/comparison.ts';
import type { LeadershipMeasures } from '../../../src/simulation/run/audit.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

import type { ComparisonOptions } from './compare-protocols.ts';
import { compareProtocols } from './compare-protocols.ts';

const SEEDS = ['1', '2', '3', '4', '5'].map(parseSeed);
const [SEED = parseSeed('1')] = SEEDS;
const RINGS = ['cr-join', 'ring-lelann'] as const;
const BOTH = ['bully-oneshot', 'cr-join'] as const;

/** Whatever is not given is 0 or nothing. */
function measures(given: Partial<LeadershipMeasures>): LeadershipMeasures {
  return {
    ...{ ticks: 100, ticksWithoutLeader: 0, ticksSplit: 0, reigns: 0, changes: 0 },
    ...{ epochs: 0, leadersPerEpochMax: null, stableFrom: null, ...given },
  };
}

const NO_FITTINGS = { staleWrites: null, lateWrites: null, detection: null };

describe('the figures', () => {
  it('are means, medians and highest values over the runs', () => {
    const comparison = createComparison(['cr-join']);
    comparison.add([
      {
        ...NO_FITTINGS,
        messages: 10,
        measures: measures({ stableFrom: 30, ticksWithoutLeader: 25, changes: 2 }),
      },
    ]);
    comparison.add([
      {
        ...NO_FITTINGS,
        messages: 20,
        measures: measures({ ticksSplit: 9, leadersPerEpochMax: 2 }),
      },
    ]);
    comparison.add([
      {
        ...NO_FITTINGS,
        messages: 60,
        measures: measures({ stableFrom: 10, ticksWithoutLeader: 75 }),
      },
    ]);
    comparison.add([
      {
        ...NO_FITTINGS,
        messages: 30,
        measures: measures({ stableFrom: 14, leadersPerEpochMax: 1 }),
      },
    ]);

    expect(comparison.report()).toEqual([
      {
        ...{ protocol: 'cr-join', runs: 4, unfinished: 0, messagesMean: 30 },
        ...{ stableShare: 0.75, stableTicksMedian: 14, stableTicksMax: 30 },
        ...{ withoutLeaderShare: 0.25, splitTicksMean: 2.25, splitTicksMax: 9 },
        ...{ leadersPerEpochMax: 2, changesMean: 0.5, changesMax: 2 },
      },
    ]);
  });

  it('lie between the two in the middle where there are two', () => {
    const comparison = createComparison(['cr-join']);
    for (const stableFrom of [7, 4]) {
      comparison.add([{ ...NO_FITTINGS, messages: 0, measures: measures({ stableFrom }) }]);
    }

    expect(comparison.report()[0]).toMatchObject({ stableTicksMedian: 5.5, stableTicksMax: 7 });
  });

  it('of no runs are none', () => {
    expect(createComparison(['cr-join']).report()).toEqual([
      {
        ...{ protocol: 'cr-join', runs: 0, unfinished: 0, messagesMean: 0 },
        ...{ stableShare: 0, stableTicksMedian: null, stableTicksMax: null },
        ...{ withoutLeaderShare: 0, splitTicksMean: 0, splitTicksMax: 0 },
        ...{ leadersPerEpochMax: null, changesMean: 0, changesMax: 0 },
      },
    ]);
  });

  it('count a run that could not be held as one that is not stable, and nowhere else', () => {
    const comparison = createComparison(BOTH);
    const run = { ...NO_FITTINGS, messages: 8, measures: measures({ stableFrom: 6, changes: 1 }) };

    comparison.add([null, run]);
    comparison.add([run, run]);

    expect(comparison.report()).toMatchObject([
      {
        runs: 2,
        unfinished: 1,
        messagesMean: 8,
        stableShare: 0.5,
        stableTicksMedian: 6,
        changesMean: 1,
      },
      { runs: 2, unfinished: 0, messagesMean: 8, stableShare: 1 },
    ]);
  });

  it('of runs none of which could be held have no stable leader', () => {
    const comparison = createComparison(['cr-join']);

    comparison.add([null]);

    expect(comparison.report()[0]).toMatchObject({ runs: 1, unfinished: 1, stableShare: 0 });
  });

  it('take a seed for all protocols or for none', () => {
    const run = { ...NO_FITTINGS, messages: 1, measures: measures({}) };

    expect(() => createComparison(BOTH).add([run])).toThrow(
      new RangeError('"runs" expected 2 runs, got 1'),
    );
  });
});

describe('a comparison', () => {
  const OPTIONS: ComparisonOptions = {
    ...{ protocols: BOTH, nodes: 5, seeds: SEEDS, horizonTicks: 200 },
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 5 },
  };

  it('gives every protocol the elections that it has by itself', () => {
    const [bully, ring] = compareProtocols(OPTIONS);

    for (const [compared, protocol] of [
      [bully, BOTH[0]],
      [ring, BOTH[1]],
    ] as const) {
      const totals = SEEDS.map((seed) => {
        const { latency, nodes } = OPTIONS;
        return simulateElection({ protocol, nodes, latency, seed }).messages.total ?? 0;
      });
      expect(compared?.messagesMean).toBe(totals.reduce((sum, each) => sum + each, 0) / 5);
      expect(compared).toMatchObject({ protocol, runs: 5, stableShare: 1, splitTicksMax: 0 });
    }
  });

  it('repeats itself, and does not depend on who else is compared', () => {
    const [bully, ring] = compareProtocols(OPTIONS);

    expect(compareProtocols(OPTIONS)).toEqual([bully, ring]);
    expect(compareProtocols({ ...OPTIONS, protocols: ['cr-join'] })).toEqual([ring]);
    expect(compareProtocols({ ...OPTIONS, protocols: BOTH.toReversed() })).toEqual([ring, bully]);
  });

  it('gives all of them the same faults: a partition splits Bully and leaves a ring without a leader', () => {
    const cut = { type: 'partition', cut: { kind: 'halves' }, from: 0, to: 150 } as const;
    const schedule = { faults: [cut], calm: null, detector: 'links' } as const;

    const [bully, ring] = compareProtocols({ ...OPTIONS, schedule });

    expect(bully?.splitTicksMean).toBeGreaterThan(50);
    expect(bully?.stableShare).toBe(1);
    expect(bully?.stableTicksMedian).toBeGreaterThanOrEqual(150);
    expect(ring?.splitTicksMax).toBe(0);
    expect(ring?.withoutLeaderShare).toBeGreaterThan(150 / 200);
  });

  it('goes on with the others where the copies of one multiply', () => {
    // Of the lists that a lap has made long few can be in flight.
    const copies = { type: 'duplication', share: 1, from: 375, to: null } as const;
    const schedule = { faults: [copies], calm: null, detector: 'crashes' } as const;

    const [ring, raft] = compareProtocols({
      ...{ protocols: ['ring-collect', 'raft'], nodes: 400, initiators: [1], schedule },
      ...{ seeds: [SEED], horizonTicks: 450 },
    });

    expect(ring).toMatchObject({ runs: 1, unfinished: 1, stableShare: 0, messagesMean: 0 });
    expect(raft).toMatchObject({ runs: 1, unfinished: 0, stableShare: 1 });
  });

  it('begins with the initiators alone', () => {
    const [bully] = compareProtocols({
      ...OPTIONS,
      protocols: ['bully-oneshot'],
      initiators: [5],
    });

    expect(bully?.messagesMean).toBe(4);
  });

  it('refuses before the first run what one of them cannot have, in its name', () => {
    const faults = [{ type: 'recover', rank: 5, at: 9 }] as const;

    expect(() => compareProtocols({ ...OPTIONS, crashedBefore: [5], faults })).toThrow(
      new LabError(
        'arguments',
        'cr-join cannot take part: 5 died before the run and the ring is closed around it, so it cannot recover',
      ),
    );
  });

  it.each([0, 1.5, -1])('refuses a horizon of %s ticks', (horizonTicks) => {
    expect(() => compareProtocols({ ...OPTIONS, horizonTicks })).toThrow(LabError);
  });
});

it('watches as long as the most patient of them waits', () => {
  const elections = RINGS.map((protocol) => ({ protocol, nodes: 9, seed: SEED }));

  expect(horizonOf([...elections, { protocol: 'cr-join', nodes: 50, seed: SEED }])).toBe(
    createSimulation({ protocol: 'cr-join', nodes: 50, seed: SEED }).plan.untilTicks,
  );
});

it('compares no run that was not audited', () => {
  const simulation = createSimulation({ protocol: 'cr-join', nodes: 3, seed: SEED });

  expect(() => comparedRun(simulation)).toThrow(TypeError);
});

it('says what working leaders and detectors came to, where there are any', () => {
  const zombie: ComparisonOptions = {
    ...{ protocols: ['db-lease'], nodes: 3, seeds: SEEDS, horizonTicks: 1500 },
    workload: { resource: 'unfenced', everyTicks: null },
    detector: { name: 'fd-heartbeat', options: {} },
    schedule: {
      faults: [1, 2].flatMap((rank) => [
        { type: 'pause', rank, from: 300 * rank, to: 300 * rank + 200 } as const,
      ]),
      calm: null,
      detector: 'crashes',
    },
  };
  const plain = { ...zombie, workload: undefined, detector: undefined };

  const [unfenced] = compareProtocols(zombie);
  const [fenced] = compareProtocols({
    ...zombie,
    workload: { resource: 'fencing-max', everyTicks: null },
  });

  expect(unfenced?.staleWritesMean).toBeGreaterThan(0);
  expect(fenced).toMatchObject({ staleWritesMean: 0, detectionTicksMean: null });
  expect(fenced?.mistakesMean).toBeGreaterThan(0);
  expect(compareProtocols(plain)[0]).not.toHaveProperty('staleWritesMean');
});
