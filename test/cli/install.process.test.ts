/**
 * @module
 * What helps to find one's way: the first output, completion, manual pages, help and the examination of the machine. All of
 * them follow from the definitions.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { POLICY_NAMES } from '../../src/identity/named-policies.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';
import { parsed, scratchFolder, usurp } from './shell.ts';

const verbs = (await completed('')).filter((name) => !/^(help|version)$/.test(name));

/** The words that complete the last of these. */
async function completed(...words: readonly string[]): Promise<string[]> {
  const { code, stdout } = await usurp(['completion', 'words', '--', ...words]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .flatMap((line) => line.split('\t')[0] ?? [])
    .filter((word) => word !== '');
}

describe('usurp without a verb', () => {
  it('shows five commands to begin with, which exist', async () => {
    const { code, stdout } = await usurp([]);

    const shown = [...stdout.matchAll(/^ {2}npx usurp (\S+)/gm)].map(([, verb]) => verb);
    expect(code).toBe(0);
    expect(shown).toHaveLength(5);
    expect(verbs).toEqual(expect.arrayContaining(shown));
  });
});

describe('completion', () => {
  it('knows the verbs, their flags and the names of definitions', async () => {
    expect(verbs).toContain('cheapest-attack');
    expect(await completed('gra')).toEqual(['grade']);
    expect(await completed('help', 'gra')).toEqual(['grade']);
    expect(await completed('run', '--until-w')).toEqual(['--until-width']);
    expect(await completed('elect', '')).toEqual(PROTOCOL_NAMES);
    expect(await completed('elect', '--resource=')).toEqual([]);
    expect(await completed('mine', '--policy=sto')).toEqual(['--policy=storj']);
    expect(await completed('explain', '--length', '')).toEqual(['short', 'medium', 'long']);
    expect(await completed('node', '--protocol', '')).toEqual(PROTOCOL_NAMES);
    expect(await completed('verify', '--policy', '')).toEqual(POLICY_NAMES);
    expect(await completed('run', '')).toEqual((await readCatalogue()).map(({ id }) => id));
    expect(await completed('exercise', 'sh')).toEqual(['show']);
    expect((await completed('grade', '--exercise', '')).toSorted()).toEqual(
      (await readExercises()).map(({ name }) => name).toSorted(),
    );
  });

  it('knows what each argument of a verb takes', async () => {
    expect(await completed('exercise', 'show', 'mend-r')).toEqual(['mend-ring']);
    expect(await completed('exercise', 'join', 'c')).toEqual([]);
    expect(await completed('cluster', 'up', '--store', 'zoo')).toEqual(['zookeeper']);
    // The second is the protocol of the scenario, by which it can be named, too.
    expect(await completed('elect', '--scenario', 'redl')).toEqual(['redlock-debate', 'redlock']);
    expect(await completed('new', 'prot')).toEqual(['protocol']);
    expect(await completed('new', 'protocol', 'p')).toEqual([]);
    expect(await completed('manual', 'gra')).toEqual(['grade']);
    expect(await completed('churn', 'er')).toContain('ergo');
    expect(await completed('churn', 'ccom', 'er')).toContain('ergo');
    expect(await completed('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await completed('ver')).toEqual(['verify', 'version']);
  });

  it('completes the last name of a list', async () => {
    expect(await completed('elect', 'raft', '--defences', 'hop-limit,hop')).toEqual([
      'hop-limit,hop-limit',
    ]);
  });

  it('leaves files to the shell', async () => {
    expect(await completed('cluster', 'up', '--nemesis', 'kill,pau')).toEqual(['kill,pause']);
    expect(await completed('elect', 'raft', '--flags', 'preV')).toEqual([
      'preVote=off',
      'preVote=on',
    ]);
    expect(await completed('elect', 'raft', '--flags=preVote=on,electionT')).toEqual([
      '--flags=preVote=on,electionTicks=',
    ]);
    expect(await completed('elect', '--flags', 'preV')).toEqual([]);
    expect(await completed('mine', '--out', 'k')).toEqual([]);
    expect(await completed('paxos', '')).toEqual([]);
  });

  it.each(['bash', 'zsh', 'fish'])('has a script for %s', async (shell) => {
    expect((await usurp(['completion', shell])).stdout).toContain('usurp completion words');
  });
});

describe.each(verbs)('usurp %s', (verb) => {
  it('has a manual page and a help text with the same examples, which come first', async () => {
    const [page, help] = [await usurp(['manual', verb]), await usurp(['help', verb])];

    const [, examples = ''] = /\nExamples:\n(.*?)\n\n/s.exec(help.stdout) ?? [];
    expect(examples).toContain(`usurp ${verb}`);
    expect(help.stdout.indexOf('Examples:')).toBeLessThan(help.stdout.indexOf('Options:'));
    expect(page.stdout).toContain(examples.replaceAll('\\', '\\e').replaceAll('-', '\\-'));
    const requests = page.stdout.match(/^[.'].*/gm) ?? [];
    expect(requests.filter((line) => !/^\.(TH|SH|TP|PP|br|nf|fi)\b/.test(line))).toEqual([]);
  });

  it('has a help text and a manual page with examples of 80 columns', async () => {
    const [page, help] = [await usurp(['manual', verb]), await usurp(['help', verb])];

    const [, examples = ''] = /^\.nf\n(.*?)^\.fi$/ms.exec(page.stdout) ?? [];
    const shown = `${help.stdout}${examples.replaceAll(/\\([-e])/g, '$1')}`;
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('a manual page', () => {
  it('has the choices and the defaults of options and arguments', async () => {
    const { stdout } = await usurp(['manual', 'mine']);

    expect(stdout).toContain('form of the output (choices: "table", "json", default: "table")');
    expect((await usurp(['manual', 'completion'])).stdout).toContain(
      'the shell (choices: "bash", "zsh", "fish")',
    );
  });

  it('keeps the lines of a table in a description', async () => {
    const { stdout } = await usurp(['manual', 'cluster']);

    expect(stdout).toMatch(/^ {2}kill NODE +kill the process of a node/m);
    expect(stdout).toMatch(/^\.PP\n\.nf\n {2}wait/m);
  });

  it('divides a command between its flags, as the help text does', async () => {
    const { stdout } = await usurp(['help', 'sweep']);

    expect(stdout).toContain(
      "  usurp sweep top-id --set network.honest=8,16,32 \\\n    --set 'adversaries.main.budget",
    );
  });
});

describe('a verb that does not exist', () => {
  it.each([['help'], ['manual']])('is refused by usurp %s', async (verb) => {
    expect(await usurp([verb, 'rum'])).toEqual({
      code: 254,
      stdout: '',
      stderr: 'usurp: rum is not a verb; did you mean run? usurp help lists the verbs\n',
    });
  });
});

describe('usurp --help', () => {
  it.each([[[]], [['--help']], [['version', '--help']]])('has 80 columns: %j', async (words) => {
    const { stdout } = await usurp(words);

    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('usurp version', () => {
  it('takes no words, and has a help text', async () => {
    expect(await usurp(['version', 'extra'])).toMatchObject({ code: 254, stdout: '' });
    const [asked, helped] = [await usurp(['version', '--help']), await usurp(['help', 'version'])];
    expect(asked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Usage: usurp version'),
    });
    expect(helped).toEqual(asked);
  });
});

describe('usurp doctor', () => {
  it('says what each thing is for, and what to do where it is missing', async () => {
    const { findings } = parsed(await usurp(['doctor', '--json']));

    const names = findings.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['Node', 'SIMD', 'memory', 'bwrap', 'spin']));
    for (const { purpose, isNeeded, remedy } of findings) {
      expect(purpose).not.toBe('');
      if (!isNeeded) expect(remedy).not.toBe('');
    }
  });

  it('says of a program that prints no version that it does not run', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'etcd'), '#!/bin/sh\necho broken\nexit 3\n', { mode: 0o700 });
    const path = process.env.PATH;
    process.env.PATH = folder;
    const { findings } = parsed(await usurp(['doctor', '--json']));
    process.env.PATH = path;

    expect(findings).toContainEqual(
      expect.objectContaining({ name: 'etcd', found: null, fault: 'does not run' }),
    );
  });

  it('finds no program where there is none', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/nowhere';
    const { code, stdout } = await usurp(['doctor']).finally(() => {
      process.env.PATH = path;
    });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^etcd +not found +a store of live nodes\. +Debian and/m);
  });
});
