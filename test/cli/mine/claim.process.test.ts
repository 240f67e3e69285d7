/**
 * @module
 * `usurp claim` makes the claims of a key file again. `usurp verify` admits them under the new policy and no other.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import { KEY_FILE_BYTES_MAX } from '../../../src/runtime/files/key-file.ts';
import { scratchFolder, usurp } from '../shell.ts';

const folder = scratchFolder();
const ONE = join(folder, 'key.json');
const SEVERAL = join(folder, 'keys.json');
const SECP256K1 = join(folder, 'secp256k1.json');
const NONCE = 'ab'.repeat(32);

beforeAll(async () => {
  await usurp(['mine', '--c1', '4', '--seed', '5', '--out', ONE, '--quiet']);
  const several = ['--goal', 'count:3', '--strategy', 'fresh'];
  await usurp(['mine', '--c1', '4', '--seed', '6', ...several, '--out', SEVERAL, '--quiet']);
  const scheme = ['--scheme', 'secp256k1'];
  await usurp(['mine', '--c1', '2', '--seed', '7', ...scheme, '--out', SECP256K1, '--quiet']);
});

const claim = (...args: string[]) => usurp(['claim', ...args]);
const verify = (stdin: string, ...args: string[]) =>
  usurp(['verify', '-', '--quiet', ...args], stdin);

describe('usurp claim', () => {
  it.each([
    ['another epoch', ['--epoch', '7']],
    ['another context', ['--context', 'other-network']],
    ['a dynamic puzzle, which is solved', ['--c2', '10']],
    ['a dynamic puzzle of another form', ['--c2', '6', '--dynamic', 'xor']],
    ['a slow puzzle', ['--c1', '0', '--c2', '3', '--puzzle', 'iterated:10']],
    ['a nonce', ['--nonce', NONCE]],
  ])('makes a claim for %s, and for this alone', async (_, flags) => {
    const made = await claim(ONE, ...flags);

    expect(made.code).toBe(0);
    expect(await verify(made.stdout, '--c1', '4', ...flags)).toMatchObject({ code: 0 });
    if (!flags.includes('--c2')) {
      expect(await verify(made.stdout, '--c1', '4')).toMatchObject({ code: 1 });
    }
  });

  it('makes the claims of several keys, and writes a key file that it reads again', async () => {
    const out = join(folder, 'again.json');

    const made = await claim(SEVERAL, '--context', 'other', '--c2', '5', '--out', out);
    const again = await claim(out);

    expect(made.stdout.trim().split('\n')).toHaveLength(3);
    expect(again.stdout).toBe(made.stdout);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(out, 'utf8')).format).toBe('usurp/keys/v1');
    const args = ['--c1', '4', '--c2', '5', '--context', 'other', '--goal', 'count:3'];
    expect(await usurp(['verify', out, ...args])).toMatchObject({ code: 0 });
  });

  it('prints a claim that the policy refuses, and why', async () => {
    const made = await claim(ONE, '--c1', '60', '--json');

    expect(made.code).toBe(1);
    expect(JSON.parse(made.stdout)).toMatchObject({ valid: false, claims: [{}] });
    expect(made.stderr).toMatch(/refuses the claim: pow\.insufficient/);
  });

  it('names each refused claim of several by its number and node ID', async () => {
    const made = await claim(SEVERAL, '--c1', '60', '--json');

    const { claims } = JSON.parse(made.stdout);
    for (const [index, { nodeId }] of claims.entries()) {
      expect(made.stderr).toContain(`refuses claim ${index + 1} of 3, node ID ${nodeId}: pow`);
    }
  });

  it('keeps the claims that were made before an interruption', async () => {
    const out = join(folder, 'kept.json');
    const { signal } = new AbortController();
    let asked = 0;
    Object.defineProperty(signal, 'aborted', { get: () => ++asked > 2 });

    const made = await usurp(['claim', SEVERAL, '--epoch', '2', '--out', out], '', signal);

    expect(made.code).toBe(130);
    expect(made.stderr).toContain('interrupted: 2 of 3 claims were made');
    expect(await verify(made.stdout, '--c1', '4', '--epoch', '2')).toMatchObject({
      code: 0,
      stdout: 'valid: all 2 claims\n',
    });
    expect(JSON.parse(readFileSync(out, 'utf8')).keys).toHaveLength(2);
  });

  it('reads a file with as many keys as a search can find', async () => {
    const text = readFileSync(ONE, 'utf8');
    const largest = text + ' '.repeat(KEY_FILE_BYTES_MAX - text.length);

    expect(await usurp(['claim', '-'], largest)).toMatchObject({ code: 0 });
    expect(await usurp(['claim', '-'], `${largest} `)).toMatchObject({
      code: 254,
      stderr: expect.stringContaining('larger than'),
    });
  });

  it('claims with a key of secp256k1', async () => {
    const made = await claim(SECP256K1, '--epoch', '1');

    expect(await verify(made.stdout, '--c1', '2', '--epoch', '1')).toMatchObject({ code: 0 });
  });
});

describe('usurp claim for keys that no honest node has', () => {
  it.each(['1', '4', '7'])(
    'claims the sibling of a key with the torsion point %s',
    async (index) => {
      for (const file of [ONE, SEVERAL]) {
        const made = await claim(file, '--policy', 'torsion', '--c1', '0', '--torsion', index);

        expect(made.code).toBe(0);
        const weak = await verify(made.stdout, '--policy', 'torsion', '--c1', '0');
        const strict = await verify(made.stdout);
        expect([weak.code, strict.code]).toEqual([0, 1]);
        expect(strict.stdout).toMatch('key.not_torsion_free');
      }
    },
  );

  it.each(['0', '1', '2', '3', '4', '5', '6', '7'])(
    'claims the point of small order %s',
    async (index) => {
      const made = await claim('--small-order', index, '--policy', 'small-order', '--c1', '0');

      expect(made.code).toBe(0);
      expect(await verify(made.stdout, '--policy', 'small-order', '--c1', '0')).toMatchObject({
        code: 0,
      });
      expect((await verify(made.stdout)).stdout).toMatch('key.small_order');
    },
  );
});

describe('usurp claim refuses', () => {
  it.each([
    ['no file', [], /name a key file/],
    ['a file with --small-order', [ONE, '--small-order', '1'], /needs no secret/],
    ['a nonce of another length', [ONE, '--nonce', 'ab'], /32 bytes in lower-case hex/],
    ['torsion of secp256k1', [SECP256K1, '--torsion', '1'], /keys of ed25519/],
    [
      'a key that the ID rule has no IDs for',
      [SECP256K1, '--policy', 'yggdrasil'],
      /must be ed25519/,
    ],
    ['an --out that exists', [ONE, '--out', SEVERAL], /exists/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await claim(...args);

    expect({ code, stdout }).toEqual({ code: 254, stdout: '' });
    expect(stderr).toMatch(message);
  });

  it.each([
    ['a claim without its secret', (text: string) => text.replace(/"secret"/, '"note"'), /secret/],
    [
      'a secret of another key',
      (text: string) => text.replace(/"hex": "../, '"hex": "ff'),
      /is not that of/,
    ],
    [
      'another format',
      (text: string) => text.replace('usurp/key/v1', 'usurp/key/v2'),
      /mine --out/,
    ],
    ['no JSON', () => 'found  yes', /not JSON/],
    [
      'a file without a policy',
      (text: string) => text.replace('"policy"', '"rules"'),
      /: \/policy must be an object$/m,
    ],
  ])('%s', async (_, change, message) => {
    const { code, stderr } = await usurp(['claim', '-'], change(readFileSync(ONE, 'utf8')));

    expect(code).toBe(254);
    expect(stderr).toMatch(message);
  });
});
