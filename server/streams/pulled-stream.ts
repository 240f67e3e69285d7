/**
 * @module
 * This folder sends answers that last: event streams, traces and JSON lines. This file creates a body
 * piece by piece as the caller takes it, so that nothing accumulates for a slow caller. A caller that
 * takes nothing for too long is disconnected. Whatever ends a stream, its resources are released exactly
 * once.
 */

import { nextTurn } from '../callers/work-turns.ts';

/** A piece of the body. The last one may be empty. */
export interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

export interface PulledOptions {
  /** What is sent before anything is asked for. */
  readonly first: string;
  /** The next piece, when there is one. */
  readonly next: () => Promise<Piece>;
  /** Called once, when nobody will ask for more; `next` may be waiting then, and must end. */
  readonly free: () => void;
  /** Takes what `next` throws. */
  readonly onError: (error: unknown) => void;
  /** Ends the connection, where there is one, of a caller to whom nothing can be said any more. */
  readonly disconnect: (() => void) | null;
}

/** A piece that lay untaken for so long is a caller that is gone; buffers of the system come on top. */
export const STALLED_MS = 10_000;

/** Pieces are about this long; single ones may be longer. */
export const PIECE_CHARACTERS = 64 * 1024;

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
    // Closing the connection cancels the stream; failing the stream would be logged as a fault of ours.
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
        await nextTurn('send');
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

/** A stream of lines that are made as they are taken. */
export function linesStream(
  lines: Iterable<string>,
  options: Omit<PulledOptions, 'first' | 'next'>,
): ReadableStream<Uint8Array> {
  const iterator = lines[Symbol.iterator]();
  const next = async (): Promise<Piece> => {
    let text = '';
    while (text.length < PIECE_CHARACTERS) {
      const line = iterator.next();
      if (line.done === true) return { text, isLast: true };
      text += line.value;
    }
    return { text, isLast: false };
  };
  return pulledStream({ first: '', next, ...options });
}

/** Comments keep proxies from closing what is silent. */
export const PING_MS = 15_000;
