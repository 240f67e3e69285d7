/**
 * @module
 * Servers as processes of their own, and load on them: what a server does is measured from outside, by
 * a process that shares nothing with it but the machine.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Client, Options, Result } from 'autocannon';
import autocannon from 'autocannon';

export interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a program of this repository that prints its address first. */
export async function serve(program: string, ...args: readonly string[]): Promise<Served> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  const line: unknown = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([first]) => first),
    exit.then(() => null),
  ]);
  if (typeof line !== 'string') throw new Error(`${program} ended before it listened`);
  const close = async () => {
    child.kill();
    await exit;
  };
  return { url: line, close };
}

export const JSON_HEADERS = { 'content-type': 'application/json' };

/** Requests with these bodies; each connection sends its own share of them, over and over. */
export function posting(bodies: readonly string[], connections: number): Partial<Options> {
  const shares = Array.from({ length: connections }, (_, share) =>
    bodies.filter((_body, index) => index % connections === share),
  );
  const setupClient = (client: Client) => {
    const share = shares.shift() ?? [];
    client.setRequests(share.map((body) => ({ method: 'POST', headers: JSON_HEADERS, body })));
  };
  return { connections, setupClient };
}

/** Load whose every answer must be 200. */
export async function load(options: Options): Promise<Result> {
  const result = await autocannon(options);
  const { non2xx, errors } = result;
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers were not 200, ${errors} failed`);
  return result;
}

export function rateOf({ requests, duration }: Result): number {
  return requests.total / duration;
}

/** CPU seconds that a lab has used, all its threads together. */
export async function cpuSecondsOf({ url }: Served): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
}

/** Sends JSON and reads JSON; throws unless the answer is a success. */
export async function post(url: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const init = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) };
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
