/**
 * @module
 * The HTTP interface of a live node for newcomers and observers. Every request is paid for before its body is read. Most
 * nodes are never asked for anything of this, so that it is loaded at the first such request: it takes 10 MB.
 */

import type { RequestListener, ServerResponse } from 'node:http';
import process from 'node:process';

import type { HttpBindings } from '@hono/node-server';
import { getRequestListener } from '@hono/node-server';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

import { NODE_REFUSALS } from './live-node.ts';
import type { Presentation, Refused } from './membership.ts';
import { presentationSchema } from './membership.ts';
import type { NodeLog } from './node-log.ts';
import type { Observed } from './node-status.ts';
import { statusOf } from './node-status.ts';
import type { Charge } from './peer-api.ts';
import { bodyOf, charged, lengthPoints } from './peer-api.ts';
import { parseExchanged } from './transport/bounded-json.ts';
import type { Connections } from './transport/connections.ts';
import type { Outbox } from './transport/outbox.ts';
import type { Buckets, WorkBudget } from './transport/work-budget.ts';
import { POINTS, payerName } from './transport/work-budget.ts';

const PRESENTATION_BYTES_MAX = 4 * 1024;
/** A presentation has 10. */
const PRESENTATION_VALUES_MAX = 64;
/** How often the lag of the event loop is sampled. Every 10 ms, the default, takes a third of a percent of a core. */
const LAG_MS = 1_000;
/** These statistics contain the time between two samples. `nodejs_eventloop_lag_seconds`, which does not, remains. */
const LAG_STATISTICS = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

export interface ServedNode extends Observed {
  readonly connections: Connections;
  /** What the work for peers and newcomers uses up, and that for observers. */
  readonly budgets: {
    readonly peers: WorkBudget;
    readonly observers: WorkBudget;
    /** How many new members a payer can present. */
    readonly admissions: Buckets;
  };
  /** Admits a node that presents itself and answers at its address, or says why not. A new member is connected then. */
  readonly onNewcomer: (presentation: Presentation) => Promise<Refused | null>;
  readonly outbox: Outbox;
}

interface NodeEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly charge: Charge };
}

/** Answers newcomers and observers. */
export function nodeListener(served: ServedNode): RequestListener {
  const answer = getRequestListener(nodeApi(served).fetch, { errorHandler: () => undefined });
  return async (incoming, outgoing) => {
    await answer(incoming, outgoing);
    // The host or the target is malformed. Otherwise it would be answered free of points.
    if (!outgoing.headersSent) incoming.socket.destroy();
  };
}

function nodeApi(served: ServedNode): Hono<NodeEnv> {
  const { node, log, membership, budgets, onNewcomer } = served;
  const app = new Hono<NodeEnv>();
  const registry = metricsOf(served);
  const follow = createRecordFeed(log);
  const tooLong = (context: Context<NodeEnv>) =>
    context.json({ refusal: node.refuse('malformed') }, 413);
  app.use(async (context, next) => {
    const { socket } = context.env.incoming;
    const charge = chargedFor(served, context);
    if (charge !== null) {
      context.set('charge', charge);
      return next();
    }
    // Its further requests are not even read.
    setImmediate(() => socket.destroy());
    return context.json({ refusal: node.refuse('flood') }, 429);
  });
  app.post('/peers', async (context) => {
    const { payer, costs } = context.get('charge');
    const text = await bodyOf(context.env.incoming, PRESENTATION_BYTES_MAX);
    if (text === null) return tooLong(context);
    const given = presentationSchema.safeParse(parseExchanged(text, PRESENTATION_VALUES_MAX));
    if (!given.success) {
      costs(POINTS.unverified + lengthPoints(context.env.incoming));
      return context.json({ refusal: node.refuse('malformed') }, 400);
    }
    const isNew = !membership.knows(given.data);
    if (isNew && !budgets.admissions.take(payerName(payer), 1)) {
      costs(POINTS.unverified + lengthPoints(context.env.incoming));
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
  // A usual GET of it is answered as messages are.
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

/** Takes the most that a request can cost from its payer. */
function chargedFor(served: ServedNode, { env, req }: Context<NodeEnv>): Charge | null {
  const { connections, budgets } = served;
  const { incoming } = env;
  const { method, path } = req;
  if (method !== 'POST') {
    const most = path === '/metrics' ? POINTS.metrics : POINTS.state;
    return charged({ connections, budget: budgets.observers }, incoming, most);
  }
  const most = path === '/peers' ? POINTS.presentation : POINTS.verified;
  const budget = budgets.peers;
  return charged({ connections, budget }, incoming, most + lengthPoints(incoming));
}

/** The metrics of the process. prom-client counts CPU time from now on, and so what was used before is added. */
function addDefaultMetrics(registry: Registry): void {
  const { user, system } = process.cpuUsage();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
  for (const [name, micros] of [
    ['process_cpu_user_seconds_total', user],
    ['process_cpu_system_seconds_total', system],
    ['process_cpu_seconds_total', user + system],
  ] as const) {
    const counter = registry.getSingleMetric(name);
    if (counter instanceof Counter) counter.inc(micros / 1e6);
  }
}

function metricsOf({ node, outbox, rank }: ServedNode): Registry {
  const registry = new Registry();
  const registers = [registry];
  addDefaultMetrics(registry);
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

/** Observers that follow the records at a time. */
export const FOLLOWERS_MAX = 16;
/** Followers that one member or address can be. */
export const FOLLOWERS_OF_ONE_MAX = 4;
const RECORDS_PER_READ = 500;
/** Characters of the records that are read at once, and kept for an observer that takes them slowly. */
const LENGTH_PER_READ = 256 * 1024;
const FOLLOW_MS = 100;
/** An observer that takes no record for so long loses its place. */
const STALLED_MS_MAX = 10_000;

/** Who follows the records. */
interface Observer {
  /** The member or the address that pays. */
  readonly name: string;
  /** Whether it can pay for one more read. */
  readonly pays: () => boolean;
}

/** Answers requests for the records. */
export function createRecordFeed(log: NodeLog) {
  const followers = new Map<ServerResponse, string>();
  return <Env extends { readonly Bindings: HttpBindings }>(
    context: Context<Env>,
    { name, pays }: Observer,
  ): Response => {
    const { outgoing } = context.env;
    if (context.req.method === 'HEAD') {
      return context.body(null, 200, { 'Content-Type': 'text/event-stream' });
    }
    const own = [...followers.values()].filter((each) => each === name);
    if (followers.size >= FOLLOWERS_MAX || own.length >= FOLLOWERS_OF_ONE_MAX)
      return context.json({ refusal: 'followers' }, 503);
    followers.set(outgoing, name);
    outgoing.once('close', () => followers.delete(outgoing));
    const last = Number(context.req.header('last-event-id') ?? -1);
    let next = Number.isSafeInteger(last) ? Math.max(0, last + 1) : 0;
    return streamSSE(context, async (stream) => {
      while (followers.has(outgoing)) {
        const records = pays() ? log.read(next, RECORDS_PER_READ, LENGTH_PER_READ) : [];
        for (const data of records) {
          const stalled = setTimeout(() => outgoing.destroy(), STALLED_MS_MAX);
          await stream.writeSSE({ id: String(next), event: 'record', data });
          clearTimeout(stalled);
          if (!followers.has(outgoing)) return;
          next += 1;
        }
        if (records.length === 0) await stream.sleep(FOLLOW_MS);
      }
    });
  };
}
