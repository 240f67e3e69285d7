/**
 * @module
 * What the public modules offer: definitions of the lab, of each kind that can be loaded, written as files
 * outside the repository under names of their own. They import from 'usurp' alone, have types, load, and do
 * what the lab's definition does.
 */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

import { ended, ROOT, scratchFolder, spawnUsurp } from './shell.ts';

/** Definitions that need most of what others of their kind need, by file. */
const OWN = {
  'election/ring/franklin': 'franklin',
  'adversary/behaviours/messages/replay': 'replay',
  'adversary/behaviours/timing/answer-and-stall': 'answer-and-stall',
  'election/defences/epoch-step': 'epoch-step',
  'election/defences/skip-list': 'skip-list',
  'election/detectors/fd-heartbeat': 'fd-heartbeat',
  'election/detectors/fd-gossip': 'fd-gossip',
} as const;

/** The definition as a user would write it. */
function outside(path: string, name: string): string {
  return readFileSync(join(ROOT, `src/${path}.ts`), 'utf8')
    .replace(/from '\.\.?\/[^']*'/g, "from 'usurp'")
    .replace(`name: '${name}'`, `name: 'own-${name}'`);
}

/** The property `split` of the lab, which is one of a list there, as a file of a user. */
const SPLIT = `import { defineProperty, isSeen } from 'usurp';

export const SPLIT = defineProperty({
  name: 'own-split',
  description:
    'honest nodes follow two live leaders at once for longer than a change of leaders takes, or two nodes lead in one epoch',
  happened: () => 'two leaders were followed at once',
  needsResource: false,
  isCounted: false,
  aim: 'split',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: (seen) => isSeen('split', seen) || isSeen('epoch-shared', seen),
    ranking: null,
    epochs: null,
  },
  closedForms: { election: null, watched: null, ranking: null, epochs: null },
});
`;

let folder: string;
beforeAll(() => {
  folder = scratchFolder();
  for (const [path, name] of Object.entries(OWN)) {
    writeFileSync(join(folder, `${name}.ts`), outside(path, name));
  }
  writeFileSync(join(folder, 'split.ts'), SPLIT);
});

/** What a command prints as JSON. Names, commands and times that differ are left out. */
async function outcomeOf(name: string, args: readonly string[]) {
  const { stdout, stderr } = await ended(spawnUsurp([...args, '--seed', '1', '--json']));
  if (stdout === '') throw new Error(stderr);
  const text = stdout.replaceAll(`own-${name}`, name);
  const skipped = ['replay', 'cpuSeconds', 'wallSeconds', 'loaded'];
  return JSON.parse(text, (key, value) => (skipped.includes(key) ? undefined : value));
}

describe('a definition outside of the repository', () => {
  it('has types', async () => {
    await ended(spawnUsurp(['new', 'property', 'my-own'], folder));

    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch(
      // An error of the compiler has its output.
      (error: { readonly stdout: string }) => error,
    );

    expect(stdout).toBe('');
  });

  it.each([
    ['franklin', 'elect franklin --nodes 6'],
    ['replay', 'attack bully-oneshot --behaviours replay --level L1'],
    ['answer-and-stall', 'attack bully-oneshot --behaviours answer-and-stall --level L2'],
    ['fd-heartbeat', 'elect bully-oneshot --nodes 5 --crash 5@40 --detector fd-heartbeat'],
    ['fd-gossip', 'elect bully-oneshot --nodes 5 --crash 5@40 --detector fd-gossip'],
    ['split', 'run flapping-leader --set expect.property=split --runs 2 --threads 1'],
  ])('does what that of the lab does: %s', async (name, command) => {
    const own = command.replaceAll(name, `own-${name}`);
    const load = ['--load', join(folder, `${name}.ts`)];

    const ofLab = await outcomeOf(name, command.split(' '));
    const ofUser = await outcomeOf(name, [...own.split(' '), ...load]);

    expect(ofUser).toEqual(ofLab);
  });

  it.each([
    ['epoch-step', 'attack raft --behaviours term-inflation --level L2'],
    ['skip-list', 'attack bully-oneshot --behaviours answer-and-stall --level L2'],
  ])('defends as that of the lab does: %s', async (name, command) => {
    const load = ['--load', join(folder, `${name}.ts`)];

    const { stoppedBy } = await outcomeOf('none', [...command.split(' '), ...load]);

    expect(stoppedBy).toContain(name);
    expect(stoppedBy).toContain(`own-${name}`);
  });
});
