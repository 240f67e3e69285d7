/**
 * @module
 * `usurp verify` reads everything that `mine` writes, names each invalid claim, and checks the goal of the search.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';

import type { ClaimJson } from '../../../src/identity/claim.ts';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const folder = scratchFolder();
const FILE = join(folder, 'keys.json');
const HONEST = join(folder, 'honest.txt');
let mined: { readonly claim: ClaimJson; readonly claims: readonly ClaimJson[] };

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  const args = ['mine', '--c1', '4', '--c2', '3', '--goal', 'count:3', '--seed', '5', '--json'];
  mined = parsed(await usurp([...args, '--out', FILE]));
  writeFileSync(HONEST, `${'40'.repeat(32)}\n${'20'.repeat(32)}\n`);
});

/** The claim with another solution: one bit of its work is missing. */
function unsolved(claim: ClaimJson | undefined): ClaimJson {
  if (claim === undefined) throw new Error('expected three claims');
  return { ...claim, solution: 'ffffffffffffffff' };
}

const verify = (document: unknown, ...args: string[]) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return usurp(['verify', '-', '--c1', '4', '--c2', '3', ...args], text);
};

describe('several claims', () => {
  it('are valid as mine prints and writes them', async () => {
    const fromFile = await usurp(['verify', FILE, '--c1', '4', '--c2', '3']);

    expect(await verify(mined)).toMatchObject({ code: 0, stdout: 'valid: all 3 claims\n' });
    expect(fromFile).toMatchObject({ code: 0, stdout: 'valid: all 3 claims\n' });
  });

  it.each<[string, (claims: readonly unknown[]) => unknown]>([
    ['the answer of mine', (claims) => ({ ...mined, claims })],
    ['an array', (claims) => claims],
    ['an indented array', (claims) => JSON.stringify(claims, null, 2)],
    ['JSON lines', (claims) => claims.map((claim) => JSON.stringify(claim)).join('\n')],
    [
      'JSON lines of answers',
      (claims) =>
        claims.map((claim) => JSON.stringify({ found: true, claim, seed: '1' })).join('\r\n'),
    ],
    ['keys', (claims) => ({ format: 'usurp/keys/v1', keys: claims.map((claim) => ({ claim })) })],
    ['identities', (claims) => ({ ledger: { x: 1 }, identities: claims })],
    ['identities with claims', (claims) => ({ identities: claims.map((claim) => ({ claim })) })],
  ])('name the unsolved third one in %s', async (_form, documentOf) => {
    const [first, second, third] = mined.claims;

    const printed = await verify(documentOf([first, second, unsolved(third)]));

    expect(printed.code).toBe(1);
    expect(printed.stdout).toMatch(
      new RegExp(
        `^claim 3  ${third?.nodeId}  dynamic  REFUSED  \\d+ bits?, 3 required  pow.insufficient: .*\\n` +
          'invalid: 1 of 3 claims\\n$',
      ),
    );
  });

  it('are counted and named in JSON', async () => {
    const [first, second, third] = mined.claims;

    const printed = await verify([unsolved(first), second, unsolved(third)], '--json');

    const refused = (number: number, nodeId: string | undefined) => ({
      ...{ number, nodeId },
      checks: [
        { check: 'nodeId', ok: true },
        { check: 'static', ok: true, requiredBits: 4, measuredBits: expect.any(Number) },
        { check: 'dynamic', ok: false, requiredBits: 3, code: 'pow.insufficient' },
      ].map((check) => expect.objectContaining(check)),
    });
    expect(printed.code).toBe(1);
    expect(parsed(printed)).toEqual({
      refused: [refused(1, first?.nodeId), refused(3, third?.nodeId)],
      ...{ claims: 3, invalid: 2, valid: false },
    });
  });

  it('are not mistaken for one if the first differs from the single one', async () => {
    const printed = await verify({ ...mined, claim: unsolved(mined.claim) });

    expect(printed).toMatchObject({ code: 1 });
    expect(printed.stdout).toContain('invalid: 1 of 4 claims');
  });

  it.each([
    [['{"a":1}'], 'stdin: this is not a claim'],
    [['{}', '{"a":1}'], 'stdin: claim 2: this is not a claim'],
    [['{}', '{"scheme'], 'stdin: line 2'],
    [['[]'], 'it holds no claim'],
    [
      ['found             yes'],
      'this is the table of usurp mine; print JSON with usurp mine --json',
    ],
  ])('are refused with the number of the one that is none: %j', async (lines, problem) => {
    const text = lines.map((line) => (line === '{}' ? JSON.stringify(mined.claim) : line));

    const printed = await verify(text.join('\n'));

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(problem);
  });

  it('may be bare lines of a real network', async () => {
    const line = '12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3S';

    const printed = await usurp(
      ['verify', '-', '--policy', 'storj', '--c1', '31'],
      `${line}\n${line}\n`,
    );

    expect(printed.code).toBe(1);
    expect(printed.stdout).toContain('claim 2  a28b4f04');
    expect(printed.stdout).toContain('30 bits, 31 required');
  });
});

describe('an object that contains claims', () => {
  const broken = () => ({ ...mined.claim, signature: '00'.repeat(64) });

  it.each<[string, () => unknown, string]>([
    ['claims in a claim', () => ({ ...broken(), claims: [mined.claim] }), 'scheme of a claim'],
    ['a claim after claims', () => ({ claims: [mined.claim], ...broken() }), 'scheme of a claim'],
    ['a claim in a claim', () => ({ ...broken(), claim: mined.claim }), 'scheme of a claim'],
    [
      'a mistyped member',
      () => ({ claim: mined.claim, claimz: [mined.claim, broken()] }),
      '"claimz" is no member of what mine, claim or HTTP gives; did you mean claim?',
    ],
    [
      'a mistyped member in front',
      () => ({ claimz: [broken()], claim: mined.claim }),
      '"claimz" is no member',
    ],
    [
      'a member that mine does not have',
      () => ({ claim: mined.claim, extra: broken() }),
      '"extra" is no member of what mine, claim or HTTP gives; claims are in claim, claims, keys, identities',
    ],
    [
      'a mistyped member of a key',
      () => ({ keys: [{ claim: mined.claim, secrt: broken() }] }),
      '"secrt" is no member of what mine, claim or HTTP gives; did you mean secret?',
    ],
    ['empty claims', () => ({ claim: mined.claim, claims: [] }), 'claims is empty'],
    ['empty claims in front', () => ({ claims: [], claim: mined.claim }), 'claims is empty'],
    ['empty keys', () => ({ claims: [mined.claim], keys: [] }), 'keys is empty'],
  ])('is refused with %s', async (_what, documentOf, problem) => {
    const printed = await verify(documentOf());

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(problem);
  });

  it.each<[string, readonly string[]]>([
    ['usurp mine --json', ['mine', '--c1', '4', '--c2', '3', '--json']],
    [
      'usurp mine --json of several',
      ['mine', '--c1', '4', '--c2', '3', '--goal', 'count:2', '--json'],
    ],
    ['usurp claim', ['claim', FILE]],
    ['usurp claim --json', ['claim', FILE, '--json']],
  ])('is accepted as %s prints it', async (_what, args) => {
    const { stdout } = await usurp([...args, '--quiet']);

    expect(await verify(stdout)).toMatchObject({ code: 0 });
  });

  it.each([
    ['one key', []],
    ['several keys', ['--goal', 'count:2']],
  ])('is accepted as a key file of %s', async (what, goal) => {
    const file = join(folder, `${what}.json`);
    await usurp(['mine', '--c1', '4', '--c2', '3', ...goal, '--quiet', '--out', file]);

    expect(await usurp(['verify', file, '--c1', '4', '--c2', '3'])).toMatchObject({ code: 0 });
  });

  it('is accepted as the result of a forgery over HTTP', async () => {
    const { claim, claims } = mined;
    const result = { found: true, ending: 'found', claim, measured: { c1: 4, c2: 3 }, ledger: {} };

    expect(await verify(result)).toMatchObject({ code: 0 });
    expect(await verify({ ...result, claims })).toMatchObject({ code: 0 });
  });

  it('holds no claim if the search found none', async () => {
    const printed = await verify({ found: false, claim: null, claims: [] });

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('the search that wrote it found none');
  });
});

describe('--goal', () => {
  it.each([
    ['count:3', 0],
    ['count:4', 1],
    ['any', 0],
  ])('%s of three claims: exit %d', async (goal, code) => {
    expect(await verify(mined, '--goal', goal)).toMatchObject({ code });
  });

  it('count needs different node IDs', async () => {
    const [first] = mined.claims;

    const printed = await verify([first, first, first], '--goal', 'count:2', '--json');

    expect(printed.code).toBe(1);
    expect(parsed(printed)).toEqual({
      ...{ refused: [], claims: 3, invalid: 0, valid: false },
      goal: { identities: 2, found: 1 },
    });
  });

  it.each([
    [`above:${'00'.repeat(32)}`, 0],
    [`above:${'ff'.repeat(32)}`, 1],
    [`between:${'00'.repeat(32)}:${'ff'.repeat(32)}`, 0],
    [`between:${'00'.repeat(32)}:${'00'.repeat(31)}01`, 1],
  ])('%.20s…: exit %d', async (goal, code) => {
    const printed = await verify(mined.claim, '--goal', goal, '--json');

    expect(printed.code).toBe(code);
    expect(parsed(printed).checks.at(-1)).toMatchObject({ check: 'goal', ok: code === 0 });
  });

  it('top is above all IDs of --against', async () => {
    const mine = [
      'mine',
      '--c1',
      '2',
      '--goal',
      'top',
      '--against',
      HONEST,
      '--seed',
      '1',
      '--json',
    ];
    const top = (await usurp(mine)).stdout;
    const goal = ['--c1', '2', '--goal', 'top', '--against'];
    const higher = join(folder, 'higher.txt');
    writeFileSync(higher, 'ff'.repeat(32));

    const reached = await usurp(['verify', '-', ...goal, HONEST], top);
    const missed = await usurp(['verify', '-', ...goal, higher], top);

    expect(reached.code).toBe(0);
    expect(missed.code).toBe(1);
    expect(missed.stdout).toContain('invalid: goal.missed');
    expect(missed.stdout).toContain('the node ID is not above all of --against');
  });

  it('near is closer than all IDs of --against', async () => {
    const near = `near:${'30'.repeat(32)}`;
    const { nodeId } = mined.claim;
    const far = join(folder, 'far.txt');
    const close = join(folder, 'close.txt');
    writeFileSync(
      far,
      nodeId.replace(/^./, (digit) => (Number.parseInt(digit, 16) ^ 8).toString(16)),
    );
    writeFileSync(close, '30'.repeat(32));

    const missed = await verify(mined.claim, '--goal', near, '--against', close);
    const reached = await verify(mined.claim, '--goal', `near:${nodeId}`, '--against', far);
    const alone = await verify(mined.claim, '--goal', near);

    expect([missed.code, reached.code, alone.code]).toEqual([1, 0, 254]);
    expect(missed.stdout).toContain('not closer than all of --against');
    expect(alone.stderr).toContain('--against');
  });

  it.each([
    [['--goal', 'top'], '--against: is missing: it must name the node IDs that top must pass'],
    [['--against', HONEST], '--against: requires the goal top or near, not any'],
    [['--goal', 'highest'], 'expected any, top'],
  ])('%j is refused', async (args, problem) => {
    const printed = await verify(mined.claim, ...args);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(problem);
  });
});

describe('many claims', () => {
  it('are read in bounded memory, and an interruption keeps what was checked', async () => {
    const interruption = new AbortController();
    const line = `${JSON.stringify(mined.claim)}\n`;
    // 100 000 claims of 450 bytes, far more than one file may otherwise have.
    function* claimsSent() {
      for (let part = 0; part < 1000; part += 1) {
        if (part === 100) interruption.abort();
        yield Buffer.from(line.repeat(100));
      }
    }

    const printed = await usurp(
      ['verify', '-', '--c1', '30', '--json', '--quiet'],
      claimsSent(),
      interruption.signal,
    );

    const { claims, invalid, refused } = parsed(printed);
    expect(printed.code).toBe(130);
    expect(claims).toBeGreaterThan(10);
    expect([invalid, refused.length]).toEqual([claims, claims]);
  });
});
