/**
 * @module
 * `npm run bench:load [-- --seconds 60 --flood 2000 --data]`: what others get while one caller floods the
 * server. Open event streams, mixed requests at a fixed rate, each measured from when it was meant to be
 * sent, and a flooder in a process of its own; then whether the server's memory is what it was. Figures
 * are printed and never asserted.
 */

import { execFile } from 'node:child_process';
import { availableParallelism, cpus, loadavg } from 'node:os';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

import type { Flooded } from './flooder.ts';
import { ask, hangUp } from './load-client.ts';
import { deletion } from './load-mix.ts';
import { printFlood, printMemory, printSamples, printStreams } from './load-report.ts';
import type { Followed, Sample } from './load-run.ts';
import { Load } from './load-run.ts';
import type { Caller, ServerUnderLoad } from './load-server.ts';
import { serveUnderLoad } from './load-server.ts';

const HOLDERS = 40;
const CUSTOMERS = 20;
/** The same load for so long, before anything is measured. */
const WARM_UP_S = 10;
/** Idle connections are closed by then, and what waits for its end has ended. */
const REST_MS = 7_000;
const RETRY_MS = 250;
const WATCH_MS = 2_000;

const FLOODER: Caller = { name: 'flooder', token: 'token-of-the-flooder' };

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: '200' },
    streams: { type: 'string', default: '300' },
    flood: { type: 'string', default: '2000' },
    data: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});

const options = {
  seconds: Number(values.seconds),
  perSecond: Number(values.requests),
  streams: Number(values.streams),
  flood: Number(values.flood),
};

await measure();

async function measure(): Promise<void> {
  const { seconds, perSecond, streams, flood } = options;
  console.log(`node ${process.version}, ${cpus()[0]?.model}, ${availableParallelism()} cores`);
  console.log(
    `${streams} streams, ${perSecond} requests/s and a flooder at ${flood}/s for ${seconds} s`,
  );
  const holders = callers('holder', HOLDERS);
  const customers = callers('customer', CUSTOMERS);
  const server = await serveUnderLoad({
    callers: [...holders, ...customers, FLOODER],
    isStored: values.data,
    profile: values.profile ?? null,
  });
  try {
    const load = new Load(server.url, holders, customers);
    const fresh = await server.testify();
    await stretch(server, load, WARM_UP_S);
    const before = await server.testify();
    console.log(`load average before: ${loadText()}`);
    const measured = await stretch(server, load, seconds);
    const after = await server.testify();
    console.log(`load average after: ${loadText()}`);
    printSamples(measured.samples);
    printStreams(measured.followed, measured.silent);
    if (measured.flooded !== null) printFlood(measured.flooded);
    printMemory({ fresh, before, after, during: measured.during });
    console.log(`open afterwards: ${JSON.stringify(after.resources)}`);
  } finally {
    hangUp();
    await server.close();
  }
}

interface Measured {
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
async function stretch(server: ServerUnderLoad, load: Load, seconds: number): Promise<Measured> {
  const { perSecond, streams } = options;
  await load.open(streams);
  const watch = watchServer(server);
  const flooding = options.flood > 0 ? flood(server, seconds) : null;
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

async function flood({ url }: ServerUnderLoad, seconds: number): Promise<Flooded> {
  const program = fileURLToPath(new URL('./flooder.ts', import.meta.url));
  const args = [`${url}/v1/elections`, FLOODER.token, String(options.flood), String(seconds)];
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

function loadText(): string {
  return loadavg()
    .map((each) => each.toFixed(2))
    .join(' ');
}
