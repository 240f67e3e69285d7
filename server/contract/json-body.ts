/**
 * @module
 * The JSON edge, in front of every schema: media type, encoding, size, UTF-8, grammar, names given
 * twice, depth, and last what was answered before. It is a chain of middleware that a route with a
 * body puts first; what passes is left as checked text in hono's body cache, where the validators
 * read it. (hono by itself takes duplicate names, broken UTF-8, a byte order mark and any depth, and
 * ignores Content-Encoding.)
 */

import type { Context, MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import { parseJsonText } from '../../src/runtime/files/json-text.ts';
import { answerOnce } from '../idempotency/idempotency.ts';

/** Every request of this API fits many times over. */
export const BODY_BYTES_MAX = 64 * 1024;

/** Answers the text of a value, without blanks, that it answered before; null for all others. */
export type AnswerKnown = (c: Context, text: string) => Response | null;

/**
 * The middleware of a route that takes a body. A route whose answer is made of the body and of nothing
 * else may know it again, byte for byte or, once it is read, in another spelling: equal texts have
 * equal values, and what was answered once had passed all that is left out.
 */
export function jsonBody(answerKnown: AnswerKnown | null = null): MiddlewareHandler[] {
  return [limitBody, takeBody(answerKnown), answerOnce];
}

const limitBody: MiddlewareHandler = (c, next) => {
  requireJsonHeaders(c);
  if ((announcedBytes(c) ?? 0) > BODY_BYTES_MAX) refuseSize();
  return next();
};

function takeBody(answerKnown: AnswerKnown | null): MiddlewareHandler {
  return async (c, next) => {
    const text = decodeUtf8(await readBody(c));
    let known = answerKnown?.(c, text) ?? null;
    if (known !== null) return known;
    const value = parseJsonText(text);
    known = answerKnown?.(c, JSON.stringify(value)) ?? null;
    if (known !== null) return known;
    // What `c.req.json()` reads; hono keeps promises there but types them as what they resolve to.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    return next();
  };
}

/** The middleware of every route that takes a body. */
export const JSON_BODY: MiddlewareHandler[] = jsonBody();

/** The text of a body. Throws LabError `json.encoding` unless it is UTF-8 without a BOM. */
function decodeUtf8(bytes: Uint8Array): string {
  if (looksLikeUtf16(bytes)) {
    throw new LabError('json.encoding', 'the body looks like UTF-16; send UTF-8');
  }
  const text = decodeFatal(bytes);
  if (text.startsWith('\ufeff')) {
    throw new LabError('json.encoding', 'the body begins with a byte order mark; send it without');
  }
  return text;
}

function requireJsonHeaders(c: Context): void {
  const contentType = c.req.header('content-type') ?? '';
  if (!JSON_MEDIA_TYPE.test(contentType)) {
    const got = contentType === '' ? 'none' : JSON.stringify(contentType.slice(0, 100));
    const detail = `send the body as Content-Type: application/json in UTF-8, got ${got}`;
    throw new LabError('content_type', detail);
  }
  if ((c.req.header('content-encoding') ?? 'identity') !== 'identity') {
    throw new LabError('content_encoding', 'send the body without Content-Encoding');
  }
}

/** The length that the caller promised and Node's parser holds it to; null for chunks. */
function announcedBytes(c: Context): number | null {
  const length = c.req.header('content-length');
  const isChunked = c.req.header('transfer-encoding') !== undefined;
  return length === undefined || isChunked ? null : Number(length);
}

function refuseSize(): never {
  throw new LabError('body.too_large', `a body has at most ${BODY_BYTES_MAX} bytes`);
}

/**
 * All of the body. One of an announced length is taken at once: a stream of it first (hono's bodyLimit
 * makes one of every body) cost a third of all requests/s. Throws LabError where the sender breaks off.
 */
async function readBody(c: Context): Promise<Uint8Array> {
  try {
    if (announcedBytes(c) === null) return await readChunks(c.req.raw.body);
    return new Uint8Array(await c.req.raw.arrayBuffer());
  } catch (error) {
    if (error instanceof LabError) throw error;
    throw new LabError('json.syntax', 'the connection ended before the body did');
  }
}

/** No more is read than may be. */
async function readChunks(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) refuseSize();
  }
  return Buffer.concat(chunks);
}

function decodeFatal(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new LabError('json.encoding', 'the body is not valid UTF-8');
  }
}

/** Keeps nothing between two calls; to make one costs more than to use it. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON text begins with two ASCII characters: their zero bytes tell UTF-16 (RFC 4627 section 3). */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  const littleEndian = first !== 0 && second === 0 && third !== 0 && fourth === 0;
  const bigEndian = first === 0 && second !== 0 && third === 0 && fourth !== 0;
  return bytes.length >= 4 && (littleEndian || bigEndian);
}

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;
