/**
 * @module
 * The attacks under examples/, each as a user would start it, against a server of its own: won where
 * identities are cheap, refused and without effect where they are dear.
 */

import { execFile, spawnSync } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ended, spawnUsurp } from './shell.ts';

const exec = promisify(execFile);

interface Example {
  readonly file: string;
  /** What executes it, and what else it needs. */
  readonly program: string;
  readonly needs: readonly string[];
}

const EXAMPLES: readonly Example[] = [
  { file: 'attack.sh', program: 'sh', needs: ['curl', 'openssl'] },
  { file: 'attack.py', program: 'python3', needs: ['python3'] },
  { file: 'attack.js', program: process.execPath, needs: [] },
  { file: 'attack.ts', program: process.execPath, needs: [] },
];

/** Programs that are not on this machine; their examples are skipped, and the title says why. */
function missing({ needs }: Example): readonly string[] {
  return needs.filter((name) => spawnSync(name, ['--help']).error !== undefined);
}

const server: { url: string; stop: () => Promise<void> } = {
  url: '',
  stop: () => Promise.resolve(),
};

beforeAll(async () => {
  const child = spawnUsurp(['serve', '--port', '0']);
  const end = ended(child);
  server.url = await new Promise((resolve) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  server.stop = async () => {
    child.kill('SIGTERM');
    await end;
  };
});

afterAll(() => server.stop());

describe('the attacks in other languages', () => {
  for (const example of EXAMPLES) {
    const lacking = missing(example);
    const note = lacking.length === 0 ? '' : ` (skipped: no ${lacking.join(', ')} here)`;

    it.skipIf(lacking.length > 0)(`${example.file} wins, then fails${note}`, async () => {
      const { stdout } = await exec(example.program, [`examples/${example.file}`, server.url]);

      const lines = stdout.trimEnd().split('\n');
      expect(lines).toEqual([
        expect.stringMatching(/^mined [0-9a-f]{16}… above /),
        'joined with rank 6 of 6',
        'won: the honest nodes follow the mined identity',
        expect.stringMatching(
          /^refused.*SHA-256\(nodeId\) begins with \d+ zero bits, 16 are required/,
        ),
        'failed: the honest nodes elected the highest of their own',
      ]);
    });
  }
});
