/**
 * @module
 * The events of one cluster: the records of its nodes in the form of the simulator's trace, numbered from 0 without gaps.
 * They are kept from the first one, up to a limit.
 */

import { EventEmitter } from 'node:events';

import { z } from '@hono/zod-openapi';

import type { LiveTraceRecord } from '../../src/live/cluster/live-events.ts';
import { eventNameOf } from '../../src/simulation/trace/event-line.ts';
import type { EventSource, StreamEnd, StreamForm } from '../streams/event-stream.ts';
import { eventText } from '../streams/event-stream.ts';
import { PIECE_CHARACTERS } from '../streams/pulled-stream.ts';
import { noticeMembers, noticeText, traceEventMembers } from '../streams/trace-forms.ts';

/** About 400 bytes each. Later ones are in no stream, but the check has them. */
export const CLUSTER_EVENTS_MAX = 50_000;

const clusterEventSchema = z
  .object({
    ...traceEventMembers,
    cluster: z.string().meta({ example: 'n_kq3vj5m2xw7ntb4d' }),
    t: z.int().describe('Real time in ms since the start of the cluster.'),
    event: z.string().describe('What happened, as in elections; also the event name in SSE.'),
    node: z
      .int()
      .nullable()
      .describe(
        'The number of the node that acts; null for the loss of a message and for a partition.',
      ),
    from: z.int().optional().describe('The number of the sender. Only a delivery has it.'),
  })
  .meta({ id: 'ClusterEvent' });

const clusterNoticeSchema = z
  .object({
    ...noticeMembers('cluster', 'cluster'),
    cluster: z.string(),
    reason: z
      .enum(['over', 'deleted'])
      .optional()
      .describe('Why the stream has ended. Only `done` has it.'),
  })
  .meta({ id: 'ClusterNotice' });

/** One line of a stream of JSON lines. */
export const clusterLineSchema = z.union([clusterEventSchema, clusterNoticeSchema]);

export interface ClusterFollower {
  readonly cluster: string;
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  readonly end: StreamEnd;
}

export class ClusterFeed {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #records: LiveTraceRecord[] = [];
  #isComplete = true;
  #ended: 'over' | 'deleted' | null = null;

  /** The events that are kept. */
  get records(): readonly LiveTraceRecord[] {
    return this.#records;
  }

  /** Number of events that are kept. */
  get count(): number {
    return this.#records.length;
  }

  /** Whether all events so far are kept. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  add(records: readonly LiveTraceRecord[]): void {
    const room = CLUSTER_EVENTS_MAX - this.#records.length;
    this.#records.push(...records.slice(0, room));
    if (records.length > room) this.#isComplete = false;
    this.#emitter.emit('change');
  }

  /** No event follows. */
  end(reason: 'over' | 'deleted' = 'over'): void {
    this.#ended = reason;
    this.#emitter.emit('change');
  }

  /** The events for one caller. */
  source({ cluster, form, after, end }: ClusterFollower): EventSource {
    /** Number of the next event. */
    let next = after + 1;
    const notice = (event: string, members: object, number?: number) =>
      noticeText({ cluster }, { event, number, ...members }, form);
    const resync = (): string => {
      if (next <= this.#records.length) return '';
      next = this.#records.length;
      return notice('resync', { after: next - 1 }, next - 1);
    };
    return {
      onChange: (wake) => {
        this.#emitter.on('change', wake);
        return () => void this.#emitter.off('change', wake);
      },
      notice: (event, members) => ({ text: notice(event, members), isLast: true }),
      next: async () => {
        let text = resync();
        for (; text.length < PIECE_CHARACTERS; next += 1) {
          const record = this.#records[next];
          if (record === undefined) break;
          text += recordText(cluster, record, form);
        }
        if (text !== '') return { text, isLast: false };
        if (end === 'present') return { text: '', isLast: true };
        if (this.#ended === null || (end === 'deleted' && this.#ended === 'over')) return null;
        return { text: notice('done', { reason: this.#ended }), isLast: true };
      },
    };
  }
}

function recordText(cluster: string, record: LiveTraceRecord, form: StreamForm): string {
  const { seq, t, action, node, from, effects } = record;
  const event = eventNameOf(action);
  const data = JSON.stringify({ v: 1, cluster, seq, t, event, action, node, from, effects });
  return eventText({ event, data, number: seq }, form);
}
