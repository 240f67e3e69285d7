/**
 * @module
 * Requests to a node that is tested. It can be broken or hostile: it is given a bounded time, its answer a bounded length,
 * depth and number of values, and it cannot send the tester to another address.
 */

import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { parseExchanged, readBounded } from '../transport/bounded-json.ts';

/** An answer of a usurp node among three has less than 1 kB. */
export const ANSWER_BYTES_MAX = 64 * 1024;
const ANSWER_VALUES_MAX = 1_024;

/** An answer; `body` is undefined if it is not JSON within the bounds of what nodes exchange. */
export interface BoundedAnswer {
  readonly status: number;
  readonly body: unknown;
}

const UNCONNECTED = 'no connection';
/** Errors of a connection that was never made. */
const CONNECT_FAULTS: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
  ...['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'],
]);

/** Whether no program accepts connections at the address, by what `requested` has returned. */
export function isUnconnected(fault: string): boolean {
  return fault.startsWith(UNCONNECTED);
}

export interface BoundedRequest {
  /** The JSON that is posted; absent for GET. */
  readonly body?: string;
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/** The answer of a node, or what is wrong with it as words that follow "received". */
export async function requested(
  url: string,
  { body, waitMs, signal }: BoundedRequest,
): Promise<BoundedAnswer | string> {
  const inTime = AbortSignal.timeout(waitMs);
  const outgoing = request(url, {
    ...(body === undefined ? { agent: LOOKING } : POSTED),
    signal: signal === undefined ? inTime : AbortSignal.any([inTime, signal]),
  });
  try {
    outgoing.end(body);
    const answer = await answerTo(outgoing);
    const { statusCode: status = 0 } = answer;
    if (status >= 300 && status < 400) return `${status}, a redirection, which no node needs`;
    const text = await readBounded(answer, ANSWER_BYTES_MAX);
    if (text === null) return `an answer of more than ${ANSWER_BYTES_MAX} bytes`;
    return { status, body: parseExchanged(text, ANSWER_VALUES_MAX) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (CONNECT_FAULTS.has(code)) return `${UNCONNECTED} (${code})`;
    return inTime.aborted ? `no whole answer in ${waitMs} ms` : 'no answer';
  } finally {
    // What is still to be sent or received is of no interest.
    outgoing.on('error', () => undefined).destroy();
  }
}

/** The answer, when its head has come. Throws if the connection ends before it, or becomes one of another protocol. */
export function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  outgoing.once('response', resolve).on('error', reject);
  // Node reports no error at status 101, which closes the request. An abort has no effect on it then.
  outgoing.once('close', () => reject(new Error('closed without an answer')));
  return promise;
}

/** There can be many looks in a second, and a node accepts few connections. */
const LOOKING = new Agent({ keepAlive: true });
/** A node may close the connection of a request that it refuses. The next one therefore has another. */
const POSTED = { method: 'POST', headers: { 'content-type': 'application/json' }, agent: false };
