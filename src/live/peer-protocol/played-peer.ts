/**
 * @module
 * A member that the tester plays against a node of another program. It listens at its address in the peers file. It checks
 * every message like a usurp node, and sends heartbeats. `mood` says how it takes part in elections.
 */

import type { ClientRequest, IncomingMessage, Server } from 'node:http';
import { Agent, createServer, request } from 'node:http';

import type {
  AuthenticatedState,
  Authentication,
  SealedMessage,
} from '../../election/authentication/authenticated.ts';
import {
  createAuthenticated,
  NUMBERS_PER_LIFE,
  REFUSALS,
} from '../../election/authentication/authenticated.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { intercepted } from '../../election/intercepted.ts';
import type { Effects, Machine, Message, Rank, Self } from '../../election/machine.ts';
import { recordingEffects } from '../../election/world/effect-record.ts';
import { envelopeSchema, MESSAGE_BYTES_MAX, MESSAGE_VALUES_MAX } from '../peer-api.ts';
import type { Peer } from '../peers.ts';
import { parseExchanged, readBounded } from '../transport/bounded-json.ts';

/** How it behaves towards elections: it answers and announces itself, it only answers, or it is silent. */
export type Mood = 'leads' | 'answers' | 'silent';

/** The answer to a message. */
export interface PeerAnswer {
  readonly status: number;
  readonly refusal: string | null;
}

/** How long the tested node may take for an answer. */
export const ANSWER_MS_MAX = 5_000;
const FAULTS_MAX = 16;

export class PlayedPeer {
  mood: Mood = 'leads';
  /** When its last OK had arrived, in ms since 1970. */
  answered = 0;
  /** What it received and has proved, in order. */
  readonly received: Message[] = [];
  /** What was wrong with other messages that it received. */
  readonly faults: string[] = [];
  readonly rank: Rank;
  readonly position: number;
  readonly url: string;
  /** Requests that it has sent to the tested node. */
  posted = 0;
  readonly #tested: Peer;
  readonly #authentication: Authentication;
  readonly #machine: Machine<AuthenticatedState, Message>;
  readonly #state: AuthenticatedState;
  readonly #self: Self;
  readonly #server: Server;
  #beats: NodeJS.Timeout | undefined;
  #seq = 0;

  constructor(own: Peer, tested: Peer, authentication: Authentication, members: readonly Rank[]) {
    this.rank = own.rank;
    this.position = own.position;
    this.url = own.url;
    this.#tested = tested;
    this.#authentication = authentication;
    this.#self = {
      rank: own.rank,
      members,
      founders: members,
      successors: [],
      predecessor: own.rank,
      ringNodes: members.length,
      links: null,
      incumbent: null,
    };
    this.#machine = createAuthenticated(this.#puppet(), authentication);
    this.#state = this.#machine.init(this.#self);
    // Its numbers begin at the real time in µs, above those of earlier tests of the same node.
    this.#state.life = (Date.now() * 1000) / NUMBERS_PER_LIFE;
    this.#server = createServer((request, response) => {
      readBounded(request, MESSAGE_BYTES_MAX).then(
        (body) => {
          if (body === null) this.#fault(`a request of more than ${MESSAGE_BYTES_MAX} bytes`);
          if (body === null) return request.destroy();
          if (request.method === 'POST' && request.url === '/messages') this.#receive(body);
          response.writeHead(request.method === 'POST' ? 202 : 200);
          return response.end('{}');
        },
        () => response.destroy(),
      );
    });
  }

  /** Listens at its address in the peers file. Rejects if that is not possible. */
  async listen(): Promise<void> {
    const { hostname, port } = new URL(this.url);
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(Number(port), hostname, resolve);
    });
  }

  async close(): Promise<void> {
    this.rest();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Sends heartbeats from now on. */
  beat(everyMs: number): void {
    const send = () => {
      this.#seq = Math.max(this.#seq + 1, Date.now());
      const heartbeat = { type: 'FD_HEARTBEAT', seq: this.#seq };
      return this.send(heartbeat);
    };
    this.rest();
    this.#beats = setInterval(send, everyMs);
    send();
  }

  /** Sends no more heartbeats. */
  rest(): void {
    clearInterval(this.#beats);
  }

  /** Sends a message with its seal. */
  send(message: Message): Promise<PeerAnswer | string> {
    return this.post(this.envelope(this.sealed(message)));
  }

  announce(): Promise<PeerAnswer | string> {
    const announcement = { type: 'COORDINATOR', leader: this.rank };
    return this.send(announcement);
  }

  envelope(message: object): string {
    return JSON.stringify({ from: this.rank, message, stamp: null });
  }

  /** The number of a message that it has not sent; 0 below L3. */
  nextNumber(): number {
    return this.sealed({ type: 'OK' }).seal?.number ?? 0;
  }

  sealed(message: Message): SealedMessage {
    const sealed: SealedMessage[] = [];
    this.#outgoing = message;
    const effects = intercepted(NO_EFFECTS, { send: (_to, each) => void sealed.push(each) });
    this.#machine.step(this.#self, this.#state, { type: 'start' }, effects);
    return sealed[0] ?? message;
  }

  /** The answer, or what is wrong with it. */
  post(body: string, path: '/messages' | '/peers' = '/messages'): Promise<PeerAnswer | string> {
    this.posted += 1;
    return postTo(`${this.#tested.url}${path}`, body);
  }

  #outgoing: Message = { type: '' };

  /** The machine inside its authentication: it sends what it is given and keeps what it receives. */
  #puppet(): AnyMachine {
    return {
      init: () => null,
      step: (_self, _state, event, effects) => {
        if (event.type === 'start') effects.send(this.#tested.rank, this.#outgoing);
        if (event.type === 'deliver') this.#take(event.message);
      },
    };
  }

  #take(message: Message): void {
    this.received.push(message);
    if (message.type !== 'ELECTION' || this.mood === 'silent') return;
    this.send({ type: 'OK' }).then(() => {
      this.answered = Date.now();
      if (this.mood === 'leads') this.announce();
    });
  }

  #receive(body: string): void {
    const given = envelopeSchema.safeParse(parseExchanged(body, MESSAGE_VALUES_MAX));
    if (!given.success) {
      this.#fault(`an envelope of another form: ${body.slice(0, 80)}`);
      return;
    }
    const { from, message } = given.data;
    const before = { ...this.#state.refused };
    // The sender is checked by the authentication.
    const event = { type: 'deliver', from: from as string as Rank, message } as const;
    this.#machine.step(this.#self, this.#state, event, NO_EFFECTS);
    const reason = REFUSALS.find((each) => this.#state.refused[each] > before[each]);
    if (reason !== undefined) this.#fault(`${message.type}, refused with "${reason}"`);
  }

  #fault(fault: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push(fault);
  }

  /** What it would sign, for messages that are wrong in one point. */
  get authentication(): Authentication {
    return this.#authentication;
  }
}

const NO_EFFECTS: Effects<Message> = recordingEffects([]);

async function postTo(url: string, body: string): Promise<PeerAnswer | string> {
  const answer = await requested(url, { body, waitMs: ANSWER_MS_MAX });
  if (typeof answer === 'string') return answer;
  const { refusal } = Object(answer.body);
  return { status: answer.status, refusal: typeof refusal === 'string' ? refusal : null };
}

/**
 * An answer of a usurp node among three has less than 1 kB. Requests to a node that is tested. It can be broken or
 * hostile: it is given a bounded time, its answer a bounded length, depth and number of values, and it cannot send
 * the tester to another address.
 */
export const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_VALUES_MAX = 1_024;

/** An answer; `body` is undefined if it is not JSON within the bounds of what nodes exchange. */
interface BoundedAnswer {
  readonly status: number;
  readonly body: unknown;
}

const UNCONNECTED = 'no connection';
/** Errors of a connection that was never made. */
const CONNECT_FAULTS: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
]);

/** Whether no program accepts connections at the address, by what `requested` has returned. */
export function isUnconnected(fault: string): boolean {
  return fault.startsWith(UNCONNECTED);
}

interface BoundedRequest {
  /** The JSON that is posted; absent for GET. */
  readonly body?: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** The answer of a node, or what is wrong with it as words that follow "received". */
export async function requested(
  url: string,
  { body, waitMs, signal }: BoundedRequest,
): Promise<BoundedAnswer | string> {
  const inTime = AbortSignal.timeout(waitMs);
  const outgoing = request(url, {
    ...(body === undefined ? { agent: LOOKING } : POSTED),
    signal: signal === undefined ? inTime : AbortSignal.any([inTime, signal]),
  });
  try {
    outgoing.end(body);
    const answer = await answerTo(outgoing);
    const { statusCode: status = 0 } = answer;
    if (status >= 300 && status < 400) return `${status}, a redirection, which no node needs`;
    const text = await readBounded(answer, ANSWER_BYTES_MAX);
    if (text === null) return `an answer of more than ${ANSWER_BYTES_MAX} bytes`;
    return { status, body: parseExchanged(text, ANSWER_VALUES_MAX) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (CONNECT_FAULTS.has(code)) return `${UNCONNECTED} (${code})`;
    return inTime.aborted ? `no whole answer in ${waitMs} ms` : 'no answer';
  } finally {
    // What is still to be sent or received is of no interest.
    outgoing.on('error', () => undefined).destroy();
  }
}

/** The answer, when its head has come. Throws if the connection ends before it, or becomes one of another protocol. */
export function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve).on('error', reject);
  // Node reports no error at status 101, which closes the request. An abort has no effect on it then.
  outgoing.once('close', () => reject(new Error('closed without an answer')));
  return promise;
}

/** There can be many looks in a second, and a node accepts few connections. */
const LOOKING = new Agent({ keepAlive: true });
/** A node may close the connection of a request that it refuses. The next one therefore has another. */
const POSTED = { method: 'POST', headers: { 'content-type': 'application/json' }, agent: false };
