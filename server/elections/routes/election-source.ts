/**
 * @module
 * The events of an election as a source of an event stream. Each follower has a replay of its own, which waits
 * when it has reached the election. A follower that reconnects with the last number it received gets every
 * event once.
 */

import { z } from '@hono/zod-openapi';
import type { Refusal } from '../../../src/election/authentication/authenticated.ts';
import { REFUSALS } from '../../../src/election/authentication/authenticated.ts';
import type { TraceEvent } from '../../../src/simulation/trace/events.ts';
import { TraceReader } from '../../../src/simulation/trace/events.ts';
import type { Principal } from '../../request/principal.ts';
import type { EventSource, StreamEnd, StreamForm } from '../../streams/event-stream.ts';
import { eventText } from '../../streams/event-stream.ts';
import type { Piece } from '../../streams/pulled-stream.ts';
import { PIECE_CHARACTERS } from '../../streams/pulled-stream.ts';
import {
  eventNameOf,
  noticeMembers,
  noticeText,
  traceEventMembers,
} from '../../streams/trace-event.ts';
import type { LiveElection } from '../live/live-election.ts';
import { Replay } from '../live/replay.ts';
import type { Located, Outline, Viewer } from '../sharing/outline.ts';

export interface FollowOptions {
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  /** An election is over when it is concluded. */
  readonly end: StreamEnd;
  readonly viewer: Viewer;
}

/** Where one follower is in an election. */
export class ElectionSource implements EventSource {
  readonly #election: LiveElection;
  readonly #options: FollowOptions;
  readonly #replay: Replay;
  /** Knows where the messages of the replayed events are. */
  readonly #reader = new TraceReader();
  #after: number;
  /** Replayed events, which are not sent from `#next` on. */
  #records: readonly TraceEvent[] = [];
  #next = 0;
  /** Why messages were refused in them, by the number of the event. */
  #refusals: ReadonlyMap<number, Refusal> = new Map();
  /** Number of replayed events. */
  #count = 0;

  constructor(election: LiveElection, options: FollowOptions, principal: Principal) {
    this.#election = election;
    this.#options = options;
    this.#after = options.after;
    this.#replay = new Replay(election.history, principal);
  }

  onChange(wake: () => void): () => void {
    const offs = [this.#election.onChange(wake), this.#options.viewer.onChange(wake)];
    return () => {
      for (const off of offs) off();
    };
  }

  async next(isDraining: () => boolean): Promise<Piece | null> {
    while (!isDraining()) {
      // The caller may have lost its access since then.
      if (this.#isGone) return this.#end();
      const text = this.#events();
      if (text !== '') return { text, isLast: false };
      if (!this.#replay.isBehind) return this.#end();
      await this.#step();
    }
    return null;
  }

  notice(event: string, members: object): Piece {
    return { text: this.#noticeText(event, members), isLast: true };
  }

  #noticeText(event: string, members: object, number?: number): string {
    const subject = { election: this.#election.id };
    return noticeText(subject, { event, number, ...members }, this.#options.form);
  }

  get #isGone(): boolean {
    return this.#election.isDeleted || !this.#options.viewer.isAllowed();
  }

  async #step(): Promise<void> {
    await this.#replay.step();
    const records = this.#replay.simulation.takeRecords();
    this.#refusals = this.#replay.simulation.takeRefusals();
    this.#records = records.map((record) => this.#reader.read(record));
    this.#next = 0;
    this.#count += this.#records.length;
  }

  /** The next events, up to the length of a piece. */
  #events(): string {
    let text = '';
    const { shown } = this.#options.viewer;
    for (; this.#next < this.#records.length && text.length < PIECE_CHARACTERS; this.#next += 1) {
      const event = this.#records[this.#next];
      if (event === undefined || event.record.seq <= this.#after) continue;
      const refused = this.#refusals.get(event.record.seq);
      const record = electionEvent(this.#election.id, shown(event), refused);
      text += eventText(record, this.#options.form);
    }
    return text;
  }

  /** The piece after all events; null if there may be more events. */
  #end(): Piece | null {
    const election = this.#election;
    const { end } = this.#options;
    if (election.isDeleted) return this.notice('done', { reason: 'deleted' });
    if (this.#isGone) return this.notice('done', { reason: 'revoked' });
    if (this.#after >= this.#count) {
      // There never was such an event: the number is from another election.
      this.#after = this.#count - 1;
      const after = this.#after;
      return { text: this.#noticeText('resync', { after }, after), isLast: false };
    }
    if (end !== 'deleted' && election.isConcluded) {
      const { verdict, ticks } = election.status();
      const { value, reason } = verdict;
      return this.notice('done', { reason: 'concluded', time: ticks, verdict: { value, reason } });
    }
    return end === 'present' ? { text: '', isLast: true } : null;
  }
}

const electionEventSchema = z
  .object({
    ...traceEventMembers,
    election: z.string().meta({ example: 'e_kq3vj5m2xw7ntb4d' }),
    t: z.int().describe('Virtual time in ticks.'),
    event: z.string().describe('What happened; also the event name in SSE.'),
    node: z
      .int()
      .nullable()
      .optional()
      .describe(
        'The rank of the node that acts. Null for an event of the network. Absent in an outline.',
      ),
    from: z.int().optional().describe('With a delivery: the rank of the sender.'),
    dropped: z.literal(true).optional().describe('The recipient is down.'),
    refused: z
      .enum(REFUSALS)
      .optional()
      .describe(
        'With a delivery: why the node refused the message, as in the `refused` of the node. Absent if it accepted the message.',
      ),
    outline: z
      .literal(true)
      .optional()
      .describe('The event is another node’s, so its details are left out.'),
  })
  .meta({ id: 'ElectionEvent' });

/** A notice about the stream. */
const electionNoticeSchema = z
  .object({
    ...noticeMembers('election', 'stream'),
    election: z.string(),
    reason: z
      .enum(['concluded', 'deleted', 'revoked'])
      .optional()
      .describe('With done. revoked: the election is no longer shared with this caller.'),
    time: z.int().optional().describe('With done, if concluded: virtual time in ticks.'),
    verdict: z
      .object({ value: z.enum(['true', 'false', 'unknown']), reason: z.string() })
      .optional()
      .describe('With done, if concluded.'),
  })
  .meta({ id: 'ElectionNotice' });

/** One line of a stream of JSON lines. */
export const electionLineSchema = z.union([electionEventSchema, electionNoticeSchema]);

/** The event of a record. The members are listed, because copying the rest of them took as long as writing them. */
export function electionEvent(election: string, record: Located | Outline, refusal?: Refusal) {
  const { seq, t, action, effects, dropped, lost, node, from, outline }: Shown = record;
  const event = eventNameOf(dropped === true ? { type: 'drop' } : action);
  // An outline does not say what became of a message of others.
  const refused = outline === true ? undefined : refusal;
  // Those without a value are not written.
  const marks = { dropped, lost, node, from, refused, outline };
  const members = { v: 1, election, seq, t, event, action, ...marks, effects };
  return { event, data: JSON.stringify(members), number: seq };
}

/** The members of both. */
type Shown = Pick<Outline, 'seq' | 't' | 'action'> &
  Pick<Located, 'effects'> &
  Partial<Pick<Located, 'dropped' | 'lost' | 'node' | 'from'> & Pick<Outline, 'outline'>>;
