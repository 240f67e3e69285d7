/**
 * @module
 * The answer to a question, asked again some time after its last change or when it is wanted. Each question is a job.
 * That of an operation which answers while the user types is removed, so that the list of jobs does not grow. Any other
 * job goes on if the user leaves, and its id is in the address.
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
import { keepInAddress } from '../shell/router.ts';
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
  /** A job that was submitted before, which is followed until the user asks. */
  readonly job: string | undefined;
}

/** Answers the question while the component is shown. */
export function useAsking(operation: Operation, { body, wanted, job }: Question): Signal<Asked> {
  const asked = useSignal<Asked>(NOT_ASKED);
  const { answersWhileTyping } = operation;
  const begun = wanted === 0 ? job : undefined;
  const key = answersWhileTyping ? JSON.stringify(body) : `${wanted} ${begun}`;
  useEffect(() => {
    if (wanted === 0 && begun === undefined) return undefined;
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
        const first = begun === undefined ? submitted(operation, body) : jobNow(begun);
        answerOfJob(operation, first, {
          left: signal,
          stopped: stop.signal,
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

/** Submits a question as a job, which the address names from then on. Throws ProblemError. */
async function submitted(operation: Operation, body: object): Promise<Job> {
  const job = await submittedJob(operation, body);
  if (!operation.answersWhileTyping) keepInAddress({ job: job.id });
  return job;
}

/** The job of a question. Throws ProblemError. */
export async function submittedJob({ collection }: Operation, body: object): Promise<Job> {
  // The typed client does not know the operations of a server.
  const response = await fetchFromServer(`/v1/${collection}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey() },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new ProblemError(await problemFrom(response));
  return response.json();
}

interface Following {
  /** Aborts when the user has left, or asks something else. */
  readonly left: AbortSignal;
  /** Aborts when the user wants no more. */
  readonly stopped: AbortSignal;
  readonly onProgress: (progress: OperationProgress) => void;
}

/** The report of a job, or of its finished part; null if there is none. Throws ProblemError. */
async function answerOfJob(
  { answersWhileTyping }: Operation,
  first: Promise<Job>,
  { left, stopped, onProgress }: Following,
): Promise<ShownReport | null> {
  let job = await first;
  const { id } = job;
  while (!isOver(job)) {
    if (left.aborted && !answersWhileTyping) return null;
    if ((left.aborted || stopped.aborted) && job.status !== 'cancelling') await cancelJob(id);
    // Every operation has this form of progress.
    onProgress(job.progress as OperationProgress);
    job = await jobNow(id);
  }
  if (job.problem !== undefined) throw new Error(job.problem.detail);
  const report = 'result' in job && job.result !== undefined ? await reportOf(id) : null;
  // The answer is known. What cannot be removed stays in the list of jobs.
  if (answersWhileTyping) void removed(id);
  return report;
}

/** A job as it is when it is over, or after a second. */
function jobNow(id: string): Promise<Job> {
  const params = { path: { id }, header: { prefer: `wait=${WAIT_S}` } };
  return answerOf(api.GET('/v1/jobs/{id}', { params }));
}

const WAIT_S = 1;

/** The report of a job that has a result. Throws ProblemError. */
export async function reportOf(id: string): Promise<ShownReport> {
  const response = await fetchFromServer(`/v1/jobs/${id}/results/report`);
  if (!response.ok) throw new ProblemError(await problemFrom(response));
  return response.json();
}

async function removed(id: string): Promise<void> {
  await answerOf(api.DELETE('/v1/jobs/{id}', { params: { path: { id } } })).catch(() => undefined);
}
