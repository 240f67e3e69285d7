/**
 * @module
 * The progress of a sweep in words and numbers.
 */

import type { FollowedJob } from '../api/jobs.ts';
import { count, counted, seconds } from '../parts/numbers.ts';
import type { SweepJob } from './picture-input.ts';

export interface SweepProgress {
  readonly done: number;
  readonly total: number | null;
  readonly note: string;
}

/** `progress` is that of the job, or of its last event. */
export function progressOf(
  { status }: Pick<SweepJob, 'status'>,
  progress: FollowedJob['progress'] | SweepJob['progress'],
): SweepProgress {
  if (status === 'queued') return { done: 0, total: null, note: 'waits for its turn' };
  if (status === 'cancelling') return { done: 0, total: null, note: 'writes what was computed' };
  if (progress === null || progress === undefined || !('phase' in progress)) {
    return { done: 0, total: null, note: 'begins' };
  }
  if (progress.phase === 'planning') {
    const { cells: done, cellsTotal: total } = progress;
    return { done, total, note: `plans ${count(done)} of ${counted(total, 'cell')}` };
  }
  if (progress.phase === 'writing') {
    const { runs: done, runsTotal: total } = progress;
    return { done, total, note: 'writes the tables' };
  }
  if (progress.phase === 'computing') {
    const { cells, cellsDone, runs: total, runsDone: done, secondsLeft } = progress;
    const left = secondsLeft === null ? '' : `, about ${seconds(secondsLeft)} left`;
    const runs = `${count(done)} of ${counted(total, 'run')}`;
    return {
      done,
      total,
      note: `${count(cellsDone)} of ${counted(cells, 'cell')}, ${runs}${left}`,
    };
  }
  return { done: 0, total: null, note: '' };
}
