/**
 * @module
 * Pipes and terminals as input files: they are read until their end, and Ctrl-C ends the wait for them.
 */

import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../live/network.ts';
import { ended, ROOT, scratchFolder, spawnUsurp, usurp } from './shell.ts';

const USURP = join(ROOT, 'bin', 'usurp.js');

function pipe(): string {
  const folder = scratchFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

it.each([
  ['replay', '-'],
  ['replay', 'a pipe'],
  ['verify', 'a pipe'],
  ['cluster', 'trace', 'x.log', '--peers', 'a pipe'],
])('SIGTERM ends the wait of %s for input', async (...words) => {
  const path = pipe();
  const child = spawnUsurp(words.map((word) => (word === 'a pipe' ? path : word)));
  const printed = ended(child);
  if (words.includes('-')) await until('it waits', () => isWaiting(child.pid));
  else await until('it reads', () => hasReader(path));
  child.kill('SIGTERM');

  expect(await printed).toMatchObject({
    code: 130,
    stderr: expect.stringMatching(/^(usurp: )?interrupted.*\n$/),
  });
});

it('a pipe is no key, which a node says at once', async () => {
  const files = ['--identity', pipe(), '--peers', 'peers.json'];
  const printed = await usurp(['node', '--protocol', 'raft', ...files]);

  expect(printed).toMatchObject({ code: 254, stderr: expect.stringContaining('is a pipe') });
});

/** Whether the process sleeps and used no CPU time for a while, as Linux says it; elsewhere after that while. */
async function isWaiting(pid = 0): Promise<boolean> {
  const path = `/proc/${pid}/stat`;
  const use = () => (existsSync(path) ? readFileSync(path, 'utf8').split(' ').slice(2, 15) : []);
  const before = use();
  await delay(1_000);
  const [state = 'S', ...after] = use();
  return state === 'S' && after.at(-1) === before.at(-1) && after.at(-2) === before.at(-2);
}

/** Opens the pipe as a writer that writes nothing, if another process reads it. */
function hasReader(path: string): boolean {
  try {
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    onTestFinished(() => closeSync(writer));
    return true;
  } catch {
    return false;
  }
}

it('the output of another command and /dev/stdin are files, too', () => {
  const line = `
    "$0" "$1" replay <(sleep 0.2; echo no replay) 2>&1
    echo no replay | "$0" "$1" replay /dev/stdin 2>&1`;
  const printed = execFileSync('bash', ['-c', `${line}; true`, process.execPath, USURP], {
    encoding: 'utf8',
  });

  const refusal = (file: string) => expect.stringMatching(new RegExp(`usurp: ${file}.*JSON`));
  expect(printed.trim().split('\n')).toEqual([refusal('/dev/fd/'), refusal('/dev/stdin')]);
});
