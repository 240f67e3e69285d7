/**
 * @module
 * Whether a server answers others while it carries out the most expensive actions that it accepts: for each
 * of them the longest turn of its event loop, in processor time, and the latencies of GET /healthz.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { Turns } from './loop-witness.ts';
import type { Report } from './measure.ts';
import { post } from './served.ts';

/** An election, what is done to it beforehand, and what is measured. */
interface Case {
  readonly name: string;
  readonly election: object;
  readonly before: readonly object[];
  readonly action: object;
}

const START = { type: 'start' };
const ADVANCE = { type: 'advance', until: 'idle' };
const ZAB = { protocol: 'zab-fle', nodes: 66, level: 'L3', seed: '1' };
const BULLY = { protocol: 'bully-oneshot', nodes: 500, seed: '1' };
const SEALED = { protocol: 'bully-oneshot', nodes: 100, level: 'L3', seed: '1' };
const LINKED = { ...BULLY, detector: 'links' };
const HALVES = { type: 'partition', cut: 'halves' };
const BEATING = { ...SEALED, detector: 'fd-heartbeat:every=10,timeout=35' };

const CASES: readonly Case[] = [
  { name: 'zab-fle, 66 nodes at L3, start', election: ZAB, before: [], action: START },
  { name: 'zab-fle, 66 nodes at L3, advance', election: ZAB, before: [START], action: ADVANCE },
  { name: 'Bully, 500 nodes, start', election: BULLY, before: [], action: START },
  { name: 'Bully, 500 nodes, advance', election: BULLY, before: [START], action: ADVANCE },
  { name: 'Bully, 100 nodes at L3, start', election: SEALED, before: [], action: START },
  {
    ...{ name: 'Bully, 100 nodes with detectors at L3, advance', election: BEATING },
    ...{ before: [START], action: { type: 'advance', until: 100 } },
  },
  {
    ...{ name: 'Bully, 500 nodes that watch links, heal', election: LINKED },
    ...{ before: [START, HALVES, { type: 'advance', until: 30 }], action: { type: 'heal' } },
  },
];

/** Pause between two requests for health. */
const HEALTH_MS = 5;

/** Notes, one for each case. */
export async function measureFairness(): Promise<Report> {
  const notes: string[] = [];
  for (const each of CASES) notes.push(await measureCase(each));
  return { rows: [], notes };
}

async function measureCase({ name, election, before, action }: Case): Promise<string> {
  const server = await serveWatched();
  try {
    const { id } = await post(`${server.url}/v1/elections`, election);
    const actions = `${server.url}/v1/elections/${String(id)}/actions`;
    for (const each of before) await post(actions, each);
    server.begin();
    const acting = { isOver: false };
    const done = post(actions, action).finally(() => {
      acting.isOver = true;
    });
    const latencies = await healthLatencies(server.url, acting);
    await done;
    const { longestCpuMs } = await server.end();
    const p99 = latencies[Math.ceil(0.99 * latencies.length) - 1] ?? Number.NaN;
    return `${name}: longest turn ${longestCpuMs.toFixed(0)} ms of processor time; GET /healthz p99 ${p99.toFixed(0)} ms of ${latencies.length}`;
  } finally {
    await server.close();
  }
}

async function healthLatencies(
  url: string,
  acting: { readonly isOver: boolean },
): Promise<number[]> {
  const latencies: number[] = [];
  while (!acting.isOver) {
    const beganMs = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    latencies.push(performance.now() - beganMs);
    await delay(HEALTH_MS);
  }
  return latencies.toSorted((one, other) => one - other);
}

/** A server whose event loop is watched. */
async function serveWatched() {
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const program = [here('../src/cli/usurp.ts'), 'serve', '--port', '0'];
  const child = spawn(process.execPath, ['--import', here('./loop-witness.ts'), ...program], {
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const exit = once(child, 'exit');
  const { stdout } = child;
  if (stdout === null) throw new TypeError('"stdout" expected a pipe, got null');
  const [url] = await once(createInterface(stdout), 'line');
  return {
    url: String(url),
    begin: () => void child.send('begin'),
    end: async (): Promise<Turns> => {
      const answer = once(child, 'message');
      child.send('end');
      const [turns] = await answer;
      return turns;
    },
    close: async () => {
      child.kill();
      await exit;
    },
  };
}
