/**
 * @module
 * JSON of other nodes, with bounds on its length, its depth and the number of its values. JSON.parse reads all in little
 * time. What then walks through the value, such as a schema, would take a hundred times as long.
 */

import type { Readable } from 'node:stream';
import { MESSAGE_DEPTH_MAX } from '../../identity/message.ts';

/** Levels of arrays and objects in what nodes exchange: those of a message, and the envelope around it. */
export const EXCHANGED_DEPTH_MAX = MESSAGE_DEPTH_MAX + 1;

/** Bytes of a piece of a body, on average: each one takes time. Networks deliver about 1 400 at once. */
const PIECE_BYTES_MIN = 64;
/** Pieces that a short body can have. */
const PIECES_MIN = 16;

/** The value of a JSON text; undefined if it is none, is nested deeper than nodes exchange, or has more values than this. */
export function parseExchanged(text: string, valuesMax: number): unknown {
  if (exceeds(text, { depth: EXCHANGED_DEPTH_MAX, values: valuesMax })) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a stream; null if it is longer than this, or comes in many small pieces. The caller then closes the stream. */
export function readBounded(stream: Readable, bytesMax: number): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  let piecesLeft = PIECES_MIN + Math.floor(bytesMax / PIECE_BYTES_MIN);
  let read: Buffer = Buffer.alloc(0);
  let bytes = 0;
  const take = (chunk: Buffer) => {
    const end = bytes + chunk.length;
    piecesLeft -= 1;
    if (end > bytesMax || piecesLeft < 0) {
      stream.off('data', take).pause();
      resolve(null);
      return;
    }
    // Most bodies are one piece.
    if (bytes === 0) read = chunk;
    else {
      if (end > read.length) read = Buffer.concat([read.subarray(0, bytes)], 2 * end);
      chunk.copy(read, bytes);
    }
    bytes = end;
  };
  stream.on('data', take);
  stream.once('end', () => resolve(read.toString('utf8', 0, bytes)));
  stream.once('error', reject);
  stream.once('close', () => reject(new Error('the stream was closed')));
  return promise;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/** Whether arrays and objects of a JSON text are nested deeper than this. The text is not parsed. */
export function isDeep(text: string, depthMax: number): boolean {
  return exceeds(text, { depth: depthMax, values: Number.POSITIVE_INFINITY });
}

/** Looks no further than the first excess. Every value but the first one follows a comma or an opening bracket. */
function exceeds(text: string, most: { readonly depth: number; readonly values: number }): boolean {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (CLOSERS.has(code)) depth -= 1;
    else if (code === COMMA) values += 1;
    else if (OPENERS.has(code)) {
      depth += 1;
      values += 1;
    }
    if (depth > most.depth || values > most.values) return true;
  }
  return false;
}
