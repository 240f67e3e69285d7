/**
 * @module
 * The requests of one connection, one after the other. Node hands over all that a caller has sent ahead
 * (RFC 9112 section 9.3.2) as soon as it is read, and each of them would be answered into memory, whether
 * the answers before it are taken or not.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type Handle = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Requests of one connection that may wait for the answers before them, and their bytes. */
export const AHEAD_MAX = 16;
export const AHEAD_BYTES_MAX = 128 * 1024;

/**
 * Answers the next request of a connection when the answer before it was taken. The connection is closed
 * where more are sent ahead than may wait, where one has waited for so long, and where nothing of an
 * answer that is all there was taken for so long.
 */
export function inTurns(answer: Handle, stalledMs: number): Handle {
  const lines = new WeakMap<Socket, RequestLine>();
  return (incoming, outgoing) => {
    const { socket } = incoming;
    const line = lines.get(socket) ?? new RequestLine(socket, answer, stalledMs);
    lines.set(socket, line);
    line.take(incoming, outgoing);
  };
}

/** Lives as long as its connection. */
class RequestLine {
  readonly #socket: Socket;
  readonly #answer: Handle;
  readonly #stalledMs: number;
  readonly #waiting: (readonly [IncomingMessage, ServerResponse])[] = [];
  #isAnswering = false;
  /** What had been read when the first of those that wait came. */
  #bytesBefore = 0;
  #impatience: NodeJS.Timeout | undefined;

  constructor(socket: Socket, answer: Handle, stalledMs: number) {
    this.#socket = socket;
    this.#answer = answer;
    this.#stalledMs = stalledMs;
  }

  take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const socket = this.#socket;
    // What was read together with the request that was too much comes all the same.
    if (socket.destroyed) return;
    if (!this.#isAnswering) {
      this.#begin(incoming, outgoing);
      return;
    }
    if (this.#waiting.length === 0) {
      this.#bytesBefore = socket.bytesRead;
      this.#wait();
    }
    this.#waiting.push([incoming, outgoing]);
    const bytes = socket.bytesRead - this.#bytesBefore;
    if (this.#waiting.length > AHEAD_MAX || bytes > AHEAD_BYTES_MAX) this.#close();
  }

  #begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#isAnswering = true;
    // Node counts bytes that are taken as a sign of life; it ends this timeout with the next request.
    outgoing.once('prefinish', () => this.#socket.setTimeout(this.#stalledMs));
    outgoing.once('close', () => this.#next());
    this.#answer(incoming, outgoing);
  }

  #next(): void {
    this.#isAnswering = false;
    clearTimeout(this.#impatience);
    // Nobody would hear the answers; requests behind one that closes the connection are void.
    if (!this.#socket.writable) this.#waiting.length = 0;
    const [first] = this.#waiting.splice(0, 1);
    if (first === undefined) return;
    this.#socket.setTimeout(0);
    if (this.#waiting.length > 0) this.#wait();
    this.#begin(...first);
  }

  /** A caller who goes away is noticed only while all that it sent is read, which may be none of it. */
  #wait(): void {
    this.#impatience = setTimeout(() => this.#close(), this.#stalledMs);
    this.#impatience.unref();
  }

  #close(): void {
    clearTimeout(this.#impatience);
    this.#waiting.length = 0;
    this.#socket.destroy();
  }
}
