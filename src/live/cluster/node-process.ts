/**
 * @module
 * The process of a node.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../../bin/usurp.js', import.meta.url));
/** A node works little at a time, so that one thread of V8 and one arena of malloc (glibc) suffice. Others take memory. */
const ONE_THREAD = '--v8-pool-size=1';

/** Runs usurp with these arguments. The words `before` are those of a program that starts it elsewhere. */
export function spawnNode(
  before: readonly string[],
  run: readonly string[],
): ChildProcessWithoutNullStreams {
  const [program = '', ...args] = [...before, process.execPath, ONE_THREAD, PROGRAM, ...run];
  // In a session of its own, so that Ctrl-C in a terminal reaches the controller alone.
  const child = spawn(program, args, {
    ...{ detached: true, stdio: 'pipe' },
    env: { ...process.env, MALLOC_ARENA_MAX: '1' },
  });
  // A node that has ended takes no more commands.
  child.stdin.on('error', () => undefined);
  return child;
}
