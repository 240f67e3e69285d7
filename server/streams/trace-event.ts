/**
 * @module
 * The events of a trace as streams show them: what the events of simulated elections and of live clusters have in common,
 * and the notices about their streams.
 */

import { z } from '@hono/zod-openapi';
import type { Happening } from '../../src/simulation/engine/trace.ts';
import type { StreamForm } from './event-stream.ts';
import { eventText } from './event-stream.ts';

/** By the action of the record. A message to a node that is down is dropped. */
const NAMES: Readonly<Record<Happening['type'], string>> = {
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
  partition: 'network.divided',
  heal: 'network.healed',
};

/** The name of the event of an action. */
export function eventNameOf({ type }: Pick<Happening, 'type'>): string {
  return NAMES[type];
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
