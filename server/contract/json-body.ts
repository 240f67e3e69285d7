/**
 * @module
 * The JSON edge, before every schema: it checks media type, encoding, size, UTF-8, grammar, repeated names and
 * depth, and then whether the request was answered before. A route with a body has this middleware first. The
 * validators read the checked text from Hono's body cache. (Hono by itself accepts repeated names, invalid
 * UTF-8, a byte order mark and any depth, and ignores Content-Encoding.)
 */

import { z } from '@hono/zod-openapi';
import type { Context, MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import { parseJsonText } from '../../src/experiment/reading/json-scan.ts';
import { nextTurn } from '../callers/work-turns.ts';
import { answerOnce } from '../idempotency/idempotency.ts';
import type { Principal } from '../request/principal.ts';
import { OverloadError } from '../request/refusals.ts';
import { schemaError } from './faults.ts';

/**
 * Variables of a request. DUE: time for its body, in ms. BEGUN: when the schema of its route began to check the body.
 * Weak maps of requests would keep the garbage collector busy.
 */
const DUE = 'bodyDueMs';
const BEGUN = 'bodyCheckBegunMs';

/**
 * Charges the caller when the request is over, so that a body does not use up the time of its own request. The time
 * that reading and checking a body takes on the thread that answers. Its caller pays for it as for its elections,
 * also for a body that is refused. The bodies of a caller that has used up its time wait for a turn.
 */
export const payForBody: MiddlewareHandler = async (c, next) => {
  try {
    await next();
  } finally {
    // A refusal because the time is used up has stated when there is time again.
    const isSpent = c.error instanceof OverloadError && c.error.code === 'limit.rate';
    if (!isSpent) principalOf(c)?.charge(dueMs(c));
  }
};

/** Waits for a turn of the caller, if it has used up its time. */
async function bodyTurn(c: Context): Promise<void> {
  const principal = principalOf(c);
  if (principal !== null && principal.waitMs() > 0) await nextTurn('body', principal);
}

/** Does work on a body at the expense of its caller. */
export function chargedForBody<T>(c: Context, work: () => T): T {
  const beganMs = performance.now();
  try {
    return work();
  } finally {
    addDue(c, beganMs);
  }
}

/** Says that the schema checks the body next. */
function beginCheck(c: Context): void {
  c.set(BEGUN, performance.now());
}

/** Says that the schema has checked it. */
export function endCheck(c: Context): void {
  const begunMs: number | undefined = c.get(BEGUN);
  c.set(BEGUN, undefined);
  if (begunMs !== undefined) addDue(c, begunMs);
}

function addDue(c: Context, beganMs: number): void {
  c.set(DUE, dueMs(c) + performance.now() - beganMs);
}

function dueMs(c: Context): number {
  const ms: number | undefined = c.get(DUE);
  return ms ?? 0;
}

/** Null outside the layers of the app. */
function principalOf(c: Context): Principal | null {
  // Routes are used within these layers, except in tests of single routers.
  const principal: Principal | undefined = c.get('principal');
  return principal ?? null;
}

/** Far above the largest request of this API. */
export const BODY_BYTES_MAX = 64 * 1024;

/** The answer to a body that was answered before, in this text or without its spaces; null for others. */
export type AnswerKnown = (c: Context, text: string) => Response | null;

/**
 * The middleware of a route with a body. A route whose answer depends only on the body may recognize it, by
 * its bytes or, after it was parsed, in another spelling. Such a body has passed the further checks before.
 */
export function jsonBody(answerKnown: AnswerKnown | null = null): MiddlewareHandler[] {
  return [payForBody, limitBody(BODY_BYTES_MAX), takeBody(answerKnown), answerOnce, checkNext];
}

function limitBody(bytesMax: number): MiddlewareHandler {
  return (c, next) => {
    requireJsonHeaders(c);
    if ((announcedBytes(c) ?? 0) > bytesMax) refuseSize(bytesMax);
    return next();
  };
}

/** A body may be an empty object, which is as no body. Every member is unknown. */
const takeNoMembers: MiddlewareHandler = async (c, next) => {
  const bytes = announcedBytes(c) === 0 ? EMPTY : await readBody(c, BODY_BYTES_MAX);
  if (bytes.length > 0) {
    requireJsonHeaders(c);
    await bodyTurn(c);
    chargedForBody(c, () => refuseMembers(parseJsonText(decodeUtf8(bytes))));
  }
  Object.assign(c.req.bodyCache, { text: Promise.resolve('') });
  return next();
};

const EMPTY = new Uint8Array();
const NO_MEMBERS = z.strictObject({});

function refuseMembers(value: unknown): void {
  const { error } = NO_MEMBERS.safeParse(value);
  if (error !== undefined) throw schemaError('json', error.issues, value);
}

/** The middleware of a POST that needs no body. */
export const NO_BODY: MiddlewareHandler[] = [payForBody, takeNoMembers];

/** The same for one that takes a key. */
export const KEY_WITHOUT_BODY: MiddlewareHandler[] = [...NO_BODY, answerOnce];

/** The text of a body in another form than JSON, which has the same limits. */
export async function bodyText(c: Context): Promise<string> {
  requireNoEncoding(c);
  if ((announcedBytes(c) ?? 0) > BODY_BYTES_MAX) refuseSize(BODY_BYTES_MAX);
  const bytes = await readBody(c, BODY_BYTES_MAX);
  await bodyTurn(c);
  return decodeUtf8(bytes);
}

function takeBody(answerKnown: AnswerKnown | null): MiddlewareHandler {
  return async (c, next) => {
    const bytes = await readBody(c, BODY_BYTES_MAX);
    await bodyTurn(c);
    const { text, known } = chargedForBody(c, () => taken(c, bytes, answerKnown));
    if (known !== null) return known;
    // Read by `c.req.json()`. Hono stores promises here, but types them as their results.
    Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
    return next();
  };
}

/** The text of a body, and the answer to it if that is known. */
function taken(c: Context, bytes: Uint8Array, answerKnown: AnswerKnown | null) {
  const text = decodeUtf8(bytes);
  const known = answerKnown?.(c, text) ?? null;
  if (known !== null) return { text, known };
  const value = parseJsonText(text);
  return { text, known: answerKnown?.(c, JSON.stringify(value)) ?? null };
}

/** The text of a body of a caller that is not known yet, which therefore never waits for a turn. */
const takeSignIn: MiddlewareHandler = async (c, next) => {
  const text = decodeUtf8(await readBody(c, SIGN_IN_BYTES_MAX));
  parseJsonText(text);
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  return next();
};

/** Far above the longest code, name or token. */
export const SIGN_IN_BYTES_MAX = 4096;

/** The middleware of signing in. Its answers are not repeated under an Idempotency-Key. */
export const SIGN_IN_BODY: MiddlewareHandler[] = [limitBody(SIGN_IN_BYTES_MAX), takeSignIn];

/** The schema of the route begins, unless the request was answered before. */
const checkNext: MiddlewareHandler = (c, next) => {
  beginCheck(c);
  return next();
};

/** The middleware of every other route with a body. */
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
  requireJsonType(c, 'application/json in UTF-8');
  requireNoEncoding(c);
}

/** Throws LabError `content_type`, which names what is accepted, unless the body is JSON. */
export function requireJsonType(c: Context, accepted: string): void {
  const contentType = c.req.header('content-type') ?? '';
  if (JSON_MEDIA_TYPE.test(contentType)) return;
  const got = contentType === '' ? 'none' : JSON.stringify(contentType.slice(0, 100));
  throw new LabError('content_type', `send the body as Content-Type: ${accepted}, got ${got}`);
}

function requireNoEncoding(c: Context): void {
  if ((c.req.header('content-encoding') ?? 'identity') !== 'identity') {
    throw new LabError('content_encoding', 'send the body without Content-Encoding');
  }
}

/** The announced length, which Node's parser enforces; null for a chunked body. */
function announcedBytes(c: Context): number | null {
  const length = c.req.header('content-length');
  const isChunked = c.req.header('transfer-encoding') !== undefined;
  return length === undefined || isChunked ? null : Number(length);
}

function refuseSize(bytesMax: number): never {
  throw new LabError('body.too_large', `a body has at most ${bytesMax} bytes here`);
}

/**
 * The whole body. A body of announced length is read without a stream, which cost a third of all requests/s
 * (Hono's bodyLimit creates one). Throws LabError if the connection ends.
 */
async function readBody(c: Context, bytesMax: number): Promise<Uint8Array> {
  try {
    if (announcedBytes(c) === null) return await readChunks(c.req.raw.body, bytesMax);
    return new Uint8Array(await c.req.raw.arrayBuffer());
  } catch (error) {
    if (error instanceof LabError) throw error;
    throw new LabError('json.syntax', 'the connection ended before the body did');
  }
}

/** Stops reading at the limit. */
async function readChunks(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) refuseSize(bytesMax);
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

/** Without state. Creating one costs more than using it. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON text begins with two ASCII characters. Their zero bytes reveal UTF-16 (RFC 4627 section 3). */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const [first, second, third, fourth] = bytes;
  const littleEndian = first !== 0 && second === 0 && third !== 0 && fourth === 0;
  const bigEndian = first === 0 && second !== 0 && third === 0 && fourth !== 0;
  return bytes.length >= 4 && (littleEndian || bigEndian);
}

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;
