/**
 * @module
 * Where a job stands, and what is stored of one that is over. A structured clone forgets classes, so that an error is kept as
 * what it is made of.
 */

import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';

export type JobStatus = JobState<unknown>['status'];

/** Where a job stands. One that was stopped has a result if it had come to one. */
export type JobState<Result> =
  | { readonly status: 'queued' | 'running' | 'cancelling' }
  | { readonly status: 'done'; readonly result: Result }
  /** Interrupted is what the server ended with. */
  | {
      readonly status: 'failed' | 'interrupted';
      readonly error: LabError;
      readonly result: Result | null;
    }
  | { readonly status: 'cancelled'; readonly result: Result | null };

/** A structured clone of this is what the log holds. */
export interface JobRecord<Progress, Result> {
  readonly status: 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly error: { code: ErrorCode; detail: string; faults: readonly InputFault[] } | null;
  readonly result: Result | null;
  readonly progress: Progress;
}

/** Throws TypeError for a job that is not over. */
export function recordOf<Progress, Result>(
  state: JobState<Result>,
  progress: Progress,
): JobRecord<Progress, Result> {
  switch (state.status) {
    case 'done':
    case 'cancelled':
      return { status: state.status, error: null, result: state.result, progress };
    case 'failed':
    case 'interrupted': {
      const { code, message: detail, faults } = state.error;
      const error = { code, detail, faults };
      return { status: state.status, error, result: state.result, progress };
    }
    case 'queued':
    case 'running':
    case 'cancelling':
      throw new TypeError(`"state" expected one that is over, got ${state.status}`);
    default:
      return state satisfies never;
  }
}

export function stateOf<Progress, Result>({
  status,
  error,
  result,
}: JobRecord<Progress, Result>): JobState<Result> {
  if (status === 'cancelled') return { status, result };
  if (status === 'done' && result !== null) return { status, result };
  const { code, detail, faults } = error ?? { code: 'job.failed', detail: 'unknown', faults: [] };
  const ended = status === 'interrupted' ? status : 'failed';
  return { status: ended, error: new LabError(code, detail, faults), result };
}

/** How many jobs of a kind are in a state. */
export interface JobCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}
