/**
 * @module
 * The HTTP interface of a live node: messages of peers, and for observers its state, its records and its metrics. Every
 * request is paid for before its body is read. A message has a bounded size, depth and form before the node checks its
 * signatures. Nothing here changes the node but a message.
 */

import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import type { Message, Rank } from '../../election/machine.ts';
import type { LiveNode } from './live-node.ts';
import { NODE_REFUSALS } from './live-node.ts';
import type { Membership, Presentation, Refused } from './membership.ts';
import { presentationSchema } from './membership.ts';
import type { NodeLog } from './node-log.ts';
import type { Stamp } from './node-record.ts';
import { PEERS_MAX } from './peers.ts';
import { parseExchanged, readBounded } from './transport/bounded-json.ts';
import type { Connections } from './transport/connections.ts';
import type { Links } from './transport/links.ts';
import type { Outbox } from './transport/outbox.ts';
import { createRecordFeed } from './transport/record-feed.ts';
import type { Buckets, Payer, WorkBudget } from './transport/work-budget.ts';
import { bodyPoints, messagePoints, POINTS, payerName } from './transport/work-budget.ts';

/** A message of a protocol with its proofs among `PEERS_MAX` nodes is much smaller. */
export const MESSAGE_BYTES_MAX = 128 * 1024;
const RANK_LENGTH_MAX = 128;
const PRESENTATION_BYTES_MAX = 4 * 1024;
/** How often the lag of the event loop is sampled. Every 10 ms, the default, takes a third of a percent of a core. */
const LAG_MS = 1_000;
/** They contain the time between two samples. `nodejs_eventloop_lag_seconds`, which does not, remains. */
const LAG_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

const count = z.int().min(0);
/** A member that this node does not know yet can be among them. */
const clockSchema = z
  .record(z.string().max(RANK_LENGTH_MAX), count)
  .refine((clock) => Object.keys(clock).length <= PEERS_MAX)
  .meta({ maxProperties: PEERS_MAX });
export const envelopeSchema = z.strictObject({
  from: z.string().max(RANK_LENGTH_MAX),
  message: z.looseObject({ type: z.string().max(64) }),
  stamp: z.strictObject({ id: count, clock: clockSchema }).nullable(),
});

/** Why a node does not take a message. */
export const refusalSchema = z.object({ refusal: z.enum(NODE_REFUSALS) });

/** What peers send each other. */
export interface Envelope {
  readonly from: Rank;
  readonly message: Message;
  readonly stamp: Stamp | null;
}

export interface ServedNode {
  readonly node: LiveNode;
  readonly rank: Rank;
  readonly membership: Membership;
  readonly connections: Connections;
  /** What the work for peers and newcomers uses up, and that for observers. */
  readonly budgets: {
    readonly peers: WorkBudget;
    readonly observers: WorkBudget;
    /** How many new members a payer can present. */
    readonly admissions: Buckets;
  };
  readonly links: Links;
  /** Admits a node that presents itself and answers at its address, or says why not. A new member is connected then. */
  readonly onNewcomer: (presentation: Presentation) => Promise<Refused | null>;
  readonly log: NodeLog;
  readonly outbox: Outbox;
  readonly about: {
    readonly protocol: string;
    readonly level: string;
    readonly latencyMs: number;
    /** Null of a protocol with a store, whose nodes do not watch each other. */
    readonly detector: string | null;
  };
  /** Whether the node has started or returned. */
  readonly hasBegun: () => boolean;
}

/** The account of a request: it takes the most that the request can cost, until its cost is known. */
interface Charge {
  readonly payer: Payer;
  readonly costs: (points: number) => void;
}

interface NodeEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly charge: Charge };
}

/** The requests that a node answers. */
export function nodeApi(served: ServedNode): Hono<NodeEnv> {
  const { node, log, membership, budgets, onNewcomer } = served;
  const app = new Hono<NodeEnv>();
  const registry = metricsOf(served);
  const follow = createRecordFeed(log);
  // The rest of the body is not read: `Connections` then closes the connection.
  const tooLong = (context: Context<NodeEnv>) =>
    context.json({ refusal: node.refuse('malformed') }, 413);
  app.use(async (context, next) => {
    const { socket } = context.env.incoming;
    const charge = charged(served, context);
    if (charge !== null) {
      context.set('charge', charge);
      return next();
    }
    // Its further requests are not even read.
    setImmediate(() => socket.destroy());
    return context.json({ refusal: node.refuse('flood') }, 429);
  });
  app.post('/messages', async (context, next) => {
    const { payer, costs } = context.get('charge');
    if (!membership.isTls || 'member' in payer) return next();
    // With TLS only a member can send messages. This one is not even read.
    costs(POINTS.message);
    return context.json({ refusal: node.refuse('sender') }, 403);
  });
  app.post('/messages', async (context) => {
    const text = await bodyOf(context, MESSAGE_BYTES_MAX);
    if (text === null) return tooLong(context);
    const refusal = received(served, context, text);
    if (refusal === 'lost') return context.body(null);
    if (refusal === null) return context.json({}, 202);
    return context.json({ refusal: refusal.reason }, refusal.status);
  });
  app.post('/peers', async (context) => {
    const { payer, costs } = context.get('charge');
    const text = await bodyOf(context, PRESENTATION_BYTES_MAX);
    if (text === null) return tooLong(context);
    const given = presentationSchema.safeParse(parseExchanged(text));
    if (!given.success) {
      costs(POINTS.unverified + lengthPoints(context));
      return context.json({ refusal: node.refuse('malformed') }, 400);
    }
    const isNew = !membership.knows(given.data);
    if (isNew && !budgets.admissions.take(payerName(payer), 1)) {
      costs(POINTS.unverified + lengthPoints(context));
      return context.json({ refusal: node.refuse('flood') }, 429);
    }
    const refused = await onNewcomer(given.data);
    if (refused !== null) {
      // To ask at an address takes time, and can be meant for another.
      if (isNew && refused.fault !== 'silent') budgets.admissions.giveBack(payerName(payer), 1);
      return context.json(refused, 403);
    }
    costs(POINTS.admission);
    return context.json({ peers: membership.presented });
  });
  app.get('/status', (context) => context.json(statusOf(served)));
  app.get('/metrics', async (context) =>
    context.text(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
  );
  app.get('/events', (context) => {
    const { payer } = context.get('charge');
    const pays = () => budgets.observers.take(payer, POINTS.records);
    return follow(context, { name: payerName(payer), pays });
  });
  return app;
}

/** The body of a request; null if it is longer than this. The body of a Request would take a third of a node's time. */
async function bodyOf(context: Context<NodeEnv>, bytesMax: number): Promise<string | null> {
  const { incoming } = context.env;
  const isTooLong = Number(context.req.header('content-length') ?? 0) > bytesMax;
  return isTooLong ? null : readBounded(incoming, bytesMax);
}

/** Takes the most that a request can cost from its payer. Null if the payer has too little left. */
function charged({ connections, budgets }: ServedNode, context: Context<NodeEnv>): Charge | null {
  const payer = connections.payerOf(context.env.incoming.socket);
  const budget = context.req.method === 'POST' ? budgets.peers : budgets.observers;
  let taken = mostPoints(context);
  if (!budget.take(payer, taken)) return null;
  const costs = (points: number) => {
    budget.giveBack(payer, taken - points);
    taken = points;
  };
  return { payer, costs };
}

function mostPoints(context: Context<NodeEnv>): number {
  const { method, path } = context.req;
  if (method !== 'POST') return path === '/metrics' ? POINTS.metrics : POINTS.state;
  return (path === '/peers' ? POINTS.presentation : POINTS.verified) + lengthPoints(context);
}

/** A body without a stated length can be as long as a message. */
function lengthPoints({ req }: Context<NodeEnv>): number {
  const stated = Number(req.header('content-length') ?? MESSAGE_BYTES_MAX);
  return bodyPoints(Math.min(stated, MESSAGE_BYTES_MAX));
}

/** Why a message was not taken, with the status of the answer; or there is no answer. */
type NotTaken =
  | 'lost'
  | { readonly reason: ReturnType<LiveNode['refuse']>; readonly status: 400 | 403 };

/** Delivers the message of an envelope. Null if it was taken. */
function received(
  { node, membership, connections, links }: ServedNode,
  context: Context<NodeEnv>,
  text: string,
): NotTaken | null {
  const { payer, costs } = context.get('charge');
  const { socket } = context.env.incoming;
  const length = lengthPoints(context);
  costs(POINTS.unverified + length);
  const given = envelopeSchema.safeParse(parseExchanged(text));
  if (!given.success) return { reason: node.refuse('malformed'), status: 400 };
  const from = membership.peer(given.data.from)?.rank;
  const isShown = !membership.isTls || ('member' in payer && payer.member === from);
  if (from === undefined || !isShown) return { reason: node.refuse('sender'), status: 403 };
  if (!links.reaches(from)) {
    // The message is lost: its sender gets no answer.
    socket.destroy();
    return 'lost';
  }
  const { message, stamp } = given.data;
  const reason = node.receive(from, message, stamp);
  costs(messagePoints(reason) + length);
  if (reason !== null) return { reason, status: 403 };
  if (node.hasProved(from, message)) connections.prove(socket, from);
  return null;
}

const position = z.int().min(1);

/** The state of a node for observers. */
export const statusSchema = z.object({
  rank: z.string(),
  /** Null of a node that was not admitted yet. */
  position: position.nullable(),
  protocol: z.string(),
  election: z.string(),
  members: count,
  level: z.string(),
  /** The longest time that a message may take. Nodes of other programs need not state it. */
  latencyMs: z.number().positive().optional(),
  /** Null of a node that watches no other. */
  detector: z.string().nullable(),
  life: count,
  ready: z.boolean(),
  leader: z.string().nullable(),
  leaderPosition: position.nullable(),
  epoch: count,
  since: z.iso.datetime(),
  suspects: z.array(position),
  refused: z.record(z.enum(NODE_REFUSALS), count),
  traceComplete: z.boolean(),
});
export type NodeStatus = Readonly<z.output<typeof statusSchema>>;

function statusOf({ node, rank, membership, log, about, hasBegun }: ServedNode): NodeStatus {
  const { leader, epoch, since } = node.following;
  const { election, peers } = membership.network;
  const positionOf = (each: Rank) => membership.peer(each)?.position ?? null;
  return {
    rank: String(rank),
    position: positionOf(rank),
    ...about,
    election,
    members: peers.length,
    life: log.lives + 1,
    ready: hasBegun(),
    leader: leader === null ? null : String(leader),
    leaderPosition: leader === null ? null : positionOf(leader),
    epoch,
    since: new Date(since).toISOString(),
    suspects: [...node.suspects].flatMap((each) => positionOf(each) ?? []).sort((a, b) => a - b),
    refused: node.refused,
    traceComplete: log.isComplete(),
  };
}

function metricsOf({ node, outbox, rank }: ServedNode): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
  for (const statistic of LAG_STATISTICS) {
    registry.removeSingleMetric(`nodejs_eventloop_lag_${statistic}_seconds`);
  }
  new Counter({
    name: 'usurp_node_messages_total',
    help: 'Messages of peers by what became of them.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      this.inc({ outcome: 'received' }, node.received);
      this.inc({ outcome: 'sent' }, outbox.counts.sent);
      this.inc({ outcome: 'lost' }, outbox.counts.lost);
      this.inc({ outcome: 'refused_by_peer' }, outbox.counts.refused);
      const { refused } = node;
      for (const reason of NODE_REFUSALS) this.inc({ outcome: reason }, refused[reason]);
    },
  });
  new Gauge({
    name: 'usurp_node_leads',
    help: 'Whether this node leads.',
    registers,
    collect() {
      this.set(node.following.leader === rank ? 1 : 0);
    },
  });
  new Gauge({
    name: 'usurp_node_epoch',
    help: 'Epoch in which this node follows a leader.',
    registers,
    collect() {
      this.set(node.following.epoch);
    },
  });
  return registry;
}
