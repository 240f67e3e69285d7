/**
 * @module
 * A controller that is killed at any moment leaves no process and no folder.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { expect, it } from 'vitest';
import { startWatchdog } from '../../../src/live/cluster/watchdog.ts';
import { until } from '../network.ts';

const WATCHDOG = new URL('../../../src/live/cluster/watchdog.ts', import.meta.url);

/** What a controller prints that carries out these lines. It can kill itself with `die()`. */
function controller(lines: string): string {
  const program = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    import { startWatchdog, watchedTemporaryFolder } from '${WATCHDOG}';
    const print = (text) => fs.writeSync(1, String(text));
    const die = () => process.kill(process.pid, 'SIGKILL');
    ${lines}`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(signal).toBe('SIGKILL');
  return stdout;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

it('a program that was just started ends with the controller', async () => {
  const pid = Number(controller("print(startWatchdog(null).spawn(['sleep', '600']).pid); die();"));

  expect(pid).toBeGreaterThan(1);
  await until('it has ended', () => !isRunning(pid));
});

it('a temporary folder that was just made goes with the controller', async () => {
  const folder = controller(`
    const { mkdirSync } = fs;
    fs.mkdirSync = (path, ...rest) => {
      mkdirSync(path, ...rest);
      print(path);
      die();
    };
    syncBuiltinESMExports();
    watchedTemporaryFolder();`);

  expect(folder).toMatch(/usurp-cluster-[0-9a-f]{16}$/);
  await until('it is removed', () => !existsSync(folder));
});

it('a program has the process id under which the watchdog kills it', async () => {
  const watchdog = startWatchdog(null);
  const child = watchdog.spawn(['sleep', '600']);
  const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
  // Before that it is a shell, which ends by another signal when the watchdog is closed.
  await until(
    'it is the program',
    () => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n',
  );

  await watchdog.close();

  expect(await ended).toBe('SIGKILL');
});
