/**
 * @module
 * A check that is killed while it runs, and then resumed, reports the totals of an unbroken one.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const USURP = fileURLToPath(new URL('../../bin/usurp.js', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'usurp-interrupted-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const CHECK = [
  ...[
    USURP,
    'check',
    'bully-oneshot',
    '--nodes',
    '4',
    '--timing',
    'synchronous',
    '--bounds',
    'crash=1',
  ],
  ...['--properties', 'one-leader,someone-leads', '--json', '--reduction', 'off'],
];

/** What the report says without the memory, which depends on the threads. */
function totals(stdout: string): unknown {
  const {
    counts,
    replay: _replay,
    ...report
  } = JSON.parse(stdout) as {
    counts: Record<string, number>;
    replay: string;
  };
  const { bytes: _, ...rest } = counts;
  return { ...report, counts: rest };
}

async function interrupt(file: string, signal: NodeJS.Signals): Promise<number | null> {
  const saving = ['--checkpoint', file, '--checkpoint-every', '1ms'];
  const child = spawn(process.execPath, [...CHECK, ...saving], { stdio: 'ignore' });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  while (!existsSync(file) && child.exitCode === null) await setTimeout(5);
  child.kill(signal);
  return exited;
}

describe('a check that is interrupted', () => {
  it.each([
    ['SIGKILL', null, 1],
    ['SIGTERM', 130, 2],
  ] as const)(
    'by %s goes on from its checkpoint',
    async (signal, code, threads) => {
      const file = join(FOLDER, signal);

      expect(await interrupt(file, signal)).toBe(code);
      const args = [...CHECK, '--resume', file, '--threads', String(threads)];
      const resumed = spawnSync(process.execPath, args, { encoding: 'utf8' });

      const unbroken = spawnSync(process.execPath, [...CHECK, '--threads', '1'], {
        encoding: 'utf8',
      });
      expect(totals(resumed.stdout)).toEqual(totals(unbroken.stdout));
      expect(totals(resumed.stdout)).toMatchObject({ counts: { states: 184_127 } });
    },
    300_000,
  );

  it('does not replace a checkpoint that is not resumed', async () => {
    const file = join(FOLDER, 'first');
    await interrupt(file, 'SIGKILL');

    const again = spawnSync(process.execPath, [...CHECK, '--checkpoint', file], {
      encoding: 'utf8',
    });

    expect(again.status).toBe(254);
    expect(again.stderr).toContain(`continue it with --resume ${file}`);
  }, 300_000);

  it('refuses a file of another check', async () => {
    const file = join(FOLDER, 'first');

    const other = [...CHECK, '--crashed-before', '1', '--resume', file];
    const refused = spawnSync(process.execPath, other, { encoding: 'utf8' });

    expect(refused.status).toBe(254);
    expect(refused.stderr).toContain('is of another check');
  }, 300_000);
});
