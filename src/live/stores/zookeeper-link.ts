/**
 * @module
 * One TCP connection to ZooKeeper. Replies come in the order of the requests, and the report of a change comes before the
 * first reply that shows it. A connection on which an answer is overdue is given up, like one that was lost.
 */

import { ANSWER_BYTES_MAX, malformedAnswer } from './live-store.ts';
import type { ServerAddress, Taken } from './wire.ts';
import { Wire } from './wire.ts';
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

export interface ZookeeperReply {
  /** The last write that the server had carried out. */
  readonly zxid: number;
  /** 0, or one of `FAULT`. */
  readonly fault: number;
  readonly body: Reader;
}

export class ZookeeperLink {
  readonly session: Session;
  readonly #wire: Wire<Buffer>;
  #xid = 0;

  /**
   * Connects. Null if the session has ended. Throws `StoreAway` without an answer in time. `onDeleted` receives the
   * paths of watched znodes that are gone.
   */
  static async open(
    address: ServerAddress,
    session: Session | null,
    { timeoutMs, answerMs }: { readonly timeoutMs: number; readonly answerMs: number },
    onDeleted: (path: string) => void,
  ): Promise<ZookeeperLink | null> {
    const take = (received: Buffer) => takePacket(received, onDeleted);
    const wire = new Wire({ store: 'ZooKeeper', address, answerMs, take });
    try {
      const given = readConnected(await wire.ask(framed(connectRequest(session, timeoutMs))));
      if (given !== null) return new ZookeeperLink(wire, given);
    } catch (error) {
      wire.close();
      throw error;
    }
    wire.close();
    return null;
  }

  private constructor(wire: Wire<Buffer>, session: Session) {
    this.#wire = wire;
    this.session = session;
  }

  get isOpen(): boolean {
    return this.#wire.isOpen;
  }

  /** Throws `StoreAway` if the connection is lost before the reply. */
  async request(operation: number, body: Buffer): Promise<ZookeeperReply> {
    this.#xid += 1;
    const xid = this.#xid;
    const reply = new Reader(
      await this.#wire.ask(framed(Buffer.concat([bytesOf(xid, operation), body]))),
    );
    const answered = reply.int();
    // The high half counts the leaders of an ensemble, so that the whole stays exact for years.
    const zxid = Number(reply.long());
    if (answered !== xid || !Number.isSafeInteger(zxid)) {
      throw malformedAnswer('ZooKeeper', 'a reply to another request');
    }
    return { zxid, fault: reply.int(), body: reply };
  }

  close(): void {
    this.#wire.close();
  }
}

/** Events are passed on, and answer nothing. */
function takePacket(received: Buffer, onDeleted: (path: string) => void): Taken<Buffer> | null {
  if (received.length < 4) return null;
  const length = received.readInt32BE(0);
  if (length < 0 || length > ANSWER_BYTES_MAX) {
    throw malformedAnswer('ZooKeeper', `a packet of ${length} bytes`);
  }
  const bytes = 4 + length;
  if (received.length < bytes) return null;
  const packet = received.subarray(4, bytes);
  // The first answer of a connection has no head, and begins with version 0.
  if (packet.length < 16 || packet.readInt32BE(0) !== EVENT_XID) return { answer: packet, bytes };
  const event = new Reader(packet);
  event.int();
  event.long();
  if (event.int() === FAULT.none) {
    const type = event.int();
    event.int();
    if (type === DELETED_EVENT) onDeleted(event.text());
  }
  return { answer: undefined, bytes };
}
