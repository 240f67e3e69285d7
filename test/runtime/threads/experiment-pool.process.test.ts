/**
 * @module
 * Runs of a threat model on threads: the tallies are those of one thread, and an interrupted
 * experiment keeps the runs 0..k−1.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import type { Tally } from '../../../src/experiment/runs/tally.ts';
import type { ExperimentProgress } from '../../../src/operations/machine.ts';
import { parseSeed } from '../../../src/random.ts';
import { runExperiment } from '../../../src/runtime/threads/experiment-pool.ts';
import { STILL, topId } from '../../experiment/models.ts';

import { watchThreads } from './thread-watch.ts';

const SEED = parseSeed('20');
const MINED = topId(
  'network.honest=3',
  'network.identity.c1=2',
  'adversaries.main.budget.attempts=9',
);
const SAMPLED = topId('work=sampled');

describe('the number of threads changes no tally', () => {
  it.each([
    ['mined, 2', MINED, 24, 2],
    ['sampled, 5', SAMPLED, 2000, 5],
    ['more threads than runs, 5', SAMPLED, 2, 5],
  ])('%s', async (_name, model, runs, threads) => {
    const alone = tallyAlone(model, runs);

    const { tally, ...rest } = await runExperiment({ model, seed: SEED, runs }, { threads });

    expect(countsOf(tally)).toEqual(countsOf(alone));
    const constant = alone.wins.map(() => false);
    expect(rest).toEqual({
      ...{ isComplete: true, isNarrow: null, looks: 1, constant, rateMeasured: null },
    });
  });
});

describe('progress', () => {
  it('rises to all runs and all wins', async () => {
    const seen: ExperimentProgress[] = [];

    const { tally } = await runExperiment(
      { model: SAMPLED, seed: SEED, runs: 500 },
      { threads: 2, onProgress: (progress) => seen.push(progress) },
    );

    const done = seen.map((progress) => progress.done);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
    expect(seen.at(-1)).toEqual({ done: 500, total: 500, wins: tally.wins, constant: [false] });
  });
});

describe('an interrupted experiment', () => {
  it('keeps the runs below the first gap', async () => {
    const controller = new AbortController();

    const { tally, isComplete } = await runExperiment(
      { model: MINED, seed: SEED, runs: 100_000 },
      {
        threads: 2,
        signal: controller.signal,
        onProgress: ({ done }) => {
          if (done >= 10) controller.abort();
        },
      },
    );

    expect(isComplete).toBe(false);
    expect(tally.runs).toBeGreaterThan(0);
    expect(tally.runs).toBeLessThan(100_000);
    expect(countsOf(tally)).toEqual(countsOf(tallyAlone(MINED, tally.runs)));
  });

  it('leaves no thread', async () => {
    const { running } = watchThreads();
    const controller = new AbortController();
    let runningThen = 0;

    await runExperiment(
      { model: SAMPLED, seed: SEED, runs: 1_000_000 },
      {
        threads: 2,
        signal: controller.signal,
        onProgress: () => {
          runningThen = running();
          controller.abort();
        },
      },
    );

    expect(runningThen).toBe(2);
    expect(running()).toBe(0);
  });

  it('before its start has no runs', async () => {
    const { tally, isComplete } = await runExperiment(
      { model: MINED, seed: SEED, runs: 10 },
      { threads: 2, signal: AbortSignal.abort() },
    );

    expect([tally.runs, isComplete]).toEqual([0, false]);
  });
});

describe('runs until the interval is narrow', () => {
  it('end at the same number with any number of threads, and give the result of that many runs', async () => {
    const experiment = { model: SAMPLED, seed: SEED, runs: 100_000, untilWidth: 0.05 };
    const one = await runExperiment(experiment, { threads: 1 });
    const three = await runExperiment(experiment, { threads: 3 });

    expect(three).toEqual(one);
    expect(one).toMatchObject({ isComplete: true, isNarrow: true });
    expect(one.tally.runs).toBeLessThan(10_000);
    expect(countsOf(one.tally)).toEqual(countsOf(tallyAlone(SAMPLED, one.tally.runs)));
  });

  it('end at the most that is allowed, and say that it is not narrow', async () => {
    const experiment = { model: SAMPLED, seed: SEED, runs: 250, untilWidth: 0.001 };
    const { tally, isComplete, isNarrow } = await runExperiment(experiment, { threads: 2 });

    expect([tally.runs, isComplete, isNarrow]).toEqual([250, true, false]);
  });
});

describe('a measured rate', () => {
  it('is measured where the model asks for it, and reported', async () => {
    const model = topId(
      'work=sampled',
      'adversaries.main.budget={cpuSeconds: 1}',
      'adversaries.main.rate=measured',
    );

    const result = await runExperiment({ model, seed: SEED, runs: 10 }, { threads: 2 });

    expect(result.rateMeasured).toMatchObject([{ perSecond: expect.any(Number) }]);
    expect(result.tally.runs).toBe(10);
  });
});

describe('a run that breaks', () => {
  it('rejects and leaves no thread', async () => {
    const { started, running } = watchThreads();
    // No document has this number of honest nodes; a bug elsewhere would be needed.
    const model: ThreatModel = { ...MINED, network: { ...MINED.network, honest: 0 } };

    await expect(runExperiment({ model, seed: SEED, runs: 10 }, { threads: 2 })).rejects.toThrow(
      TypeError,
    );

    expect([started(), running()]).toEqual([2, 0]);
  });
});

function tallyAlone(model: ThreatModel, runs: number): Tally {
  return executeRuns(model, SEED, { from: 0, count: runs }, STILL);
}

/** A tally without what clocks measured. */
function countsOf(tally: Tally): unknown {
  const json = JSON.stringify(tally, (key, value) =>
    key === 'cpuSeconds' || key === 'wallSeconds' ? undefined : value,
  );
  return JSON.parse(json);
}
