/**
 * @module
 * The answer to a question, asked again some time after its last change or when it is wanted. Each question is a job.
 * That of an operation which answers while the user types is removed, so that the list of jobs does not grow.
 */

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import {
  answerOf,
  api,
  fetchFromServer,
  idempotencyKey,
  ProblemError,
  problemFrom,
} from '../api/client.ts';
import type { Job, Schema } from '../api/contract.ts';
import { cancelJob, isOver } from '../api/jobs.ts';
import type { Operation } from './draft.ts';
import type { ShownReport } from './report.tsx';

type OperationProgress = Schema<'OperationProgress'>;

/** What is known of the question. */
export interface Asked {
  /** The last answer; it stays while the next is computed. */
  readonly report: ShownReport | null;
  readonly isPending: boolean;
  /** Null if the work has not said anything yet. */
  readonly progress: OperationProgress | null;
  readonly error: unknown;
  readonly cancel: () => void;
}

/** Time without a change after which the question is asked. */
const PAUSE_MS = 150;
const NOT_ASKED: Asked = {
  report: null,
  isPending: false,
  progress: null,
  error: null,
  cancel: () => undefined,
};

interface Question {
  readonly body: object;
  /** How often the user has asked. Nothing is asked at 0. */
  readonly wanted: number;
}

/** Answers the question while the component is shown. */
export function useAsking(operation: Operation, { body, wanted }: Question): Signal<Asked> {
  const asked = useSignal<Asked>(NOT_ASKED);
  const { answersWhileTyping } = operation;
  const key = answersWhileTyping ? JSON.stringify(body) : String(wanted);
  useEffect(() => {
    if (wanted === 0) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const stop = new AbortController();
    const cancel = () => stop.abort();
    asked.value = { ...asked.value, isPending: true, progress: null, cancel };
    const show = (part: Partial<Asked>) => {
      if (!signal.aborted) asked.value = { ...asked.value, ...part };
    };
    const ended = { isPending: false, progress: null };
    const timer = setTimeout(
      () => {
        answerTo(operation, body, {
          signal: AbortSignal.any([signal, stop.signal]),
          onProgress: (progress) => show({ progress }),
        }).then(
          (report) => show({ ...ended, error: null, ...(report !== null && { report }) }),
          (error: unknown) => show({ ...ended, error }),
        );
      },
      answersWhileTyping ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return asked;
}

interface Following {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: OperationProgress) => void;
}

/** The report on a question; null if it was stopped before there was any. Throws ProblemError. */
async function answerTo(
  { collection, answersWhileTyping }: Operation,
  body: object,
  { signal, onProgress }: Following,
): Promise<ShownReport | null> {
  // The typed client does not know the operations of a server.
  const response = await fetchFromServer(`/v1/${collection}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey() },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new ProblemError(await problemFrom(response));
  let job: Job = await response.json();
  const params = { path: { id: job.id }, header: { prefer: `wait=${WAIT_S}` } };
  while (!isOver(job) && !signal.aborted) {
    // Every operation has this form of progress.
    onProgress(job.progress as OperationProgress);
    job = await answerOf(api.GET('/v1/jobs/{id}', { params }));
  }
  if (!isOver(job)) await cancelJob(job.id);
  if (job.problem !== undefined) throw new Error(job.problem.detail);
  const report = 'result' in job && job.result !== undefined ? await reportOf(job.id) : null;
  // The answer is known. What cannot be removed stays in the list of jobs.
  if (answersWhileTyping) void removed(job.id);
  return report;
}

const WAIT_S = 1;

async function reportOf(id: string): Promise<ShownReport> {
  const response = await fetchFromServer(`/v1/jobs/${id}/results/report`);
  if (!response.ok) throw new ProblemError(await problemFrom(response));
  return response.json();
}

async function removed(id: string): Promise<void> {
  await answerOf(api.DELETE('/v1/jobs/{id}', { params: { path: { id } } })).catch(() => undefined);
}
