/**
 * @module
 * The route by which a program outside receives the events of its node. It may wait for an event in a long
 * poll; the server never calls the program.
 */

import { z } from '@hono/zod-openapi';
import { fromRank, toRank } from '../../../src/election/world/cast.ts';
import type { InboxEvent } from '../../../src/simulation/run/inboxes.ts';
import { nextTurn } from '../../callers/work-turns.ts';
import { idSchema } from '../../contract/members.ts';
import { refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, routesOf } from '../../contract/router.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import { assertReady } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import { charged } from '../../request/principal.ts';
import type { LiveElection } from '../live/live-election.ts';
import { noElection } from '../live/live-election.ts';
import { nameSigned } from '../live/outside-proof.ts';
import type { ElectionStore } from '../storage/store.ts';
import { nodeIdSchema, nodeOfToken, nodeTokenHeaders } from './node-token.ts';
import { electionStatusSchema, statusOfElection } from './view.ts';

const route = routesOf('elections');

/** Events of one answer. The next request receives the others at once. */
export const INBOX_EVENTS_PER_ANSWER = 100;
/** Events between two turns of other work, because their signatures are verified. */
const EVENTS_PER_SLICE = 8;

const inboxEventSchema = z
  .object({
    number: z.int().describe('From 1 without gaps, for each node.'),
    at: z.int().describe('Virtual time in ticks.'),
    event: z
      .looseObject({ type: z.string() })
      .describe(
        'start with the rank of the node; deliver with from and message, seal included; timeout with timer; suspect, trust, join or leave with node; recover.',
      ),
    election: z
      .string()
      .nullable()
      .optional()
      .describe(
        'For a message at L3: the name of the election that it is signed for. An answer to it, or a message that passes it on, is signed for the same name and contains candidacies of that name. Null: it is signed for none of the current names and may be ignored.',
      ),
  })
  .meta({ id: 'InboxEvent' });

const inboxSchema = z
  .object({
    events: z.array(inboxEventSchema).describe('In order; empty if none occurred in time.'),
    rank: z
      .int()
      .describe('The present rank of the node. It no longer changes after the first action.'),
    lost: z.int().describe('Events dropped because a thousand were unanswered.'),
    answered: z.int().describe('All events up to this number are answered.'),
    time: z.int().describe('Virtual time in ticks.'),
    status: electionStatusSchema,
  })
  .meta({ id: 'Inbox' });

const inboxRoute = route('get', '/v1/elections/{id}/nodes/{node}/inbox', {
  operationId: 'readInbox',
  summary: 'Read the unanswered events of a node that is played from outside',
  description: `Answers at once if there are events above \`after\`, else when one occurs, or without one after waitMs. A node has one waiting poll; a newer one ends the older. An answer has at most ${INBOX_EVENTS_PER_ANSWER} events.`,
  params: z.strictObject({ id: idSchema, node: nodeIdSchema }),
  query: z.strictObject({
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the number of an event, from 0')
      .default('0')
      .meta({ description: 'Number of the last event that the caller received.', example: '1' }),
    waitMs: z
      .string()
      .regex(
        /^(?:\d{1,4}|[12]\d{4}|30000)$/,
        'must be a whole number of milliseconds, from 0 to 30000',
      )
      .default('0')
      .meta({ description: 'How long to wait for an event, at most 30000.', example: '10000' }),
  }),
  headers: nodeTokenHeaders,
  responses: {
    200: jsonAnswer(inboxSchema, 'The events.'),
    ...refusals(401, 404, 409, 503),
  },
});

export interface InboxRouteParts {
  readonly elections: ElectionStore;
  readonly lifecycle: Lifecycle;
}

/** The route of inboxes. */
export function createInboxRoutes({ elections, lifecycle }: InboxRouteParts) {
  const poll = pollsOf(lifecycle, elections);
  return createRouter().openapi(inboxRoute, async (c) => {
    const principal = c.get('principal');
    const { id, node: nodeId } = c.req.valid('param');
    const query = c.req.valid('query');
    const election = elections.get(id, principal, 'play');
    const token = c.req.valid('header')['node-token'];
    const isParticipant = (by: string) => elections.sharing.participant(id, by) !== null;
    nodeOfToken(election, nodeId, { token, principal, isParticipant });
    const after = Number(query.after);
    const waitMs = c.req.method === 'HEAD' ? 0 : Number(query.waitMs);
    const isReady = () => eventsAfter(election, nodeId, after).length > 0;
    if (waitMs > 0 && !isReady()) {
      const { signal } = c.req.raw;
      await poll({ election, nodeId, principal, isReady, waitMs, signal });
    }
    // It may have been deleted, or the participant removed.
    if (election.isDeleted) throw noElection(id);
    elections.get(id, principal, 'play');
    const events = eventsAfter(election, nodeId, after).slice(0, INBOX_EVENTS_PER_ANSWER);
    if (events.length === 0) assertReady(lifecycle.phase);
    const rank = rankOf(election, nodeId) ?? 0;
    const views = await eventViews(election, rank, { events, principal });
    const { lost, answered } = election.stage.simulation.inbox(rank);
    const { ticks: time } = election.status();
    const status = statusOfElection(election);
    return c.json({ events: views, rank, lost, answered, time, status }, 200);
  });
}

/** The rank of a node, which may change until the first action. */
function rankOf(election: LiveElection, nodeId: string): number | undefined {
  return election.stage.roster.nodeWithId(nodeId)?.rank;
}

function eventsAfter(election: LiveElection, nodeId: string, after: number): readonly InboxEvent[] {
  const rank = rankOf(election, nodeId);
  if (rank === undefined) return [];
  return election.stage.simulation.inbox(rank).events.filter(({ number }) => number > after);
}

/** The events, with the elections that their messages are signed for. */
async function eventViews(
  election: LiveElection,
  rank: number,
  { events, principal }: { readonly events: readonly InboxEvent[]; readonly principal: Principal },
): Promise<z.output<typeof inboxEventSchema>[]> {
  const { stage, proofRules: rules } = election;
  const keysOf = rules.plan.level === 'L3' ? stage.keysOf : null;
  const verify = keysOf?.(toRank(rank)).verify ?? null;
  const views: z.output<typeof inboxEventSchema>[] = [];
  for (const [index, { number, at, event }] of events.entries()) {
    const own = event.type === 'start' ? { rank } : {};
    const view = { number, at, event: { ...event, ...own } };
    if (verify !== null && index % EVENTS_PER_SLICE === 0) await nextTurn('replay', principal);
    if (verify !== null && event.type === 'deliver') {
      const sent = { by: fromRank(event.from), to: rank, message: event.message };
      const name = charged(principal, () => nameSigned(rules, sent, verify));
      views.push({ ...view, election: name });
    } else views.push(view);
  }
  return views;
}

interface Poll {
  readonly election: LiveElection;
  readonly nodeId: string;
  readonly principal: Principal;
  /** Whether there is an event. */
  readonly isReady: () => boolean;
  readonly waitMs: number;
  /** Says that the caller has disconnected. */
  readonly signal: AbortSignal;
}

/**
 * The long polls of one server. A poll resolves when there is an event, the time is over, the election is
 * deleted, the server drains, the caller disconnects, or the node polls again. It counts as a stream while it
 * waits. Throws OverloadError if too many streams are open; an older poll of the node continues then.
 */
function pollsOf(
  lifecycle: Pick<Lifecycle, 'onDrain'>,
  { streams, sharing }: Pick<ElectionStore, 'streams' | 'sharing'>,
): (poll: Poll) => Promise<void> {
  /** Ends the poll of a node, by election and node. */
  const waiting = new Map<string, () => void>();
  return async ({ election, nodeId, principal, isReady, waitMs, signal }) => {
    const name = `${election.id} ${nodeId}`;
    const free = streams.take(0, principal, waitMs);
    waiting.get(name)?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    waiting.set(name, end);
    const timer = setTimeout(end, waitMs);
    const offEvents = election.onEvents(() => {
      if (election.isDeleted || isReady()) end();
    });
    const offDrain = lifecycle.onDrain(end);
    const offAccess = sharing.onChange(election.id, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    await promise;
    clearTimeout(timer);
    offEvents();
    offDrain();
    offAccess();
    signal.removeEventListener('abort', end);
    if (waiting.get(name) === end) waiting.delete(name);
    free();
  };
}
