/**
 * @module
 * Reads connections in pieces. Node parses all requests of the 64 kB that it has read, which can be two thousand, before
 * anything else happens. The pieces of all connections are read in turns.
 */

import type { Socket } from 'node:net';

import type { FairTurns, Line } from '../callers/fair-turns.ts';

/** A piece can contain about 8 requests. */
const PIECE_BYTES = 256;
/** A piece of a body, which begins no requests. */
const BODY_PIECE_BYTES = 16 * 1_024;

export class Reading {
  readonly #turns: FairTurns;
  /** Requests that each connection has begun. */
  readonly #requests = new WeakMap<Socket, number>();
  readonly #held = new WeakSet<Socket>();
  /** Continues to read a connection that was held. */
  readonly #continue = new WeakMap<Socket, () => void>();
  /** The line in which each connection waits. */
  readonly #lines = new WeakMap<Socket, Line>();

  constructor(turns: FairTurns) {
    this.#turns = turns;
  }

  /** Notes that a connection has begun a request. */
  note(socket: Socket): void {
    this.#requests.set(socket, this.#requestsOf(socket) + 1);
  }

  /** Does not read the connection until `release`. Node itself ends a pause with each request that is complete. */
  hold(socket: Socket): void {
    this.#held.add(socket);
  }

  release(socket: Socket): void {
    const more = this.#continue.get(socket);
    this.#held.delete(socket);
    this.#continue.delete(socket);
    more?.();
  }

  /** From now on, the connection waits in this line. */
  moveTo(socket: Socket, line: Line): void {
    this.#lines.set(socket, line);
  }

  /**
   * Reads a connection that Node has begun to serve. It waits in the line of its address, until its first request in a
   * preferred one: it does not wait for those that have sent more.
   */
  start(socket: Socket, name: string): void {
    const push = socket.push.bind(socket);
    const read = socket._read.bind(socket);
    /** What was read and is not parsed; null is the end. */
    const unread: (Buffer | null)[] = [];
    let size = PIECE_BYTES;
    const first = { name, isPreferred: true };
    this.#lines.set(socket, first);
    const wait = () => this.#turns.run(this.#lines.get(socket) ?? first, next);
    const next = () => {
      if (socket.destroyed) return;
      if (this.#held.has(socket)) {
        this.#continue.set(socket, wait);
        return;
      }
      if (socket.isPaused()) {
        socket.once('resume', wait);
        return;
      }
      const before = this.#requestsOf(socket);
      push(takePiece(unread, size));
      const hasBegun = this.#requestsOf(socket) > before;
      const isFirst = hasBegun && this.#lines.get(socket) === first;
      if (isFirst) this.moveTo(socket, { name, isPreferred: false });
      size = hasBegun ? PIECE_BYTES : Math.min(BODY_PIECE_BYTES, 8 * size);
      if (unread.length > 0) wait();
    };
    // With a listener, the parser reads the stream instead of the handle below it.
    socket.on('data', () => undefined);
    socket.push = (chunk: Buffer | null) => {
      unread.push(chunk);
      if (unread.length === 1) wait();
      return unread.length === 0;
    };
    // Every piece that is pushed has the stream ask for more.
    socket._read = (bytes: number) => {
      if (unread.length === 0) read(bytes);
    };
  }

  #requestsOf(socket: Socket): number {
    return this.#requests.get(socket) ?? 0;
  }
}

function takePiece(unread: (Buffer | null)[], size: number): Buffer | null {
  const first = unread[0] ?? null;
  if (first === null || first.length <= size) {
    unread.shift();
    return first;
  }
  unread[0] = first.subarray(size);
  return first.subarray(0, size);
}
