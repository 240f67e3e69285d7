/**
 * @module
 * One kept connection to a peer, over which messages are posted one at a time (HTTP/1.1). Status and body of an answer are all
 * that is needed of it. The HTTP client of Node would take about as long as signing and sending a heartbeat.
 */

import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';

/**
 * Silence of a peer after which the message that it was sent is lost. It is longer for a peer that has been slow: the
 * handshake of a new connection would take it as long as many answers.
 */
const SILENCE_MS = { least: 1_000, most: 8_000 };
/** The patience is this multiple of the time that the last answer took. */
const PATIENCE = 4;
/** How long a message waits for a connection. */
const CONNECTED_MS_MAX = 2_000;
/** How long a peer takes for its answer if it is not silent, as a multiple of the silence. */
const ANSWER_SILENCES_MAX = 2;
/** How long after it was posted a message can arrive. */
export const ARRIVAL_MS_MAX = CONNECTED_MS_MAX + SILENCE_MS.most;
/** Bytes of an answer. That of a usurp node has 200. */
const ANSWER_BYTES_MAX = 16 * 1024;
/** Pieces in which an answer arrives: each one is searched for the end of the answer. It usually is one. */
const ANSWER_PIECES_MAX = 32;

/**
 * Receives the status of the answer, or null if there is none, and the body if its length is stated. Called once, when the
 * next message can be posted.
 */
export type OnEnd = (status: number | null, body: string) => void;

/** A header of the requests of those who read a message in the answer. */
export const READS = { name: 'usurp-reads', value: 'envelope' } as const;

/** A message without its answer. */
interface Posted {
  readonly text: string;
  readonly onEnd: OnEnd;
  /** When it was written; null before. */
  writtenAt: number | null;
  deadline: NodeJS.Timeout;
}

export class MessageLine {
  readonly #head: string;
  readonly #connect: (settle: (socket: Duplex | null) => void) => void;
  #socket: Duplex | null = null;
  #isConnecting = false;
  #posted: Posted | null = null;
  #received: Buffer = NOTHING;
  /** In how many pieces that has arrived. */
  #pieces = 0;
  #isClosed = false;
  #silenceMs = SILENCE_MS.least;

  /** `host` has the port. `connect` gives a connection that is ready, or null. */
  constructor(host: string, connect: (settle: (socket: Duplex | null) => void) => void) {
    this.#head = `POST /messages HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${READS.name}: ${READS.value}\r\n`;
    this.#connect = connect;
  }

  /** Posts a message. The answer to the one before has ended. */
  post(body: string, onEnd: OnEnd): void {
    const text = `${this.#head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    const deadline = setTimeout(() => this.#end(null), CONNECTED_MS_MAX);
    this.#posted = { text, onEnd, writtenAt: null, deadline };
    if (this.#socket === null) this.#open();
    else this.#write(this.#socket);
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #open(): void {
    if (this.#isConnecting || this.#isClosed) return;
    this.#isConnecting = true;
    this.#connect((socket) => {
      this.#isConnecting = false;
      if (socket === null) this.#end(null);
      else if (this.#isClosed) socket.destroy();
      else this.#use(socket);
    });
  }

  #use(socket: Duplex): void {
    this.#socket = socket;
    this.#received = NOTHING;
    this.#pieces = 0;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => undefined);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      // A message that waits for a connection can have the next one.
      if (this.#posted === null) return;
      if (this.#posted.writtenAt === null) this.#open();
      else this.#end(null);
    });
    if (this.#posted !== null) this.#write(socket);
  }

  #write(socket: Duplex): void {
    const posted = this.#posted;
    if (posted === null) return;
    posted.writtenAt = performance.now();
    clearTimeout(posted.deadline);
    posted.deadline = setTimeout(() => {
      this.#silenceMs = Math.min(SILENCE_MS.most, 2 * this.#silenceMs);
      this.#end(null);
    }, this.#silenceMs);
    // Head and body in one piece: one record of TLS, and one packet.
    socket.write(posted.text);
  }

  #read(chunk: Buffer): void {
    const posted = this.#posted;
    this.#received = this.#received === NOTHING ? chunk : Buffer.concat([this.#received, chunk]);
    this.#pieces += 1;
    const isLong = this.#received.length > ANSWER_BYTES_MAX || this.#pieces > ANSWER_PIECES_MAX;
    if (posted === null || posted.writtenAt === null || isLong) {
      this.#end(null);
      return;
    }
    const tookMs = performance.now() - posted.writtenAt;
    if (tookMs > ANSWER_SILENCES_MAX * this.#silenceMs) {
      this.#end(null);
      return;
    }
    posted.deadline.refresh();
    const answer = answerIn(this.#received);
    if (answer === null) return;
    this.#received = NOTHING;
    this.#pieces = 0;
    const patience = Math.max(PATIENCE * tookMs, this.#silenceMs / 2);
    this.#silenceMs = Math.min(SILENCE_MS.most, Math.max(SILENCE_MS.least, patience));
    // What follows such an answer is not read.
    if (!answer.isWhole) this.#drop();
    this.#end(answer.status, answer.body);
  }

  /** Without an answer the connection is closed, since a late one would be taken as that to the next message. */
  #end(status: number | null, body = ''): void {
    if (status === null) this.#drop();
    const posted = this.#posted;
    this.#posted = null;
    clearTimeout(posted?.deadline);
    posted?.onEnd(status, body);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }
}

const NOTHING = Buffer.alloc(0);

interface Answer {
  /** Null if it is no answer of HTTP. */
  readonly status: number | null;
  /** Whether the next message can be posted over the same connection. */
  readonly isWhole: boolean;
  /** Empty if its length is not stated, or if more follows. */
  readonly body: string;
}

/** The answer in what was received; null if more is needed. An answer of another form than that of a node ends its connection. */
function answerIn(received: Buffer): Answer | null {
  for (let from = 0; ; ) {
    const end = received.indexOf('\r\n\r\n', from);
    if (end < 0) return null;
    // Every line of it ends with CRLF.
    const head = received.toString('latin1', from, end + 2);
    from = end + 4;
    const [, minor, status] = /^HTTP\/1\.([01]) (\d{3})[ \r]/.exec(head) ?? [];
    if (status === undefined) return { status: null, isWhole: false, body: '' };
    if (status.startsWith('1')) continue;
    const length = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n/i.exec(head)?.[1];
    const isLast = minor === '0' || /\r\n(connection:[^\r]*close|transfer-encoding:)/i.test(head);
    if (length === undefined || isLast) return { status: Number(status), isWhole: false, body: '' };
    const left = from + Number(length) - received.length;
    if (left > 0) return null;
    const isWhole = left === 0;
    return {
      status: Number(status),
      isWhole,
      body: isWhole ? received.toString('utf8', from) : '',
    };
  }
}
