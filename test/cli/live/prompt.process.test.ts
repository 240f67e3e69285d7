/**
 * @module
 * The prompt of `usurp cluster up` on a terminal.
 */

import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { ended, ROOT } from '../shell.ts';

const HAS_SCRIPT = spawnSync('script', ['--version']).error === undefined;

/** Types on a terminal: each text when the output contains what it waits for. */
async function typed(steps: readonly (readonly [awaited: string, text: string])[]) {
  const command = `'${process.execPath}' bin/usurp.js cluster up --protocol raft --nodes 2`;
  const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: ROOT });
  let [printed, at] = ['', 0];
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    const [awaited, text] = steps[at] ?? [];
    if (awaited === undefined || !printed.includes(awaited)) return;
    printed = '';
    at += 1;
    child.stdin.write(text);
  });
  const { code, stdout } = await ended(child);
  return { code, text: stdout };
}

describe.skipIf(!HAS_SCRIPT)('a key on a terminal', () => {
  it.each([
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 0],
  ])(
    '%s stops the nodes at the prompt, and their logs are checked; Ctrl-C first ends the command that runs',
    async (_key, key, exit) => {
      const { code, text } = await typed([
        ['down, or the end of stdin', 'wait\n'],
        ['leader', 'quit\n'],
        ['down stops the nodes', 'sleep 60s\n'],
        ['sleep 60s goes on; Ctrl-C ends it, and not the cluster', '\u0003'],
        ['sleep 60s was ended; the cluster goes on', 'status\n'],
        ['1 follows', key],
      ]);

      expect(text).toMatch(/The model takes all \d+ steps\r\nat the end node 1 follows/);
      expect(code).toBe(exit);
    },
  );
});
