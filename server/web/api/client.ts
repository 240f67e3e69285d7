/**
 * @module
 * The client of the API. Every request of the lab goes through it, so that a refusal is always a ProblemError, and
 * a server that does not answer is always known (connection.ts).
 */

import { signal } from '@preact/signals';
import createClient from 'openapi-fetch';

import type { Problem, paths } from './contract.ts';
import { fetchFromThread, hasNoServer } from './lab-thread.ts';

/** The server refused a request, for the reason that the problem states (RFC 9457). */
export class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server does not answer. Requests can be repeated when it does again. */
export class LostServerError extends Error {
  constructor() {
    super('The server does not answer.');
  }
}

/** Fetches from the server and notes whether it answers. Throws LostServerError. */
export async function fetchFromServer(request: RequestInfo, init?: RequestInit): Promise<Response> {
  if (hasNoServer) return fetchFromThread(request, init);
  try {
    const response = await fetch(request, init);
    serverAnswered();
    return response;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    serverLost();
    throw new LostServerError();
  }
}

/** The typed client. Use it through `answerOf`. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request) => fetchFromServer(request),
});

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of an answer. Throws ProblemError if it is a refusal, and LostServerError. */
export async function answerOf<Data>(pending: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await pending;
  if (response.ok) {
    // Only operations without a body have no data, and their type says so.
    return data as Data;
  }
  throw new ProblemError(problemOf(error, response));
}

/** Reads, and reads again after a server that did not answer has come back, as long as the value is wanted. */
export async function readPersistently<Value>(
  read: () => Promise<Value>,
  isWanted: () => boolean,
): Promise<Value> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof LostServerError && isWanted())) throw error;
      await untilServerIsUp();
    }
  }
}

/** The problem of a refused response whose body was not read yet. */
export async function problemFrom(response: Response): Promise<Problem> {
  const text = await response.text();
  return problemOf(parsed(text), response);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Bodies that are no problem come from something between browser and server. */
function problemOf(body: unknown, response: Response): Problem {
  if (typeof body === 'object' && body !== null && 'code' in body && 'detail' in body) {
    // The contract gives every refusal this form.
    return body as Problem;
  }
  const { status, statusText } = response;
  const title = statusText === '' ? `Status ${status}` : statusText;
  return {
    type: 'about:blank',
    code: 'internal',
    title,
    status,
    detail: `The server answered with status ${status}.`,
    instance: '',
  } as Problem; // It has the members that are shown.
}

/** A new value for the header Idempotency-Key, so that a repeated request has its effect once. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const RETRY_MS = 1_000;

/**
 * False from a request without an answer until the server answers again. Whether the server answers. While it does
 * not, the lab asks every second, and what was interrupted goes on when it answers again.
 */
export const isServerUp = signal(true);

let waiting: Promise<void> | null = null;

function serverAnswered(): void {
  isServerUp.value = true;
}

export function serverLost(): void {
  isServerUp.value = false;
  void untilServerIsUp();
}

/** Resolves when the server answers. */
export function untilServerIsUp(): Promise<void> {
  if (isServerUp.value) return Promise.resolve();
  waiting ??= poll().finally(() => {
    waiting = null;
  });
  return waiting;
}

async function poll(): Promise<void> {
  while (!isServerUp.value) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    try {
      const response = await fetch('/readyz');
      if (response.ok) serverAnswered();
    } catch {
      // The server still does not answer.
    }
  }
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken: string | null;
}

/** A page of a list: its size, and where it begins. */
interface PageQuery {
  readonly pageSize: string;
  readonly pageToken?: string;
}

const PAGES_MAX = 20;

/** The items of all pages of a list, or of the first ones. */
export async function allPages<Item>(
  read: (query: PageQuery) => Promise<Page<Item>>,
  pagesMax = PAGES_MAX,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let query: PageQuery = { pageSize: '100' };
  for (let page = 0; page < pagesMax; page += 1) {
    const { items, nextPageToken } = await read(query);
    found.push(...items);
    if (nextPageToken === null) break;
    query = { ...query, pageToken: nextPageToken };
  }
  return found;
}
