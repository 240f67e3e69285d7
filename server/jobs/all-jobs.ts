/**
 * @module
 * The jobs of all kinds as callers receive them. The store of a kind knows the types of its jobs; the functions
 * here know a job by its id.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Principal } from '../request/principal.ts';
import type { EventSource, StreamEnd, StreamForm } from '../streams/event-stream.ts';
import type { JobFeed } from './job-feed.ts';
import { jobSource } from './job-feed.ts';
import type { JobSnapshot, JobTypes, ShownJob } from './job-kind.ts';
import { noJob, shownTo } from './job-kind.ts';
import type { JobStore } from './job-store.ts';
import { OPERATION_KINDS } from './operations/operation-job.ts';
import { SWEEP } from './sweeps/sweep.ts';

const VIEWS = [SWEEP.view, ...OPERATION_KINDS.map(({ view }) => view)] as const;

/** A job of any kind. `kind` says which. */
export const anyJobSchema = z.discriminatedUnion('kind', VIEWS).meta({ id: 'Job' });

export type AnyJob = z.output<typeof anyJobSchema>;

/** The names of the kinds. */
export const JOB_KINDS = VIEWS.map(({ shape }) => shape.kind.value);

/** Progress of any kind of job. */
export const anyProgressSchema = z
  .union([
    SWEEP.view.shape.progress.unwrap(),
    ...new Set(OPERATION_KINDS.map(({ view }) => view.shape.progress)),
  ])
  .nullable();

type C = Context<ServerEnv>;

/** The answers with the tables and files of jobs of a kind, by name. */
export type ResultAnswers<T extends JobTypes> = Readonly<
  Record<string, (c: C, job: JobSnapshot<T>) => Response | Promise<Response>>
>;

/** What a caller follows a job with. */
interface Reader {
  readonly form: StreamForm;
  readonly after: number;
  readonly end: StreamEnd;
}

export type JobsOfKind = ReturnType<typeof jobsOfKind>;

/** The jobs of a kind. Each function throws LabError `not_found` for a job that the principal may not see. */
export function jobsOfKind<T extends JobTypes>(
  viewOf: (job: ShownJob<T>) => AnyJob,
  store: JobStore<T>,
  results: ResultAnswers<T> = {},
) {
  const { name } = store;
  const viewFor = (principal: Principal, job: JobSnapshot<T>) => viewOf(shownTo(principal, job));
  return {
    name,
    isOfKind: (id: string) => store.isOfKind(id),
    counts: () => store.counts(),
    list: (principal: Principal) =>
      store.list(principal).map((job) => ({
        id: job.id,
        kind: name,
        status: job.state.status,
        createdMs: job.createdMs,
        owner: shownTo(principal, job).owner,
        view: () => viewFor(principal, job),
      })),
    get: (id: string, principal: Principal) => viewFor(principal, store.get(id, principal)),
    cancel: (id: string, principal: Principal) => viewFor(principal, store.cancel(id, principal)),
    remove: (id: string, principal: Principal) => store.remove(id, principal),
    feed: (id: string, principal: Principal): JobFeed<unknown> => store.feed(id, principal),
    source(id: string, principal: Principal, reader: Reader): EventSource {
      const feed = store.feed(id, principal);
      const eventOf = (event: JobSnapshot<T>, isLast: boolean) => {
        const view = viewFor(principal, event);
        const { kind, status, progress } = view;
        return isLast
          ? { event: 'done', members: { kind, status, final: view } }
          : { event: 'progress', members: { kind, status, progress } };
      };
      return jobSource({ job: id, feed, ...reader, viewOf: eventOf });
    },
    result(c: C, id: string, result: string): Response | Promise<Response> {
      const job = store.get(id, c.get('principal'));
      const answer = Object.hasOwn(results, result) ? results[result] : undefined;
      if (answer === undefined) {
        throw new LabError('not_found', `job ${id} is a ${name}, which has no ${result}`);
      }
      return answer(c, job);
    },
  };
}

/** The kind of a job with this id. Throws LabError `not_found` if no kind has such ids. */
export function kindOf(kinds: readonly JobsOfKind[], id: string): JobsOfKind {
  const found = kinds.find((kind) => kind.isOfKind(id));
  if (found === undefined) throw noJob(id);
  return found;
}
