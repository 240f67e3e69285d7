/**
 * @module
 * Requests of many callers from one process. Each is measured from the moment at which it was meant to be sent,
 * so that the time in queues counts.
 */

import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';

import type { Caller } from './server.ts';

export interface Asked {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * Enough that no request waits here while the server keeps up. Few enough that a machine that stalls for a
 * second does not use up all connections of the server.
 */
const CONNECTIONS_MAX = 100;

const AGENT = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });

/** Sends one request and reads its whole answer. Rejects when the connection breaks. */
export function ask(
  url: string,
  caller: Caller,
  asked: Asked,
  agent: Agent = AGENT,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const { method, path, body } = asked;
  const headers = {
    authorization: `Bearer ${caller.token}`,
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }),
  };
  const sent = request(`${url}${path}`, { method, agent, headers }, (incoming) => {
    readText(incoming).then((text) => resolve({ status: incoming.statusCode ?? 0, text }), reject);
  });
  sent.once('error', reject);
  sent.end(body);
  return promise;
}

/** As `ask`, for what must succeed; the parsed answer. */
export async function askJson(
  url: string,
  caller: Caller,
  asked: Asked,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await ask(url, caller, asked);
  if (status >= 300) throw new Error(`${asked.method} ${asked.path} answered ${status}: ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

/** Closes the unused connections. */
export function hangUp(): void {
  AGENT.destroy();
}

async function readText(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding('utf8');
  let text = '';
  for await (const piece of incoming) text += piece;
  return text;
}
