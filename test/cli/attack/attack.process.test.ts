/**
 * @module
 * `usurp attack` as a user meets it: the documented members, exit codes, the replay, the list, refusals.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { blockText } from '../../../src/cli/operations/report-text.ts';
import { DEFENCE_NAMES } from '../../../src/election/defences/registry.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { chosenDefences } from '../../../src/experiment/staging/defences.ts';
import { foundReport } from '../../experiment/attack/matrix-found.ts';
import { argumentsOf, parsed, ROOT, usurp } from '../shell.ts';

const PHANTOM = ['attack', 'cr-join', '--behaviours', 'phantom-id', '--seed', '4'];
const SWALLOW = ['attack', 'cr-join', '--behaviours', 'swallow', '--seed', '1'];

describe('attack --json', () => {
  it('prints exactly the documented members', async () => {
    const answer = parsed(await usurp([...PHANTOM, '--json']));

    expect(Object.keys(answer)).toEqual([
      ...['succeeded', 'aim', 'sentence', 'ledger', 'stoppedBy', 'protocol', 'level'],
      ...[
        'behaviours',
        'defences',
        'forge',
        'colluders',
        'c1',
        'harms',
        'possibleHarms',
        'members',
        'measured',
        'trials',
        'sets',
        'seed',
        'notTried',
        'interrupted',
        'forgerSeed',
        'replay',
      ],
    ]);
    expect(answer).toMatchObject({
      ...{ succeeded: true, aim: null, stoppedBy: ['signatures', 'hop-limit'], seed: '4' },
      ...{ protocol: 'cr-join', level: 'L0', behaviours: ['phantom-id'], forge: 'none', c1: 8 },
    });
    expect(Object.keys(answer.ledger)).toEqual([
      ...['attempts', 'hashes', 'groupOperations', 'cpuSeconds', 'wallSeconds', 'overshoot'],
    ]);
    expect(Object.keys(answer.measured)).toEqual([
      ...['ticks', 'leader', 'leaderOtherwise', 'usurpedTicks', 'splitTicks', 'staleWrites'],
      'lateWrites',
      ...['messages', 'brokenOffAt', 'otherwiseBrokenOffAt', 'keys'],
    ]);
    expect(answer.members[0]).toMatchObject({ rank: 1, owner: 'adversary' });
  });

  it.each([
    ['succeeded', [], 1, true],
    ['failed', ['--level', 'L2'], 0, false],
    ['did another harm than the only one that counts', ['--aim', 'lead'], 0, false],
    ['failed for a defence', ['--defences', 'hop-limit'], 0, false],
    ['ended by its budget', ['--forge', 'top', '--attempts', '3'], 2, null],
  ])('says by its exit code that it %s', async (_what, more, code, succeeded) => {
    const printed = await usurp([...PHANTOM, ...more, '--json']);

    expect(printed).toMatchObject({ code, stderr: '' });
    expect(parsed(printed).succeeded).toBe(succeeded);
  });

  it('runs a small election with the keys that were mined', async () => {
    const keysAt = async (level: string) =>
      parsed(await usurp([...PHANTOM, '--level', level, '--json'])).measured.keys;

    expect(await keysAt('L0')).toBe('none');
    expect(await keysAt('L3')).toBe('real');
  });

  it('has colluders, also in its replay', async () => {
    const printed = await usurp([...SWALLOW, '--colluders', '2', '--json']);
    const { colluders, members, replay } = parsed(printed);

    const again = await usurp([...argumentsOf(replay), '--json']);

    const owners = members.map(({ owner }: { owner: string }) => owner[0]).join('');
    expect({ colluders, owners }).toEqual({ colluders: 2, owners: 'aahhh' });
    expect(parsed(again)).toEqual(parsed(printed));
  });

  it('gives the same again by its replay', async () => {
    const args = ['attack', 'bully-oneshot', '--behaviours', 'answer-and-stall'];
    const first = await usurp([...args, '--level', 'L3', '--c1', '6', '--cpu', '60s', '--json']);
    const { replay, ledger, ...rest } = parsed(first);

    const again = await usurp([...argumentsOf(replay), '--json']);

    const { ledger: spent, replay: _, ...repeated } = parsed(again);
    expect(first.stderr).toContain('was chosen; --seed');
    expect(replay).toContain(`--attempts ${ledger.attempts}`);
    expect(repeated).toEqual(rest);
    expect(spent.attempts).toBe(ledger.attempts);
    expect(again.code).toBe(first.code);
  });
});

describe('attack', () => {
  it('prints the effects and the tried defences for people', async () => {
    const { stdout } = await usurp(PHANTOM);

    expect(stdout).toMatch(
      /^The adversary, rank 1 of 5, forging nothing, with phantom-id on cr-join at L0, broke the election: no leader \(/,
    );
    expect(stdout).toMatch(/^succeeded +yes$/m);
    expect(stdout).toMatch(/^harm +no-leader$/m);
    expect(stdout).toMatch(/^rank 1 +[0-9a-f]{64}\n +adversary$/m);
    expect(stdout).toMatch(/^against +hop-limit: stopped$/m);
    expect(stdout).toMatch(/^against +successor-list: succeeds$/m);
    expect(stdout).toMatch(/^not tried +receipts: needs level L2$/m);
    expect(stdout).toMatch(/^replay +npx usurp attack cr-join/m);
  });

  it('prints that an attack without effect did no harm', async () => {
    const { stdout } = await usurp([...PHANTOM, '--level', 'L2']);

    expect(stdout).toMatch(/^harm +none$/m);
  });

  it('skips a defence that conflicts with an active one', async () => {
    const printed = await usurp([...SWALLOW, '--defences', 'hop-limit']);

    expect(printed).toMatchObject({ code: 1, stderr: '' });
    expect(printed.stdout).toMatch(
      /^not tried +successor-list: [^:]*hop-limit does\s+not\s+fit\s+ring-robust/m,
    );
  });

  it('explains in its help when the answer is unknown, and which defences it does not try', async () => {
    const help = (await usurp(['attack', '--help'])).stdout.replace(/\s+/g, ' ');

    expect(help).toContain(
      'the budget ended first, or the run with or without the adversary exceeded a limit',
    );
    expect(help).toContain('Defences that need L2 are not tried below L2');
  });

  it('prints the seed under which mine spends the same', async () => {
    const forging = ['attack', 'cr-join', '--forge', 'top', '--c1', '4'];
    const { forgerSeed, ledger, members } = parsed(
      await usurp([...forging, '--seed', '4', '--json']),
    );
    const honest = members.filter(({ owner }: { owner: string }) => owner === 'honest');

    const mined = await usurp([
      ...['mine', '--c1', '4', '--goal', `above:${honest.at(-1).nodeId}`],
      ...['--seed', forgerSeed, '--quiet', '--json'],
    ]);

    const { attempts, hashes } = ledger;
    expect(parsed(mined)).toMatchObject({ found: true, ledger: { attempts, hashes } });
  });

  it.each([
    ['no protocol', [], /protocol is missing: .*such as cr-join/],
    ['no behaviour', ['raft'], /without a behaviour and without forging there is no attack/],
    [
      'a behaviour for other protocols',
      ['raft', '--behaviours', 'phantom-id'],
      /behaviours that fit raft:/,
    ],
    [
      'a misspelt behaviour',
      ['raft', '--behaviours', 'swalow'],
      /got swalow; did you mean swallow\?/,
    ],
    [
      'a misspelt defence',
      ['raft', '--behaviours', 'swallow', '--defences', 'prevote'],
      /got prevote; did you mean pre-vote\?/,
    ],
    ['an unknown aim', [...PHANTOM.slice(1), '--aim', 'fame'], /lead, stop, split/],
    ['a behaviour twice', ['raft', '--behaviours', 'swallow,swallow'], /each name once/],
    [
      'two budgets',
      [...PHANTOM.slice(1), '--attempts', '5', '--cpu', '5s'],
      /either attempts or cpu/,
    ],
    ['a budget for nothing', [...PHANTOM.slice(1), '--cpu', '5s'], /leave the budget out/],
    ['a level that is none', [...PHANTOM.slice(1), '--level', 'L4'], /L0, L1, L2, L3/],
    ['too many nodes', [...PHANTOM.slice(1), '--nodes', '65'], /2\.\.64/],
  ])('refuses %s and says what would be right', async (_what, args, says) => {
    const printed = await usurp(['attack', ...args]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toMatch(says);
  });
});

describe('attack --list', () => {
  it('names behaviours and defences with what they fit', async () => {
    const { behaviours, defences } = parsed(await usurp(['attack', '--list', '--json']));
    const table = await usurp(['attack', '--list']);

    const named = (listed: { name: string }[]) => listed.map(({ name }) => name);
    expect(named(behaviours)).toEqual(BEHAVIOUR_NAMES);
    expect(named(defences)).toEqual(expect.arrayContaining([...DEFENCE_NAMES, 'proof-of-work']));
    expect(Object.keys(behaviours[0])).toEqual([
      ...['name', 'attack', 'aim', 'forge', 'summary', 'fits'],
    ]);
    for (const name of [...BEHAVIOUR_NAMES, ...DEFENCE_NAMES]) expect(table.stdout).toContain(name);
  });

  it('lists the defences that runs accept, with forged identities and without', async () => {
    const { defences } = parsed(await usurp(['attack', '--list', '--json']));
    const takes = (name: string, protocol: ProtocolName, isForging: boolean) => {
      try {
        return chosenDefences([name], { protocol, level: 'L3', isForging }).length === 1;
      } catch {
        return false;
      }
    };

    for (const { name, fits, forgedOnly } of defences) {
      if (['channel-authentication', 'signatures', 'freshness', 'proof-of-work'].includes(name))
        continue;
      expect(
        PROTOCOL_NAMES.filter((each) => takes(name, each, true)),
        name,
      ).toEqual(fits);
      const always = fits.filter((each: string) => !forgedOnly.includes(each));
      expect(
        PROTOCOL_NAMES.filter((each) => takes(name, each, false)),
        name,
      ).toEqual(always);
    }
  });

  it('fits on a terminal', async () => {
    const { stdout } = await usurp(['attack', '--list']);

    const long = stdout.split('\n').filter((line) => line.length > 100);
    expect(long).toEqual([]);
  });

  it('names what fits one protocol', async () => {
    const answer = parsed(await usurp(['attack', 'raft', '--list', '--json']));
    const table = await usurp(['attack', '--list', 'raft']);

    const names = answer.behaviours.map(({ name }: { name: string }) => name);
    expect(names).toContain('term-inflation');
    expect(names).not.toContain('phantom-id');
    expect(table.stdout.replace(/\n +/g, ' ')).toMatch(
      /^frozen-membership .*Only against forged identities\.$/m,
    );
  });
});

describe('attack-matrix', () => {
  it('equals the documented one', () => {
    const page = readFileSync(`${ROOT}/docs/attacks.md`, 'utf8');

    expect(page).toContain(
      foundReport()
        .slice(0, 3)
        .map((each) => blockText(each, false).text)
        .join('\n'),
    );
  });
});
