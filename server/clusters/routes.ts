/**
 * @module
 * The routes about clusters of live nodes, for operators alone. A server that was not started with `--clusters` has none:
 * 404.
 */

import type { Json } from '../../src/election/machine.ts';
import { LabError } from '../../src/errors.ts';
import type { LiveTraceRecord } from '../../src/live/cluster/live-events.ts';
import { ranksAsNumbers } from '../../src/live/rank-names.ts';
import type { Happening, TraceRecord } from '../../src/simulation/engine/trace.ts';
import { traceLines } from '../../src/simulation/engine/trace.ts';
import type { DiagramPlan } from '../../src/simulation/report/space-time/layout.ts';
import { assertDrawable, spaceTimeLines } from '../../src/simulation/report/space-time/svg.ts';
import { clockedLines, shivizLines } from '../../src/simulation/report/trace-formats.ts';
import type { TraceSelection, TraceView } from '../../src/simulation/trace/view.ts';
import { assertInTime, PART_RECORDS, viewParts } from '../../src/simulation/trace/view.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import { inTurns } from '../callers/work-turns.ts';
import { chargedForBody } from '../contract/json-body.ts';
import { idParams, newestFirst } from '../contract/members.ts';
import { mapPage, pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import {
  acceptedType,
  createRouter,
  jsonAnswer,
  jsonRequest,
  routesOf,
} from '../contract/router.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import type { Principal } from '../request/principal.ts';
import type { OnFault } from '../request/refusals.ts';
import { OverloadError } from '../request/refusals.ts';
import {
  eventAnswer,
  followed,
  followInput,
  requestedStream,
  STREAM_RULE,
} from '../streams/event-stream.ts';
import { connectionOf, freeOnError, linesStream } from '../streams/pulled-stream.ts';
import type { TraceType } from '../streams/trace-forms.ts';
import {
  partOf,
  TRACE_ANSWER,
  TRACE_TYPES,
  traceHeaders,
  tracePartQuery,
} from '../streams/trace-forms.ts';
import { clusterLineSchema } from './cluster-feed.ts';
import type { Clusters } from './clusters.ts';
import type { LiveCluster } from './live-cluster.ts';
import { clusterActionSchema, clusterRequestSchema, parseClusterRequest } from './request.ts';
import { clusterSchema, clusterSummary, clusterSummarySchema, clusterView } from './view.ts';

const route = routesOf('clusters');
const path = '/v1/clusters/{id}';

const createClusterRoute = route('post', '/v1/clusters', {
  operationId: 'createCluster',
  summary: 'Start a cluster of live nodes on the machine of the server, for operators',
  description:
    'Each node is a process with a new key. The nodes speak HTTP with each other on 127.0.0.1. The cluster ends by DELETE, with the server, or after a time without an action.',
  body: jsonRequest(clusterRequestSchema, {
    examples: {
      bully: { value: { protocol: 'bully-oneshot' } },
      raft: { value: { protocol: 'raft', nodes: 5, latency: '200ms', c1: 8 } },
    },
  }),
  responses: {
    201: jsonAnswer(clusterSchema, 'The cluster starts. Location is its path.'),
    ...bodyRefusals(404, 409, 503),
  },
});

const listClustersRoute = route('get', '/v1/clusters', {
  operationId: 'listClusters',
  summary: 'List the clusters, for operators',
  query: pageQuerySchema,
  responses: {
    ...pageResponse(clusterSummarySchema, 'A page of clusters, the newest first.'),
    ...refusals(404),
  },
});

const readClusterRoute = route('get', path, {
  operationId: 'getCluster',
  summary: 'Get the state of a cluster, for operators',
  params: idParams,
  responses: { 200: jsonAnswer(clusterSchema, 'The cluster.'), ...refusals(404) },
});

const actRoute = route('post', `${path}/actions`, {
  operationId: 'actOnCluster',
  summary:
    'Kill, start, pause or divide nodes of a cluster, let one join or remove it, or attack it, for operators',
  description:
    'Actions of a cluster are carried out one after another, except that an attack does not hold up the others. While it runs, `join` and `attack` are refused with 409. The answer comes when the action is over, or after a few seconds. In the second case `actions` of the cluster shows the result later. An action that is impossible now, such as to kill a node that is down, is refused with 409 `cluster.conflict`.',
  params: idParams,
  body: jsonRequest(clusterActionSchema, {
    examples: {
      heal: { value: { type: 'heal' } },
      kill: { value: { type: 'kill', node: 3 } },
      start: { value: { type: 'start', node: 3 } },
      pause: { value: { type: 'pause', node: 2 } },
      resume: { value: { type: 'resume', node: 2 } },
      partition: { value: { type: 'partition', sides: [[1, 2], [3]] } },
      skew: { value: { type: 'skew', node: 1, rate: 1.5 } },
      jump: { value: { type: 'jump', node: 1, seconds: 5 } },
      lose: { value: { type: 'lose', share: '5%', seed: '1' } },
      join: { value: { type: 'join' } },
      remove: { value: { type: 'remove', node: 3 } },
      attack: { value: { type: 'attack', budget: { attempts: 1000 } } },
    },
  }),
  responses: {
    200: jsonAnswer(clusterSchema, 'The cluster after the action.'),
    202: jsonAnswer(clusterSchema, 'The action is not over. Location is the path of the cluster.'),
    ...bodyRefusals(404, 409, 422, 503),
  },
});

const eventsRoute = route('get', `${path}/events`, {
  operationId: 'followCluster',
  summary: 'Follow what the nodes of a cluster do, for operators',
  description: `${STREAM_RULE} The events have the form of those of an election: each is a step of a node's protocol machine, in an order in which messages are sent before they arrive. They come from the reports of the nodes; the check at the end reads their logs. A message to a node that is down or beyond a partition is dropped. One that is lost by chance or refused has no further event.`,
  params: idParams,
  ...followInput,
  responses: {
    200: eventAnswer(clusterLineSchema, ['ClusterEvent', 'ClusterNotice']),
    ...refusals(404, 406, 429, 503),
  },
});

const traceRoute = route('get', `${path}/trace`, {
  operationId: 'getClusterTrace',
  summary: 'Get the trace of a cluster so far, for operators',
  description:
    'The trace has the forms of that of an election: JSON lines with vector clocks, the header first; plain text as ShiViz reads it; or a space-time diagram as SVG. It consists of the events of the stream, while the cluster runs and afterwards. Times are real, in ms since the start. The query selects a part of all forms; the clocks of JSON lines are those of the whole trace. A part without an event is refused with 400.',
  params: idParams,
  query: tracePartQuery,
  responses: {
    200: TRACE_ANSWER,
    ...refusals(404, 406, 409, 429, 503),
  },
});

const deleteClusterRoute = route('delete', path, {
  operationId: 'deleteCluster',
  summary: 'End a cluster and check what its nodes did, for operators',
  description:
    'The state of the cluster stays, with the `check` of all logs against the model. DELETE of a cluster that is over removes it.',
  params: idParams,
  responses: {
    200: jsonAnswer(clusterSchema, 'The cluster is over.'),
    202: jsonAnswer(clusterSchema, 'The cluster is ending. Location is its path.'),
    204: { description: 'The cluster was over and is removed.' },
    ...refusals(404),
  },
});

export interface ClusterRouteParts {
  /** Null if the server runs none. */
  readonly clusters: Clusters | null;
  readonly lifecycle: Lifecycle;
  readonly streams: StreamBudget;
  readonly onFault: OnFault;
}

/** Does the long work of a caller in its turns, each after the work before it: the records of many traces take much memory. */
function oneAtATime() {
  const tails = new Map<string, Promise<unknown>>();
  return async <Result>(
    work: Iterator<void, Result, void>,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<Result> => {
    const { caller } = principal;
    const assertWanted = () => {
      if (signal.aborted) throw new OverloadError('server.unready', 'the caller has gone', 1);
    };
    const before = tails.get(caller) ?? Promise.resolve();
    const result = before.then(() => inTurns(work, { lane: 'replay', principal, assertWanted }));
    const tail = result.catch(() => undefined);
    tails.set(caller, tail);
    try {
      return await result;
    } finally {
      if (tails.get(caller) === tail) tails.delete(caller);
    }
  };
}

/** The routes about clusters. */
export function createClusterRoutes(parts: ClusterRouteParts) {
  const { lifecycle, streams, onFault } = parts;
  const inOrder = oneAtATime();
  const ofServer = () => {
    if (parts.clusters !== null) return parts.clusters;
    throw new LabError(
      'not_found',
      'this server runs no clusters; start it with usurp serve --clusters',
    );
  };
  return createRouter()
    .openapi(createClusterRoute, (c) => {
      const clusters = ofServer();
      const settings = chargedForBody(c, () => parseClusterRequest(c.req.valid('json')));
      const view = clusterView(clusters.create(settings));
      c.header('Location', view.links.self);
      return c.json(view, 201);
    })
    .openapi(listClustersRoute, (c) => {
      const page = pageOf(ofServer().list, newestFirst, c.req.valid('query'));
      return c.json(mapPage(page, clusterSummary), 200);
    })
    .openapi(readClusterRoute, (c) =>
      c.json(clusterView(ofServer().get(c.req.valid('param').id)), 200),
    )
    .openapi(actRoute, async (c) => {
      const cluster = ofServer().get(c.req.valid('param').id);
      const isOver = await ofServer().act(cluster, c.req.valid('json'));
      const view = clusterView(cluster);
      if (isOver) return c.json(view, 200);
      c.header('Location', view.links.self);
      return c.json(view, 202);
    })
    .openapi(eventsRoute, (c) => {
      const { id: cluster, feed } = ofServer().get(c.req.valid('param').id);
      const { form, after, end, ...request } = requestedStream(c);
      const open = () => ({
        free: streams.wait(c.get('principal')),
        source: feed.source({ cluster, form, after, end }),
      });
      return followed(c, { form, ...request, lifecycle, onFault, open });
    })
    .openapi(traceRoute, async (c) => {
      const cluster = ofServer().get(c.req.valid('param').id);
      const type = acceptedType(c, TRACE_TYPES);
      const headers = traceHeaders(type);
      if (c.req.method === 'HEAD') return c.body(null, 200, headers);
      const principal = c.get('principal');
      const free = streams.take(0, principal);
      const work = clusterTraceLines(cluster, type, partOf(c.req.valid('query')));
      const lines = await freeOnError(inOrder(work, principal, c.req.raw.signal), free);
      return c.body(linesStream(lines, { free, ...connectionOf(onFault, c) }), 200, headers);
    })
    .openapi(deleteClusterRoute, async (c) => {
      const cluster = ofServer().get(c.req.valid('param').id);
      if (await ofServer().remove(cluster)) return c.body(null, 204);
      const view = clusterView(cluster);
      if (view.status === 'over') return c.json(view, 200);
      c.header('Location', view.links.self);
      return c.json(view, 202);
    });
}

/**
 * Prepares the lines in short parts. Throws LabError `job.size` for a diagram of too many events, `arguments` for a
 * part without an event or of a node that is not there. The trace of a cluster so far in the forms of the trace of
 * an election, from the events that the nodes have reported. Nodes have the numbers of the cluster. Ranks that no
 * node has share one more number, which is the last.
 */
export function* clusterTraceLines(
  cluster: LiveCluster,
  type: TraceType,
  selection: TraceSelection,
): Generator<void, Iterable<string>, void> {
  const { settings, feed, id } = cluster;
  const { protocol, nodes: founders, timing } = settings;
  const states = cluster.snapshot().nodes;
  const known = Math.max(founders, states.length);
  const missing = selection.nodes?.find((node) => node > known);
  if (missing !== undefined) {
    throw new LabError('arguments', `there is no node ${missing}; the nodes are 1..${known}`);
  }
  assertInTime(feed.records, selection);
  const read = yield* numbered(feed.records, known + 1);
  const nodes = read.hasPhantom ? known + 1 : known;
  const numbers = Array.from({ length: nodes }, (_, index) => index + 1);
  const absent = numbers.slice(founders);
  const { records } = read;
  const view = yield* viewParts(records, selection);
  if (type === 'text/plain') return shivizLines(records, nodes, { view });
  const adversaries = states.flatMap(({ node, isAdversary }) => (isAdversary ? node : []));
  if (type === 'image/svg+xml') {
    const byzantine = states.flatMap(({ node, behaviours }) =>
      behaviours.length > 0 ? { rank: node } : [],
    );
    const plan: DiagramPlan = {
      protocol,
      nodeOrder: numbers,
      crashedBefore: [],
      absent,
      byzantine,
      adversaries,
      isLive: true,
      view,
    };
    assertDrawable(view.nodes?.length ?? nodes, view.count, plan);
    return spaceTimeLines(plan, records);
  }
  const options = {
    live: true,
    cluster: id,
    protocol,
    nodes,
    latencyMs: timing.latencyTicksMax,
    absent,
    ...(read.hasPhantom ? { phantoms: [nodes] } : {}),
    ...(adversaries.length > 0 ? { adversaries } : {}),
    ...(view.count < records.length ? { part: selection } : {}),
  };
  return jsonLines(options, records, nodes, view);
}

function* jsonLines(
  options: Readonly<Record<string, unknown>>,
  records: readonly TraceRecord<Happening>[],
  nodes: number,
  view: TraceView,
): Generator<string, void, undefined> {
  yield* traceLines({ trace: 'usurp/trace/v1', options }, []);
  yield* clockedLines(records, nodes, { view });
}

interface Numbered {
  readonly records: readonly TraceRecord<Happening>[];
  readonly hasPhantom: boolean;
}

interface Kept {
  readonly records: WeakRef<Numbered['records']>;
  readonly hasPhantom: boolean;
  readonly phantom: number;
}

/** The last result for the records of each cluster. It exists as long as an answer uses it. */
const NUMBERED = new WeakMap<readonly LiveTraceRecord[], Kept>();

/** The records as those of a simulation. Ranks that no node has become this number. */
function* numbered(
  records: readonly LiveTraceRecord[],
  phantom: number,
): Generator<void, Numbered, void> {
  const kept = NUMBERED.get(records);
  const before = kept?.phantom === phantom ? kept.records.deref() : undefined;
  if (kept !== undefined && before?.length === records.length) {
    return { records: before, hasPhantom: kept.hasPhantom };
  }
  let hasPhantom = false;
  const named = (): number => {
    hasPhantom = true;
    return phantom;
  };
  const convert = ranksAsNumbers((rank) => (RANK.test(rank) ? named() : undefined));
  const converted: TraceRecord<Happening>[] = [];
  // Others are added meanwhile.
  for (const { seq, t, action, effects } of records.slice()) {
    const isUnknown = 'node' in action && action.node === 0;
    const acting = isUnknown ? { ...action, node: named() } : action;
    const effectsAsJson = convert(effects as unknown as Json); // Effects are JSON.
    // Effects whose ranks were replaced are effects.
    const replaced = effectsAsJson as unknown as TraceRecord['effects'];
    const count = converted.push({ seq, t, action: acting, effects: replaced });
    if (count % PART_RECORDS === 0) yield;
  }
  NUMBERED.set(records, { records: new WeakRef(converted), hasPhantom, phantom });
  return { records: converted, hasPhantom };
}

const RANK = /^[0-9a-f]{64}$/;
