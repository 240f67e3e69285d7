/**
 * @module
 * The lab as a process of its own, which prints its URL, and one line of JSON with its memory for each line
 * on stdin. It must be started with --expose-gc, so that garbage is not counted.
 */

import process from 'node:process';

import { startLab } from '../../server/lab.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';

/** What a server keeps after a garbage collection. */
export interface Held {
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Number of open sockets, timers and so on, by kind. */
  readonly resources: Readonly<Record<string, number>>;
  readonly faults: number;
}

let faults = 0;
const options = { host: '127.0.0.1', port: 0, version: '0', policy: STRICT_POLICY, data: null };
const lab = await startLab(options, () => {
  faults += 1;
});
process.stdout.write(`${lab.url}\n`);

process.stdin.on('data', () => {
  for (let count = 0; count < 4; count += 1) globalThis.gc?.();
  const { rss: rssBytes, heapUsed: heapBytes } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  const held: Held = { rssBytes, heapBytes, resources, faults };
  process.stdout.write(`${JSON.stringify(held)}\n`);
});
process.stdin.on('end', () => process.exit(0));
