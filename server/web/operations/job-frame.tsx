/**
 * @module
 * What the views of jobs have in common: why a job is not shown, and the progress of one that is not over.
 */

import type { Job } from '../api/contract.ts';
import { cancelJob } from '../api/jobs.ts';
import { ErrorNotice } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import { asksForSignIn } from '../shell/sign-in.tsx';

/** In place of a job that is not read yet, cannot be read, or is of another kind. */
export function NoJob({ title, error }: { readonly title: string; readonly error: unknown }) {
  if (error === null || asksForSignIn(error)) return <p class="loading">Loading…</p>;
  return (
    <>
      <h1>{title}</h1>
      <ErrorNotice error={error} />
    </>
  );
}

interface RunningProps {
  readonly job: Job;
  readonly label: string;
  readonly done: number;
  readonly total: number | null;
  readonly note: string;
}

/** The progress of a job, and how to cancel it. */
export function Running({ job: { id, status }, ...progress }: RunningProps) {
  return (
    <div class="controls">
      <Progress {...progress} />
      <button
        type="button"
        disabled={status === 'cancelling'}
        onClick={() => void cancelJob(id).catch(asksForSignIn)}
      >
        Cancel
      </button>
    </div>
  );
}
