/**
 * @module
 * Nodes that die within a step: before it is on disk, and after that, before a message of it has left them.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, usurp } from '../shell.ts';

interface Line {
  readonly t: number;
  readonly dropped?: true;
  readonly action: { readonly type: string; readonly message?: number };
  readonly effects: readonly {
    readonly type: string;
    readonly id: number;
    readonly message?: { readonly term?: number };
  }[];
}

/** All nodes of raft die when the leader is killed: each would be the next candidate, and persists its vote for itself. */
async function allDying(point: string) {
  const folder = scratchFolder();
  const [script, trace] = [join(folder, 'faults.txt'), join(folder, 'run.jsonl')];
  const doomed = [1, 2, 3].map((node) => `die-at ${node} ${point}`);
  const starts = [1, 2, 3].map((node) => `start ${node}`);
  const down = ['wait', 'status', ...doomed, 'status', 'kill leader', 'sleep 4s', 'status'];
  writeFileSync(script, [...down, ...starts, 'wait'].join('\n'));
  const run = ['--protocol', 'raft', '--latency', '50ms', '--script', script, '--trace', trace];
  const printed = await usurp(['cluster', 'up', ...run, '--quiet', '--json']);
  const lines = printed.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [, ...records] = readFileSync(trace, 'utf8').trim().split('\n');
  const all = records.map((record) => JSON.parse(record) as Line); // What `--trace` writes.
  const [first = null, later = null] = lines.flatMap((line) => (line.agreed ? line.epoch : []));
  const back = all.findIndex(({ action }) => action.type === 'recover');
  const sent = all.slice(0, back).flatMap(({ effects }) =>
    effects.flatMap(({ id, type, message }) => {
      return type === 'send' && (message?.term ?? 0) > first ? id : [];
    }),
  );
  const arrived = all.flatMap(({ action, dropped }) => {
    if (dropped) return []; // At a node that is down.
    return action.type === 'deliver' && sent.includes(action.message ?? -1) ? action : [];
  });
  return { ...printed, lines, first, later, sent, arrived };
}

it('before it is on disk, a step leaves no trace, and the term is used again', async () => {
  const { code, stderr, lines, sent } = await allDying('before-persist');

  expect([code, stderr]).toEqual([0, '']);
  const [, armed, dead] = lines.filter((line) => 'followed' in line);
  expect(armed.dieAt).toEqual({ 1: 'before-persist', 2: 'before-persist', 3: 'before-persist' });
  expect(dead.nodes.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('down'));
  expect(sent).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ accepted: true, defect: null, epochClash: null });
});

it('after it is on disk, none of its messages has left the node, and its term is over', async () => {
  const { code, stderr, lines, first, later, sent, arrived } = await allDying('after-persist');

  expect([code, stderr]).toEqual([0, '']);
  expect(sent.length).toBeGreaterThan(0);
  expect(arrived).toEqual([]);
  expect(later).toBeGreaterThan(first + 1);
  expect(lines.at(-1)).toMatchObject({ accepted: true, defect: null, epochClash: null });
});

it('refuses a point that no step has, and the store', async () => {
  const printed = await usurp(
    ['cluster', 'up', '--protocol', 'db-lease', '--store', 'redis', '--quiet'],
    'die-at 1 later\ndie-at store after-persist\n',
  );

  expect(printed.stderr).toContain(
    'usurp: die-at needs a node and a point, such as die-at 2 before-persist or die-at 2 after-persist\n',
  );
  expect(printed.stderr).toContain('usurp: a store has no such point; kill it, or name a node\n');
});
