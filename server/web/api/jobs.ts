/**
 * @module
 * Jobs of every kind: how one is followed to its end, cancelled, and kept in a view.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api, idempotencyKey, readPersistently } from './client.ts';
import type { Job, JobEvent } from './contract.ts';
import { follow } from './follow.ts';

/** A job while it is followed: its last known state, or why it cannot be followed. */
export interface FollowedJob {
  readonly job: Job | null;
  /** The progress of the last event. */
  readonly progress: JobEvent['progress'] | null;
  readonly error: unknown;
}

const NOT_FOLLOWED: FollowedJob = { job: null, progress: null, error: null };

/** Whether a job will not change any more. */
export function isOver({ status }: Pick<Job, 'status'>): boolean {
  return ['done', 'failed', 'cancelled', 'interrupted'].includes(status);
}

/** Follows the job with this id while the component is shown; null follows none. */
export function useJob(id: string | null): Signal<FollowedJob> {
  const followed = useSignal<FollowedJob>(NOT_FOLLOWED);
  useEffect(() => {
    followed.value = NOT_FOLLOWED;
    if (id === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const refresh = async () => {
      const job = await readPersistently(
        () => answerOf(api.GET('/v1/jobs/{id}', { params: { path: { id } }, signal })),
        () => !signal.aborted,
      );
      followed.value = { ...followed.value, job };
    };
    const fail = (error: unknown) => {
      if (!signal.aborted) followed.value = { ...followed.value, error };
    };
    const run = async () => {
      await refresh();
      await follow<JobEvent>({
        path: `/v1/jobs/${id}/events`,
        after: -1,
        signal,
        onLines: (lines) => {
          const progress = lines.findLast((line) => line.progress != null)?.progress ?? null;
          const status = lines.at(-1)?.status;
          const { job } = followed.value;
          if (progress !== null) followed.value = { ...followed.value, progress };
          if (job !== null && status !== undefined && status !== job.status) refresh().catch(fail);
        },
      });
      await refresh();
    };
    run().catch(fail);
    return () => controller.abort();
  }, [id]);
  return followed;
}

/** Stops a job; the part of its result that exists is kept. */
export async function cancelJob(id: string): Promise<void> {
  await answerOf(api.POST('/v1/jobs/{id}/cancel', { params: { path: { id } } }));
}

/** Headers of a POST that must have its effect once, also if it is sent again. */
export function once(): { header: { 'Idempotency-Key': string } } {
  return { header: { 'Idempotency-Key': idempotencyKey() } };
}
