/**
 * @module
 * Goals, strategies and policies of `usurp mine` as a user meets them: what is found is what was asked
 * for, and what cannot be is refused with what would be right.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const ID = (digits: string) => digits.repeat(64 / digits.length);

/** On one thread, unless told otherwise: they take longer to load than these searches take. */
function mine(...args: readonly string[]) {
  const threads = args.includes('--threads') ? [] : ['--threads', '1'];
  return usurp(['mine', '--seed', '1', '--json', ...threads, ...args]);
}

function listOf(...ids: readonly string[]): string {
  const file = join(scratchFolder(), 'ids.txt');
  writeFileSync(file, `# honest\n${ids.join('\n')}\n`);
  return file;
}

describe('goals', () => {
  it('top passes the highest of a list', async () => {
    const list = listOf(ID('3'), ID('d'), ID('7'));

    const { claim } = parsed(await mine('--goal', 'top', '--against', list));

    expect(claim.nodeId > ID('d')).toBe(true);
  });

  it('top under the rule of Yggdrasil goes below the lowest', async () => {
    const list = listOf(ID('3'), ID('d'));

    const { claim } = parsed(
      await mine('--policy', 'yggdrasil', '--goal', 'top', '--against', list),
    );

    expect(claim.nodeId < ID('3')).toBe(true);
  });

  it('top is refused if an ID of the list already ranks highest', async () => {
    const list = listOf('00'.repeat(32), '01'.repeat(32));

    const refused = await mine('--policy', 'yggdrasil', '--goal', 'top', '--against', list);

    expect(refused.code).toBe(254);
    expect(refused.stderr).toContain('it has the ID that ranks highest of all');
  });

  it('between finds an ID in an interval of the ring, also across its top', async () => {
    const inside = parsed(await mine('--goal', `between:${ID('4')}:${ID('5')}`));
    const around = parsed(await mine('--goal', `between:${ID('e')}:${ID('1')}`));

    expect(inside.claim.nodeId > ID('4') && inside.claim.nodeId < ID('5')).toBe(true);
    expect(around.claim.nodeId > ID('e') || around.claim.nodeId < ID('1')).toBe(true);
  });

  it('near takes the closest within the budget, with any number of threads', async () => {
    const args = ['--goal', `near:${ID('ab')}`, '--attempts', '30000', '--c1', '2'];

    const answers = [
      parsed(await mine(...args, '--threads', '1')),
      parsed(await mine(...args, '--threads', '2')),
    ];

    expect(answers[0].claim.nodeId.slice(0, 2)).toBe('ab');
    expect(answers[1].claim).toEqual(answers[0].claim);
    expect(answers[0].ledger.attempts).toBe(30_000);
  });

  it('near against a list stops at the first that is closer than all of it', async () => {
    const list = listOf(ID('a0'), ID('12'));

    const { claim, ledger } = parsed(await mine('--goal', `near:${ID('ab')}`, '--against', list));

    const distance = (id: string) => BigInt(`0x${id}`) ^ BigInt(`0x${ID('ab')}`);
    expect(distance(claim.nodeId) < distance(ID('a0'))).toBe(true);
    expect(ledger.attempts).toBeLessThan(10_000);
  });

  it('count makes this number of identities, each with its own solution', async () => {
    const out = join(scratchFolder(), 'keys.json');

    const { claims, claim, found } = parsed(
      await mine('--goal', 'count:5', '--c1', '5', '--c2', '4', '--out', out),
    );

    expect(found).toBe(true);
    expect(claims[0]).toEqual(claim);
    expect(new Set(claims.map(({ nodeId }: { nodeId: string }) => nodeId)).size).toBe(5);
    for (const each of claims) {
      const verdict = await usurp(['verify', '-', '--c1', '5', '--c2', '4'], JSON.stringify(each));
      expect(verdict.code).toBe(0);
    }
  });

  it('count counts IDs and not keys, where IDs are short', async () => {
    const { claims, ledger } = parsed(await mine('--id-bits', '16', '--goal', 'count:300'));

    expect(new Set(claims.map(({ nodeId }: { nodeId: string }) => nodeId)).size).toBe(300);
    expect(ledger.attempts).toBeGreaterThan(300);
  });

  it('count keeps what a budget left unfinished', async () => {
    const printed = await mine('--goal', 'count:1000', '--c1', '8', '--attempts', '2000');

    expect(printed.code).toBe(1);
    const { claims, found, ledger } = parsed(printed);
    expect(found).toBe(false);
    expect(claims.length).toBeGreaterThan(0);
    expect(ledger.attempts).toBe(2000);
  });

  it.each([
    [['--goal', 'top'], '--against: is missing: it must name the node IDs that top must pass'],
    [['--goal', `above:${ID('f')}`], 'no node ID can meet'],
    [['--goal', `between:${ID('4')}:${ID('4').slice(0, 63)}5`], 'no node ID can meet'],
    [['--goal', 'above:ff'], '--goal must be any, top'],
    [['--goal', 'above:ffff'], 'is about IDs of 2 bytes, those of this policy have 32'],
    [['--goal', `above:${ID('A')}`], 'lower-case hex'],
    [['--goal', 'count:0'], 'k a whole number in 1..'],
    [
      ['--goal', `near:${ID('a')}`, '--c2', '4'],
      '--attempts: is missing: near with a dynamic puzzle needs it',
    ],
    [['--goal', 'any', '--against', '/dev/null'], 'empty'],
    [['--policy', 'yggdrasil', '--c1', '4', '--goal', `above:${ID('f0')}`], 'no node ID can meet'],
    [
      ['--policy', 'storj', '--c1', '9', '--goal', `above:${ID('f').slice(0, 61)}e00`],
      'no node ID can meet',
    ],
  ])('%s is refused', async (args, message) => {
    const printed = await mine(...args);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(message);
  });
});

describe('strategies', () => {
  it('amortised-xor solves the published puzzle once for all', async () => {
    const args = ['--goal', 'count:8', '--c1', '4', '--c2', '10', '--dynamic', 'xor'];

    const amortised = parsed(await mine(...args));
    const honest = parsed(await mine(...args, '--dynamic-strategy', 'dynamic'));

    const shared = amortised.claims.map(({ nodeId, solution }: Record<string, string>) =>
      (BigInt(`0x${nodeId}`) ^ BigInt(`0x${solution}`)).toString(16),
    );
    expect(new Set(shared).size).toBe(1);
    expect(amortised.ledger.hashes).toBeLessThan(honest.ledger.hashes);
    for (const each of [...amortised.claims, ...honest.claims]) {
      const policy = ['--c1', '4', '--c2', '10', '--dynamic', 'xor'];
      expect((await usurp(['verify', '-', ...policy], JSON.stringify(each))).code).toBe(0);
    }
  });

  it('stockpile needs about 2^c1 tests after the salt is known', async () => {
    const { claim, ledger } = parsed(
      await mine('--strategy', 'stockpile', '--stockpile', '20000', '--salted', '--c1', '6'),
    );

    expect(claim.nodeId.slice(0, 2) > 'f0').toBe(true);
    expect(ledger.attempts).toBeLessThan(1300);
  });

  it.each([
    ['below all, where the smallest leads', ['--policy', 'yggdrasil'], /^000/],
    ['the upper end of an interval', ['--goal', `between:${ID('0')}:${ID('1')}`], /^1[01]/],
    ['the closest', ['--goal', `near:${ID('3')}`], /^333/],
    ['the highest of short IDs', ['--policy', 'sha1'], /^f/],
  ])('stockpile keeps %s', async (_name, args, expected) => {
    const stock = ['--strategy', 'stockpile', '--stockpile', '20000', '--c1', '4'];

    const { claim } = parsed(await mine(...stock, ...args));

    expect(claim.nodeId).toMatch(expected);
  });

  it('siblings are no second candidate where the ID is the key', async () => {
    const { claims } = parsed(
      await mine('--policy', 'yggdrasil', '--c1', '6', '--goal', 'count:20'),
    );

    const heads = claims.map(({ nodeId }: { nodeId: string }) => nodeId.slice(0, 60));
    expect(new Set(heads).size).toBe(20);
  });

  it.each([
    [['--stockpile', '100'], '--stockpile: requires the strategy stockpile'],
    [['--dynamic-strategy', 'amortised-xor'], 'amortised-xor breaks the xor form'],
    [['--strategy', 'amortised-xor'], 'must be one of fresh'],
    [['--strategy', 'quantum'], 'must be one of fresh'],
  ])('%s is refused', async (args, message) => {
    const printed = await mine(...args, '--c2', '4');

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(message);
  });
});

describe('policies', () => {
  it.each([
    ['xor-dynamic', ['--c2', '6']],
    ['unhashed-xor', []],
    ['version-byte', ['--c1', '14']],
    ['truncated-id', []],
    ['small-order', ['--c1', '4']],
    ['torsion', []],
    ['sha1', ['--c1', '6']],
    ['salted', ['--c1', '6']],
    ['iterated', ['--c1', '3']],
    ['scrypt', ['--c1', '1']],
    ['argon2id', ['--c1', '1']],
    ['storj', ['--c1', '14']],
    ['yggdrasil', ['--c1', '8']],
  ])('%s: what is mined is admitted', async (name, more) => {
    const mined = await mine('--policy', name, ...more);

    const verdict = await usurp(['verify', '-', '--policy', name, ...more], mined.stdout);

    expect(parsed(mined).found).toBe(true);
    expect(verdict.code).toBe(0);
  });

  it('are listed with what they cost', async () => {
    const list = parsed(await usurp(['mine', '--list', '--json']));
    const table = await usurp(['mine', '--list']);

    const storj = list.policies.find(({ name }: { name: string }) => name === 'storj');
    expect(storj).toMatchObject({ nominal: { c1: 36 }, real: { c1: 28 } });
    expect(list.strategies.map(({ name }: { name: string }) => name)).toContain('stockpile');
    expect(table.stdout).toContain('FLAW: the version byte counts');
  });
});
