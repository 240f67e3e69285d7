/**
 * @module
 * `usurp attack` as a user meets it: the documented members, exit codes, the replay, the list, refusals.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BEHAVIOUR_NAMES } from '../../src/adversary/behaviours/registry.ts';
import { matrixTable } from '../../src/cli/attack-matrix.ts';
import { DEFENCE_NAMES } from '../../src/election/defences/registry.ts';
import { foundRows } from '../experiment/attack-matrix-found.ts';
import { parsed, ROOT, usurp } from './shell.ts';

const PHANTOM = ['attack', '--algorithm', 'cr-join', '--behaviour', 'phantom-id', '--seed', '4'];

describe('attack --json', () => {
  it('prints exactly the documented members', async () => {
    const answer = parsed(await usurp([...PHANTOM, '--json']));

    expect(Object.keys(answer)).toEqual([
      ...['succeeded', 'goal', 'sentence', 'ledger', 'stoppedBy', 'replay', 'algorithm', 'level'],
      ...[
        'behaviours',
        'defences',
        'forge',
        'c1',
        'achieved',
        'members',
        'measured',
        'trials',
        'seed',
      ],
    ]);
    expect(answer).toMatchObject({
      ...{ succeeded: true, goal: 'no-leader', stoppedBy: ['signatures', 'hop-limit'], seed: '4' },
      ...{ algorithm: 'cr-join', level: 'L0', behaviours: ['phantom-id'], forge: 'none', c1: 8 },
    });
    expect(Object.keys(answer.ledger)).toEqual([
      ...['attempts', 'hashes', 'groupOperations', 'cpuSeconds', 'wallSeconds', 'overshoot'],
    ]);
    expect(Object.keys(answer.measured)).toEqual([
      ...['ticks', 'leader', 'leaderOtherwise', 'usurpedTicks', 'splitTicks', 'staleWrites'],
      'messages',
    ]);
    expect(answer.members[0]).toMatchObject({ rank: 1, owner: 'adversary' });
  });

  it.each([
    ['succeeded', [], 1, true],
    ['failed', ['--level', 'L2'], 0, false],
    ['failed for a defence', ['--defence', 'hop-limit'], 0, false],
    ['ended by its budget', ['--forge', 'top', '--attempts', '3'], 2, null],
  ])('says by its exit code that it %s', async (_what, more, code, succeeded) => {
    const printed = await usurp([...PHANTOM, ...more, '--json']);

    expect(printed).toMatchObject({ code, stderr: '' });
    expect(parsed(printed).succeeded).toBe(succeeded);
  });

  it('gives the same again by its replay', async () => {
    const args = ['attack', '--algorithm', 'bully-oneshot', '--behaviour', 'answer-and-stall'];
    const first = await usurp([...args, '--level', 'L3', '--c1', '6', '--cpu', '60s', '--json']);
    const { replay, ledger, ...rest } = parsed(first);

    const again = await usurp([...replay.split(' ').slice(1), '--json']);

    const { ledger: spent, replay: _, ...repeated } = parsed(again);
    expect(first.stderr).toContain('to repeat: usurp attack --algorithm bully-oneshot');
    expect(replay).toContain(`--attempts ${ledger.attempts}`);
    expect(repeated).toEqual(rest);
    expect(spent.attempts).toBe(ledger.attempts);
    expect(again.code).toBe(first.code);
  });
});

describe('attack', () => {
  it('says for people what came of it, and what was tried', async () => {
    const { stdout } = await usurp(PHANTOM);

    expect(stdout).toMatch(
      /^The adversary, rank 1 of 5, with phantom-id on cr-join at L0, prevented/,
    );
    expect(stdout).toMatch(/^succeeded +yes$/m);
    expect(stdout).toMatch(/^rank 1 +[0-9a-f]{64} {2}adversary$/m);
    expect(stdout).toMatch(/^against +hop-limit: stopped$/m);
    expect(stdout).toMatch(/^against +successor-list: succeeds$/m);
    expect(stdout).toMatch(/^replay +usurp attack --algorithm cr-join/m);
  });

  it.each([
    ['no protocol', [], /Name a protocol/],
    ['no behaviour', ['--algorithm', 'raft'], /Name a --behaviour/],
    ['a misfit', ['--algorithm', 'raft', '--behaviour', 'phantom-id'], /those that fit raft:/],
    ['a protocol for the matrix', ['--matrix', '--algorithm', 'raft'], /--matrix/],
    ['a goal that is none', [...PHANTOM.slice(1), '--goal', 'fame'], /leader, no-leader, split/],
    ['two budgets', [...PHANTOM.slice(1), '--attempts', '5', '--cpu', '5s'], /--cpu/],
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
      ...['name', 'attack', 'goal', 'forge', 'summary', 'fits'],
    ]);
    for (const name of [...BEHAVIOUR_NAMES, ...DEFENCE_NAMES]) expect(table.stdout).toContain(name);
  });

  it('names what fits one protocol', async () => {
    const answer = parsed(await usurp(['attack', '--list', '--algorithm', 'raft', '--json']));

    const names = answer.behaviours.map(({ name }: { name: string }) => name);
    expect(names).toContain('term-inflation');
    expect(names).not.toContain('phantom-id');
  });
});

describe('attack --matrix', () => {
  it('is in the README as it is found', () => {
    const readme = readFileSync(`${ROOT}/README.md`, 'utf8');

    expect(readme).toContain(matrixTable(foundRows()));
  });
});
