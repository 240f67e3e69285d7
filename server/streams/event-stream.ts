/**
 * @module
 * Events as a body that continues until its source ends, as server-sent events (WHATWG HTML, section 9.2)
 * or as JSON lines. A source numbers its events from 0 without gaps. A caller that reconnects with the
 * last number it received gets the events after it, or the notice `resync` if they are not available.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { acceptedType } from '../contract/router.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import { CLOSING_RETRY_S } from '../request/lifecycle.ts';
import type { OnFault } from '../request/refusals.ts';
import type { Piece, PulledOptions } from './pulled-stream.ts';
import { connectionOf, pulledStream, STREAM_HEADERS } from './pulled-stream.ts';

/** Interval of comments, so that proxies do not close a silent connection. */
export const PING_MS = 15_000;
/** Time after which a browser reconnects. */
const RETRY_MS = 3_000;

export type StreamForm = 'sse' | 'jsonl';

/**
 * When a stream ends: after the events that there are, when its object is over, or when that is deleted.
 */
export type StreamEnd = 'present' | 'over' | 'deleted';

/** One event, or a notice about the stream. Of the notices, only `resync` has a number. */
export interface SentEvent {
  readonly event: string;
  /** A JSON text. */
  readonly data: string;
  readonly number?: number | undefined;
}

/** What is followed, for one caller. */
export interface EventSource {
  /** The next piece; null if there is none yet, or if draining has begun and the rest is not sent. */
  next(isDraining: () => boolean): Promise<Piece | null>;
  /** Calls back when there may be a piece, until the returned function is called. */
  onChange(wake: () => void): () => void;
  /** The last notice, with these members. */
  notice(event: string, members: object): Piece;
}

export interface EventStreamOptions extends Omit<PulledOptions, 'first' | 'next'> {
  readonly lifecycle: Pick<Lifecycle, 'onDrain'>;
  readonly form: StreamForm;
}

/** The text of an event in a stream. */
export function eventText({ event, data, number }: SentEvent, form: StreamForm): string {
  if (form === 'jsonl') return `${data}\n`;
  return `${idLine(number)}event: ${event}\ndata: ${data}\n\n`;
}

/** Without a number, the client keeps the last one. An empty id says that it has received no event. */
function idLine(number: number | undefined): string {
  if (number === undefined) return '';
  return number < 0 ? 'id:\n' : `id: ${number}\n`;
}

/** The body of an answer that follows a source. */
export function eventStream(
  source: EventSource,
  { lifecycle, form, free, ...connection }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  let isDraining = false;
  let isAwake = false;
  let resume: (() => void) | null = null;
  const wake = () => {
    isAwake = true;
    resume?.();
  };
  const drain = () => {
    isDraining = true;
    wake();
  };
  const offChange = source.onChange(wake);
  const offDrain = lifecycle.onDrain(drain);
  /** False when it is time for a ping. JSON lines have none. */
  const woken = async (): Promise<boolean> => {
    if (isAwake) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    resume = () => resolve(true);
    const ping = form === 'sse' ? setTimeout(resolve, PING_MS, false) : undefined;
    const isWoken = await promise;
    clearTimeout(ping);
    resume = null;
    return isWoken;
  };
  const next = async (): Promise<Piece> => {
    for (;;) {
      isAwake = false;
      const piece = await source.next(() => isDraining);
      if (piece !== null) return piece;
      if (isDraining) return source.notice('closing', { retryAfterS: CLOSING_RETRY_S });
      if (!(await woken())) return { text: ': ping\n\n', isLast: false };
    }
  };
  return pulledStream({
    next,
    ...connection,
    first: form === 'sse' ? `retry: ${RETRY_MS}\n: open\n\n` : '',
    free() {
      offChange();
      offDrain();
      drain();
      free();
    },
  });
}

const lastEventIdHeader = z.object({
  'last-event-id': z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event, a whole number')
    .optional()
    .meta({ description: 'Number of the last event that the caller received.', example: '41' }),
});

const followQuery = z.strictObject({
  follow: z.enum(['true', 'false'], 'must be true or false').optional().meta({
    description:
      'false ends the answer after the events so far, true keeps it open. By default it stays open if Accept names its media type.',
    example: 'false',
  }),
});

/** What every request for events has besides the parameters of its path. */
export const followInput = { query: followQuery, headers: lastEventIdHeader };

/** Describes when a stream ends. */
export const STREAM_RULE =
  'JSON lines, or server-sent events if Accept prefers text/event-stream. If Accept names the media type, the answer continues until its object is over; otherwise, also with a wildcard, it ends after the events so far. `follow` decides otherwise for both forms.';

/**
 * The parts of a request for events with `followInput`: form, headers of the answer, the number of the last event, and
 * its end. `hasBody` is false for HEAD: no caller would read the body, so it would never be released.
 */
export function requestedStream(c: Context) {
  const { follow } = c.req.query();
  const last = c.req.header('last-event-id');
  const type = acceptedType(c, ['application/jsonl', 'text/event-stream']);
  const form: StreamForm = type === 'application/jsonl' ? 'jsonl' : 'sse';
  const usual: StreamEnd = isNamed(type, c.req.header('accept') ?? '') ? 'over' : 'present';
  const end: StreamEnd = follow === undefined ? usual : follow === 'true' ? 'deleted' : 'present';
  const headers = { ...STREAM_HEADERS, 'Content-Type': type };
  return { form, headers, after: Number(last ?? -1), end, last, hasBody: c.req.method !== 'HEAD' };
}

interface Following
  extends Pick<ReturnType<typeof requestedStream>, 'form' | 'headers' | 'hasBody'> {
  readonly lifecycle: Pick<Lifecycle, 'onDrain'>;
  readonly onFault: OnFault;
  /** Takes a place among the streams, and opens the source. */
  readonly open: () => { readonly free: () => void; readonly source: EventSource };
}

/** The answer that follows a source. */
export function followed(c: Context<ServerEnv>, following: Following) {
  const { form, headers, hasBody, lifecycle, onFault, open } = following;
  if (!hasBody) return c.body(null, 200, headers);
  const { free, source } = open();
  const body = eventStream(source, { form, lifecycle, free, ...connectionOf(onFault, c) });
  return c.body(body, 200, headers);
}

/** Whether an Accept header names the media type, and not only a wildcard for it. */
function isNamed(type: string, accept: string): boolean {
  const names = accept.split(',').map((range) => range.split(';')[0]?.trim().toLowerCase());
  return names.includes(type);
}

/** How an operation describes its events and notices, with the names of their components. */
export function eventAnswer(line: z.ZodType, components: readonly [string, string]) {
  const contentSchema = {
    anyOf: components.map((name) => ({ $ref: `#/components/schemas/${name}` })),
  };
  // Fields as a client reads them (WHATWG HTML, section 9.2.6).
  const sent = z.object({
    id: z
      .string()
      .optional()
      .describe(
        'Number of an event. Of the notices, only resync has one: that of the last event before the next.',
      ),
    event: z.string().describe('The member `event` of the data.'),
    data: z.string().meta({ contentMediaType: 'application/json', contentSchema }),
  });
  return {
    description: 'The events.',
    content: {
      'text/event-stream': { schema: z.string(), itemSchema: sent },
      'application/jsonl': { schema: z.string(), itemSchema: line },
    },
  };
}
