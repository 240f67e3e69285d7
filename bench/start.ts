/**
 * @module
 * What the command costs as a process. A short one: starts per CPU second of `usurp elect` on three nodes, by bin/usurp.js (from the
 * bundle, if it is fresh) and from the sources, over starts of Node that do nothing. Each process states its
 * own CPU time when it ends. `npm run build:bundle` makes the bundle fresh. A long one: an election of a million
 * nodes, once, with its CPU time and memory.
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
const ELECT = ['elect', 'bully-oneshot', '--nodes', '3', '--seed', '1'];
const STATE_RESOURCES =
  'process.on("exit",()=>{const{userCPUTime,systemCPUTime,maxRSS}=process.resourceUsage();console.error("\\n"+(userCPUTime+systemCPUTime)+" "+maxRSS)})';
const MILLION = ['elect', 'cr-join', '--nodes', '1000000', '--seed', '1', '--quiet'];

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
  const yardstick = { name: 'Node that does nothing', unit: 'starts', isBound: true };
  const rows = COMMANDS.map(({ name }, index) =>
    rowOf(
      { name, unit: 'starts', yardstick },
      rounds.flatMap((round) => round[index] ?? []),
    ),
  );
  const notes = rows.map(({ subject, rates }) => {
    return `${subject.name}: ${(1 / rates.median).toFixed(2)} CPU-s (to reach: 0.2)`;
  });
  const { seconds, megabytes } = resourcesOf(['bin/usurp.js', ...MILLION]);
  const million = `usurp ${MILLION.join(' ')}: ${seconds.toFixed(1)} CPU-s (to reach: 15), ${megabytes.toFixed(0)} MB (to reach: 1000)`;
  return Promise.resolve({ rows, notes: [...notes, million] });
}

function startsPerSecond(args: readonly string[]): number {
  return 1 / resourcesOf(args).seconds;
}

function resourcesOf(args: readonly string[]) {
  const hook = `data:text/javascript,${encodeURIComponent(STATE_RESOURCES)}`;
  const { stderr, status } = spawnSync(process.execPath, ['--import', hook, ...args], {
    cwd: ROOT,
    // The folder that bin/usurp.js uses too.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') },
  });
  const [microseconds = Number.NaN, kibibytes = Number.NaN] = String(stderr)
    .trim()
    .split('\n')
    .slice(-1)
    .flatMap((line) => line.split(' ').map(Number));
  if (status !== 0 || !(microseconds > 0)) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return { seconds: microseconds / 1e6, megabytes: (kibibytes * 1024) / 1e6 };
}
