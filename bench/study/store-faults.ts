/**
 * @module
 * `npm run study:stores` prints the table of docs/stores.md: the same faults on the modelled store, in the
 * simulator, and on real ones, with live nodes.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { StoreKind } from '../../src/live/stores/open-store.ts';
import { isStoreInstalled } from '../../src/live/stores/own-store.ts';
import type { StoreFault, StoreRun } from './store-run.ts';
import { runStoreFault, STORE_FAULTS } from './store-run.ts';

const USURP = fileURLToPath(new URL('../../bin/usurp.js', import.meta.url));
const RUNS = [
  ['db-lease', 'sqlite'],
  ['db-lease', 'redis'],
  ['lease-local', 'redis'],
  ['zk-recipe', 'zookeeper'],
  ['lease-local', 'etcd'],
] as const satisfies [StoreRun['protocol'], StoreKind][];
const LATENCY = 50;
const FROM = 5_000;
const SOON = 500;
const UNTIL = 12_000;
const SEEDS_MAX = 3;

/** The fault in the simulator at the leader; null for one that the modelled store does not have. */
function modelledFault(fault: StoreFault, leader: number): readonly string[] | null {
  switch (fault) {
    case 'pause':
      return ['--pause', `${leader}@${FROM}-${FROM + 3_000}`];
    case 'disconnect':
      return ['--partition', `isolate:${leader}@${FROM}-${FROM + 3_000}`];
    case 'slow-clock':
      return ['--skew', `${leader}:5`];
    case 'kill':
      return null;
    default:
      return fault satisfies never;
  }
}

/** A run of the simulator. */
async function elect(resource: string, run: readonly string[], until: number) {
  const args = ['elect', '--nodes', '3', '--resource', resource, '--until', `${until}`, '--json'];
  const latency = ['--latency', `uniform:1:${LATENCY}`];
  const running = promisify(execFile)(process.execPath, [USURP, ...args, ...latency, ...run]);
  // The exit code says what the election came to, which is no fault here.
  const { stdout } = await running.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout);
}

/**
 * The protocol, the fault and a seed with which the fault finds the leader. A run with a fault draws other latencies than one
 * without, so that another node can lead in it. A clock is slow from the beginning, and its node soon leads no more. Null if
 * the modelled store has no such fault, or if no such node leads.
 */
async function runAtLeader(protocol: string, fault: StoreFault): Promise<readonly string[] | null> {
  for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
    for (const rank of [1, 2, 3]) {
      const given = modelledFault(fault, rank);
      if (given === null) return null;
      const run = [protocol, '--seed', `${seed}`, ...given];
      const { leader } = await elect('unfenced', run, fault === 'slow-clock' ? SOON : FROM);
      if (leader?.rank === rank) return run;
    }
  }
  return null;
}

const rows: string[][] = [
  [
    'fault of the leader',
    'protocol and store',
    'two leaders',
    'next leader after',
    'late writes, unfenced',
    'late writes, fenced',
    'refused by the fence',
    'modelled store explains all',
  ],
];
for (const fault of STORE_FAULTS) {
  for (const protocol of ['db-lease', 'lease-local', 'zk-recipe'] as const) {
    const run = await runAtLeader(protocol, fault);
    if (run === null) continue;
    const unfenced = await elect('unfenced', run, UNTIL);
    const fenced = await elect('fencing-max', run, UNTIL);
    const split = `${(unfenced.audit.measures.ticksSplit / 1000).toFixed(2)} s`;
    const late = [unfenced, fenced].map(({ resource }) => String(resource.lateWrites));
    rows.push([
      fault,
      `${protocol}, modelled`,
      split,
      '',
      ...late,
      String(fenced.resource.refused),
      '',
    ]);
  }
  for (const [protocol, kind] of RUNS) {
    // A file has no process, and etcd's whole seconds outlast the slow clock.
    const isWithout =
      (fault === 'kill' && kind === 'sqlite') || (fault === 'slow-clock' && kind === 'etcd');
    if (!isStoreInstalled(kind) || isWithout) continue;
    const outcomes = [];
    for (const resource of ['unfenced', 'fencing-max'] as const) {
      const file = join(mkdtempSync(join(tmpdir(), 'usurp-study-')), 'store.sqlite');
      const store = kind === 'sqlite' ? `sqlite:${file}` : kind;
      outcomes.push(
        await runStoreFault({
          protocol,
          store,
          resource,
          fault,
          nodes: 3,
          latencyTicksMax: LATENCY,
        }),
      );
    }
    const [unfenced, fenced] = outcomes;
    const defects = outcomes.map(({ defect }) => defect).filter((defect) => defect !== null);
    rows.push([
      ...[fault, `${protocol}, ${kind}`, `${(unfenced?.overlapSeconds ?? 0).toFixed(2)} s`],
      ...[`${(unfenced?.leaderSeconds ?? 0).toFixed(2)} s`, String(unfenced?.lateWrites)],
      ...[String(fenced?.lateWrites), String(fenced?.refused)],
      defects.length === 0 ? 'yes' : defects.join('; '),
    ]);
    process.stderr.write(`${rows.at(-1)?.join(' | ')}\n`);
  }
}
const [head = [], ...body] = rows;
const lines = [head, head.map(() => '---'), ...body];
process.stdout.write(lines.map((cells) => `| ${cells.join(' | ')} |\n`).join(''));
process.stdout.write(
  'Each row is one run without and one with the fence: counts and times, no frequencies.\n',
);
