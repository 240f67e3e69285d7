/**
 * @module
 * How event streams are requested and described: their media types, the header Last-Event-ID, and their
 * answers in the OpenAPI document.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';

import { acceptedType } from '../contract/media-type.ts';
import type { StreamForm } from './event-stream.ts';

export const lastEventIdHeader = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event, a whole number')
    .optional()
    .meta({ description: 'Number of the last event that the caller received.', example: '41' }),
});

/** The parts of a request for events: the form, the media type, and the number of the last event. */
export function requestedStream(
  c: Context,
  last: string | undefined,
): { readonly form: StreamForm; readonly type: string; readonly after: number } {
  const type = acceptedType(c, ['text/event-stream', 'application/jsonl']);
  const form = type === 'application/jsonl' ? 'jsonl' : 'sse';
  return { form, type, after: last === undefined ? -1 : Number(last) };
}

/** The answer with events of a kind and notices of a kind, by the names of their components. */
export function eventContent(line: z.ZodType, components: readonly [string, string]) {
  const contentSchema = {
    anyOf: components.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  };
  // Fields as a client reads them (WHATWG HTML, section 9.2.6).
  const sent = z.object({
    id: z.string().optional().describe('Number of an event. Notices have none.'),
    event: z.string().describe('The member `event` of the data.'),
    data: z.string().meta({ contentMediaType: 'application/json', contentSchema }),
  });
  return {
    'text/event-stream': { schema: z.string(), itemSchema: sent },
    'application/jsonl': { schema: z.string(), itemSchema: line },
  };
}
