/**
 * @module
 * The server that is put under load: `usurp serve` as a process of its own, with a token for each caller,
 * and what it says of itself: its metrics, and its memory when all garbage is collected.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { Testimony } from './memory-witness.ts';

/** Somebody with a token. */
export interface Caller {
  readonly name: string;
  readonly token: string;
}

export interface ServerUnderLoad {
  readonly url: string;
  /** One sample of the metrics, summed over its labels. */
  metric(name: string): Promise<number>;
  testify(): Promise<Testimony>;
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly callers: readonly Caller[];
  /** Whether all that lasts is kept in a file. */
  readonly isStored: boolean;
  /** A folder that gets a profile of the server's processor time when it ends. */
  readonly profile: string | null;
}

const OPERATOR: Caller = { name: 'operator', token: 'token-of-the-operator' };

/** Starts the server; resolves when it is ready. */
export async function serveUnderLoad(options: ServerOptions): Promise<ServerUnderLoad> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-load-'));
  const child = spawnServer(folder, options);
  const exit = once(child, 'exit');
  const { stdout } = child;
  if (stdout === null) throw new TypeError('"stdout" expected a pipe, got null');
  const [line]: readonly unknown[] = await Promise.race([
    once(createInterface(stdout), 'line'),
    exit.then(() => []),
  ]);
  if (typeof line !== 'string') throw new Error('the server ended before it listened');
  const close = async () => {
    child.kill();
    await exit;
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url: line,
    metric: (name) => metricOf(line, name),
    testify: () => testimonyOf(child),
    close,
  };
}

function spawnServer(folder: string, { callers, isStored, profile }: ServerOptions): ChildProcess {
  const tokens = join(folder, 'tokens');
  const roles = [
    ['operator', OPERATOR] as const,
    ...callers.map((each) => ['student', each] as const),
  ];
  const lines = roles.map(([role, { name, token }]) => `${role} ${name} ${token}\n`);
  writeFileSync(tokens, lines.join(''), { mode: 0o600 });
  const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  return spawn(
    process.execPath,
    [
      ...['--import', here('./memory-witness.ts')],
      ...(profile === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profile]),
      ...[here('../../src/cli/usurp.ts'), 'serve', '--port', '0', '--token-file', tokens],
      ...(isStored ? ['--data', join(folder, 'lab.db')] : []),
    ],
    { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
}

async function metricOf(url: string, name: string): Promise<number> {
  const headers = { authorization: `Bearer ${OPERATOR.token}` };
  const text = await (await fetch(`${url}/metrics`, { headers })).text();
  let sum = 0;
  for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))) {
    sum += Number(value);
  }
  return sum;
}

async function testimonyOf(child: ChildProcess): Promise<Testimony> {
  const answer = once(child, 'message');
  child.send('testify');
  const [testimony] = await answer;
  return testimony;
}
