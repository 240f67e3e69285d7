/**
 * @module
 * The secret of a course in a file: made once, private, never printed, and the same instances after a restart.
 */

import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

describe('usurp serve --course-secret', () => {
  async function served(...flags: readonly string[]) {
    const child = spawnUsurp(['serve', '--port', '0', ...flags]);
    const end = ended(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    });
    const path = '/v1/exercises/predict-cost/instances';
    const instance = await (await fetch(`${url}${path}`, { method: 'POST' })).text();
    child.kill('SIGTERM');
    return { instance, ...(await end) };
  }

  it('makes a private file, does not print it, and derives the same instances from it', async () => {
    const file = join(scratchFolder(), 'secret');

    const first = await served('--course-secret', file);
    const second = await served('--course-secret', file);
    const other = await served();

    const secret = readFileSync(file, 'utf8').trim();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(second.instance).toBe(first.instance);
    expect(other.instance).not.toBe(first.instance);
    expect(first.stdout + first.stderr).not.toContain(secret);
  });

  it.each([
    ['readable by others', 'ab'.repeat(32), 0o644, /readable by users other than its owner/],
    ['too short', 'ab', 0o600, /64 lower-case hex digits/],
  ])('refuses a file that is %s, without its content', async (_name, text, mode, expected) => {
    const file = join(scratchFolder(), 'secret');
    writeFileSync(file, text);
    chmodSync(file, mode);

    const { code, stderr } = await usurp(['serve', '--port', '0', '--course-secret', file]);

    expect(code).not.toBe(0);
    expect(stderr).toMatch(expected);
    expect(stderr).not.toContain('abab');
  });
});
