/**
 * @module
 * Routes about the history of an election: its events as they occur, and its trace in the forms of other
 * programs. Both replay the election.
 */

import { createRoute } from '@hono/zod-openapi';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import { shivizLines } from '../../../src/simulation/report/shiviz.ts';
import {
  assertDrawable,
  SVG_RECORDS_LIMIT,
  spaceTimeLines,
} from '../../../src/simulation/report/space-time/svg.ts';
import { clockedLines } from '../../../src/simulation/report/trace-formats.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { idParams } from '../../contract/members.ts';
import { refusals } from '../../contract/problem.ts';
import { acceptedType, createRouter, NO_QUERY } from '../../contract/router.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { OnFault } from '../../request/refusals.ts';
import {
  eventAnswer,
  followed,
  followInput,
  requestedStream,
  STREAM_RULE,
} from '../../streams/event-stream.ts';
import { connectionOf, freeOnError, linesStream } from '../../streams/pulled-stream.ts';
import type { TraceType } from '../../streams/trace-forms.ts';
import { TRACE_ANSWER, TRACE_TYPES, traceHeaders } from '../../streams/trace-forms.ts';
import { assertFewEvents, replayed } from '../live/replay.ts';
import type { ElectionStore } from '../storage/store.ts';
import { ElectionSource, electionLineSchema } from './election-source.ts';

/** Events of a trace times nodes, because each event has a clock with a component for each node. */
export const TRACE_CELLS_MAX = 2_000_000;
const TRACE_EVENTS_MAX = 50_000;

const tags = ['elections'];
const path = '/v1/elections/{id}';

const eventsRoute = createRoute({
  method: 'get',
  path: `${path}/events`,
  operationId: 'followElection',
  tags,
  summary: 'Follow the events of an election from the first',
  description: `${STREAM_RULE} Participants and other readers of a shared election receive all that their own node does, with the senders of the messages that arrive at it, and the \`outline\` of every other event. An election is over when it is concluded: all actions are over and it is idle. The stream then ends with \`done\`, and a caller that has every event already is answered 204. Another action can follow, so with \`follow=true\` the stream continues until the election is deleted. \`closing\` says that the server is stopping, \`resync\` that Last-Event-ID is no event of this election.`,
  request: { params: idParams, ...followInput },
  responses: {
    200: eventAnswer(electionLineSchema, ['ElectionEvent', 'ElectionNotice']),
    204: { description: 'The caller has every event.' },
    ...refusals(404, 406, 409, 503),
  },
});

const traceRoute = createRoute({
  method: 'get',
  path: `${path}/trace`,
  operationId: 'getElectionTrace',
  tags,
  summary: 'Get the trace of an election',
  description:
    'JSON lines with vector clocks, the header first; plain text as ShiViz reads it; or a space-time diagram as SVG.',
  request: { params: idParams, query: NO_QUERY },
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
