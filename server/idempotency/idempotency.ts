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
import { callerOf } from '../callers/caller.ts';
import type { StreamBudget } from '../callers/stream-budget.ts';
import type { ServerEnv } from '../request/env.ts';
import type { KeptAnswer } from './answer-log.ts';
import type { AnswerStore } from './answer-store.ts';
import type { Effect } from './keyed-work.ts';

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';
/** Says that an answer was given before. */
export const REPLAYED_HEADER = 'Idempotency-Replayed';
export const IDEMPOTENCY_KEY_PATTERN = '^[!-~]{1,255}$';

/** What the middleware needs, set by the app around every route. */
export interface IdempotencyParts {
  readonly answers: AnswerStore;
  /** Counts the connections of requests that wait for the answer of another one. */
  readonly waits: Pick<StreamBudget, 'wait'>;
  /** Answers a GET of a path on behalf of the caller of this request. */
  readonly lookUp: (path: string) => Promise<Response>;
}

export type IdempotencyEnv = ServerEnv & { Variables: IdempotencyParts };

/** Answers a request that came before as it was answered then; passes requests without a key. */
export const answerOnce: MiddlewareHandler<IdempotencyEnv> = async (c, next) => {
  const key = c.req.header(IDEMPOTENCY_HEADER);
  if (key === undefined) return next();
  if (!KEY.test(key)) {
    const detail = `header parameter ${IDEMPOTENCY_HEADER}: must be 1 to 255 visible ASCII characters`;
    throw new LabError('schema', detail);
  }
  const request = { caller: callerOf(c), key, fingerprint: await fingerprintOf(c) };
  const work = async () => {
    await next();
    return answerToKeep(c.res);
  };
  const earlier = await c.get('answers').once(request, work, () => c.get('waits').wait());
  if (earlier === null) return;
  const { status, headers, body } =
    earlier.type === 'answer' ? earlier.answer : await answerAnew(c, earlier.effect);
  // A status that hono took before; its own method keeps the headers of this request.
  const known = status as ContentfulStatusCode;
  return c.body(body, known, { ...headers, [REPLAYED_HEADER]: 'true' });
};

/** Refusals and faults are not kept: they had no effect, or one that is not known. Nor is no content. */
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
 * The answer that a server which ended too early did not give: nobody has seen what stood in it, so that
 * how the thing stands now is as good. Throws LabError `idempotency.lost` where there is no such answer.
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

/** The edge has left the text of the body in hono's cache. */
async function fingerprintOf(c: Context): Promise<string> {
  const hash = createHash('sha256');
  const { pathname, search } = new URL(c.req.url);
  for (const part of [c.req.method, pathname, search, await c.req.text()]) {
    hash.update(`${part}\0`);
  }
  return hash.digest('hex');
}

/** What an answer's own route says; the rest is put on every answer anew. */
const KEPT_HEADERS = ['Content-Type', 'Location', 'Cache-Control'];
const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
