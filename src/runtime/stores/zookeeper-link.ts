/**
 * @module
 * One TCP connection to ZooKeeper. Replies come in the order of the requests, and the report of a change comes before the
 * first reply that shows it. A connection on which an answer is overdue is given up, like one that was lost.
 */

import type { Socket } from 'node:net';
import { createConnection } from 'node:net';
import { StoreAway } from './live-store.ts';
import type { Session } from './zookeeper-wire.ts';
import {
  bytesOf,
  connectRequest,
  DELETED_EVENT,
  EVENT_XID,
  FAULT,
  framed,
  Reader,
  readConnected,
} from './zookeeper-wire.ts';

export interface ZookeeperAddress {
  readonly host: string;
  readonly port: number;
}

export interface ZookeeperReply {
  /** The last write that the server had carried out. */
  readonly zxid: number;
  /** 0, or one of `FAULT`. */
  readonly fault: number;
  readonly body: Reader;
}

interface Waiting {
  readonly resolve: (packet: Buffer) => void;
  readonly reject: (error: Error) => void;
}

/** A packet of ours is much smaller. The server limits its own to 1 MB. */
const PACKET_BYTES_MAX = 4 * 1024 * 1024;

export class ZookeeperLink {
  readonly session: Session;
  readonly #wire: Wire;
  #xid = 0;

  /**
   * Connects. Null if the session has ended. Throws `StoreAway` without an answer in time. `onDeleted` receives the
   * paths of watched znodes that are gone.
   */
  static async open(
    address: ZookeeperAddress,
    session: Session | null,
    { timeoutMs, answerMs }: { readonly timeoutMs: number; readonly answerMs: number },
    onDeleted: (path: string) => void,
  ): Promise<ZookeeperLink | null> {
    const wire = new Wire(createConnection({ ...address, noDelay: true }), answerMs, onDeleted);
    const given = readConnected(await wire.ask(connectRequest(session, timeoutMs)));
    if (given !== null) return new ZookeeperLink(wire, given);
    wire.close();
    return null;
  }

  private constructor(wire: Wire, session: Session) {
    this.#wire = wire;
    this.session = session;
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  /** Throws `StoreAway` if the connection is lost before the reply. */
  async request(operation: number, body: Buffer): Promise<ZookeeperReply> {
    this.#xid += 1;
    const head = bytesOf(this.#xid, operation);
    const reply = new Reader(await this.#wire.ask(Buffer.concat([head, body])));
    reply.int();
    // The high half counts the leaders of an ensemble, so that the whole stays exact for years.
    const zxid = Number(reply.long());
    return { zxid, fault: reply.int(), body: reply };
  }

  close(): void {
    this.#wire.close();
  }
}

/** Packets on a socket. */
class Wire {
  readonly #socket: Socket;
  readonly #answerMs: number;
  readonly #onDeleted: (path: string) => void;
  readonly #waiting: Waiting[] = [];
  #received = Buffer.alloc(0);
  isOpen = true;

  constructor(socket: Socket, answerMs: number, onDeleted: (path: string) => void) {
    this.#socket = socket;
    this.#answerMs = answerMs;
    this.#onDeleted = onDeleted;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // The loss is handled when the socket closes.
    socket.on('error', () => undefined);
    socket.once('close', () => this.#lose());
  }

  ask(packet: Buffer): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    if (!this.isOpen) {
      reject(new StoreAway('the connection to ZooKeeper is lost'));
      return promise;
    }
    this.#waiting.push({ resolve, reject });
    this.#socket.write(framed(packet));
    const overdue = setTimeout(() => this.#socket.destroy(), this.#answerMs);
    return promise.finally(() => clearTimeout(overdue));
  }

  close(): void {
    this.#socket.destroy();
    this.#lose();
  }

  #lose(): void {
    this.isOpen = false;
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new StoreAway('the connection to ZooKeeper is lost'));
    }
  }

  #read(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4) {
      const length = this.#received.readInt32BE(0);
      if (length < 0 || length > PACKET_BYTES_MAX) {
        this.#socket.destroy();
        return;
      }
      if (this.#received.length < 4 + length) return;
      const packet = this.#received.subarray(4, 4 + length);
      this.#received = this.#received.subarray(4 + length);
      this.#take(packet);
    }
  }

  #take(packet: Buffer): void {
    // The first answer of a connection has no head, and begins with version 0.
    if (packet.length < 16 || packet.readInt32BE(0) !== EVENT_XID) {
      this.#waiting.shift()?.resolve(packet);
      return;
    }
    const event = new Reader(packet);
    event.int();
    event.long();
    if (event.int() !== FAULT.none) return;
    const type = event.int();
    event.int();
    if (type === DELETED_EVENT) this.#onDeleted(event.text());
  }
}
