/**
 * @module
 * JSON of other nodes, with a bound on its length and its depth. JSON.parse reads any depth, and what then walks through
 * the value, such as a schema, would fail after a long time.
 */

import type { Readable } from 'node:stream';
import { MESSAGE_DEPTH_MAX } from '../../../identity/message.ts';

/** Levels of arrays and objects in what nodes exchange: those of a message, and the envelope around it. */
export const EXCHANGED_DEPTH_MAX = MESSAGE_DEPTH_MAX + 1;

/** The value of a JSON text; undefined if it is none or is nested deeper than nodes exchange. */
export function parseExchanged(text: string): unknown {
  if (isDeep(text, EXCHANGED_DEPTH_MAX)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a stream; null if it is longer than this. The caller then closes the stream. */
export function readBounded(stream: Readable, bytesMax: number): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes <= bytesMax) return;
    stream.off('data', take).pause();
    resolve(null);
  };
  stream.on('data', take);
  stream.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  stream.once('error', reject);
  stream.once('close', () => reject(new Error('the stream was closed')));
  return promise;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSERS: ReadonlySet<number> = new Set([0x5d, 0x7d]);
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);

/** Whether arrays and objects of a JSON text are nested deeper than this. The text is not parsed. */
export function isDeep(text: string, depthMax: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if (CLOSERS.has(code)) depth -= 1;
    else if (OPENERS.has(code)) {
      depth += 1;
      if (depth > depthMax) return true;
    }
  }
  return false;
}
