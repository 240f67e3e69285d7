/**
 * @module
 * The button that cancels or removes a job.
 */

import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Job } from '../api/contract.ts';
import { cancelJob, isOver } from '../api/jobs.ts';

interface JobButtonProps {
  readonly job: Job;
  readonly onChange: (action: Promise<unknown>) => void;
}

/** Cancels a job that is not over, and removes one that is. */
export function JobButton({ job, onChange }: JobButtonProps) {
  const { id, status } = job;
  const params = { params: { path: { id } } };
  return isOver(job) ? (
    <button
      type="button"
      aria-label={`Remove ${id}`}
      onClick={() => onChange(answerOf(api.DELETE('/v1/jobs/{id}', params)))}
    >
      Remove
    </button>
  ) : (
    <button
      type="button"
      aria-label={`Cancel ${id}`}
      disabled={status === 'cancelling'}
      onClick={() => onChange(cancelJob(id))}
    >
      Cancel
    </button>
  );
}

/** Whether a change was refused because the job is over or gone already. */
export function isPast(failure: unknown): boolean {
  return (
    failure instanceof ProblemError && ['not_found', 'job.finished'].includes(failure.problem.code)
  );
}
