/**
 * @module
 * An event of an election as callers receive it: a record of its trace with the name of what happened.
 */

import { z } from '@hono/zod-openapi';

import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

/** By the action of the record. A message to a node that is down is dropped. */
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
  join: 'node.learns-of-joining',
};

const partSchema = z.looseObject({ type: z.string() });

const electionEventSchema = z
  .object({
    v: z.literal(1),
    election: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    seq: z.int().describe('Number of the event, from 0 without gaps; the id in SSE.'),
    t: z.int().describe('Virtual time in ticks.'),
    event: z.string().describe('What happened; also the event name in SSE.'),
    action: partSchema.describe(
      'Details of the event: the node, the number of the message, the timer.',
    ),
    dropped: z.literal(true).optional().describe('The recipient is down.'),
    effects: z.array(partSchema).describe('Effects of the node, in order.'),
  })
  .meta({
    id: 'ElectionEvent',
    example: {
      ...{ v: 1, election: 'e_kq3vj5m2xw7ntb4d', seq: 5, t: 1, event: 'message.delivered' },
      action: { type: 'deliver', message: 0 },
      effects: [{ type: 'send', id: 10, to: 1, message: { type: 'OK' } }],
    },
  });

/** A notice about the stream, which has no number. */
const electionNoticeSchema = z
  .object({
    v: z.literal(1),
    election: z.string(),
    event: z
      .enum(['resync', 'done', 'closing'])
      .describe(
        'resync: Last-Event-ID is no event of this election. done: the stream is over. closing: the server is stopping.',
      ),
    after: z.int().optional().describe('With resync: the number of the last event.'),
    reason: z.enum(['concluded', 'deleted']).optional().describe('With done.'),
    time: z.int().optional().describe('With done, if concluded: virtual time in ticks.'),
    verdict: z
      .object({ value: z.enum(['true', 'false', 'unknown']), reason: z.string() })
      .optional()
      .describe('With done, if concluded.'),
    retryAfterS: z.int().optional().describe('With closing.'),
  })
  .meta({
    id: 'ElectionNotice',
    example: { v: 1, election: 'e_kq3vj5m2xw7ntb4d', event: 'done', reason: 'deleted' },
  });

/** One line of a stream of JSON lines. */
export const electionLineSchema = z.union([electionEventSchema, electionNoticeSchema]);

/** The event of a record. */
export function electionEvent(election: string, record: TraceRecord) {
  const { seq, t, action, dropped, effects } = record;
  const event = dropped === true ? NAMES.drop : NAMES[action.type];
  const isDropped = dropped === true && { dropped };
  const members = { v: 1, election, seq, t, event, action, ...isDropped, effects };
  return { event, data: JSON.stringify(members), number: seq };
}
