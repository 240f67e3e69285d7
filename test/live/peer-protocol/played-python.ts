/**
 * @module
 * The node in Python as a process, for tests, and the reason if this machine has no python3.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../cli/shell.ts';

export const PYTHON_NODE = join(ROOT, 'examples/node.py');

/** Whether python3 is missing. */
export const LACKS_PYTHON = spawnSync('python3', ['--version']).error !== undefined;

/** What a title says of a skipped test. */
export const PYTHON_NOTE = LACKS_PYTHON ? ' (skipped: no python3 here)' : '';

/** Starts a node in Python. */
export function spawnPython(
  args: readonly string[],
  { script = PYTHON_NODE, env = {} }: { readonly script?: string; readonly env?: object } = {},
): ChildProcessWithoutNullStreams {
  return spawn('python3', ['-B', script, ...args], { env: { ...process.env, ...env } });
}
