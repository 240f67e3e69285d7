/**
 * @module
 * Ledger files of `usurp mine`: a search that ended early goes on where it was, whatever ended it, and
 * a file that is no ledger is refused and left as it is.
 */

import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ended, interruptAt, parsed, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

/** On one thread: it takes longer to load than this search takes. */
const SEARCH = ['mine', '--c1', '16', '--c2', '12', '--seed', '8', '--threads', '1'];

function ledgerFile(): string {
  return join(scratchFolder(), 'search.json');
}

function deterministic({ claim, ledger }: ReturnType<typeof parsed>) {
  const { attempts, hashes, groupOperations } = ledger;
  return { claim, attempts, hashes, groupOperations };
}

describe('a resumed search', () => {
  let whole: ReturnType<typeof parsed>;
  beforeAll(async () => {
    whole = parsed(await usurp([...SEARCH, '--json']));
  });

  it.each(['1', '2', '5'])('with %s threads ends like an undisturbed one', async (threads) => {
    const file = ledgerFile();
    const first = await usurp([...SEARCH, '--attempts', '5000', '--ledger', file, '--json']);

    const resumed = await usurp(['mine', '--resume', file, '--threads', threads, '--json']);

    expect(first.code).toBe(1);
    expect(resumed.code).toBe(0);
    expect(deterministic(parsed(resumed))).toEqual(deterministic(whole));
    expect(parsed(resumed).ledger.cpuSeconds).toBeGreaterThan(parsed(first).ledger.cpuSeconds);
    expect(parsed(first).seed).toBe('8');
    expect(parsed(resumed).seed).toBe('8');
    expect(resumed.stderr).toContain('a ledger keeps no budget, and none is given');
  });

  it('never prints a seed that was drawn, and says which budget ended it', async () => {
    const file = ledgerFile();
    const hashes = ['--hashes', '2001'];
    const first = await usurp(['mine', '--c1', '60', '--ledger', file, ...hashes]);
    const resumed = await usurp(['mine', '--resume', file, '--hashes', '4001', '--json']);

    expect(first.stdout).toContain('no (ended by: hashes)');
    expect(parsed(resumed).seed).toBeNull();
    expect(resumed.stderr).not.toContain('no budget');
  });

  it('keeps its file up to date: resumed in steps it ends the same', async () => {
    const file = ledgerFile();
    await usurp([...SEARCH, '--attempts', '3000', '--ledger', file]);

    for (const hashes of ['20000', '100000']) {
      await usurp(['mine', '--resume', file, '--hashes', hashes, '--threads', '1']);
    }
    const last = parsed(await usurp(['mine', '--resume', file, '--json']));

    expect(deterministic(last)).toEqual(deterministic(whole));
    const { format, ledger, seed } = JSON.parse(readFileSync(file, 'utf8'));
    expect({ format, seed }).toEqual({ format: 'usurp/ledger/v1', seed: '8' });
    expect(ledger).toEqual(last.ledger);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('that had found already gives the same again', async () => {
    const file = ledgerFile();
    const first = await usurp([...SEARCH, '--ledger', file, '--json']);

    const again = await usurp(['mine', '--resume', file, '--json']);

    expect(parsed(again).claim).toEqual(parsed(first).claim);
  });

  it('that cannot keep its ledger prints its identity first', async () => {
    const file = join(scratchFolder(), 'gone', 'search.json');
    mkdirSync(dirname(file));
    const child = spawnUsurp(['mine', '--c1', '22', '--seed', '3', '--ledger', file, '--json']);
    // What it says first it says after it has looked at its targets.
    child.stderr.once('data', () => rmSync(dirname(file), { recursive: true }));

    const { code, stdout, stderr } = await ended(child);

    expect(JSON.parse(stdout).found).toBe(true);
    expect(code).toBe(255);
    expect(stderr).toContain('could not be written');
  });

  it('ends at Ctrl-C like at the end of a budget', async () => {
    const file = ledgerFile();
    const child = spawnUsurp(['mine', '--c1', '60', '--seed', '3', '--ledger', file, '--json']);
    const end = ended(child);
    interruptAt(child, /[1-9].* attempts · /);

    const { code, stdout } = await end;

    expect(code).toBe(130);
    const { state } = JSON.parse(readFileSync(file, 'utf8'));
    expect(state.keys.tested).toBe(JSON.parse(stdout).ledger.attempts);
    expect(state.keys.tested).toBeGreaterThan(0);
    const more = String(state.keys.tested + 1000);
    const resumed = parsed(await usurp(['mine', '--resume', file, '--attempts', more, '--json']));
    expect(resumed.ledger.attempts).toBe(Number(more));
  });
});

describe('refused and left unchanged', () => {
  let valid: string;
  beforeAll(async () => {
    const file = ledgerFile();
    await usurp([...SEARCH, '--attempts', '100', '--ledger', file]);
    valid = readFileSync(file, 'utf8');
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, text.length / 2), 'left unchanged'],
    ['empty', () => '', 'is empty'],
    ['another document', () => '{"claim":null}', 'not a search ledger'],
    ['another format', (text: string) => text.replace('ledger/v1', 'ledger/v9'), 'usurp/ledger/v1'],
    ['negative', (text: string) => text.replace('"tested": 100', '"tested": -1'), 'negative'],
    [
      'with a winner that does not win',
      (text: string) =>
        text.replace('"tested": 100', '"tested": 8').replace('"winners": []', '"winners": [7]'),
      'does not win',
    ],
  ])('a ledger that is %s', async (_name, change, message) => {
    const file = ledgerFile();
    const text = change(valid);
    writeFileSync(file, text);

    const printed = await usurp(['mine', '--resume', file]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(message);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('an edited ledger', async () => {
    const file = ledgerFile();
    const text = valid.replace('"tested": 100', '"tested": 90');
    writeFileSync(file, text);

    const printed = await usurp(['mine', '--resume', file]);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('edited or cut');
  });

  it('a key file where the ledger is', async () => {
    const file = ledgerFile();

    const printed = await usurp([...SEARCH, '--ledger', file, '--out', file]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('one file');
  });

  it('a symbolic link without a target', async () => {
    const link = ledgerFile();
    symlinkSync(`${link}.absent`, link);

    const printed = await usurp([...SEARCH, '--ledger', link]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
  });

  it('a ledger that is not there', async () => {
    const printed = await usurp(['mine', '--resume', ledgerFile()]);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain('does not exist');
  });

  it('a file in the way of a new ledger', async () => {
    const file = ledgerFile();
    writeFileSync(file, 'precious');

    const printed = await usurp([...SEARCH, '--ledger', file]);

    expect(printed.code).toBe(254);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('flags that contradict the ledger', async () => {
    const file = ledgerFile();
    writeFileSync(file, valid);

    const printed = await usurp(['mine', '--resume', file, '--c1', '4', '--strategy', 'walk']);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toMatch(/leave out.*--c1/);
    expect(printed.stderr).toContain('--strategy');
  });
});
