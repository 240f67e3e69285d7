/**
 * @module
 * Files of the user as a person has them: in a folder outside the repository, without node_modules, loaded
 * by every thread, named in replay commands, refused with file and line, and judged by `usurp conform`. The slow suite has
 * all variants that it rejects.
 */

import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { DEFINITION_KINDS } from '../../src/election/definition/definitions.ts';
import type { RedisServer } from '../redis-server.ts';
import { HAS_REDIS, startRedis } from '../redis-server.ts';
import { IS_WHOLE } from '../sample.ts';
import { ended, ROOT, refusalsOf, rowsOf, scratchFolder } from './shell.ts';

const OWN = readFileSync(join(ROOT, 'src/election/ring/franklin.ts'), 'utf8')
  .replace(/from '\.\.?\/[^']*'/g, "from 'usurp'")
  .replace("name: 'franklin'", "name: 'own-ring'");

/** What a ring passes on. */
const RIGHT = 'message.candidate > self.rank';

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

    const args = ['elect', '--load', './own.ts', 'own-ring', '--nodes', '5'];
    const { code, stdout } = await usurpIn(folder, [...args, '--seed', '1']);

    expect(code).toBe(0);
    expect(stdout).toContain('agreed           true');
    expect(stdout).toMatch(/^replay .* elect --load \.\/own\.ts own-ring/m);
  });

  it('runs a threat model with it in two threads, as in one', async () => {
    const folder = folderWith(OWN);
    const set = 'network.election.protocols=[own-ring]';
    const args = ['run', 'top-id', '--load', 'own.ts', '--set', set, '--runs', '6', '--seed', '1'];

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

    const { code, stderr } = await usurpIn(folder, ['elect', '--load', 'own.ts', 'raft']);

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

/** Rejected after many seconds each, by checks that other tests call without a process. */
const LONG_VARIANTS: readonly (readonly [string, string, RegExp])[] = [
  ['never ends', changed('message.leader === self.rank || ', ''), /does not come to rest/],
  [
    'states a wrong bound',
    changed('2 * nodes * (Math.floor(Math.log2(nodes)) + 1) + nodes', 'nodes'),
    /its definition states/,
  ],
  [
    'elects the lowest',
    changed('before < self.rank && after < self.rank', 'before > self.rank && after > self.rank'),
    /FAILS +finishes, and the right node leads/,
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
    /FAILS +has the stated cell .* for drop: expected ok\/L, seen stop .* with seed \d+/,
  ],
];

describe('usurp conform', () => {
  it('refuses a ring that is right only if all nodes start together, and shows runs that fail', async () => {
    const ring = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');
    // A node that has not started passes on every rank, instead of its own before a lower one.
    const broken = ring
      .replace('if (!state.joined) probe(step);', '')
      .replace(RIGHT, `${RIGHT} || !state.joined`);
    expect(broken).not.toBe(ring);

    const { code, stdout } = await usurpIn(folderWith(broken), ['conform', './own.ts']);

    expect(code).toBe(1);
    const long = stdout.split('\n').filter((line) => line.length > 80);
    // Commands are copied, and a word is not broken.
    expect(long.filter((line) => !/replay: npx usurp |^ *\S+$/.test(line))).toEqual([]);
    const wrong = rowsOf(stdout)
      .split('\n')
      .filter((line) => line.startsWith('FAILS'));
    expect(wrong[0]).toMatch(
      /finishes, and the right node leads: .*started by node 1 at tick 0: all follow 1, but \d is up and higher replay: npx usurp elect --load \.\/own\.ts .*--initiators 1 /,
    );
    expect(wrong.slice(1).join()).toMatch(
      /highest-wins: at rest, honest live nodes follow 1, but 3 is up: 1\. node 1 starts: .*npx usurp check .*--starts any /,
    );
    expect(wrong.join()).toContain('one-leader: nodes 1 and 2 lead at the same time');
    // The cells of the fault matrix are wrong for one reason, and so are the searches that violate one property.
    expect(wrong.filter((line) => /more like it/.test(line))).toHaveLength(3);
    expect(wrong.filter((line) => /fault matrix/.test(line))).toHaveLength(1);
  });

  // Also the tests of `usurp new` have a protocol that conforms.
  it.runIf(IS_WHOLE)('accepts the protocol', async () => {
    const { code, stdout } = await usurpIn(folderWith(OWN), ['conform', './own.ts']);

    expect(code).toBe(0);
    expect(stdout).toContain('own-ring conforms');
  });

  it.each<readonly [string, string, RegExp]>([
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
    [
      'changes a message',
      changed(
        'function relay({ self, effects }: Own, message: RankMessage): void {',
        'function relay({ self, effects }: Own, message: RankMessage): void {\n  Object.assign(message, { seen: true });',
      ),
      /FAILS +changes no message/,
    ],
    [
      'keeps a Map in its state',
      changed(
        '      counterclockwise: [],\n      leader: self',
        '      counterclockwise: [],\n      seen: new Map(),\n      leader: self',
      ),
      /FAILS +keeps its state as plain JSON data/,
    ],
    ...(IS_WHOLE ? LONG_VARIANTS : []),
  ])('rejects a variant that %s', async (_what, text, expected) => {
    const { code, stdout } = await usurpIn(folderWith(text), ['conform', './own.ts']);

    expect(rowsOf(stdout)).toMatch(expected);
    expect(code).toBe(1);
  });
});

describe('saved runs', () => {
  const SAVE = 'elect --load own.ts own-ring --nodes 4 --seed 1'.split(' ');

  async function savedIn(folder: string): Promise<string> {
    await usurpIn(folder, [...SAVE, '--save', 'run.json']);
    return readFileSync(join(folder, 'run.json'), 'utf8');
  }

  it('name the file by digest and by what it defines, not by its path or its code', async () => {
    const folder = folderWith(OWN);

    const text = await savedIn(folder);

    expect(JSON.parse(text).loaded).toEqual([
      { digest: expect.stringMatching(/^[0-9a-f]{16}$/), defines: ['protocol own-ring'] },
    ]);
    expect(text).not.toContain('own.ts');
  });

  it('are replayed with the same file from another folder', async () => {
    const folder = folderWith(OWN);
    await savedIn(folder);
    const other = folderWith(OWN, 'renamed.ts');

    const args = ['replay', join(folder, 'run.json'), '--load', 'renamed.ts', '--json'];
    const { code, stdout } = await usurpIn(other, args);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ same: true });
  });

  it.each([
    [
      'without the file',
      [],
      /needs the file that defines protocol own-ring .*; name it with --load/,
    ],
    ['with a changed file', ['--load', 'own.ts'], /own-ring with digest .* has changed since/],
  ])('are refused %s', async (_what, load, expected) => {
    const folder = folderWith(OWN);
    await savedIn(folder);
    writeFileSync(join(folder, 'own.ts'), `${OWN}\n// changed\n`);

    const { code, stderr } = await usurpIn(folder, ['replay', 'run.json', ...load]);

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
  });
});

/** A fact, its text in the file, and the refusal. */
const FACTS: readonly (readonly [string, string, string])[] = [
  ['a member', '  fifo: true,\n', '"fifo" is missing'],
  ['the machine', '  create: createFranklin,\n', '"create" is missing'],
  ['a fault', "    'swizzle-clog': stop(HOLE),\n", '"faults.swizzle-clog" is missing'],
  [
    'two members',
    "  messageBound: '2n*(floor(lg n)+1) RANK + n LEADER',\n  messagesAbout: (nodes) => 2 * nodes * (Math.floor(Math.log2(nodes)) + 1) + nodes,\n",
    '"messageBound", "messagesAbout" are missing',
  ],
  [
    'a fact about a message',
    '      alterations: null,\n',
    '"messages.LEADER.alterations" is missing',
  ],
  ['a fact about forgeries', "    numbering: 'election',\n", '"forgery.numbering" is missing'],
];

describe('a definition that lacks a fact', () => {
  let refusals: readonly (string | null)[];
  beforeAll(async () => {
    const files = FACTS.map(([, fact]) => join(folderWith(changed(fact, '')), 'own.ts'));
    refusals = await refusalsOf(files);
  });

  it.each(FACTS.map(([what, , expected], index) => [what, expected, index] as const))(
    'is refused with its file, its line and the member: %s',
    (_what, expected, index) => {
      expect(refusals[index]).toMatch(/own\.ts:\d+:\d+: "/);
      expect(refusals[index]).toContain(expected);
    },
  );
});

describe('usurp new', () => {
  /** What it printed for each kind, and the folder that has all of them. */
  const written = new Map<string, Awaited<ReturnType<typeof usurpIn>>>();
  let folder: string;
  beforeAll(async () => {
    folder = scratchFolder();
    for (const kind of DEFINITION_KINDS) {
      written.set(kind, await usurpIn(folder, ['new', kind, `my-${kind}`]));
    }
  });

  it.each(DEFINITION_KINDS)(
    'writes a %s that conforms, loads and passes its test',
    async (kind) => {
      const file = `my-${kind}.ts`;

      const checked = await usurpIn(folder, ['conform', `./${file}`, '--json']);
      const listed = await usurpIn(folder, ['elect', '--load', `./${file}`, '--list']);

      const config = kind === DEFINITION_KINDS[0] ? 'tsconfig.json\n' : '';
      expect(written.get(kind)?.stdout).toBe(`${file}\nmy-${kind}.test.ts\n${config}`);
      expect(JSON.parse(checked.stdout)).toContainEqual({
        test: `./my-${kind}.test.ts`,
        conforms: true,
        output: '',
      });
      expect([written.get(kind)?.code, checked.code, listed.code]).toEqual([0, 0, 0]);
    },
  );

  it('gives the files types in a folder without node_modules', async () => {
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]);

    expect(stdout).toBe('');
  });

  it('reports a test that fails', async () => {
    const folder = scratchFolder();
    await usurpIn(folder, ['new', 'property', 'my-own']);
    const test = join(folder, 'my-own.test.ts');
    writeFileSync(test, readFileSync(test, 'utf8').replace("'honest'", "'adversary'"));

    const { code, stdout } = await usurpIn(folder, ['conform', 'my-own.ts']);

    expect(code).toBe(1);
    expect(stdout).toMatch(/^my-own\.test\.ts FAILS\n[\s\S]*AssertionError/);
  });

  it.each([
    ['a name that exists', ['protocol', 'raft'], /"raft" exists already/],
    ['a defence of the network', ['defence', 'signatures'], /"signatures" exists already/],
    ['a name that cannot be typed', ['protocol', 'My Ring'], /must be lower-case words/],
    ['a path', ['protocol', '../ring'], /must be lower-case words/],
    [
      'another kind',
      ['puzzle', 'mine'],
      /kind must be protocol, behaviour, defence, detector, property or operation, got "puzzle"/,
    ],
  ])('refuses %s', async (_what, args, expected) => {
    const folder = scratchFolder();

    const { code, stderr } = await usurpIn(folder, ['new', ...args]);

    expect(code).toBe(254);
    expect(stderr).toMatch(expected);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['my-own.ts', 'my-own.test.ts', 'tsconfig.json'])('overwrites no %s', async (file) => {
    const folder = folderWith('mine', file);

    const { code, stderr } = await usurpIn(folder, ['new', 'property', 'my-own']);

    expect(code).toBe(file === 'tsconfig.json' ? 0 : 254);
    expect(stderr).toContain(`${file} exists and was left unchanged`);
    expect(readFileSync(join(folder, file), 'utf8')).toBe('mine');
  });
});

describe.skipIf(!HAS_REDIS)('a worker of a fleet', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ log: false });
  });
  afterAll(() => server.close());

  const SWEEP = ['sweep', 'top-id', '--load', 'own.ts', '--runs', '4', '--seed', '5', '--quiet'];
  SWEEP.push('--set', 'network.election.protocols=[own-ring]', '--set', 'network.honest=4,6');

  function workerIn(folder: string, load: readonly string[]) {
    const args = [join(ROOT, 'bin/usurp.js'), 'worker', '--redis', server.url, '--workers', '1'];
    return spawn(process.execPath, [...args, ...load], { cwd: folder });
  }

  it('runs a protocol of a loaded file, with the rows that threads give', async () => {
    const folder = folderWith(OWN);
    const worker = workerIn(folderWith(OWN, 'renamed.ts'), ['--load', 'renamed.ts']);
    const end = ended(worker);
    const fleet = ['--engine', 'bullmq', '--redis', server.url];

    const alone = await usurpIn(folder, [...SWEEP, '--format', 'jsonl', '--workers', '1']);
    const together = await usurpIn(folder, [...SWEEP, '--format', 'jsonl', ...fleet]);

    worker.kill('SIGTERM');
    expect((await end).stdout).toMatch(/ 8 runs\n$/);
    expect([alone.code, together.code]).toEqual([0, 0]);
    const withoutTimes = (rows: string) => rows.replace(/"(cpu|wall)MeanS":[^,]*/g, '');
    expect(withoutTimes(together.stdout)).toBe(withoutTimes(alone.stdout));
  });

  it('reports a sweep whose files it has not loaded', async () => {
    const folder = folderWith(OWN);
    const worker = workerIn(folder, []);
    const end = ended(worker);
    const fleet = ['--engine', 'bullmq', '--redis', server.url];
    const sweep = spawn(process.execPath, [join(ROOT, 'bin/usurp.js'), ...SWEEP, ...fleet], {
      cwd: folder,
    });
    const stopped = ended(sweep);

    for await (const line of worker.stderr) if (String(line).includes('leaves sweep')) break;

    sweep.kill('SIGTERM');
    worker.kill('SIGTERM');
    await stopped;
    expect((await end).stderr).toMatch(
      /leaves sweep \w+ to others: it needs code .*; start the sweep and the worker with --load and the same files/,
    );
  });
});
