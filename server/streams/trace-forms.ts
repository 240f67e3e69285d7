/**
 * @module
 * The forms in which the trace of an election or of a cluster is answered, and what the events of both have in common.
 */

import { z } from '@hono/zod-openapi';

import { quantity } from '../../src/quantities.ts';
import type { TraceSelection } from '../../src/simulation/trace/view.ts';
import type { StreamForm } from './event-stream.ts';
import { eventText } from './event-stream.ts';

export const TRACE_TYPES = ['application/jsonl', 'text/plain', 'image/svg+xml'] as const;
export type TraceType = (typeof TRACE_TYPES)[number];

/** The answer of a route whose trace has all forms. */
export const TRACE_ANSWER = {
  description: 'The trace so far.',
  content: {
    'application/jsonl': { schema: z.string() },
    'text/plain': { schema: z.string() },
    'image/svg+xml': { schema: z.string() },
  },
};

const TIME_SECONDS_MAX = 86_400;
const timeSchema = (what: string) =>
  quantity(
    'time',
    { min: 0, max: TIME_SECONDS_MAX },
    `must be a time from 0s to ${TIME_SECONDS_MAX / 3600}h such as 5s`,
  )
    .optional()
    .meta({ description: what, example: '5s' });

/** The query for a part of a trace whose times are real. */
export const tracePartQuery = z.strictObject({
  from: timeSchema('Leaves out what happens before this time after the start.'),
  to: timeSchema('Leaves out what happens after this time after the start.'),
  only: z
    .string('must be numbers of nodes such as 1,3')
    .regex(/^[1-9]\d{0,3}(?:,[1-9]\d{0,3}){0,63}$/, 'must be numbers of nodes such as 1,3')
    .optional()
    .meta({ description: 'Only these nodes.', example: '1,3' }),
  heartbeats: z.enum(['true', 'false'], 'must be true or false').default('true').meta({
    description:
      'false leaves out steps that repeat an earlier step of their node, such as heartbeats and their answers.',
    example: 'false',
  }),
});

/** The part that a query asks for. */
export function partOf({
  from,
  to,
  only,
  heartbeats,
}: z.output<typeof tracePartQuery>): TraceSelection {
  const ms = (seconds: number | undefined) =>
    seconds === undefined ? null : Math.round(seconds * 1000);
  const nodes = only?.split(',').map(Number) ?? null;
  return { from: ms(from), to: ms(to), nodes, heartbeats: heartbeats === 'true' };
}

/** The headers of a trace in this form. */
export function traceHeaders(type: TraceType): { readonly 'Content-Type': string } {
  return { 'Content-Type': type === 'text/plain' ? `${type}; charset=utf-8` : type };
}

const partSchema = z.looseObject({ type: z.string() });

/** The members of all events of a trace. */
export const traceEventMembers = {
  v: z.literal(1),
  seq: z.int().describe('Number of the event, from 0 without gaps; the id in SSE.'),
  action: partSchema.describe(
    'Details of the event: the node, the number of the message, the timer.',
  ),
  effects: z.array(partSchema).describe('Effects of the node, in order.'),
};

/** The members of all notices about the stream of such an object, which is over when `done` comes. */
export function noticeMembers(object: 'election' | 'cluster', over: string) {
  return {
    v: z.literal(1),
    event: z
      .enum(['resync', 'done', 'closing'])
      .describe(
        `resync: Last-Event-ID is no event of this ${object}. done: the ${over} is over. closing: the server is stopping.`,
      ),
    after: z.int().optional().describe('With resync: the number of the last event.'),
    retryAfterS: z.int().optional().describe('With closing.'),
  };
}

/** A notice about the stream of the object that `subject` names, such as `{ cluster: 'n_…' }`. */
export function noticeText(
  subject: object,
  { event, number, ...members }: { readonly event: string; readonly number?: number | undefined },
  form: StreamForm,
): string {
  const data = JSON.stringify({ v: 1, ...subject, event, ...members });
  return eventText({ event, data, number }, form);
}
