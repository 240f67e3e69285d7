/**
 * @module
 * One event of an election as callers see it: a record of its trace, named by what happened.
 */

import { z } from '@hono/zod-openapi';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

/** By the action of the record; what reaches nobody is dropped. */
const NAMES: Readonly<Record<TraceRecord['action']['type'], string>> = {
  start: 'node.started',
  deliver: 'message.delivered',
  drop: 'message.dropped',
  duplicate: 'message.duplicated',
  timeout: 'timer.fired',
  choose: 'node.chose',
  inject: 'message.injected',
  crash: 'node.crashed',
  pause: 'node.paused',
  resume: 'node.resumed',
  recover: 'node.recovered',
  enter: 'node.joined',
  suspect: 'node.suspects',
  trust: 'node.trusts',
  join: 'node.hears-of-joining',
};

const partSchema = z.looseObject({ type: z.string() });

export const electionEventSchema = z
  .object({
    v: z.literal(1),
    election: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    seq: z.int().meta({ description: 'Its number, from 0 without gaps; also the id in SSE.' }),
    t: z.int().meta({ description: 'Virtual time in ticks.' }),
    event: z.string().meta({ description: 'What happened, also the event name in SSE.' }),
    action: partSchema.meta({
      description: 'The same with its particulars: the node, the message by number, the timer.',
    }),
    dropped: z
      .literal(true)
      .optional()
      .meta({ description: 'The message met a node that is down.' }),
    effects: z.array(partSchema).meta({ description: 'What the node did about it, in order.' }),
  })
  .meta({
    id: 'ElectionEvent',
    example: {
      v: 1,
      election: 'e_kq3vj5m2xw7ntb4d',
      seq: 5,
      t: 1,
      event: 'message.delivered',
      action: { type: 'deliver', message: 0 },
      effects: [{ type: 'send', id: 10, to: 1, message: { type: 'OK' } }],
    },
  });

/** What a stream says besides events, which has no number. */
const electionNoticeSchema = z
  .object({
    v: z.literal(1),
    election: z.string(),
    event: z.enum(['resync', 'done', 'closing']).meta({
      description:
        'Last-Event-ID was none of this election; the stream is over; the server is stopping.',
    }),
    after: z.int().optional().meta({ description: 'Of resync: the number of the last event.' }),
    reason: z.enum(['concluded', 'deleted']).optional().meta({ description: 'Of done.' }),
    time: z
      .int()
      .optional()
      .meta({ description: 'Of done, when concluded: virtual time in ticks.' }),
    verdict: z
      .object({ value: z.enum(['true', 'false', 'unknown']), reason: z.string() })
      .optional()
      .meta({ description: 'Of done, when concluded.' }),
    retryAfterS: z.int().optional().meta({ description: 'Of closing.' }),
  })
  .meta({
    id: 'ElectionNotice',
    example: { v: 1, election: 'e_kq3vj5m2xw7ntb4d', event: 'done', reason: 'deleted' },
  });

/** One line of a stream of JSON lines. */
export const electionLineSchema = z.union([electionEventSchema, electionNoticeSchema]);

/** One server-sent event, its fields as they are after parsing (WHATWG HTML, section 9.2.6). */
export const sentEventSchema = z.object({
  id: z.string().optional().meta({ description: 'The number of an event; notices have none.' }),
  event: z.string().meta({ description: 'The member `event` of the data.' }),
  data: z.string().meta({
    contentMediaType: 'application/json',
    contentSchema: {
      anyOf: ['ElectionEvent', 'ElectionNotice'].map((name) => ({
        $ref: `#/components/schemas/${name}`,
      })),
    },
  }),
});

/** The event of a record, by name and as JSON text. */
export function electionEvent(
  election: string,
  record: TraceRecord,
): { readonly name: string; readonly json: string } {
  const { seq, t, action, dropped, effects } = record;
  const name = dropped === true ? NAMES.drop : NAMES[action.type];
  const isDropped = dropped === true && { dropped };
  const event = { v: 1, election, seq, t, event: name, action, ...isDropped, effects };
  return { name, json: JSON.stringify(event) };
}
