/**
 * @module
 * The forms in which the trace of an election or of a cluster is answered.
 */

import { z } from '@hono/zod-openapi';

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

/** The headers of a trace in this form. */
export function traceHeaders(type: TraceType): { readonly 'Content-Type': string } {
  return { 'Content-Type': type === 'text/plain' ? `${type}; charset=utf-8` : type };
}
