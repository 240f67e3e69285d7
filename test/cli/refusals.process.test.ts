/**
 * @module
 * What the command line answers to nonsense: exit code 254, words on stderr that name the fault and
 * the remedy, nothing on stdout, never a stack.
 */

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, usurp } from './shell.ts';

const ELECT = ['elect', 'cr-join'];

describe('help', () => {
  it.each([
    'mine',
    'verify',
    'elect',
    'attack',
    'run',
    'design',
    'sweep',
    'serve',
    'new',
    'conform',
    'cluster',
    'exercise',
    'class',
  ])('of %s is the same with the verb help and with the flag', async (verb) => {
    const asked = await usurp(['help', verb]);

    expect(asked).toEqual(await usurp([verb, '--help']));
    expect(asked.code).toBe(0);
    expect(asked.stdout).toContain(`Usage: usurp ${verb} `);
    // Commands and JSON are copied, and a word is not divided.
    const isProse = (line: string) => !/^ *(?:npx |usurp |\{)/.test(line) && /\S \S/.test(line);
    const lines = asked.stdout.split('\n');
    expect(lines.filter((line) => line.length > 80 && isProse(line))).toEqual([]);
  });

  it('without a verb lists the verbs', async () => {
    expect(await usurp(['help'])).toEqual(await usurp(['--help']));
  });

  it.each([
    ['mien', '; did you mean mine?'],
    ['paxos', 'paxos is not a verb; usurp help lists the verbs'],
  ])('of %s is refused', async (verb, problem) => {
    const printed = await usurp(['help', verb]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(problem);
  });

  it('of mine names an example of each quantity', async () => {
    const { stdout } = await usurp(['help', 'mine']);

    for (const example of ['1e6', '2^20', '90s', '5m', '2h']) expect(stdout).toContain(example);
  });
});

describe('arguments', () => {
  it.each([
    [['elect', 'bully', '--nodes', '3'], 'did you mean bully-oneshot?'],
    [['mine', '--scheme', 'ed25591'], 'did you mean ed25519?'],
    [['run', 'top-id', '--strategy', 'sibling'], 'did you mean siblings?'],
    [['design', '--seconds', '60'], "unknown option '--seconds'; use --time"],
    [['elect', '--protocol', 'raft'], '; use the argument: usurp elect [protocol]'],
    [['check', '--protocol=raft'], '; use the argument: usurp check <protocol>'],
    [['attack', '--protocol', 'raft'], '; use the argument: usurp attack [protocol]'],
    [
      ['attack-matrix', '--protocol', 'raft'],
      '; use the argument: usurp attack-matrix [protocols]',
    ],
    [['run', '--threat-model', 'top-id'], '; use the argument: usurp run [threatModel]'],
    [['attack', 'raft', '--behaviour', 'mute'], '(Did you mean --behaviours?)'],
    [['check', 'raft', '--cost'], '; use usurp cheapest-attack'],
  ])('%j names the nearest value', async (args, near) => {
    expect((await usurp(args)).stderr).toContain(near);
  });

  it.each([
    ['an unknown flag', ['mine', '--c9', '1'], '--c9'],
    ['a missing value', ['mine', '--c1'], '--c1'],
    ['two verbs', ['mine', 'elect'], 'argument'],
    ['an unknown verb', ['min'], 'mine'],
    ['no protocol', ['elect', '--nodes', '3'], 'such as raft'],
    ['a protocol twice', ['elect', 'raft', 'raft', '--nodes', '3'], 'too many arguments'],
    ['an unknown protocol', ['elect', 'paxos', '--nodes', '3'], 'cr-join'],
    ['neither nodes nor ring', ELECT, '--nodes'],
    ['both nodes and ring', [...ELECT, '--nodes', '3', '--ring', '3,1,2'], '--ring'],
    ['no nodes', [...ELECT, '--nodes', '0'], '1..'],
    ['a ring with a gap', [...ELECT, '--ring', '4,1,2'], 'ring'],
    ['a rank twice', [...ELECT, '--ring', '3,1,1'], 'twice'],
    ['an initiator that is no member', [...ELECT, '--nodes', '3', '--initiators', '4'], '4'],
    [
      'a Bully election that no memory holds',
      ['elect', 'bully-oneshot', '--nodes', '100000'],
      'too many',
    ],
    [
      'a ring whose lists would be copied for minutes',
      ['elect', 'ring-collect', '--nodes', '2900'],
      'entries',
    ],
    [
      'copies of lists that no memory holds',
      ['elect', 'ring-collect', '--nodes', '200', '--duplicate', '50%'],
      'copies multiply',
    ],
    [
      'an absent folder for the key',
      ['mine', '--seed', '1', '--out', '/nonexistent/key.json'],
      'folder',
    ],
    ['a folder as the key', ['mine', '--seed', '1', '--out', '/tmp'], 'directory'],
    [
      'an absent folder for the trace',
      [...ELECT, '--nodes', '3', '--trace', '/nonexistent/t.txt'],
      'folder',
    ],
    ['everybody dead', [...ELECT, '--nodes', '2', '--crash', '1,2'], 'alive'],
    ['a latency of zero', [...ELECT, '--nodes', '3', '--latency', '0'], 'latency'],
    ['reversed latency bounds', [...ELECT, '--nodes', '3', '--latency', 'uniform:5:1'], 'reversed'],
    ['difficulty out of range', ['mine', '--c1', '257'], '0..256'],
    ['a fraction of a bit', ['mine', '--c1', '1.5'], '0..256'],
    ['a zero budget', ['mine', '--attempts', '0'], '1..'],
    ['a time without a number', ['mine', '--cpu', 'soon'], '90s, 5m or 2h'],
    ['minutes in three letters', ['mine', '--cpu', '5min'], '90s, 5m or 2h'],
    ['a share of a count', ['elect', '--nodes', '5%'], 'such as 100, 1e3 or 2^10'],
    ['zero time', ['mine', '--cpu', '0s'], 'above 0'],
    ['no threads', ['mine', '--threads', '0'], '1..256'],
    ['a foreign goal', ['mine', '--goal', 'above:FF'], 'above:'],
    ['an unknown threat model', ['run', 'top-idd'], 'did you mean top-id?'],
    ['a setting without a value', ['run', 'top-id', '--set', 'work'], 'path=value'],
    ['an unknown setting', ['run', 'top-id', '--set', 'network.honset=3'], 'honest'],
    ['no runs', ['run', 'top-id', '--runs', '0'], '1..'],
    ['certainty', ['run', 'top-id', '--confidence', '1'], 'below 1'],
    ['a port out of range', ['serve', '--port', '65536'], '65535'],
  ])('refuses %s', async (_what, args, word) => {
    const printed = await usurp(args);

    expect(printed.stderr).toContain(word);
    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['an unknown flag', ['mine', '--c9', '1']],
    ['a missing value', ['mine', '--c1']],
    ['two verbs', ['mine', 'elect']],
  ])('says %s in one line', async (_what, args) => {
    const { stderr } = await usurp(args);

    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it.each(['0x1', '01', '-1', '1.5', '1e3', '', ' 1', '+1', '１'])(
    'refuses the seed %j in mine, elect and run',
    async (seed) => {
      const lines = [
        ['mine', `--seed=${seed}`],
        [...ELECT, '--nodes', '3', `--seed=${seed}`],
        ['run', 'top-id', `--seed=${seed}`],
      ];

      for (const line of lines) {
        expect(await usurp(line)).toMatchObject({ code: 254, stdout: '' });
      }
    },
  );
});

describe('files', () => {
  const folder = scratchFolder();
  const file = (name: string, content: string | Uint8Array) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  mkdirSync(join(folder, 'folder.yaml'));
  const huge = file('huge.yaml', '');
  truncateSync(huge, 2 ** 30);

  it.each([
    ['absent', join(folder, 'absent.yaml'), 'does not exist'],
    ['a directory', join(folder, 'folder.yaml'), 'is a directory'],
    ['empty', file('empty.yaml', ''), 'is empty'],
    ['binary', file('binary.yaml', new Uint8Array([0xff, 0xfe, 0x00, 0x80])), 'UTF-8'],
  ])('refuses a file that is %s, as a claim and as a threat model', async (_what, path, word) => {
    for (const verb of ['verify', 'run']) {
      const printed = await usurp([verb, path]);

      expect(printed).toMatchObject({ code: 254, stdout: '' });
      expect(printed.stderr).toContain(path);
      expect(printed.stderr).toContain(word);
      expect(printed.stderr).not.toMatch(/\n\s+at /);
    }
  });

  it('refuses a gigabyte after the first bytes: a threat model by its size, a claim by its text', async () => {
    const model = await usurp(['run', huge]);
    const claim = await usurp(['verify', huge]);

    expect([model.code, claim.code]).toEqual([254, 254]);
    expect(model.stderr).toContain(`${huge} is larger than`);
    expect(claim.stderr).toContain(`${huge}: line 1, column 1: expected value`);
  });

  it.each([
    ['not JSON', '{"scheme": ed25519}'],
    ['JSON that is no claim', '[]'],
    ['a claim with a name twice', '{"scheme":"ed25519","scheme":"secp256k1"}'],
    ['nested 30 000 deep', '['.repeat(30_000)],
  ])('refuses a claim file with %s and names it', async (_what, text) => {
    const path = file('claim.json', text);

    const printed = await usurp(['verify', path]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(path);
  });

  it('points at line and column of a threat model', async () => {
    const path = file('model.yaml', 'id: x\ntitel: y\n');

    const printed = await usurp(['run', path]);

    expect(printed.stderr).toContain(`${path}:2:1`);
    expect(printed.stderr).toContain('title');
  });
});
