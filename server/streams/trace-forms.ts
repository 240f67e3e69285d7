/**
 * @module
 * The forms in which the trace of an election or of a cluster is answered.
 */

import { z } from '@hono/zod-openapi';
import { quantity } from '../../src/quantities.ts';
import type { TraceSelection } from '../../src/simulation/trace/view.ts';

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
