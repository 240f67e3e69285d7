/**
 * @module
 * What peers ask a live node all the time, its messages and its state. A message is paid for before its body is read, and has
 * a bounded size, depth and form before the node checks its signatures. Most are heartbeats, of which an idle node does
 * little else: the adapter to Request and Response, which answers all other requests, would take as long as the checks.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import { z } from 'zod';

import { isDetectorType } from '../election/detectors/detector.ts';
import type { Message, Rank } from '../election/machine.ts';
import type { LiveNode } from './live-node.ts';
import { NODE_REFUSALS } from './live-node.ts';
import type { LiveClock, Stamp } from './node-record.ts';
import type { Observed } from './node-status.ts';
import { statusOf } from './node-status.ts';
import type { Peer } from './peers.ts';
import { PEERS_MAX } from './peers.ts';
import { parseExchanged, readBounded } from './transport/bounded-json.ts';
import type { Connections } from './transport/connections.ts';
import { threadCpuMs } from './transport/handshake.ts';
import type { Links } from './transport/links.ts';
import { READS } from './transport/message-line.ts';
import type { Replies } from './transport/replies.ts';
import type { Payer, WorkBudget } from './transport/work-budget.ts';
import { bodyPoints, messagePoints, POINT_MS, POINTS } from './transport/work-budget.ts';

/** The longest message has a list of `PEERS_MAX` ranks, the candidacies of all of them and a clock: 93 kB. */
export const MESSAGE_BYTES_MAX = 128 * 1024;
/** The largest message has 1 100 values. */
export const MESSAGE_VALUES_MAX = 8 * PEERS_MAX;
/** Messages of protocols have at most 8 members. */
export const MESSAGE_MEMBERS_MAX = 64;
const RANK_LENGTH_MAX = 128;
const TYPE_LENGTH_MAX = 64;

const count = z.int().min(0);
/** Checked by hand: a schema looks at all members before it counts them, and words what is wrong with each. */
const clockSchema = z.custom<LiveClock>(isClock).meta({
  type: 'object',
  propertyNames: { type: 'string', maxLength: RANK_LENGTH_MAX },
  additionalProperties: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  maxProperties: PEERS_MAX,
});
const messageSchema = z.custom<Message>(isMessage).meta({
  type: 'object',
  properties: { type: { type: 'string', maxLength: TYPE_LENGTH_MAX } },
  required: ['type'],
  additionalProperties: {},
  maxProperties: MESSAGE_MEMBERS_MAX,
});
export const envelopeSchema = z.strictObject({
  from: z.string().max(RANK_LENGTH_MAX),
  message: messageSchema,
  stamp: z.strictObject({ id: count, clock: clockSchema }).nullable(),
});

/** A member that this node does not know yet can be in a clock. */
function isClock(value: unknown): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= PEERS_MAX &&
    entries.every(([name, counted]) => name.length <= RANK_LENGTH_MAX && isCount(counted))
  );
}

function isMessage(value: unknown): boolean {
  if (!isObject(value) || Object.keys(value).length > MESSAGE_MEMBERS_MAX) return false;
  return typeof value.type === 'string' && value.type.length <= TYPE_LENGTH_MAX;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Why a node does not take a message. */
export const refusalSchema = z.object({ refusal: z.enum(NODE_REFUSALS) });

/** What peers send each other. */
export interface Envelope {
  readonly from: Rank;
  readonly message: Message;
  readonly stamp: Stamp | null;
}

/** What answers peers. */
export interface Receiver extends Observed {
  readonly connections: Connections;
  readonly links: Links;
  readonly replies: Replies;
  /** What the work for peers and newcomers uses up, and that for observers. */
  readonly budgets: {
    readonly peers: WorkBudget;
    /** For messages of detectors alone, of those who have used up the other one. */
    readonly detectors: WorkBudget;
    readonly observers: WorkBudget;
  };
}

/** The account of a request: it takes the most that the request can cost, until its cost is known. */
export interface Charge {
  readonly payer: Payer;
  readonly costs: (points: number) => void;
  /** Takes more, whatever the cost is without it. */
  readonly adds: (points: number) => void;
  /** Takes more if the work took much more CPU time than its points stand for, in ms. */
  readonly took: (cpuMs: number) => void;
}

/** Takes the most that a request can cost from its payer. Null if the payer has too little left. */
export function charged(
  { connections, budget }: { readonly connections: Connections; readonly budget: WorkBudget },
  { socket }: IncomingMessage,
  most: number,
): Charge | null {
  const payer = connections.payerOf(socket);
  if (!budget.take(payer, most)) return null;
  let taken = most;
  const costs = (points: number) => {
    budget.giveBack(payer, taken - points);
    taken = points;
  };
  let added = 0;
  const adds = (points: number) => {
    budget.giveBack(payer, -points);
    added += points;
  };
  const took = (cpuMs: number) => {
    if (cpuMs > SLOW_MS) costs(Math.max(taken, Math.ceil(cpuMs / POINT_MS) - added));
  };
  return { payer, costs, adds, took };
}

/** CPU time of a message, in ms, below which its points are those of its kind. Collecting garbage can take as long. */
const SLOW_MS = 5;

/** A body without a stated length, which is not read, costs as much as the longest one. */
export function lengthPoints({ headers }: IncomingMessage): number {
  const stated = Number(headers['content-length'] ?? MESSAGE_BYTES_MAX);
  return bodyPoints(Math.min(stated, MESSAGE_BYTES_MAX));
}

/**
 * The body of a request. Null if it states no length, since the pieces of such a body can be single bytes, or if it is longer
 * than this. The rest of it is not read: `Connections` closes the connection.
 */
export async function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<string | null> {
  const stated = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return stated > bytesMax ? null : readBounded(incoming, stated);
}

/** Answers `POST /messages` and `GET /status`. All other requests, and those with an unusual host, go to `others`. */
export function peerListener(receiver: Receiver, others: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const isUsual = HOST.test(headers.host ?? '');
    if (isUsual && method === 'POST' && url === '/messages') {
      // The other side can close the connection while its body is read.
      void answerMessage(receiver, incoming, outgoing).catch(() => incoming.socket.destroy());
    } else if (isUsual && method === 'GET' && url === '/status') {
      answerStatus(receiver, incoming, outgoing);
    } else others(incoming, outgoing);
  };
}

const HOST = /^[A-Za-z0-9.[\]:-]{1,255}$/;

function answerStatus(receiver: Receiver, incoming: IncomingMessage, outgoing: ServerResponse) {
  const { connections, budgets } = receiver;
  const charge = charged({ connections, budget: budgets.observers }, incoming, POINTS.state);
  if (charge === null) endFlood(receiver, incoming, outgoing);
  else respond(outgoing, 200, JSON.stringify(statusOf(receiver)));
}

/** Further requests over the connection are not even read. */
function endFlood({ node }: Receiver, { socket }: IncomingMessage, outgoing: ServerResponse): void {
  refuse(outgoing, 429, node.refuse('flood'));
  setImmediate(() => socket.destroy());
}

async function answerMessage(
  receiver: Receiver,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { node, membership, connections, budgets } = receiver;
  const length = lengthPoints(incoming);
  const chargedTo = (budget: WorkBudget) =>
    charged({ connections, budget }, incoming, POINTS.verified + length);
  const usual = chargedTo(budgets.peers);
  const charge = usual ?? chargedTo(budgets.detectors);
  if (charge === null) return endFlood(receiver, incoming, outgoing);
  if (membership.isTls && !('member' in charge.payer)) {
    // With TLS only a member can send messages. This one is not even read.
    charge.costs(POINTS.message);
    return refuse(outgoing, 403, node.refuse('sender'));
  }
  const text = await bodyOf(incoming, MESSAGE_BYTES_MAX);
  if (text === null) return refuse(outgoing, 413, node.refuse('malformed'));
  charge.costs(POINTS.unverified + length);
  const before = threadCpuMs();
  const isReserve = usual === null;
  const outcome = received(receiver, incoming, { ...charge, isReserve }, text);
  charge.took(threadCpuMs() - before);
  if ('reply' in outcome) respond(outgoing, 202, outcome.reply ?? NO_REPLY);
  else if ('reason' in outcome) refuse(outgoing, outcome.status, outcome.reason);
}

function refuse(outgoing: ServerResponse, status: number, refusal: string): void {
  respond(outgoing, status, JSON.stringify({ refusal }));
}

function respond(outgoing: ServerResponse, status: number, json: string): void {
  const length = Buffer.byteLength(json);
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  outgoing.end(json);
}

const NO_REPLY = '{}';

/** The message was taken, and there can be a message in the answer; or why it was not, with the status; or there is no answer. */
type Outcome =
  | { readonly reply: string | null }
  | { readonly reason: ReturnType<LiveNode['refuse']>; readonly status: 400 | 403 | 429 }
  | { readonly isLost: true };

/** Delivers the message of an envelope. */
function received(
  { node, membership, connections, links, replies }: Receiver,
  incoming: IncomingMessage,
  { payer, costs, adds, isReserve }: Charge & { readonly isReserve: boolean },
  text: string,
): Outcome {
  const { socket, headers } = incoming;
  const given = envelopeSchema.safeParse(parseExchanged(text, MESSAGE_VALUES_MAX));
  if (!given.success) return { reason: node.refuse('malformed'), status: 400 };
  const from = membership.peer(given.data.from)?.rank;
  const isShown = !membership.isTls || ('member' in payer && payer.member === from);
  if (from === undefined || !isShown) return { reason: node.refuse('sender'), status: 403 };
  if (!links.receivesFrom(from)) {
    // The message is lost: its sender gets no answer.
    socket.destroy();
    return { isLost: true };
  }
  const { message, stamp } = given.data;
  if (isReserve && !isDetectorType(message.type)) {
    return { reason: node.refuse('flood'), status: 429 };
  }
  const onSent = (messages: number) => adds(messages * POINTS.sent);
  const take = () => node.receive(from, message, stamp, onSent);
  const readsReply = headers[READS.name] === READS.value;
  const [reason, reply] = readsReply ? replies.during(from, take) : [take(), null];
  costs(messagePoints(reason) + lengthPoints(incoming));
  if (reason !== null) return { reason, status: 403 };
  if (node.hasProved(from, message)) connections.prove(socket, from);
  return { reply };
}

/** Delivers the message in the answer of a peer, if there is one. The connection has shown its identity, or the message does. */
export function takeAnswer(
  { node, links }: Pick<Receiver, 'node' | 'links'>,
  { rank }: Peer,
  body: string,
): void {
  if (body.length <= NO_REPLY.length) return;
  const given = envelopeSchema.safeParse(parseExchanged(body, MESSAGE_VALUES_MAX));
  if (!given.success) node.refuse('malformed');
  else if (given.data.from !== String(rank)) node.refuse('sender');
  // Others could be passed on, and so bring the next answer: without an end, and without points.
  else if (!isDetectorType(given.data.message.type)) node.refuse('malformed');
  else if (links.receivesFrom(rank)) node.receive(rank, given.data.message, given.data.stamp);
}
