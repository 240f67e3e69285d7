/**
 * @module
 * Reads connections in pieces. Node parses all requests of the 64 kB that it has read, which can be two thousand, before
 * anything else happens. The pieces of all connections are read in turns.
 */

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { FairTurns, Line } from '../callers/address-budgets.ts';

/** A piece can contain about 8 requests. */
const PIECE_BYTES = 256;
/** A piece of a body, which begins no requests. */
const BODY_PIECE_BYTES = 16 * 1_024;

/**
 * Chunks that have arrived and are not parsed. Each record of TLS is a chunk. Node decrypts all records of the 64 kB that it
 * has read before anything else happens, which can be three thousand.
 */
export const UNREAD_CHUNKS_MAX = {
  /** The most that one connection without a known token may have. */
  stranger: 64,
  /** The most that all connections without a known token may have together. One known caller may have as many. */
  together: 4_096,
  /** Above the limit of all, only connections with more than this number are closed. */
  spared: 16,
} as const;
/** Chunks in which the head of a request can arrive without a token that is known. It has 16 KiB at most. */
export const HEAD_CHUNKS_MAX = 64;

/** Pieces in which the longest head ends. */
const HEAD_PIECES = (16 * 1_024) / PIECE_BYTES;

const STRANGERS = 'strangers';

export class Reading {
  readonly #turns: FairTurns;
  readonly #connections = new WeakMap<Socket, Connection>();
  /** Chunks that are not parsed, by the caller. */
  readonly #unread = new Map<string, number>();

  constructor(turns: FairTurns) {
    this.#turns = turns;
  }

  /** Number of chunks of all connections that have arrived and are not parsed. */
  get unread(): number {
    return [...this.#unread.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Notes that a connection has begun a request. */
  note(socket: Socket, request: Pick<IncomingMessage, 'complete'>): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    connection.request = request;
  }

  /** Does not read the connection until `release`. Node itself ends a pause with each request that is complete. */
  hold(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection !== undefined) connection.isHeld = true;
  }

  release(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const { resume } = connection;
    connection.isHeld = false;
    connection.resume = null;
    resume?.();
  }

  /** From now on, the connection waits in this line, which is that of a known caller. */
  moveTo(socket: Socket, line: Line): void {
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const { unread, account } = connection;
    this.#count(account, -unread.length);
    connection.account = line.name;
    connection.line = line;
    this.#count(connection.account, unread.length);
  }

  /**
   * Reads a connection that Node has begun to serve. It waits in the line of its address, until its first request in a
   * preferred one: it does not wait for those that have sent more.
   */
  start(socket: Socket, name: string): void {
    const push = socket.push.bind(socket);
    const read = socket._read.bind(socket);
    const first = { name, isPreferred: true };
    const connection: Connection = {
      unread: [],
      line: first,
      account: STRANGERS,
      isHeld: false,
      resume: null,
      requests: 0,
      request: null,
      headChunks: 0,
      isHeard: false,
    };
    this.#connections.set(socket, connection);
    const { unread } = connection;
    let size = PIECE_BYTES;
    const wait = () => this.#turns.run(connection.line, next);
    /** Returns how many chunks were parsed. */
    const parse = (): number => {
      const chunks = unread.length;
      const piece = takePiece(unread, size);
      const taken = chunks - unread.length;
      this.#count(connection.account, -taken);
      push(piece);
      return taken;
    };
    const next = () => {
      // All chunks may have been parsed before this turn.
      if (socket.destroyed || unread.length === 0) return;
      if (connection.isHeld) {
        connection.resume = wait;
        return;
      }
      if (socket.isPaused()) {
        socket.once('resume', wait);
        return;
      }
      const before = connection.requests;
      const taken = parse();
      const hasBegun = connection.requests > before;
      if (hasBegun && connection.line === first) connection.line = { name, isPreferred: false };
      size = hasBegun ? PIECE_BYTES : Math.min(BODY_PIECE_BYTES, 8 * size);
      connection.headChunks = hasBegun ? 0 : connection.headChunks + taken;
      if (isSlowHead(connection)) this.#cut(socket, connection);
      else if (unread.length > 0) wait();
    };
    // With a listener, the parser reads the stream instead of the handle below it.
    socket.on('data', () => undefined);
    socket.push = (chunk: Buffer | null) => {
      if (socket.destroyed) return false;
      unread.push(chunk);
      this.#count(connection.account, 1);
      if (this.#isTooMuch(connection)) {
        // The first request can have a token that is known. This is found out once, before its turn.
        for (let piece = 0; piece < HEAD_PIECES && isUnheard(connection); piece += 1) parse();
        connection.isHeard = true;
        const isStranger = connection.account === STRANGERS;
        if (isStranger || this.#isTooMuch(connection)) this.#cut(socket, connection);
      } else if (unread.length === 1) wait();
      return unread.length === 0;
    };
    // Every piece that is pushed has the stream ask for more.
    socket._read = (bytes: number) => {
      if (unread.length === 0) read(bytes);
    };
    socket.once('close', () => this.#drop(connection));
  }

  #isTooMuch({ account, unread }: Connection): boolean {
    const { stranger, together, spared } = UNREAD_CHUNKS_MAX;
    if (account === STRANGERS && unread.length > stranger) return true;
    return unread.length > spared && (this.#unread.get(account) ?? 0) > together;
  }

  /** Closes the connection, and has Node decrypt no more of what it has sent. */
  #cut(socket: Socket, connection: Connection): void {
    this.#drop(connection);
    // A TLS socket has this method. Without it, the records that were read are decrypted after `destroy`.
    if ('_destroySSL' in socket && typeof socket._destroySSL === 'function') socket._destroySSL();
    socket.destroy();
  }

  #drop({ account, unread }: Connection): void {
    this.#count(account, -unread.length);
    unread.length = 0;
  }

  #count(account: string, more: number): void {
    const count = (this.#unread.get(account) ?? 0) + more;
    if (count === 0) this.#unread.delete(account);
    else this.#unread.set(account, count);
  }
}

interface Connection {
  /** What was read and is not parsed; null is the end. */
  readonly unread: (Buffer | null)[];
  /** Where it waits. */
  line: Line;
  /** The caller that its chunks are counted for, or the strangers together. */
  account: string;
  isHeld: boolean;
  /** Continues to read it after it was held. */
  resume: (() => void) | null;
  /** Number of requests that have begun, and the last one. */
  requests: number;
  request: Pick<IncomingMessage, 'complete'> | null;
  /** Chunks that were parsed since the last request began. */
  headChunks: number;
  /** Whether its first request was looked for before its turn. */
  isHeard: boolean;
}

/** Whether no request of the connection has begun, and it was not examined for one. One chunk is left for its turn. */
function isUnheard({ account, isHeard, requests, unread }: Connection): boolean {
  return account === STRANGERS && !isHeard && requests === 0 && unread.length > 1;
}

/** Whether the next request of a stranger has sent many chunks and has not begun. */
function isSlowHead({ account, request, headChunks }: Connection): boolean {
  return account === STRANGERS && headChunks > HEAD_CHUNKS_MAX && request?.complete !== false;
}

/** Chunks of this size together, or a part of one. */
function takePiece(unread: (Buffer | null)[], size: number): Buffer | null {
  const first = unread[0] ?? null;
  if (first === null) {
    unread.shift();
    return null;
  }
  if (first.length > size) {
    unread[0] = first.subarray(size);
    return first.subarray(0, size);
  }
  let count = 0;
  let length = 0;
  for (const chunk of unread) {
    if (chunk === null || length + chunk.length > size) break;
    count += 1;
    length += chunk.length;
  }
  const taken = unread.splice(0, count).filter((chunk) => chunk !== null);
  return count === 1 ? first : Buffer.concat(taken);
}
