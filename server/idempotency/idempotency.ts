/**
 * @module
 * This folder gives each request with an `Idempotency-Key` one effect and one answer, however often it is
 * sent. This file is the middleware. It comes after the JSON edge of each route with a body, when the
 * whole request is known and it has had no effect.
 */

import { createHash } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

import { LabError } from '../../src/errors.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Effect } from '../request/principal.ts';
import type { KeptAnswer } from './answer-log.ts';
import type { AnswerStore } from './answer-store.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** Marks an answer that was sent before. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]{1,255}$';

/** What the middleware uses. The app sets it for every request. */
export interface IdempotencyParts {
  readonly answers: AnswerStore;
  /** Counts the requests that wait for the answer of another one. */
  readonly waits: Pick<StreamBudget, 'wait'>;
  /** Answers a GET of a path on behalf of the principal of this request. */
  readonly lookUp: (path: string) => Promise<Response>;
}

export type IdempotencyEnv = ServerEnv & { Variables: IdempotencyParts };

/** Answers a repeated request as before. Requests without a key pass. */
export const answerOnce: MiddlewareHandler<IdempotencyEnv> = async (c, next) => {
  const key = c.req.header(IDEMPOTENCY_HEADER);
  if (key === undefined) return next();
  if (!KEY.test(key)) {
    const detail = `header parameter ${IDEMPOTENCY_HEADER}: must be 1 to 255 visible ASCII characters`;
    throw new LabError('schema', detail);
  }
  const principal = c.get('principal');
  const request = { caller: principal.caller, key, fingerprint: await fingerprintOf(c) };
  const earlier = await c.get('answers').once(
    request,
    async (keyed) => {
      c.set('principal', { ...principal, keyed });
      await next();
      return answerToKeep(c.res);
    },
    () => c.get('waits').wait(principal),
  );
  if (earlier === null) return;
  const { status, headers, body } =
    earlier.type === 'answer' ? earlier.answer : await answerAnew(c, earlier.effect);
  // The type of a status that Hono accepted before. Unlike `new Response`, c.body keeps the other headers.
  const known = status as ContentfulStatusCode;
  return c.body(body, known, { ...headers, [REPLAYED_HEADER]: 'true' });
};

/** Null for a refusal or a fault, whose effect is none or unknown, and for an answer without content. */
async function answerToKeep(response: Response): Promise<KeptAnswer | null> {
  if (!response.ok || response.status === 204) return null;
  const headers = KEPT_HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const body = await response.clone().text();
  return { status: response.status, headers: Object.fromEntries(headers), body };
}

/**
 * A new answer in place of one that a stopped server did not send: the present state of the object. Throws
 * LabError `idempotency.lost` if the answer was not such a state.
 */
async function answerAnew(
  c: Context<IdempotencyEnv>,
  { status, resource }: Effect,
): Promise<KeptAnswer> {
  const isOfResource = status !== 200 || c.req.path.endsWith('/actions');
  const response = isOfResource ? await c.get('lookUp')(resource) : null;
  if (response === null || !response.ok) {
    const detail = `it was carried out, but its answer is lost; look at ${resource}`;
    throw new LabError('idempotency.lost', detail);
  }
  const type = response.headers.get('Content-Type') ?? 'application/json';
  const headers = { 'Content-Type': type, ...(status !== 200 && { Location: resource }) };
  return { status, headers, body: await response.text() };
}

/** The JSON edge keeps the text of the body in Hono's cache. */
async function fingerprintOf(c: Context): Promise<string> {
  const hash = createHash('sha256');
  const { pathname, search } = new URL(c.req.url);
  for (const part of [c.req.method, pathname, search, await c.req.text()]) {
    hash.update(`${part}\0`);
  }
  return hash.digest('hex');
}

/** Headers of the route. The outer layers add the others to every answer. */
const KEPT_HEADERS = ['Content-Type', 'Location', 'Cache-Control'];
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
