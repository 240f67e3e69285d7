/**
 * @module
 * The HTTP interface of a live node: messages of peers, and for observers its state, its records and its metrics. A
 * message has a bounded size and form before the node checks its signatures. Nothing here changes the node but a message.
 */

import { performance } from 'node:perf_hooks';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { streamSSE } from 'hono/streaming';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { z } from 'zod';
import type { Message, Rank } from '../../election/machine.ts';
import type { LiveNode } from './live-node.ts';
import { NODE_REFUSALS } from './live-node.ts';
import type { AdmissionRefusal, Membership, Presentation } from './membership.ts';
import { presentationSchema } from './membership.ts';
import type { NodeLog } from './node-log.ts';
import type { Stamp } from './node-record.ts';
import { PEERS_MAX } from './peers.ts';
import { createFloodGuard } from './transport/flood-guard.ts';
import type { Links } from './transport/links.ts';
import type { Outbox } from './transport/outbox.ts';
import type { Transport } from './transport/transport.ts';

/** A message of a protocol with its proofs among `PEERS_MAX` nodes is much smaller. */
export const MESSAGE_BYTES_MAX = 128 * 1024;
const RANK_LENGTH_MAX = 128;
const PRESENTATION_BYTES_MAX = 4 * 1024;
/** Observers that follow the records at a time. */
const FOLLOWERS_MAX = 16;
const RECORDS_PER_READ = 500;
const FOLLOW_MS = 100;
/** How often the lag of the event loop is sampled. The default of 10 ms takes a third of a percent of a core. */
const LAG_MS = 100;

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
  readonly transport: Transport;
  readonly links: Links;
  /** Admits a node that presents itself, or says why not. */
  readonly onPresented: (presentation: Presentation) => AdmissionRefusal | null;
  readonly log: NodeLog;
  readonly outbox: Outbox;
  readonly about: { readonly protocol: string; readonly level: string; readonly detector: string };
  /** Whether the node has started or returned. */
  readonly hasBegun: () => boolean;
}

/** The requests that a node answers. */
export function nodeApi(served: ServedNode): Hono<{ Bindings: HttpBindings }> {
  const { node, log, membership, transport, links, onPresented } = served;
  const app = new Hono<{ Bindings: HttpBindings }>();
  const isFlood = createFloodGuard(() => performance.now());
  const registry = metricsOf(served);
  let followers = 0;
  const onError = () => Response.json({ refusal: node.refuse('malformed') }, { status: 413 });
  app.on('POST', ['/messages', '/peers'], async (context, next) => {
    const { socket } = context.env.incoming;
    if (!isFlood(socket)) return next();
    // Its further messages are not even read.
    setImmediate(() => socket.destroy());
    return context.json({ refusal: node.refuse('flood') }, 429);
  });
  app.post('/messages', bodyLimit({ maxSize: MESSAGE_BYTES_MAX, onError }), async (context) => {
    const given = envelopeSchema.safeParse(await context.req.json().catch(() => null));
    if (!given.success) return context.json({ refusal: node.refuse('malformed') }, 400);
    const from = membership.peer(given.data.from)?.rank;
    const shown = transport.identityOf(context.env.incoming.socket);
    const isShown = shown === undefined || shown === from;
    if (from === undefined || !isShown)
      return context.json({ refusal: node.refuse('sender') }, 403);
    if (!links.reaches(from)) {
      // The message is lost: its sender gets no answer.
      context.env.incoming.socket.destroy();
      return context.body(null);
    }
    const { message, stamp } = given.data;
    const refusal = node.receive(from, message, stamp);
    return refusal === null ? context.json({}, 202) : context.json({ refusal }, 403);
  });
  app.post('/peers', bodyLimit({ maxSize: PRESENTATION_BYTES_MAX, onError }), async (context) => {
    const given = presentationSchema.safeParse(await context.req.json().catch(() => null));
    if (!given.success) return context.json({ refusal: node.refuse('malformed') }, 400);
    const refusal = onPresented(given.data);
    if (refusal !== null) return context.json({ refusal }, 403);
    return context.json({ peers: membership.presented });
  });
  app.get('/status', (context) => context.json(statusOf(served)));
  app.get('/metrics', async (context) =>
    context.text(await registry.metrics(), 200, { 'Content-Type': registry.contentType }),
  );
  app.get('/events', (context) => {
    if (followers >= FOLLOWERS_MAX) return context.json({ refusal: 'followers' }, 503);
    const last = Number(context.req.header('last-event-id') ?? -1);
    let next = Number.isSafeInteger(last) ? Math.max(0, last + 1) : 0;
    followers += 1;
    return streamSSE(context, async (stream) => {
      try {
        while (!stream.aborted) {
          const records = log.read(next, RECORDS_PER_READ);
          for (const data of records) {
            await stream.writeSSE({ id: String(next), event: 'record', data });
            next += 1;
          }
          if (records.length === 0) await stream.sleep(FOLLOW_MS);
        }
      } finally {
        followers -= 1;
      }
    });
  });
  return app;
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
  detector: z.string(),
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
