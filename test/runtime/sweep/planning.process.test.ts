/**
 * @module
 * The plan of a sweep whose adversaries search their responses: the generator searches nothing, threads find
 * what one thread finds, and an interruption ends the search.
 */

import { afterEach, describe, expect, it } from 'vitest';

import { outlineSweep, planCells, plannedCells } from '../../../src/experiment/sweep/plan.ts';
import { parseSeed } from '../../../src/random.ts';
import type { SweepJob } from '../../../src/runtime/sweep/job.ts';
import { frameOf } from '../../../src/runtime/sweep/job.ts';
import { cellsOf } from '../../../src/runtime/sweep/run.ts';
import { SweepThreads } from '../../../src/runtime/sweep/threads.ts';
import { noAdversary } from '../../experiment/models.ts';

const SEED = parseSeed('5');

/** Two cells, one of whose responses is searched with pilot runs, and as many that the document refuses. */
function searchingJob(): SweepJob {
  const model = noAdversary(
    ...['work=sampled', 'network.honest=3', 'network.identity.c1=2', 'network.election.latency=1'],
    ...['network.election.protocols=[cr-join]', 'network.election.level=L1'],
    ...['adversaries.main={budget: {attempts: 8}}', 'expect.property=no-leader'],
  );
  const sets = ['adversaries.main.budget.attempts=0,8', 'network.honest=2,0'];
  const outline = outlineSweep(model, { sets, document: null, runs: 2, seed: SEED });
  const spec = { seed: SEED, seedRule: 'paired', codeVersion: '0.0.0+test' } as const;
  const names = { program: 'usurp', loading: [], id: 'no-adversary', command: '' };
  return { ...names, model, outline, spec };
}

const started: SweepThreads[] = [];

function threadsOf(job: SweepJob, threads: number): SweepThreads {
  const made = new SweepThreads({ threads, work: { frame: frameOf(job) } });
  started.push(made);
  return made;
}

afterEach(async () => {
  for (const threads of started.splice(0)) await threads.close();
});

describe('the plan of a sweep', () => {
  it('leaves responses open that need pilot runs, and completes the others', () => {
    const { model, outline } = searchingJob();

    const planned = [...plannedCells(model, outline, { seed: SEED, rateMeasured: null })];

    const kinds = planned.map(({ cell, open }) => {
      if (open !== null) return 'open';
      return cell.refusal === null ? 'complete' : 'refused';
    });
    expect(kinds).toContain('open');
    expect(kinds.filter((kind) => kind === 'refused')).toHaveLength(2);
  });

  it('is the same on one thread, on two and on that of the caller', async () => {
    const job = searchingJob();
    const { signal } = new AbortController();
    const progress: number[] = [];

    const here = planCells(job.model, job.outline, { seed: SEED, rateMeasured: null });
    const [one, two] = [
      await cellsOf(job, null, { signal, threads: threadsOf(job, 1) }),
      await cellsOf(job, null, {
        ...{ signal, threads: threadsOf(job, 2) },
        onProgress: (each) => each.phase === 'planning' && progress.push(each.cells),
      }),
    ];

    expect(one).toEqual(here);
    expect(two).toEqual(here);
    expect(here.some(({ settings }) => settings.some((each) => each.includes('behaviours')))).toBe(
      true,
    );
    expect(progress.at(-1)).toBe(4);
    expect(progress).toEqual(progress.toSorted((left, right) => left - right));
  });

  it('ends at an interruption', async () => {
    const job = searchingJob();

    const planned = await cellsOf(job, null, {
      signal: AbortSignal.abort(),
      threads: threadsOf(job, 1),
    });

    expect(planned).toBeNull();
  });
});
