/**
 * @module
 * Cuts of single links between live nodes: in one direction, and with a node as a bridge. What arrives is in the trace.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, usurp } from '../shell.ts';

interface Line {
  readonly action: { readonly type: string; readonly message?: number };
  readonly effects: readonly { readonly type: string; readonly id: number; readonly to: number }[];
  readonly node: number | null;
}

/** By window of a partition: which messages between two nodes were sent in it, and whether they arrived. */
function arrivalsIn(trace: string): readonly ReadonlyMap<string, readonly boolean[]>[] {
  const [, ...lines] = trace.trim().split('\n');
  // What `--trace` writes.
  const records = lines.map((line) => JSON.parse(line) as Line);
  const delivered = new Set(
    records.flatMap(({ action: { type, message } }) => (type === 'deliver' ? message : [])),
  );
  const windows: Map<string, boolean[]>[] = [];
  let open: Map<string, boolean[]> | null = null;
  for (const { action, effects, node } of records) {
    if (action.type === 'partition') {
      open = new Map();
      windows.push(open);
    }
    if (action.type === 'heal') open = null;
    for (const { type, id, to } of effects) {
      if (type !== 'send' || open === null) continue;
      const pair = `${node}>${to}`;
      open.set(pair, [...(open.get(pair) ?? []), delivered.has(id)]);
    }
  }
  return windows;
}

it('loses what is sent in one direction, or between the sides of a bridge, and the model takes every step', async () => {
  const folder = scratchFolder();
  const [script, trace] = [join(folder, 'faults.txt'), join(folder, 'run.jsonl')];
  const commands = ['wait', 'partition 1>2,3', 'sleep 2s', 'heal', 'wait'];
  const more = ['partition 1,2 2,3', 'sleep 2s', 'status', 'partition one-way:2>1', 'heal', 'wait'];
  writeFileSync(script, [...commands, ...more].join('\n'));
  const run = ['--protocol', 'raft', '--latency', '50ms', '--script', script, '--trace', trace];

  const printed = await usurp(['cluster', 'up', ...run, '--quiet']);

  expect(printed.stderr).toBe('');
  expect(printed.code).toBe(0);
  expect(printed.stdout).toMatch(
    /^partition 1>2,3\n(?:.*\n)*partition 1,2 2,3\n(?:.*\n)*partition 2>1$/m,
  );
  const [oneWay, bridge] = arrivalsIn(readFileSync(trace, 'utf8'));
  expect(oneWay?.get('1>2') ?? oneWay?.get('1>3')).toContain(false);
  for (const pair of ['1>2', '1>3']) expect(oneWay?.get(pair) ?? []).not.toContain(true);
  expect([...(oneWay?.get('2>1') ?? []), ...(oneWay?.get('3>1') ?? [])]).toContain(true);
  for (const pair of ['1>3', '3>1']) expect(bridge?.get(pair) ?? []).not.toContain(true);
  expect([...(bridge?.get('2>1') ?? []), ...(bridge?.get('2>3') ?? [])]).toContain(true);
});

it('refuses sides that separate no nodes or a text that is no cut', async () => {
  const printed = await usurp(
    ['cluster', 'up', '--protocol', 'raft', '--quiet'],
    'partition 1,2 1,2,3\npartition 1,2>2\npartition 1>2>3\n',
  );

  expect(printed.stderr).toBe(
    [
      'usurp: the partition separates no two nodes; name fewer nodes on its sides, or use a cut that separates so few nodes',
      'usurp: a node is on both sides of the cut; name each node once',
      'usurp: partition needs the nodes of each side, such as partition 1,2 3, or a cut, such as partition 1>2\n',
    ].join('\n'),
  );
});
