/**
 * @module
 * What the routes of all kinds of jobs share: how a status looks, and what cancelling answers.
 */

import { z } from '@hono/zod-openapi';

import type { LabError } from '../../src/errors.ts';
import { idSchema } from '../contract/ids.ts';
import { bodyRefusals, refusals } from '../contract/problem-schema.ts';
import type { JobState } from './job-state.ts';

export const jobStatusSchema = z.enum([
  'queued',
  'running',
  'cancelling',
  'done',
  'failed',
  'cancelled',
  'interrupted',
]);

export const jobParams = z.strictObject({ id: idSchema });

/** The responses of a POST that submits. */
export function submitResponses<Schema extends z.ZodType>(schema: Schema) {
  const content = { 'application/json': { schema } };
  return {
    202: { description: 'Taken; Location is where it stands.', content },
    ...bodyRefusals(503),
  };
}

/** The responses of a DELETE that cancels. */
export function cancelResponses<Schema extends z.ZodType>(schema: Schema) {
  const content = { 'application/json': { schema } };
  return {
    200: { description: 'It was cancelled before.', content },
    202: { description: 'It is being cancelled.', content },
    ...refusals(404, 409),
  };
}

/** Cancels a job: how it stands now, and 202 where that was news. Throws as `cancel` does. */
export function cancelJob<
  Snapshot extends { readonly state: { readonly status: z.output<typeof jobStatusSchema> } },
>(
  jobs: { get(id: string): Snapshot; cancel(id: string): Snapshot },
  id: string,
): { readonly job: Snapshot; readonly status: 200 | 202 } {
  const status = jobs.get(id).state.status === 'cancelled' ? 200 : 202;
  return { job: jobs.cancel(id), status };
}

/** Why a job did not come to its end; null for all others. */
export function errorOf<Result>(state: JobState<Result>): LabError | null {
  return state.status === 'failed' || state.status === 'interrupted' ? state.error : null;
}

/** What a job that is over came to, which is partial where it was stopped; null without. */
export function resultOf<Result>(state: JobState<Result>): Result | null {
  switch (state.status) {
    case 'queued':
    case 'running':
    case 'cancelling':
      return null;
    case 'done':
    case 'failed':
    case 'cancelled':
    case 'interrupted':
      return state.result;
    default:
      return state satisfies never;
  }
}
