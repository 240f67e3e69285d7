/**
 * @module
 * Requests to a server of exercises. The token is sent in a header and appears in no message. A problem document of the
 * server becomes the LabError that it describes. Redirects are refused, so that no other server receives the token.
 */

import { z } from 'zod';

import { ERROR_CODES, LabError } from '../../errors.ts';

const TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const PAGES_MAX = 100;
const PAGE_SIZE = 100;

const problemSchema = z.looseObject({
  code: z.enum(ERROR_CODES).catch('internal'),
  detail: z.string(),
  retryAfterS: z.number().optional(),
});

interface Call<Answer> {
  readonly schema: z.ZodType<Answer>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

export class Remote {
  readonly #server: URL;
  readonly #token: string | null;
  readonly #signal: AbortSignal;

  constructor(
    server: URL,
    { token, signal }: { readonly token: string | null; readonly signal: AbortSignal },
  ) {
    this.#server = server;
    this.#token = token;
    this.#signal = signal;
  }

  /**
   * Sends a request. Throws LabError: the refusal of the server, or `server.unready` if there is no answer within `timeoutMs`.
   */
  async call<Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { schema, body, timeoutMs }: Call<Answer>,
  ): Promise<Answer> {
    const response = await this.#fetch(method, path, body, timeoutMs);
    const answer = await this.#read(response);
    if (!response.ok) throw refusalIn(answer, response.status);
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    throw unready(this.#server, 'its answer has another form; is it a usurp of the same version?');
  }

  /** The text of an answer that is not JSON. Throws as `call`. */
  async text(path: string): Promise<string> {
    const response = await this.#fetch('GET', path, undefined);
    if (!response.ok) throw refusalIn(await this.#read(response), response.status);
    return this.#readText(response);
  }

  /** All items of a list, of those that a query selects. */
  async list<Item>(path: string, item: z.ZodType<Item>, selected = ''): Promise<readonly Item[]> {
    const schema = z.looseObject({ items: z.array(item), nextPageToken: z.string().nullable() });
    const items: Item[] = [];
    let token: string | null = null;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = new URLSearchParams(selected);
      query.set('pageSize', String(PAGE_SIZE));
      if (token !== null) query.set('pageToken', token);
      const answer: z.output<typeof schema> = await this.call('GET', `${path}?${query}`, {
        schema,
      });
      items.push(...answer.items);
      token = answer.nextPageToken;
      if (token === null) break;
    }
    return items;
  }

  async #fetch(
    method: string,
    path: string,
    body: unknown,
    timeoutMs = TIMEOUT_MS,
  ): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#server), {
        method,
        redirect: 'error',
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(timeoutMs)]),
        headers: {
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...(this.#token !== null && { Authorization: `Bearer ${this.#token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw unready(this.#server, reasonOf(error));
    }
  }

  /** The JSON of an answer; null for one without a body. */
  async #read(response: Response): Promise<unknown> {
    if (response.status === 204) return null;
    const text = await this.#readText(response);
    try {
      return JSON.parse(text);
    } catch {
      throw unready(this.#server, `status ${response.status} without JSON`);
    }
  }

  async #readText(response: Response): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) throw unready(this.#server, 'its answer is too long');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}

function refusalIn(answer: unknown, status: number): LabError {
  const problem = problemSchema.safeParse(answer);
  if (!problem.success) {
    return new LabError('server.unready', `the server refuses with status ${status}`);
  }
  const { code, detail, retryAfterS } = problem.data;
  const when = retryAfterS === undefined ? '' : `; try again in ${waitText(retryAfterS)}`;
  return new LabError(code, `${detail}${when}`);
}

/** A time to wait, rounded up. */
function waitText(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

function unready(server: URL, reason: string): LabError {
  return new LabError('server.unready', `no answer from ${server.origin}: ${reason}`);
}

/** The reason of a failed fetch, which is the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
