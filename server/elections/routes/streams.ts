/**
 * @module
 * Routes about the history of an election: its events as they occur, and its trace in the forms of other
 * programs. Both replay the election.
 */

import { z } from '@hono/zod-openapi';

import type { Refusal } from '../../../src/election/authentication/authenticated.ts';
import { REFUSALS } from '../../../src/election/authentication/authenticated.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import {
  assertDrawable,
  SVG_RECORDS_LIMIT,
  spaceTimeLines,
} from '../../../src/simulation/report/space-time/svg.ts';
import { clockedLines, shivizLines } from '../../../src/simulation/report/trace-formats.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { eventLine } from '../../../src/simulation/trace/event-line.ts';
import type { TraceEvent } from '../../../src/simulation/trace/events.ts';
import { TraceReader } from '../../../src/simulation/trace/events.ts';
import { idParams } from '../../contract/members.ts';
import { refusals } from '../../contract/problem.ts';
import { acceptedType, createRouter, routesOf } from '../../contract/router.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import type { OnFault } from '../../request/refusals.ts';
import type { EventSource, StreamEnd, StreamForm } from '../../streams/event-stream.ts';
import {
  eventAnswer,
  eventText,
  followed,
  followInput,
  requestedStream,
  STREAM_RULE,
} from '../../streams/event-stream.ts';
import type { Piece } from '../../streams/pulled-stream.ts';
import {
  connectionOf,
  freeOnError,
  linesStream,
  PIECE_CHARACTERS,
} from '../../streams/pulled-stream.ts';
import type { TraceType } from '../../streams/trace-forms.ts';
import {
  noticeMembers,
  noticeText,
  TRACE_ANSWER,
  TRACE_TYPES,
  traceEventMembers,
  traceHeaders,
} from '../../streams/trace-forms.ts';
import type { LiveElection } from '../live/live-election.ts';
import { assertFewEvents, Replay, replayed } from '../live/live-election.ts';
import type { Viewer } from '../sharing/shared-elections.ts';
import type { ElectionStore } from '../storage/store.ts';

/**
 * The events of an election as a source of an event stream. Each follower has a replay of its own, which waits when
 * it has reached the election. A follower that reconnects with the last number it received gets every event once.
 */
interface FollowOptions {
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  /** An election is over when it is concluded. */
  readonly end: StreamEnd;
  readonly viewer: Viewer;
}

/** Where one follower is in an election. */
class ElectionSource implements EventSource {
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
      const line = eventLine(this.#election.id, shown(event), refused);
      const record = { event: line.event, data: JSON.stringify(line), number: line.seq };
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
const electionLineSchema = z.union([electionEventSchema, electionNoticeSchema]);

/** Events of a trace times nodes, because each event has a clock with a component for each node. */
export const TRACE_CELLS_MAX = 2_000_000;
const TRACE_EVENTS_MAX = 50_000;

const route = routesOf('elections');
const path = '/v1/elections/{id}';

const eventsRoute = route('get', `${path}/events`, {
  operationId: 'followElection',
  summary: 'Follow the events of an election from the first',
  description: `${STREAM_RULE} Participants and other readers of a shared election receive all that their own node does, with the senders of the messages that arrive at it, and the \`outline\` of every other event. An election is over when it is concluded: all actions are over and it is idle. The stream then ends with \`done\`, and a caller that has every event already is answered 204. Another action can follow, so with \`follow=true\` the stream continues until the election is deleted. \`closing\` says that the server is stopping, \`resync\` that Last-Event-ID is no event of this election.`,
  params: idParams,
  ...followInput,
  responses: {
    200: eventAnswer(electionLineSchema, ['ElectionEvent', 'ElectionNotice']),
    204: { description: 'The caller has every event.' },
    ...refusals(404, 406, 409, 503),
  },
});

const traceRoute = route('get', `${path}/trace`, {
  operationId: 'getElectionTrace',
  summary: 'Get the trace of an election',
  description:
    'JSON lines with vector clocks, the header first; plain text as ShiViz reads it; or a space-time diagram as SVG.',
  params: idParams,
  responses: { 200: TRACE_ANSWER, ...refusals(404, 406, 409, 503) },
});

export interface StreamRouteParts {
  readonly elections: ElectionStore;
  readonly lifecycle: Lifecycle;
  readonly onFault: OnFault;
}

/** The routes about the history of an election. */
export function createStreamRoutes({ elections, lifecycle, onFault }: StreamRouteParts) {
  return createRouter()
    .openapi(eventsRoute, (c) => {
      const principal = c.get('principal');
      const { form, after, end, last, ...request } = requestedStream(c);
      const election = elections.get(c.req.valid('param').id, principal);
      const isOver = end === 'over' && election.isConcluded && after === election.events - 1;
      if (request.hasBody && isOver && last !== undefined) return c.body(null, 204);
      const open = () => {
        const free = elections.streams.take(election.plan.nodes, principal);
        const viewer = elections.sharing.viewerOf(election, principal);
        const source = new ElectionSource(election, { form, after, end, viewer }, principal);
        return { free, source };
      };
      return followed(c, { form, ...request, lifecycle, onFault, open });
    })
    .openapi(traceRoute, async (c) => {
      const principal = c.get('principal');
      const type = acceptedType(c, TRACE_TYPES);
      const election = elections.get(c.req.valid('param').id, principal, 'examine');
      const headers = traceHeaders(type);
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const eventsMax = traceEventsMax(election.plan, type);
      assertFewEvents(election.events, eventsMax);
      const free = elections.streams.take(election.plan.nodes, principal);
      const traced = replayed(election.history, eventsMax, principal);
      const simulation = await freeOnError(traced, free);
      const lines = LINES_OF[type](simulation);
      return c.body(linesStream(lines, { free, ...connectionOf(onFault, c) }), 200, headers);
    });
}

/** The most events of a trace in one form. Throws LabError `job.size` for a diagram of too many nodes. */
function traceEventsMax({ nodes }: Pick<Plan, 'nodes'>, type: TraceType): number {
  if (type !== 'image/svg+xml') {
    return Math.min(Math.floor(TRACE_CELLS_MAX / nodes), TRACE_EVENTS_MAX);
  }
  assertDrawable(nodes, 0);
  return SVG_RECORDS_LIMIT;
}

/** How the trace is written in each form. */
const LINES_OF: Readonly<Record<TraceType, (simulation: Simulation) => Iterable<string>>> = {
  'application/jsonl': jsonLines,
  'text/plain': (simulation) => {
    const { nodes, store } = simulation.plan;
    return shivizLines(simulation.records(), nodes, { store });
  },
  'image/svg+xml': (simulation) => spaceTimeLines(simulation.plan, simulation.records()),
};

function* jsonLines(simulation: Simulation): Generator<string, void, undefined> {
  const { plan } = simulation;
  const [header = ''] = simulation.traceLines();
  yield header;
  yield* clockedLines(simulation.records(), plan.nodes, { store: plan.store });
}
