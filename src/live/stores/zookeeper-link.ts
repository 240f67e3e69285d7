/**
 * @module
 * One TCP connection to ZooKeeper. Replies come in the order of the requests, and the report of a change comes before the
 * first reply that shows it. A connection on which an answer is overdue is given up, like one that was lost.
 */

import { ANSWER_BYTES_MAX, malformedAnswer } from './live-store.ts';
import type { ServerAddress, Taken } from './wire.ts';
import { Wire } from './wire.ts';

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

/**
 * The bytes of ZooKeeper's protocol (zookeeper.jute of Apache ZooKeeper 3.8), as far as the store needs it: integers
 * are big-endian, texts and buffers carry their length.
 */
export const OPERATION = { create: 1, delete: 2, getData: 4, setData: 5, getChildren: 8 } as const;
export const MODE = { persistent: 0, ephemeralSequential: 3 } as const;
export const FAULT = { none: 0, noNode: -101, badVersion: -103, nodeExists: -110 } as const;
/** The number of replies that answer no request. */
const EVENT_XID = -1;
const DELETED_EVENT = 2;
const NO_SESSION = 0n;
/** Where a Stat has the number of changes of a znode's data. */
const STAT_VERSION_AT = 32;

/** Reads the members of a packet in their order. Each method throws `StoreMalformed` if the packet ends before. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int(): number {
    return this.#bytes.readInt32BE(this.#take(4));
  }

  long(): bigint {
    return this.#bytes.readBigInt64BE(this.#take(8));
  }

  buffer(): Buffer {
    const from = this.#take(Math.max(0, this.int()));
    return this.#bytes.subarray(from, this.#at);
  }

  text(): string {
    return this.buffer().toString();
  }

  texts(): string[] {
    const texts: string[] = [];
    for (let left = this.int(); left > 0; left -= 1) texts.push(this.text());
    return texts;
  }

  /** The number of changes of the data, from the Stat that comes next. */
  version(): number {
    this.#take(STAT_VERSION_AT);
    return this.int();
  }

  /** Where the next bytes begin. */
  #take(length: number): number {
    const from = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length)
      throw malformedAnswer('ZooKeeper', 'a packet that is too short');
    return from;
  }
}

/** A member of a request. */
type Part = number | bigint | string | boolean | Buffer;

/** The members one after the other: integers, longs (bigint), texts, booleans, buffers. */
export function bytesOf(...parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.map(partBytes));
}

function partBytes(part: Part): Buffer {
  if (typeof part === 'boolean') return Buffer.from([part ? 1 : 0]);
  if (typeof part === 'bigint') {
    const long = Buffer.alloc(8);
    long.writeBigInt64BE(part);
    return long;
  }
  if (typeof part === 'number') {
    const int = Buffer.alloc(4);
    int.writeInt32BE(part);
    return int;
  }
  const bytes = typeof part === 'string' ? Buffer.from(part) : part;
  return Buffer.concat([partBytes(bytes.length), bytes]);
}

/** A packet with its length before it. */
export function framed(packet: Buffer): Buffer {
  return Buffer.concat([partBytes(packet.length), packet]);
}

/** A session as the server knows it. */
interface Session {
  readonly id: bigint;
  readonly password: Buffer;
  /** How long the server keeps it without a request. */
  readonly timeoutMs: number;
}

/** The first request of a connection. Null asks for a new session. */
function connectRequest(session: Session | null, timeoutMs: number): Buffer {
  const id = session?.id ?? NO_SESSION;
  const password = session?.password ?? Buffer.alloc(16);
  return bytesOf(0, 0n, timeoutMs, id, password, false);
}

/** The session of a connection; null if the old one has ended. */
function readConnected(packet: Buffer): Session | null {
  const reader = new Reader(packet);
  reader.int();
  const timeoutMs = reader.int();
  const id = reader.long();
  const password = Buffer.from(reader.buffer());
  return id === NO_SESSION || timeoutMs <= 0 ? null : { id, password, timeoutMs };
}

/** The body of a create under the open access list. */
export function createRequest(path: string, data: Buffer, mode: number): Buffer {
  const everything = 31;
  return bytesOf(path, data, 1, everything, 'world', 'anyone', mode);
}
