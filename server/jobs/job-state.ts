/**
 * @module
 * The state of a job, and the record of it that is stored when the job is over. Structured clones lose
 * classes, so the record contains the members of an error.
 */

import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';

export const JOB_STATUSES = [
  ...(['queued', 'running', 'cancelling'] as const),
  ...(['done', 'failed', 'cancelled', 'interrupted'] as const),
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

interface Unfinished<Status> {
  readonly status: Status;
  readonly result?: undefined;
  readonly error?: undefined;
}

/** A job that is over without being done has a partial result if it had one when it was stopped. */
export type JobState<Result> =
  | Unfinished<'queued'>
  | Unfinished<'running'>
  | Unfinished<'cancelling'>
  | { readonly status: 'done'; readonly result: Result; readonly error?: undefined }
  | { readonly status: 'cancelled'; readonly result: Result | null; readonly error?: undefined }
  /** Interrupted by the end of the server. */
  | {
      readonly status: 'failed' | 'interrupted';
      readonly result: Result | null;
      readonly error: LabError;
    };

/** Number of jobs of a kind in a state. */
export interface JobCount {
  readonly kind: string;
  readonly state: string;
  readonly count: number;
}

/** Stored in the log as a structured clone. */
export interface JobRecord<Progress, Result> {
  readonly status: 'done' | 'failed' | 'cancelled' | 'interrupted';
  readonly error: { code: ErrorCode; detail: string; faults: readonly InputFault[] } | null;
  readonly result: Result | null;
  readonly progress: Progress;
}

/** The record of a job that is over. Throws TypeError for any other. */
export function recordOf<Progress, Result>(
  state: JobState<Result>,
  progress: Progress,
): JobRecord<Progress, Result> {
  if (state.status === 'queued' || state.status === 'running' || state.status === 'cancelling') {
    throw new TypeError(`"state" expected one that is over, got ${state.status}`);
  }
  const { status, result, error } = state;
  const parts = error && { code: error.code, detail: error.message, faults: error.faults };
  return { status, error: parts ?? null, result, progress };
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
