/**
 * @module
 * A kind of job as one definition: its name, its schemas, what callers receive of it, and how long its jobs
 * are kept. Its store (job-store.ts) and the route that submits it (job-submission.ts) are derived from it.
 * All other operations are the same for every kind (job-routes.ts).
 */

import { z } from '@hono/zod-openapi';

import type { ErrorCode, InputFault } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';
import { createdSchema, timeText } from '../contract/members.ts';
import { problemOf, problemSchema } from '../contract/problem.ts';
import type { Principal } from '../request/principal.ts';
import { SERVER_ITSELF } from '../request/principal.ts';
import type { JobGate } from './job-gate.ts';

export interface JobTypes {
  readonly request: unknown;
  readonly progress: unknown;
  readonly result: unknown;
}

/** The types of a kind whose jobs callers submit. */
export interface SubmittedTypes extends JobTypes {
  /** What is executed, with the body that submits it again: defaults and the chosen seed are filled in. */
  readonly request: { readonly body: unknown };
}

export const JOB_STATUSES = [
  ...(['queued', 'running', 'cancelling'] as const),
  ...(['done', 'failed', 'cancelled', 'interrupted'] as const),
] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** The members of a LabError. Jobs are stored as structured clones, which lose classes. */
interface JobError {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly faults: readonly InputFault[];
}

/** A job that is over without being done has a partial result if it had one when it was stopped. */
export type JobState<Result> =
  | {
      readonly status: 'queued' | 'running' | 'cancelling';
      readonly result?: undefined;
      readonly error?: undefined;
    }
  | { readonly status: 'done'; readonly result: Result; readonly error?: undefined }
  | { readonly status: 'cancelled'; readonly result: Result | null; readonly error?: undefined }
  /** Interrupted by the end of the server. */
  | {
      readonly status: 'failed' | 'interrupted';
      readonly result: Result | null;
      readonly error: JobError;
    };

/** A job as it is now. */
export interface JobSnapshot<T extends JobTypes> {
  readonly id: string;
  readonly caller: string;
  /** Time of the clock on the wall, in ms since 1970. */
  readonly createdMs: number;
  readonly request: T['request'];
  readonly state: JobState<T['result']>;
  readonly progress: T['progress'];
}

/** A job for a caller who may see it. */
export interface ShownJob<T extends JobTypes> extends JobSnapshot<T> {
  /** Name of the token that submitted it; null without tokens. */
  readonly owner: string | null;
  /** Whether it is shown to the caller that submitted it. */
  readonly isOwn: boolean;
}

/** A job as a principal sees it, who may see it. */
export function shownTo<T extends JobTypes>(
  { role, caller }: Pick<Principal, 'role' | 'caller'>,
  job: JobSnapshot<T>,
): ShownJob<T> {
  const isOwned = role !== null && job.caller !== SERVER_ITSELF;
  return { ...job, owner: isOwned ? job.caller : null, isOwn: job.caller === caller };
}

/** What an execution receives besides its request. */
export interface Execution<Progress> {
  readonly onProgress: (progress: Progress) => void;
  readonly signal: AbortSignal;
  /** Where a thread stands still for the jobs of others; a gate that is never closed by default. */
  readonly gate?: JobGate;
}

/** The reason of an abort because the server stops, which waits for no long partial result. */
export const SERVER_CLOSES = new DOMException('the server stops', 'AbortError');

/** The reason of an abort after a first turn that was too short. The job begins again later, without any result. */
export const TURN_LOST = new DOMException('the turn is over', 'AbortError');

/**
 * Executes a request. Soon after `signal` aborts it must end: it rejects, or resolves to a partial result,
 * which is kept.
 */
export type Execute<T extends JobTypes> = (
  request: T['request'],
  execution: Execution<T['progress']>,
) => Promise<T['result']>;

/** What belongs to a job besides its data, such as files. */
export interface JobHooks<T extends JobTypes> {
  /**
   * Prepares a request; `undo` is called if the job is not accepted afterwards. What it throws refuses the request. By
   * default the request stays as it is.
   */
  readonly onSubmit?: (request: T['request']) => {
    readonly request: T['request'];
    readonly undo: () => void;
  };
  /** Receives each job that is over, and at a restart each that was over before. */
  readonly onOver?: (job: JobSnapshot<T>) => void;
  /** What remains of a result after a restart; all of it by default. */
  readonly restoreResult?: (result: T['result']) => T['result'];
  /** Receives each job that is forgotten or removed. Resolves when its files are removed. */
  readonly onForget?: (job: JobSnapshot<T>) => Promise<void>;
}

/** What the store of a kind needs to know. */
export interface StoredKind<T extends JobTypes> {
  /** First letter of the ids. */
  readonly letter: string;
  /** The member `kind` of its jobs: `run`. */
  readonly name: string;
  /** Name of the collection to which its jobs are submitted: `runs`. */
  readonly plural: string;
  /** Number of jobs that are over and kept. */
  readonly keptMax: number;
  /** Weight of a result that takes storage, and the total that is kept. */
  readonly weight?: { readonly of: (result: T['result']) => number; readonly keptMax: number };
  /** Progress before the first one is reported. */
  readonly begun: T['progress'];
  /** Estimated time until a job ends, in ms, after it has run for this long. */
  readonly remainingMs: (
    job: Pick<JobSnapshot<T>, 'request' | 'progress'>,
    elapsedMs: number,
  ) => number;
  /** Whether a job runs to its end before another job begins, because it measures time, or takes seconds. */
  readonly givesNoWay?: boolean;
  /** The member by which a job asks for a device, whose time its caller then also pays for; null if it uses none. */
  readonly deviceMember?: (request: T['request']) => 'device' | 'threatModel' | null;
  /** Whether a result has everything, so that a job that was cancelled too late is done. */
  readonly isWhole?: (result: T['result']) => boolean;
  /** The result of a request that takes milliseconds and needs no queue; null for any other request. */
  readonly resultAtOnce?: (request: T['request']) => T['result'] | null;
}

/** A kind of job that callers submit. */
export interface JobKind<
  T extends SubmittedTypes,
  Plural extends string,
  Body extends z.ZodType,
  View extends JobViewSchema,
> extends StoredKind<T> {
  readonly plural: Plural;
  readonly tags: string[];
  /** Whether its body may be a threat model in YAML. */
  readonly takesModel?: boolean;
  /** Whether a request can conflict with what is stored: 409. */
  readonly canConflict?: boolean;
  /** Summary of the operation that submits a job. */
  readonly summary: string;
  /** What the summary leaves out. */
  readonly description?: string;
  readonly body: Body;
  readonly example: object;
  readonly view: View;
  /** A job as callers receive it. */
  readonly viewOf: (job: ShownJob<T>) => z.output<View>;
}

export type JobViewSchema = z.ZodObject<{
  id: z.ZodType<string>;
  kind: z.ZodLiteral<string>;
  status: z.ZodType<JobStatus>;
  created: z.ZodType<string>;
  request: z.ZodType;
  progress: z.ZodType;
  links: z.ZodType<{ self: string }>;
}>;

export const jobStatusSchema = z.enum(JOB_STATUSES);

/** The members of every job of a kind. Its parameters are in `request` alone. */
export function jobMembers<const Name extends string, Body extends z.ZodType>(
  kind: Name,
  letter: string,
  body: Body,
) {
  return {
    id: z.string().meta({ example: `${letter}_kq3vj5m2xw7ntb4d` }),
    kind: z.literal(kind),
    status: jobStatusSchema,
    created: createdSchema,
    owner: z
      .string()
      .nullable()
      .describe('Name of the token that submitted it. Null if the server needs no tokens.'),
    problem: problemSchema.optional().describe('Why it failed or was interrupted.'),
    request: body,
  };
}

export const jobLinksSchema = z.object({
  self: z.string(),
  events: z.string(),
  cancel: z.string(),
});

/** The members of `jobMembers`, for a job. */
export function jobView<const Name extends string, T extends SubmittedTypes>(
  kind: Name,
  job: ShownJob<T>,
) {
  const { id, owner, createdMs } = job;
  const { status, error } = job.state;
  const created = timeText(createdMs);
  const request: T['request']['body'] = job.request.body;
  return {
    id,
    kind,
    status,
    created,
    owner,
    ...(error && { problem: problemOf(new LabError(error.code, error.detail, error.faults), id) }),
    request,
  };
}

/** The state of a job that the end of the server interrupted. */
export function interruptedState<Result>(
  { plural }: { readonly plural: string },
  result: Result | null,
): JobState<Result> {
  const detail = `the server ended before this job did; POST it to /v1/${plural} again`;
  return { status: 'interrupted', error: { code: 'job.interrupted', detail, faults: [] }, result };
}

/** The path of a job. */
export function jobPath(id: string): string {
  return `/v1/jobs/${id}`;
}

/** The links of a job. */
export function jobLinks({ id }: { readonly id: string }) {
  const self = jobPath(id);
  return { self, events: `${self}/events`, cancel: `${self}/cancel` };
}

/** The refusal of an id that no job has, or none that the caller may see. */
export function noJob(id: string): LabError {
  return new LabError('not_found', `there is no job ${id}`);
}

/** Whether a job in this state is not over. */
export function isUnfinished(status: JobStatus): boolean {
  return status === 'queued' || status === 'running' || status === 'cancelling';
}

/** The members of an error as the state of a job has them. */
export function partsOf({ code, message, faults }: LabError): JobError {
  return { code, detail: message, faults };
}
