/**
 * @module
 * A TCP connection on which answers come in the order of the requests. It is given up, like one that was lost, when an answer
 * is overdue or malformed, and made again when it is needed.
 */

import type { Socket } from 'node:net';
import { createConnection } from 'node:net';
import {
  ANSWER_BYTES_MAX,
  malformedAnswer,
  StoreAway,
  StoreMalformed,
  StoreNotReady,
} from './live-store.ts';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** What a packet is to the side that waits for it: the answer to the oldest request, or nothing. */
export interface Taken<Answer> {
  /** Undefined if it answers no request. */
  readonly answer: Answer | undefined;
  readonly bytes: number;
}

export interface WirePlan<Answer> {
  /** The store in words for the user. */
  readonly store: string;
  readonly address: ServerAddress;
  readonly answerMs: number;
  /** The packet at the beginning of what was received; null if its end is missing. Throws `StoreMalformed`. */
  readonly take: (received: Buffer) => Taken<Answer> | null;
}

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Packets on a socket. */
export class Wire<Answer> {
  readonly #plan: WirePlan<Answer>;
  readonly #socket: Socket;
  readonly #waiting: Waiting<Answer>[] = [];
  #received = Buffer.alloc(0);
  isOpen = true;
  #wasConnected = false;

  constructor(plan: WirePlan<Answer>) {
    this.#plan = plan;
    const socket = createConnection({ ...plan.address, noDelay: true });
    this.#socket = socket;
    socket.once('connect', () => {
      this.#wasConnected = true;
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // The loss is handled when the socket closes.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#lose(this.#lost()));
  }

  /** Throws `StoreAway` if the connection is lost before the answer. */
  ask(request: Buffer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    if (!this.isOpen) {
      reject(this.#lost());
      return promise;
    }
    this.#waiting.push({ resolve, reject });
    this.#socket.write(request);
    const overdue = setTimeout(() => this.#socket.destroy(), this.#plan.answerMs);
    return promise.finally(() => clearTimeout(overdue));
  }

  close(error: Error = this.#lost()): void {
    this.#socket.destroy();
    this.#lose(error);
  }

  #lost(): StoreAway {
    // A server of ZooKeeper without a majority takes connections, and closes them.
    const Lost = this.#wasConnected ? StoreNotReady : StoreAway;
    return new Lost(`the connection to ${this.#plan.store} is lost`);
  }

  #lose(error: Error): void {
    this.isOpen = false;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  #read(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#received = Buffer.concat([this.#received, chunk]);
    try {
      this.#takeAll();
    } catch (error) {
      if (!(error instanceof StoreMalformed)) throw error;
      this.close(error);
    }
  }

  #takeAll(): void {
    const { store, take } = this.#plan;
    while (this.#received.length > 0) {
      const taken = take(this.#received);
      if (taken === null) break;
      this.#received = this.#received.subarray(taken.bytes);
      if (taken.answer === undefined) continue;
      const waiting = this.#waiting.shift();
      if (waiting === undefined) throw malformedAnswer(store, 'an answer to no request');
      waiting.resolve(taken.answer);
    }
    if (this.#received.length <= ANSWER_BYTES_MAX) return;
    throw malformedAnswer(store, `an answer of more than ${ANSWER_BYTES_MAX} bytes`);
  }
}

/** A connection that is made again when it is needed. */
export class Reconnecting<Link extends { readonly isOpen: boolean; close(): void }> {
  readonly #open: () => Promise<Link>;
  #opening: Promise<Link> | null = null;
  #isClosed = false;

  constructor(open: () => Promise<Link>) {
    this.#open = open;
  }

  /** Throws what `open` throws, and `StoreAway` when it is closed. */
  async link(): Promise<Link> {
    const before = this.#opening;
    const link = await before?.catch(() => null);
    if (link?.isOpen === true) return link;
    if (this.#isClosed) throw new StoreAway('the store is closed');
    // Another operation can have begun to connect meanwhile.
    if (this.#opening === before || this.#opening === null) this.#opening = this.#open();
    return this.#opening;
  }

  close(): void {
    this.#isClosed = true;
    void this.#opening?.then((link) => link.close()).catch(() => undefined);
  }
}
