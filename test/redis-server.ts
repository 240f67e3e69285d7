/**
 * @module
 * A Redis of the test's own: on a free port of this machine, in memory or with its log in a folder of
 * its own, and stopped when the test is over.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

export interface RedisServer {
  readonly url: string;
  /** Starts it again on the same port, with what its log holds. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it for good and removes its log. */
  close(): Promise<void>;
}

/** Debian's package has the same name. */
const PROGRAM = 'redis-server';

/** Whether the program is installed; tests that need it are skipped with a notice where it is not. */
export const HAS_REDIS = spawnSync(PROGRAM, ['--version']).status === 0;
if (!HAS_REDIS) process.stderr.write(`${PROGRAM} is not installed: its tests are skipped\n`);

/** Starts one; `log` keeps every write (appendonly), so that a restart loses nothing. */
export async function startRedis({ log }: { readonly log: boolean }): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'usurp-redis-'));
  let child: ChildProcess | null = null;
  const persistence = log ? ['--appendonly', 'yes', '--appendfsync', 'always'] : [];
  const start = async () => {
    const location = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
    child = spawn(PROGRAM, [...location, '--save', '', ...persistence], { stdio: 'ignore' });
    await answering(port);
  };
  const stop = async () => {
    if (child === null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    child = null;
  };
  await start();
  const close = async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, start, stop, close };
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new TypeError('no port');
  return address.port;
}

async function answering(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
  throw new Error(`redis-server does not answer on port ${port}`);
}
