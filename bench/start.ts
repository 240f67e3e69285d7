/**
 * @module
 * What a short command costs: starts per CPU second of `usurp elect` on three nodes, by bin/usurp.js (from the
 * bundle, if it is fresh) and from the sources, over starts of Node that do nothing. Each process states its
 * own CPU time when it ends. `npm run build:bundle` makes the bundle fresh.
 */

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import type { Report } from './measure.ts';
import { rowOf } from './measure.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const ROUNDS = 7;
const ELECT = ['elect', '--protocol', 'bully-oneshot', '--nodes', '3', '--seed', '1'];
const STATE_CPU_TIME =
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();console.error("\\n"+(user+system))})';

const COMMANDS = [
  { name: 'usurp elect, 3 nodes, bin/usurp.js', args: ['bin/usurp.js', ...ELECT] },
  { name: 'usurp elect, 3 nodes, from the sources', args: ['src/cli/usurp.ts', ...ELECT] },
];

/** One row for each way to start. */
export function measureStart(): Promise<Report> {
  for (const { args } of COMMANDS) startsPerSecond(args);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const standard = [startsPerSecond(['-e', '0'])];
    return COMMANDS.map(({ args }) => ({ own: [startsPerSecond(args)], standard }));
  });
  const yardstick = { name: 'Node that does nothing', unit: 'starts' };
  const rows = COMMANDS.map(({ name }, index) =>
    rowOf(
      { name, unit: 'starts', yardstick },
      rounds.flatMap((round) => round[index] ?? []),
    ),
  );
  const notes = rows.map(({ subject, rates }) => {
    return `${subject.name}: ${(1 / rates.median).toFixed(2)} CPU-s (to reach: 0.2)`;
  });
  return Promise.resolve({ rows, notes });
}

function startsPerSecond(args: readonly string[]): number {
  const hook = `data:text/javascript,${encodeURIComponent(STATE_CPU_TIME)}`;
  const { stderr, status } = spawnSync(process.execPath, ['--import', hook, ...args], {
    cwd: ROOT,
    // The folder that bin/usurp.js uses too.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  });
  const microseconds = Number(String(stderr).trim().split('\n').at(-1));
  if (status !== 0 || !(microseconds > 0)) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return 1e6 / microseconds;
}
