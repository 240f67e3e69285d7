/**
 * @module
 * The bytes of a connection below TLS. OpenSSL verifies all certificates that the other side shows before anything else can
 * look at them: those of 100 kB take up to a second. Until the handshake is over, TLS therefore reads few bytes of
 * each flight, in turns that the caller gives. What follows waits. After the handshake the caller gives turns, too, since a
 * record of TLS can have a single byte, and each takes time.
 */

import type { Socket } from 'node:net';
import process from 'node:process';
import { Duplex } from 'node:stream';

/** Bytes of a first flight. That of a client can have the key of a post-quantum exchange, and a ticket. */
const FIRST_BYTES_MAX = 8_192;
/** Bytes that answer a flight. Those of a node are at most 1 000, of which its certificate takes 465. */
const ANSWER_BYTES_MAX = 1_536;
/** Bytes of a turn after the handshake. */
const TURN_BYTES = 16 * 1024;

/** Calls `read` when the next bytes may be read, at once or later, or never. TLS reads them before `read` returns. */
export type InTurn = (read: () => void) => void;

export class Handshake extends Duplex {
  readonly #socket: Socket;
  #inTurn: InTurn;
  #left = FIRST_BYTES_MAX;
  #isOver = false;

  constructor(socket: Socket, inTurn: InTurn) {
    super();
    this.#socket = socket;
    this.#inTurn = inTurn;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.once('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  /** The handshake is over: all bytes are read from now on, in the turns of `inTurn`. */
  complete(inTurn: InTurn): void {
    this.#isOver = true;
    this.#inTurn = inTurn;
    this.#socket.resume();
  }

  #take(chunk: Buffer): void {
    let isTaken = false;
    this.#inTurn(() => {
      isTaken = true;
      this.#takeSome(chunk);
    });
    if (!isTaken) this.#socket.pause();
  }

  #takeSome(chunk: Buffer): void {
    if (this.destroyed) return;
    const part = chunk.subarray(0, this.#isOver ? TURN_BYTES : this.#left);
    this.#left -= part.length;
    if (part.length < chunk.length) {
      this.#socket.pause();
      this.#socket.unshift(chunk.subarray(part.length));
    }
    const wantsMore = this.push(part);
    // `_read` follows when more is wanted.
    if (this.#isOver ? wantsMore : this.#left > 0) this.#socket.resume();
    else this.#socket.pause();
  }

  #readOn(): void {
    if (this.#isOver || this.#left > 0) this.#socket.resume();
  }

  override _read(): void {
    this.#readOn();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    // What TLS sends is a flight, to which there is an answer.
    this.#left = ANSWER_BYTES_MAX;
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** The CPU time that this thread has used, in ms. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
