/**
 * @module
 * `usurp mine` and `usurp verify` as a user meets them.
 */

import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const TOP = 'f'.repeat(64);
/** On one thread: it takes longer to load than these searches take. */
const ONE = ['--threads', '1'];

describe('mine', () => {
  it('finds the same identity under the same seed with any number of threads', async () => {
    const answers = [];
    for (const threads of ['1', '2', '5']) {
      const args = [
        'mine',
        '--c1',
        '6',
        '--c2',
        '5',
        '--seed',
        '3',
        '--threads',
        threads,
        '--json',
      ];
      const { claim, measured, ledger, found } = parsed(await usurp(args));
      const { attempts, hashes, groupOperations } = ledger;
      answers.push({ claim, measured, found, attempts, hashes, groupOperations });
    }

    expect(answers[0]?.found).toBe(true);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('prints exactly the documented members', async () => {
    const answer = parsed(await usurp(['mine', ...ONE, '--c1', '4', '--seed', '1', '--json']));

    expect(Object.keys(answer)).toEqual([
      ...['found', 'goal', 'ending', 'claim', 'measured', 'ledger', 'expectedBits'],
      ...['strategy', 'seed', 'replay'],
    ]);
    expect(Object.keys(answer.claim)).toEqual([
      'scheme',
      'publicKey',
      'nodeId',
      'solution',
      'signature',
    ]);
    expect(Object.keys(answer.ledger)).toEqual([
      'attempts',
      'hashes',
      'groupOperations',
      'cpuSeconds',
      'wallSeconds',
      'overshoot',
    ]);
    expect(answer).toMatchObject({ found: true, strategy: 'siblings', seed: '1' });
  });

  it('ends with 1 when the budget is spent, the ledger exactly at the budget', async () => {
    const printed = await usurp([
      'mine',
      ...ONE,
      '--c1',
      '60',
      '--attempts',
      '40',
      '--seed',
      '1',
      '--json',
    ]);

    expect(printed.code).toBe(1);
    expect(parsed(printed)).toMatchObject({
      found: false,
      claim: null,
      measured: null,
      ledger: { attempts: 40, hashes: 80, overshoot: 0 },
    });
  });

  it('keeps the secret and the drawn seed out of stdout, and in --out with mode 0600', async () => {
    const out = join(scratchFolder(), 'key.json');

    const printed = await usurp(['mine', ...ONE, '--c1', '4', '--out', out, '--json']);

    const key = JSON.parse(readFileSync(out, 'utf8'));
    expect(parsed(printed).seed).toBeNull();
    expect(printed.stdout + printed.stderr).not.toContain(key.secret.hex);
    expect(printed.stdout + printed.stderr).not.toContain(key.seed);
    expect(key.claim).toEqual(parsed(printed).claim);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('warns that an explicit seed is the key', async () => {
    const { stderr } = await usurp(['mine', ...ONE, '--seed', '5', '--json']);

    expect(stderr).toMatch(/seed 5.*lab only/);
  });

  it('leaves an existing file alone before mining, unless forced', async () => {
    const out = join(scratchFolder(), 'key.json');
    writeFileSync(out, 'precious');

    const refused = await usurp(['mine', ...ONE, '--seed', '1', '--out', out]);
    const kept = readFileSync(out, 'utf8');
    const forced = await usurp(['mine', ...ONE, '--seed', '1', '--out', out, '--force']);

    expect(refused).toMatchObject({ code: 254, stdout: '' });
    expect(refused.stderr).toContain('--force');
    expect(kept).toBe('precious');
    expect(forced.code).toBe(0);
    expect(JSON.parse(readFileSync(out, 'utf8')).format).toBe('usurp/key/v1');
  });

  it('refuses a goal that nothing can meet', async () => {
    const printed = await usurp(['mine', ...ONE, '--goal', `above:${TOP}`, '--seed', '1']);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('no node ID can meet');
  });

  it.each(['fresh', 'walk', 'batch', 'siblings'])('mines with --strategy %s', async (strategy) => {
    const args = ['mine', '--c1', '5', '--seed', '1', '--strategy', strategy, '--json', ...ONE];

    const mined = await usurp(args);
    const verdict = await usurp(['verify', '-', '--c1', '5'], mined.stdout);

    expect(parsed(mined).strategy).toBe(strategy);
    expect(verdict.code).toBe(0);
  });

  it('finds 22 bits in seconds', async () => {
    const mined = await usurp(['mine', ...ONE, '--c1', '22', '--seed', '1', '--json']);

    expect(parsed(mined).measured.c1).toBeGreaterThanOrEqual(22);
  });

  it('finds an ID above the one that is named', async () => {
    const bar = `e${'0'.repeat(63)}`;

    const answer = parsed(
      await usurp(['mine', ...ONE, '--goal', `above:${bar}`, '--seed', '1', '--json']),
    );

    expect(answer.claim.nodeId > bar).toBe(true);
  });
});

describe('verify', () => {
  it('takes a claim, what mine printed, and a key file', async () => {
    const folder = scratchFolder();
    const key = join(folder, 'key.json');
    const mined = await usurp(['mine', ...ONE, '--c1', '5', '--seed', '2', '--out', key, '--json']);
    const claim = join(folder, 'claim.json');
    writeFileSync(claim, JSON.stringify(parsed(mined).claim));

    const verdicts = [
      await usurp(['verify', claim, '--c1', '5', '--json']),
      await usurp(['verify', key, '--c1', '5', '--json']),
      await usurp(['verify', '-', '--c1', '5', '--json'], mined.stdout),
    ];

    for (const verdict of verdicts) {
      expect(verdict.code).toBe(0);
      expect(parsed(verdict)).toMatchObject({ valid: true });
    }
  });

  it('says which check failed and by how many bits, and stops there', async () => {
    const mined = await usurp(['mine', ...ONE, '--c1', '3', '--seed', '2', '--json']);
    const { c1 } = parsed(mined).measured;
    const args = ['verify', '-', '--c1', String(c1 + 1), '--json'];

    const verdict = await usurp(args, mined.stdout);
    const whole = await usurp([...args, '--all'], mined.stdout);

    expect(verdict.code).toBe(1);
    expect(parsed(verdict).checks).toMatchObject([
      { check: 'nodeId', ok: true },
      { check: 'static', ok: false, requiredBits: c1 + 1, measuredBits: c1 },
    ]);
    expect(parsed(whole).checks.length).toBeGreaterThan(2);
  });

  it('reads a byte order mark and CRLF', async () => {
    const mined = await usurp(['mine', ...ONE, '--seed', '2', '--json']);
    const text = JSON.stringify(parsed(mined).claim, null, 1).replaceAll('\n', '\r\n');

    const verdict = await usurp(['verify', '-'], `\ufeff${text}`);

    expect(verdict.code).toBe(0);
  });

  it('says that a search which found nothing has no claim', async () => {
    const mined = await usurp([
      'mine',
      ...ONE,
      '--c1',
      '60',
      '--attempts',
      '1',
      '--seed',
      '2',
      '--json',
    ]);

    const verdict = await usurp(['verify', '-'], mined.stdout);

    expect(verdict).toMatchObject({ code: 254, stdout: '' });
    expect(verdict.stderr).toContain('found none');
  });
});
