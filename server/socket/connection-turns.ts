/**
 * @module
 * Answers the requests of one connection one after the other. Node passes on all pipelined requests (RFC
 * 9112 section 9.3.2) as soon as they are read. Their answers would accumulate in memory if the client
 * does not take them.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Reading } from './reading.ts';

export type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Begins a request when it is the turn of its sender. */
export type Begin = (incoming: IncomingMessage, outgoing: ServerResponse, answer: Handle) => void;

/** Who reads the connections. */
export type Reader = Pick<Reading, 'hold' | 'release'>;

export interface RequestTurns {
  readonly answer: Handle;
  readonly begin: Begin;
  readonly reader: Reader;
  readonly stalledMs: number;
}

/** A connection is not read while this number of its pipelined requests wait, or their bytes. */
const UNREAD_FROM = 16;
const UNREAD_FROM_BYTES = 64 * 1024;
/**
 * Node passes on all requests of one piece that it has read. This number of them may wait. The answer to the last
 * one closes the connection if there were more (RFC 9112 section 9.6), and the client repeats those.
 */
export const AHEAD_MAX = 256;
export const AHEAD_BYTES_MAX = 3 * UNREAD_FROM_BYTES;

/**
 * Answers the next request of a connection when the answer before it was taken. While many wait, the
 * connection is not read, so that a client may send any number. If too many were read at once, the rest is not
 * answered, and the connection is closed after the last answer. It is closed at once if one has waited for `stalledMs`, or if the client has taken nothing of a complete answer for as
 * long.
 */
export function inTurns(turns: RequestTurns): Handle {
  const lines = new WeakMap<Socket, RequestLine>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? new RequestLine(socket, turns);
    lines.set(socket, line);
    line.take(incoming, outgoing);
  };
}

interface Waiting {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Bytes that had been read of the connection when it came. */
  readonly bytesRead: number;
}

class RequestLine {
  readonly #socket: Socket;
  readonly #turns: RequestTurns;
  readonly #waiting: Waiting[] = [];
  #isAnswering = false;
  /** Whether the last request that waits is the last of the connection. */
  #isFull = false;
  /** Whether the connection is not read. */
  #isUnread = false;
  /** Bytes that had been read when the last request came that does not wait. */
  #bytesBefore = 0;
  #impatience: NodeJS.Timeout | undefined;

  constructor(socket: Socket, turns: RequestTurns) {
    this.#socket = socket;
    this.#turns = turns;
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const socket = this.#socket;
    // Requests that were read together with the one that exceeded a limit still arrive.
    if (socket.destroyed || this.#isFull) return;
    if (!this.#isAnswering) {
      this.#begin(incoming, outgoing);
      return;
    }
    if (this.#waiting.length === AHEAD_MAX) {
      this.#waiting.at(-1)?.outgoing.setHeader('Connection', 'close');
      this.#isFull = true;
      return;
    }
    if (this.#waiting.length === 0) {
      this.#bytesBefore = socket.bytesRead;
      this.#wait();
    }
    this.#waiting.push({ incoming, outgoing, bytesRead: socket.bytesRead });
    const requests = this.#waiting.length;
    const bytes = socket.bytesRead - this.#bytesBefore;
    if (bytes > AHEAD_BYTES_MAX) this.#close();
    else if (requests >= UNREAD_FROM || bytes >= UNREAD_FROM_BYTES) {
      this.#isUnread = true;
      this.#turns.reader.hold(socket);
    }
  }

  #begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#isAnswering = true;
    // Node restarts this timeout with every byte that is taken, and ends it with the next request.
    outgoing.once('prefinish', () => this.#socket.setTimeout(this.#turns.stalledMs));
    outgoing.once('close', () => this.#next());
    const { begin, answer } = this.#turns;
    begin(incoming, outgoing, answer);
  }

  #next(): void {
    this.#isAnswering = false;
    clearTimeout(this.#impatience);
    // No answer can be sent. Requests behind one that closes the connection are void.
    if (!this.#socket.writable) this.#waiting.length = 0;
    const [first] = this.#waiting.splice(0, 1);
    if (first !== undefined) {
      this.#bytesBefore = first.bytesRead;
      this.#socket.setTimeout(0);
      if (this.#waiting.length > 0) this.#wait();
      this.#begin(first.incoming, first.outgoing);
    }
    // What is read now comes after the first one.
    if (!this.#isUnread || this.#isFull || this.#waiting.length >= UNREAD_FROM) return;
    this.#isUnread = false;
    this.#turns.reader.release(this.#socket);
  }

  /** A client's disconnect is noticed only after everything it sent was read, which may never happen. */
  #wait(): void {
    this.#impatience = setTimeout(() => this.#close(), this.#turns.stalledMs);
    this.#impatience.unref();
  }

  #close(): void {
    clearTimeout(this.#impatience);
    this.#waiting.length = 0;
    this.#socket.destroy();
  }
}
