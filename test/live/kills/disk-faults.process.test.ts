/**
 * @module
 * Faults of the disk of a live node: a changed byte, records that were lost before they were synced, and a full disk. The node
 * returns with what it had persisted, or takes no part and says why.
 */

import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { LabError } from '../../../src/errors.ts';
import { openNodeLog } from '../../../src/live/node-log.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { ended, ROOT, scratchFolder } from '../../cli/shell.ts';
import { testNetwork } from '../network.ts';

const OWNER = {
  ...{ rank: 'a1', protocol: 'raft', election: 'test', latency: 50, level: 'L3' as const },
  ...{ detector: null, defences: [], behaviours: [], workload: null },
} as const;
const TERMS = [1, 2, 3].map((term) => ({ term, votedFor: 'b'.repeat(64), log: 'x'.repeat(90) }));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = scratchFolder();
  folders.push(folder);
  return folder;
}

/** A step with a record, and with what it persisted. */
function stepOf(persisted: (typeof TERMS)[number] | undefined) {
  const event = { type: 'timeout', timer: 'election' } as const;
  const records = [{ t: 1, event, effects: [], clock: {} }];
  return { records, recorder: { sent: 0, clock: {} }, persisted, heard: null };
}

it('with any changed byte is refused, or has what was persisted', () => {
  const folder = newFolder();
  const path = join(folder, 'node.log');
  const log = openNodeLog(path, OWNER);
  for (const persisted of TERMS) log.append(stepOf(persisted));
  log.close();
  const whole = readFileSync(path);
  // The rest of each page is empty.
  const used = [...whole.keys()].filter((at) => whole[at] !== 0);
  const random = createRandom(parseSeed('12'));
  const outcomes = { refused: 0, kept: 0 };

  for (let times = 0; times < 150; times += 1) {
    const changed = Uint8Array.from(whole);
    const at = used[random.below(used.length)] ?? 0;
    changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
    const copy = join(folder, `${times}.log`);
    writeFileSync(copy, changed);
    try {
      const again = openNodeLog(copy, OWNER);
      expect(again.persisted, `byte ${at}`).toEqual(TERMS.at(-1));
      again.close();
      outcomes.kept += 1;
    } catch (error) {
      expect(error, `byte ${at}`).toBeInstanceOf(LabError);
      outcomes.refused += 1;
    }
  }

  expect(outcomes.refused).toBeGreaterThan(10);
  expect(outcomes.kept).toBeGreaterThan(10);
});

it('that has lost records which were not synced has what was persisted before them', () => {
  const folder = newFolder();
  const path = join(folder, 'node.log');
  const log = openNodeLog(path, OWNER);
  for (const persisted of TERMS) log.append(stepOf(persisted));
  const synced = statSync(`${path}-wal`).size;
  for (let times = 0; times < 5; times += 1) log.append(stepOf(undefined));
  const size = statSync(`${path}-wal`).size;
  const found: unknown[] = [];
  for (let lost = synced; lost <= size; lost += 777) {
    const copy = join(folder, `${lost}.log`);
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    truncateSync(`${copy}-wal`, lost);
    const again = openNodeLog(copy, OWNER);
    found.push(again.persisted);
    again.close();
  }
  log.close();

  expect(found.length).toBeGreaterThan(3);
  expect(found).toEqual(found.map(() => TERMS.at(-1)));
});

it('on a full disk ends the node with the reason, and the node returns when there is room', async () => {
  const { folder } = await testNetwork(1);
  folders.push(folder);
  const args = ['--identity', join(folder, 'key-1.json'), '--peers', join(folder, 'peers.json')];
  const command = [process.execPath, `${ROOT}/bin/usurp.js`, 'node', ...args];
  const settings = ['--protocol', 'raft', '--latency', '2ms'];
  // The shell counts in blocks of 1 kB. Without its signal, a write that is too long fails as on a full disk.
  const limited = `trap '' XFSZ; ulimit -f 120; exec "$@"`;

  const full = await ended(
    spawn('bash', ['-c', limited, 'bash', ...command, ...settings], { cwd: ROOT }),
  );
  const again = spawn(process.execPath, [...command.slice(1), ...settings], { cwd: ROOT });
  const isBack = new Promise<string>((resolve) => {
    let printed = '';
    again.stderr.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('back')) resolve(printed);
    });
    again.on('close', () => resolve(printed));
  });
  const printed = await isBack;
  again.kill();

  expect(full.code).not.toBe(0);
  expect(full.stderr).toMatch(/cannot be written: .*nothing of its last step has left it/);
  expect(printed).toContain('back');
});
