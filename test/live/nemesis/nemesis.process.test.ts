/**
 * @module
 * A nemesis for a short time: without a failure where the documents promise none, and with one that they promise, which is
 * shrunk to a script that shows it again. The slow suite makes 200 faults of each protocol.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ended, scratchFolder, spawnUsurp, usurp } from '../../cli/shell.ts';
import { runNemesis } from './run.ts';

const KINDS = 'kill,die-at,pause,partition,jump';
const RUN = { kinds: KINDS, seed: '7', latency: '50ms' };

it('finds no failure of raft in a few faults, and records a script that up carries out', async () => {
  const record = join(scratchFolder(), 'faults.txt');

  const found = await runNemesis({
    ...RUN,
    protocol: 'raft',
    time: '10s',
    more: ['--record', record],
  });

  expect(found.nemesis).toMatchObject({ failure: null, trials: 0 });
  expect(found.nemesis.faults).toBeGreaterThan(0);
  expect(found.check).toMatchObject({ accepted: true, epochClash: null });
  expect(found.code).toBe(0);
  const [head, ...lines] = readFileSync(record, 'utf8').trim().split('\n');
  expect(head).toBe(`# --nemesis ${KINDS} --seed 7`);

  const repeated = await usurp([
    ...['cluster', 'up', '--protocol', 'raft', '--latency', '50ms', '--script', record, '--json'],
  ]);

  const done = repeated.stdout.split('\n').filter((line) => line.startsWith('{"done"'));
  expect(done).toHaveLength(lines.filter((line) => !/^(?:wait|sleep)/.test(line)).length);
  expect(repeated.code).toBe(0);
});

it('finds the late write of a leader that was paused, and a short script that shows it again', async () => {
  const found = await runNemesis({
    ...{ ...RUN, protocol: 'db-lease', store: 'sqlite', resource: 'unfenced' },
    ...{ kinds: 'pause', time: '5m' },
  });

  expect(found.nemesis.failure).toBe('late-write');
  expect(found.nemesis.faults).toBeLessThan(50);
  expect(found.code).toBe(1);
  expect(found.check.accepted).toBe(true);
  expect(found.stderr).toContain('; trial 1 of at most 40, with ');
  expect(found.nemesis.script?.[0]).toBe('wait');
  expect(found.nemesis.script?.some((line) => /^pause \d$/.test(line))).toBe(true);
});

it('keeps the shortest script when Ctrl-C ends the trials', async () => {
  const child = spawnUsurp([
    ...['cluster', 'up', '--protocol', 'db-lease', '--store', 'sqlite', '--resource', 'unfenced'],
    ...['--latency', '50ms', '--nemesis', 'pause', '--for', '5m', '--seed', '7', '--json'],
  ]);
  child.stderr.on('data', (chunk) => {
    if (String(chunk).includes('; trial 1 of')) child.kill('SIGINT');
  });

  const { code, stdout } = await ended(child);

  const { nemesis } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(code).toBe(130);
  expect(nemesis).toMatchObject({ failure: 'late-write', trials: 1, minimal: false });
  expect(nemesis.script[0]).toBe('wait');
});

it.each([
  ['beside a script', ['--script', 'x'], '--nemesis draws the commands of up; leave out --script'],
  ['of a kind that there is not', ['--nemesis', 'flood'], 'expected one of kill, die-at, pause'],
  [
    'of faults that one node cannot have',
    ['--nodes', '1', '--nemesis', 'partition'],
    '1 nodes of raft can have no fault of partition; name other kinds',
  ],
])('refuses one %s', async (_, more, why) => {
  const printed = await usurp([
    'cluster',
    'up',
    '--protocol',
    'raft',
    '--nemesis',
    'kill',
    '--quiet',
    ...more,
  ]);

  expect(printed.stderr).toContain(why);
  expect(printed.code).toBe(254);
});
