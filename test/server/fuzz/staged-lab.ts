/**
 * @module
 * A lab whose jobs end by themselves: a few requests after its start, a job is done, fails, or continues
 * until it is cancelled or its time is over. It mines and simulates nothing.
 */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Execute, JobTypes } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import type { SweepJob, SweepResult } from '../../../server/jobs/sweeps/sweep.ts';
import { tableFileAt } from '../../../server/jobs/sweeps/table-files.ts';
import { LabError } from '../../../src/errors.ts';
import { openCourse, readOpenClass } from '../exercises/shown-class.ts';
import type { LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { DESIGNED, MINE_PROGRESS, OPERATED } from './staged-results.ts';

export interface StagedLab extends LabUnderTest {
  /** Advances the time, so that some jobs end. */
  tick(): Promise<void>;
  /** Removes the files of sweeps. */
  remove(): void;
}

interface Staged {
  ticksLeft: number;
  readonly end: () => void;
}

export function stagedLab(): StagedLab {
  const staged = new Set<Staged>();
  let begun = 0;
  let nowMs = 0;
  const folder = mkdtempSync(join(tmpdir(), 'usurp-fuzz-'));
  const execute =
    <T extends JobTypes>(progress: T['progress'], result: () => T['result']): Execute<T> =>
    (_request, { onProgress, signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<T['result']>();
      const course = begun % COURSES;
      begun += 1;
      const end = () => {
        staged.delete(job);
        if (course === FAILS) reject(new LabError('document', 'staged to fail'));
        else resolve(result());
      };
      const job: Staged = { ticksLeft: 1 + course, end };
      staged.add(job);
      onProgress(progress);
      signal.addEventListener('abort', () => {
        // Some end at once, some with a result, and some later.
        if (course === 0) reject(signal.reason);
        else if (course < 3) end();
      });
      return promise;
    };
  const lab = labUnderTest({
    // The caller without a token is a member, who has a token of its own.
    course: openCourse(['local']),
    readClass: () => readOpenClass(['local']),
    nowMs: () => nowMs,
    executions: {
      sweep: execute<SweepJob>(null, () => sweepResult(folder, begun)),
      operation: (request, execution) => {
        const result = OPERATED[request.name] ?? DESIGNED;
        const begun = { now: 'fresh', done: 1, total: 16 };
        const progress = request.name === 'mine' ? MINE_PROGRESS : begun;
        return execute<OperationJob>(progress, () => result)(request, execution);
      },
    },
  });
  const tick = async () => {
    nowMs += 1000;
    for (const job of staged) {
      job.ticksLeft -= 1;
      if (job.ticksLeft <= 0) job.end();
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  };
  return { ...lab, tick, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Every third sweep has no tables. */
function sweepResult(root: string, begun: number): SweepResult {
  const counts = { cells: 2, refused: 0, runs: 20, rows: 2, failed: 0 };
  if (begun % 3 === 0) return { counts, isComplete: false, bytes: 0, tables: [], folder: null };
  const folder = mkdtempSync(join(root, 'sweep-'));
  for (const name of ['rows', 'rows.cells']) {
    writeFileSync(join(folder, `${name}.jsonl`), '{"cell":0}\n{"cell":1}\n');
    writeFileSync(join(folder, `${name}.csv`), 'cell\n0\n1\n');
    writeFileSync(join(folder, `${name}.parquet`), 'PAR1PAR1');
  }
  const tables = readdirSync(folder).map((name) => tableFileAt(join(folder, name)));
  return { counts, isComplete: true, bytes: 100, tables, folder };
}

/** Number of courses that a job can take. */
const COURSES = 5;
const FAILS = 2;
