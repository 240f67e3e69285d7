/**
 * @module
 * This folder sends answers that last: event streams, traces and JSON lines. This file creates a body piece
 * by piece as the caller takes it, so that nothing accumulates for a slow caller. A caller that takes
 * nothing for too long is disconnected. Whatever ends a stream, its resources are released exactly once.
 * (Hono's streamSSE ends a failed stream like a complete one, and keeps waiting for a stalled caller.)
 */

import type { Context } from 'hono';

import { LabError } from '../../src/errors.ts';
import { nextTurn } from '../callers/work-turns.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Principal } from '../request/principal.ts';
import { charged } from '../request/principal.ts';
import type { OnFault } from '../request/refusals.ts';

/** A piece of the body. The last one may be empty. */
export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

/** The connection that a stream is sent on. */
export interface StreamConnection {
  readonly principal: Principal;
  /** Receives what `next` throws. */
  readonly onError: (error: unknown) => void;
  /** Closes the connection; null if there is none. */
  readonly disconnect: (() => void) | null;
}

export interface PulledOptions extends StreamConnection {
  /** Sent before the first piece. */
  readonly first: string;
  /** The next piece, as soon as there is one. */
  readonly next: () => Promise<Piece>;
  /** Called once, after the last piece is requested. `next` may be waiting then, and must end. */
  readonly free: () => void;
}

/** Headers that keep proxies from storing, buffering or changing a stream. */
export const STREAM_HEADERS = {
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** A caller that does not take a piece for this long is disconnected. The system buffers some pieces. */
export const STALLED_MS = 10_000;

/** Approximate length of a piece. A single line may be longer. */
export const PIECE_CHARACTERS = 64 * 1024;

/** The connection of a request, with faults reported to the operator. */
export function connectionOf(onFault: OnFault, c: Context<ServerEnv>): StreamConnection {
  const id = c.get('requestId');
  const { outgoing } = bindingsOf(c);
  return {
    principal: c.get('principal'),
    disconnect: outgoing === undefined ? null : () => void outgoing.destroy(),
    onError: (error) => {
      if (!(error instanceof LabError)) onFault({ id, error });
    },
  };
}

/** Waits for work that a stream depends on. If it fails, the stream is closed. */
export async function freeOnError<T>(work: Promise<T>, free: () => void): Promise<T> {
  try {
    return await work;
  } catch (error) {
    free();
    throw error;
  }
}

/** The body as a stream. */
export function pulledStream(options: PulledOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOpen = true;
  let stalled: NodeJS.Timeout | undefined;
  const free = () => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(stalled);
    options.free();
  };
  const cut = (controller: ReadableStreamDefaultController<Uint8Array>, why: string) => {
    free();
    // Disconnecting cancels the stream. An error of the stream would be logged as a fault of the server.
    if (options.disconnect !== null) options.disconnect();
    else controller.error(new Error(why));
  };
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) => {
    if (text !== '') controller.enqueue(encoder.encode(text));
    stalled = setTimeout(() => cut(controller, 'the caller takes nothing'), STALLED_MS);
    stalled.unref();
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => send(controller, options.first),
    async pull(controller) {
      clearTimeout(stalled);
      try {
        await nextTurn('send', options.principal);
        const { text, isLast } = await options.next();
        if (!isOpen) return;
        send(controller, text);
        if (!isLast) return;
        free();
        controller.close();
      } catch (error) {
        options.onError(error);
        cut(controller, 'the stream failed');
      }
    },
    cancel: free,
  });
}

/**
 * A stream of lines, each of which is created when it is taken, at the expense of the caller. An empty line ends a
 * part of long work, after which others have their turns.
 */
export function linesStream(
  lines: Iterable<string>,
  options: Omit<PulledOptions, 'first' | 'next'>,
): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.iterator]();
  const piece = (): Piece => {
    let text = '';
    while (text.length < PIECE_CHARACTERS) {
      const line = iterator.next();
      if (line.done === true) return { text, isLast: true };
      if (line.value === '') break;
      text += line.value;
    }
    return { text, isLast: false };
  };
  const next = async (): Promise<Piece> => {
    for (;;) {
      const taken = charged(options.principal, piece);
      if (taken.text !== '' || taken.isLast) return taken;
      await nextTurn('send', options.principal);
    }
  };
  return pulledStream({ first: '', next, ...options });
}
