/**
 * @module
 * Files of the user as a person has them: in a folder outside the repository, without node_modules, loaded
 * by every thread, named in replay commands, refused with file and line, and judged by `usurp conform`.
 */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { ROOT, scratchFolder } from './shell.ts';

const OWN = readFileSync(join(ROOT, 'src/election/ring/franklin.ts'), 'utf8')
  .replace(/from '\.\.?\/[^']*'/g, "from 'usurp'")
  .replace("name: 'franklin'", "name: 'own-ring'");

async function usurpIn(folder: string, args: readonly string[]) {
  const command = [join(ROOT, 'bin/usurp.js'), ...args];
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, command, {
      cwd: folder,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    // A command that exits with another code than 0 is an error with its output.
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

function folderWith(text: string, file = 'own.ts'): string {
  const folder = scratchFolder();
  writeFileSync(join(folder, file), text);
  return folder;
}

describe('--load', () => {
  it('elects with a protocol from a folder without node_modules, and prints a replay that loads it', async () => {
    const folder = folderWith(OWN);

    const args = ['elect', '--load', './own.ts', '--protocol', 'own-ring', '--nodes', '5'];
    const { code, stdout } = await usurpIn(folder, [...args, '--seed', '1']);

    expect(code).toBe(0);
    expect(stdout).toContain('agreed           true');
    expect(stdout).toMatch(/^replay .* elect --load \.\/own\.ts --protocol own-ring/m);
  });

  it('runs a threat model with it in two threads, as in one', async () => {
    const folder = folderWith(OWN);
    const set = 'network.election.protocols=[own-ring]';
    const args = ['run', 'top-id', '--load', 'own.ts', '--set', set, '--runs', '20', '--seed', '1'];

    const two = await usurpIn(folder, [...args, '--threads', '2', '--json']);
    const one = await usurpIn(folder, [...args, '--threads', '1', '--json']);

    expect([0, 1, 2]).toContain(two.code);
    expect(JSON.parse(two.stdout).verdict).toEqual(JSON.parse(one.stdout).verdict);
  });

  it.each([
    ['a name that exists', OWN.replace("'own-ring'", "'raft'"), /"raft" exists already/],
    ['no definition', 'export const nothing = 1;', /own\.ts: exports no definition/],
    ['an error, with its line', '\nconst x = null;\nexport const y = x.z;', /own\.ts:3:\d+: /],
    [
      'a name that cannot be typed',
      OWN.replace("'own-ring'", "'Own Ring'"),
      /name of a protocol must be/,
    ],
  ])('refuses %s', async (_what, text, expected) => {
    const folder = folderWith(text);

    const { code, stderr } = await usurpIn(folder, [
      'elect',
      '--load',
      'own.ts',
      '--protocol',
      'raft',
    ]);

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
  });

  it('refuses a file that does not exist', async () => {
    const { code, stderr } = await usurpIn(scratchFolder(), ['elect', '--load', 'none.ts']);

    expect(code).toBe(254);
    expect(stderr).toContain('there is no file none.ts');
  });
});

/** A change of the text that must happen. */
function changed(from: string, to: string): string {
  if (!OWN.includes(from)) throw new RangeError(`"from" expected a part of the file, got ${from}`);
  return OWN.replace(from, to);
}

const AFTER_IMPORTS = 'export type FranklinMessage';

describe('usurp conform', () => {
  it('accepts the protocol', async () => {
    const { code, stdout } = await usurpIn(folderWith(OWN), ['conform', './own.ts']);

    expect(code).toBe(0);
    expect(stdout).toContain('own-ring conforms');
  });

  it.each([
    [
      'draws lots',
      changed('  propose(step);\n}', '  if (Math.random() < 2) propose(step);\n}'),
      /calls Math\.random/,
    ],
    [
      'remembers outside of its state',
      changed(AFTER_IMPORTS, `let calls = 0;\n${AFTER_IMPORTS}`).replace(
        'state.election = election;\n  state.role',
        'calls += 1;\n  state.election = election + calls;\n  state.role',
      ),
      /FAILS +does the same for the same events/,
    ],
    [
      'drops a message',
      changed(
        'function relay({ self, effects }: Own, message: RankMessage): void {',
        'function relay({ self, effects }: Own, message: RankMessage): void {\n  if (message.clockwise) return;',
      ),
      /FAILS +finishes, and the right node leads/,
    ],
    ['never ends', changed('message.leader === self.rank || ', ''), /does not come to rest/],
    [
      'states a wrong bound',
      changed('2 * nodes * (Math.floor(Math.log2(nodes)) + 1) + nodes', 'nodes'),
      /its definition states/,
    ],
    [
      'changes a message',
      changed(
        'function relay({ self, effects }: Own, message: RankMessage): void {',
        'function relay({ self, effects }: Own, message: RankMessage): void {\n  Object.assign(message, { seen: true });',
      ),
      /FAILS +changes no message/,
    ],
    [
      'elects the lowest',
      changed('before < self.rank && after < self.rank', 'before > self.rank && after > self.rank'),
      /FAILS +finishes, and the right node leads/,
    ],
    [
      'keeps a Map in its state',
      changed(
        '      counterclockwise: [],\n      leader: self',
        '      counterclockwise: [],\n      seen: new Map(),\n      leader: self',
      ),
      /FAILS +keeps its state as plain JSON data/,
    ],
    [
      'sends what it does not list',
      changed(
        "{ type: 'LEADER', leader: self.rank, election: state.election });\n}",
        "{ type: 'HELLO' });\n}",
      ),
      /a type that its definition does not list/,
    ],
    [
      'states a wrong cell of the fault matrix',
      changed('drop: stop(', 'drop: live('),
      /FAILS +has the stated cell .* for drop +expected ok\/L, seen stop .* with seed \d+/,
    ],
  ])('rejects a variant that %s', async (_what, text, expected) => {
    const { code, stdout } = await usurpIn(folderWith(text), ['conform', './own.ts']);

    expect(stdout).toMatch(expected);
    expect(code).toBe(1);
  });
});
