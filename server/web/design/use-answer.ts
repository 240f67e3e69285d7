/**
 * @module
 * The answer to a question, asked again some time after its last change. Each question is a job. That of the question
 * before is removed, so that the list of jobs does not grow with every step of a slider.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { cancelJob, isOver, once } from '../api/jobs.ts';
import type { DesignRequest } from './members.ts';

export type Design = Schema<'Design'>;

/** What is known of the question. */
export interface Asked {
  /** The last answer; it stays while the next is computed. */
  readonly answer: Design | null;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Time without a change after which the question is asked. */
const PAUSE_MS = 150;
const NOT_ASKED: Asked = { answer: null, isPending: true, error: null };

/** Answers the request while the component is shown. */
export function useAnswer(request: DesignRequest): Signal<Asked> {
  const asked = useSignal<Asked>(NOT_ASKED);
  const key = JSON.stringify(request);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    asked.value = { ...asked.value, isPending: true };
    const timer = setTimeout(() => {
      designsOf(request, signal).then(
        ([answer = null]) => {
          if (!signal.aborted) asked.value = { answer, isPending: false, error: null };
        },
        (error: unknown) => {
          if (!signal.aborted) asked.value = { ...asked.value, isPending: false, error };
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return asked;
}

/** The answers to a request, one for each advantage. The job is removed. Throws ProblemError. */
export async function designsOf(
  body: DesignRequest,
  signal: AbortSignal,
): Promise<readonly Design[]> {
  let job = await answerOf(api.POST('/v1/designs', { params: once(), body }));
  const params = { path: { id: job.id }, header: { prefer: `wait=${WAIT_S}` } };
  while (!isOver(job) && !signal.aborted) {
    const next = await answerOf(api.GET('/v1/jobs/{id}', { params }));
    if (next.kind === 'design') job = next;
  }
  // The answer is known, or no longer wanted. What cannot be removed stays in the list of jobs.
  if (!isOver(job)) await cancelJob(job.id);
  void removed(job.id);
  if (job.problem !== undefined) throw new Error(job.problem.detail);
  return job.result?.answers ?? [];
}

const WAIT_S = 2;

async function removed(id: string): Promise<void> {
  await answerOf(api.DELETE('/v1/jobs/{id}', { params: { path: { id } } })).catch(() => undefined);
}
