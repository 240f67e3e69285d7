/**
 * @module
 * One stretch of load with all that belongs to it: the flooder in a process of its own, the server watched
 * meanwhile, and everything deleted afterwards, the flooder's elections too.
 */

import { execFile } from 'node:child_process';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Followed, LoadOptions, Sample } from './callers.ts';
import { Load } from './callers.ts';
import { ask, hangUp } from './client.ts';
import type { Flooded } from './flooder.ts';
import { deletion } from './mix.ts';
import type { Caller, ServerOptions, ServerUnderLoad } from './server.ts';
import { serveUnderLoad } from './server.ts';

const HOLDERS = 40;
const CUSTOMERS = 20;
/** Idle connections are closed by then, and what waits for its end has ended. */
const REST_MS = 7_000;
const RETRY_MS = 250;
const WATCH_MS = 2_000;

const FLOODER: Caller = { name: 'flooder', token: 'token-of-the-flooder' };

export interface StretchOptions extends LoadOptions {
  readonly streams: number;
  /** Requests a second that the flooder tries. */
  readonly flood: number;
}

/** A server with its callers. */
export interface Ground {
  readonly server: ServerUnderLoad;
  readonly load: Load;
}

/** Starts a server that knows all callers. */
export async function prepareGround(options: Omit<ServerOptions, 'callers'>): Promise<Ground> {
  const holders = callers('holder', HOLDERS);
  const customers = callers('customer', CUSTOMERS);
  const server = await serveUnderLoad({
    callers: [...holders, ...customers, FLOODER],
    ...options,
  });
  return { server, load: new Load(server.url, holders, customers) };
}

export interface Measured {
  readonly samples: readonly Sample[];
  readonly followed: Followed;
  readonly silent: number;
  readonly flooded: Flooded | null;
  /** Of the server while it is under load: cores used, and bytes every few seconds. */
  readonly during: {
    readonly cores: number;
    readonly heap: readonly number[];
    readonly rss: readonly number[];
  };
}

/** The whole load for so long; afterwards nothing of it is left on the server. */
export async function stretch(
  { server, load }: Ground,
  { seconds, perSecond, streams, flood }: StretchOptions,
): Promise<Measured> {
  await load.open(streams);
  const watch = watchServer(server);
  const flooding = flood > 0 ? runFlooder(server, { flood, seconds }) : null;
  const samples = await load.run({ seconds, perSecond });
  const flooded = await flooding;
  const during = await watch.end();
  const followed = await load.followed();
  const silent = await load.close();
  await clearAway(server.url);
  hangUp();
  await delay(REST_MS);
  return { samples, followed, silent, flooded, during };
}

async function runFlooder(
  { url }: ServerUnderLoad,
  { flood, seconds }: Pick<StretchOptions, 'flood' | 'seconds'>,
): Promise<Flooded> {
  const program = fileURLToPath(new URL('./flooder.ts', import.meta.url));
  const args = [`${url}/v1/elections`, FLOODER.token, String(flood), String(seconds)];
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args]);
  return JSON.parse(stdout);
}

/** Deletes what the flooder has made, which is rationed at first: it has just asked for too much. */
async function clearAway(url: string): Promise<void> {
  for (;;) {
    const list = await ask(url, FLOODER, { method: 'GET', path: '/v1/elections' });
    if (list.status === 429) {
      await delay(RETRY_MS);
      continue;
    }
    if (list.status !== 200) throw new Error(`the list of elections: ${list.status} ${list.text}`);
    const { items }: { items: readonly { readonly id: string }[] } = JSON.parse(list.text);
    if (items.length === 0) return;
    for (const { id } of items) await ask(url, FLOODER, deletion(id));
  }
}

/** Reads the metrics every few seconds, and the processor time between the first and the last. */
function watchServer(server: ServerUnderLoad): { end(): Promise<Measured['during']> } {
  const heap: number[] = [];
  const rss: number[] = [];
  const stop = new AbortController();
  const beganMs = performance.now();
  const watching = (async () => {
    const cpuBefore = await server.metric('process_cpu_seconds_total');
    while (!stop.signal.aborted) {
      heap.push(await server.metric('nodejs_heap_size_used_bytes'));
      rss.push(await server.metric('process_resident_memory_bytes'));
      await delay(WATCH_MS, null, { signal: stop.signal }).catch(() => null);
    }
    const cpuSeconds = (await server.metric('process_cpu_seconds_total')) - cpuBefore;
    return { cores: (cpuSeconds * 1000) / (performance.now() - beganMs), heap, rss };
  })();
  return {
    end() {
      stop.abort();
      return watching;
    },
  };
}

function callers(kind: string, count: number): Caller[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `${kind}-${index + 1}`;
    return { name, token: `token-of-${name}-here` };
  });
}
