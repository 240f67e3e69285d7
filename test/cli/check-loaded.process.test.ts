/**
 * @module
 * Properties of the user in `usurp check`: each kind, the shortest list of actions, its replay, threads, and the
 * refusal of a property that is no function of the world. Each test is a process, because files are loaded at its start.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IS_WHOLE } from '../sample.ts';
import { ended, ROOT, scratchFolder, spawnUsurp } from './shell.ts';

/** A property of worlds alone. `body` are the members of `worlds` after kind and what it reads. */
function fileWith(kind: string, reads: string, body: string): string {
  const folder = scratchFolder();
  const file = join(folder, 'own.ts');
  writeFileSync(
    file,
    `import { defineProperty } from 'usurp';
let memory = 0;
export const OWN = defineProperty({
  name: 'own-property',
  description: 'it is never judged over runs',
  happened: () => 'nothing',
  isCounted: false,
  needsResource: false,
  aim: 'stop',
  underAttack: 'fails',
  epochs: null,
  judges: { election: null, top: null, watched: null, ranking: null, epochs: null },
  closedForms: { election: null, watched: null, ranking: null, epochs: null },
  worlds: { kind: '${kind}', description: 'a test', reads: '${reads}', ${body} },
});
`,
  );
  return file;
}

function checkWith(file: string, ...args: readonly string[]) {
  const own = ['--load', file, '--properties', 'own-property'];
  return ended(spawnUsurp(['check', ...args, ...own]));
}

const ELECTIONS = "inFlight.filter(({ message }) => message.type === 'ELECTION').length";
const TWO_MESSAGES = `holds: ({ inFlight }) => ${ELECTIONS} < 3, breach: ({ inFlight }) => \`\${${ELECTIONS}} ELECTION are in flight\``;

describe('a property of the user', () => {
  it('holds in all worlds of an exhausted search', async () => {
    const file = fileWith('always', 'everything', TWO_MESSAGES.replace('< 3', '< 4'));

    const { code, stdout } = await checkWith(file, 'bully-oneshot', '--timing', 'synchronous');

    expect(code).toBe(0);
    expect(stdout).toMatch(/^own-property +holds; always: a test$/m);
    expect(stdout).toContain('exhausted: every world within the bounds was visited');
  });

  it('is violated with the shortest list of actions, which is replayed', async () => {
    const file = fileWith('always', 'everything', TWO_MESSAGES);
    const saved = join(scratchFolder(), 'violation.json');

    const found = await checkWith(file, 'bully-oneshot', '--save', saved);
    const replayed = await ended(spawnUsurp(['replay', saved, '--load', file]));
    const without = await ended(spawnUsurp(['replay', saved]));

    // Two starts send three ELECTION. Nothing shorter sends more than two.
    expect(found.code).toBe(1);
    expect(found.stdout).toContain('violated: own-property: 3 ELECTION are in flight');
    expect(found.stdout.match(/^ +\d+ {2}node \d/gm)).toHaveLength(2);
    expect(replayed.code).toBe(0);
    expect(replayed.stdout).toContain('violated: own-property: 3 ELECTION are in flight');
    expect(without.stderr).toContain('needs the file that defines property own-property');
  });

  it.each([
    ['sometimes', 'timers.includes("coordinator")', 0, 'seen'],
    ['sometimes', 'timers.includes("lunch")', 0, 'impossible'],
    ['eventually', 'timers.includes("answer")', 0, 'holds'],
    ['eventually', 'timers.includes("coordinator")', 1, 'violated'],
  ])('of the kind %s: a node has %s', async (kind, condition, exit, value) => {
    const body = `holds: ({ nodes }) => nodes.some(({ timers }) => ${condition}), breach: () => 'no node has the timer'`;

    const args = ['bully-oneshot', '--timing', 'synchronous', '--json'];
    const { code, stdout } = await checkWith(fileWith(kind, 'everything', body), ...args);

    expect(code).toBe(exit);
    expect(JSON.parse(stdout).properties).toEqual([
      { name: 'own-property', kind, value, description: 'a test' },
    ]);
  });

  it('that reads leaders keeps the shift of terms', async () => {
    const body = `holds: ({ nodes }) => nodes.some(({ rank, leader }) => rank === leader), breach: () => 'no node leads'`;
    const raft = [
      'raft',
      '--nodes',
      '2',
      '--cut',
      '1-2',
      '--timing',
      'synchronous',
      '--spread',
      '1',
    ];

    const { stdout } = await checkWith(fileWith('eventually', 'leaders', body), ...raft);

    expect(stdout).toContain('violated: own-property: no node leads');
    expect(stdout).toMatch(/each time with terms higher by \d/);
  });

  // The edges have a property that two threads refuse at one world.
  it.runIf(IS_WHOLE)('has the same result with two threads as with one', async () => {
    const body = `holds: ({ nodes }) => nodes.filter(({ up, leader }) => !up || leader === null).length < 4 || nodes[3].timers.length === 0, breach: () => 'too few'`;
    const file = fileWith('always', 'everything', body);
    const args = [
      'bully-oneshot',
      '--nodes',
      '4',
      '--timing',
      'synchronous',
      '--bounds',
      'crash=1',
    ];

    const results = await Promise.all(
      ['1', '2'].map((threads) => checkWith(file, ...args, '--threads', threads, '--json')),
    );

    const [one, two] = results.map(({ stdout }) => {
      const { counts, ...answer } = JSON.parse(stdout);
      return { ...answer, counts: { ...counts, bytes: 0 } };
    });
    expect(two).toEqual(one);
    expect(one.counts.states).toBeGreaterThan(20_000);
  });

  it.each([
    [
      'holds: (world) => world.nodes[0].state === null',
      /worlds reads "state"; there is rank, up, /,
    ],
    ['holds: (world) => world.noddes.length > 0', /worlds reads "noddes"; there is protocol, /],
    ['holds: () => null.x', /worlds\.holds throws TypeError: .* \(.*own\.ts:\d+:\d+\)/],
    ['holds: () => 1', /worlds\.holds must return true or false, got 1/],
    ['holds: async () => true', /worlds\.holds must return true or false, got Promise/],
    ['holds: () => false, breach: () => undefined', /worlds\.breach must return words, got und/],
    ['holds: () => Math.random() < 2', /worlds\.holds throws TypeError: it calls Math\.random; /],
    ['holds: () => Date.now() > 0', /worlds\.holds throws TypeError: it calls Date\.now; /],
    ['holds: () => (memory += 1) < 300', /worlds\.holds says true and then false of the same/],
    ['holds: ({ nodes }) => { nodes[0].up = false; return true; }', /Cannot assign to read only/],
  ])('is refused with a reason if %s', async (holds, expected) => {
    const body = holds.includes('breach') ? holds : `${holds}, breach: () => 'wrong'`;
    const args = ['bully-oneshot', '--nodes', '4', '--timing', 'synchronous', '--threads', '1'];

    const { code, stdout, stderr } = await checkWith(fileWith('always', 'leaders', body), ...args);

    expect(code).toBe(254);
    expect(stdout).toBe('');
    expect(stderr).toMatch(expected);
  });

  it('that throws late is refused at the same world by two threads', async () => {
    const body = `holds({ nodes }) { if (nodes.filter(({ up, leader }) => up && leader === 4).length === 4) throw new RangeError('four'); return true; }, breach: () => 'wrong'`;
    const file = fileWith('always', 'leaders', body);
    const args = [
      'bully-oneshot',
      '--nodes',
      '4',
      '--timing',
      'synchronous',
      '--bounds',
      'crash=1',
    ];

    const { code, stderr } = await checkWith(file, ...args, '--threads', '2');

    expect(code).toBe(254);
    expect(stderr).toMatch(/property own-property: worlds\.holds throws RangeError: four/);
  });

  it('that judges runs alone is refused with the reason', async () => {
    const text = readFileSync(join(ROOT, 'examples/definitions/example-property.ts'), 'utf8');
    const file = join(scratchFolder(), 'runs.ts');
    writeFileSync(file, text.replace(/ {2}worlds: \{.*?\n {2}\},\n/s, ''));

    const args = ['check', 'cr-join', '--load', file, '--properties', 'example-property'];
    const { code, stderr } = await ended(spawnUsurp(args));

    expect(code).toBe(254);
    expect(stderr).toContain('example-property judges whole runs');
  });

  it('cannot have the name of a property of the lab', async () => {
    const file = fileWith('always', 'leaders', "holds: () => true, breach: () => ''");
    writeFileSync(file, readFileSync(file, 'utf8').replace('own-property', 'one-leader'));

    const { code, stderr } = await checkWith(file, 'cr-join');

    expect(code).toBe(254);
    expect(stderr).toContain('a property of worlds named "one-leader" exists already');
  });
});

describe('a protocol of the user with a wrong counter', () => {
  const SOURCE = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');
  const WRONG = `counters: [{ name: 'ranks', state: ['leader'], persisted: [], messages: ['candidate', 'leader'], unset: [] }]`;

  function folderWith(counters: string): string {
    const file = join(scratchFolder(), 'ring.ts');
    writeFileSync(file, SOURCE.replace('counters: []', counters));
    return file;
  }

  it.each([['1'], ['2']])(
    'is refused with the step that shows it (%s threads)',
    async (threads) => {
      const args = ['check', 'example-protocol', '--threads', threads];

      const { code, stdout, stderr } = await ended(
        spawnUsurp([...args, '--load', folderWith(WRONG)]),
      );

      expect(code).toBe(254);
      expect(stdout).toBe('');
      expect(stderr).toMatch(
        /^usurp: protocol example-protocol: "counters" is wrong for "ranks": with higher values node 1, when it starts, does something else: message 1\.candidate is 1 instead of 4\./,
      );
    },
  );

  it('is checked with exact terms', async () => {
    const args = ['check', 'example-protocol', '--terms', 'exact', '--load', folderWith(WRONG)];

    const { code } = await ended(spawnUsurp(args));

    expect(code).toBe(0);
  });

  it('that is of another form is refused with its line', async () => {
    const args = [
      'check',
      'example-protocol',
      '--load',
      folderWith("counters: [{ name: 'ranks' }]"),
    ];

    const { code, stderr } = await ended(spawnUsurp(args));

    expect(code).toBe(254);
    expect(stderr).toMatch(/ring\.ts:\d+:\d+: "counters\.state" must be a list of members, got/);
  });
});

describe('drawn lengths of timers in a protocol of the user', () => {
  it('that are of another form are refused with their line', async () => {
    const source = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');
    const file = join(scratchFolder(), 'ring.ts');
    writeFileSync(file, source.replace('drawnTicks: []', "drawnTicks: 'ticks'"));

    const { code, stderr } = await ended(spawnUsurp(['check', 'example-protocol', '--load', file]));

    expect(code).toBe(254);
    expect(stderr).toMatch(
      /ring\.ts:\d+:\d+: "drawnTicks" must be a list of members, got "?'?ticks/,
    );
  });
});

describe('a protocol of the user with a wrong symmetry', () => {
  const SOURCE = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');

  function checkStating(symmetry: string, ...args: readonly string[]) {
    const file = join(scratchFolder(), 'ring.ts');
    writeFileSync(file, SOURCE.replace(/symmetry: '.*'/, `symmetry: ${symmetry}`));
    const check = ['check', 'example-protocol', '--properties', 'one-leader', '--load', file];
    return ended(spawnUsurp([...check, ...args]));
  }
  const WRONG = "{ of: 'ring', state: ['leader'], persisted: [], store: null }";

  it('is refused with the step that shows it', async () => {
    const { code, stdout, stderr } = await checkStating(WRONG);

    expect(code).toBe(254);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^usurp: protocol example-protocol: "symmetry" is wrong: if nodes 1, 2, … exchange their ranks and become [123,]+, node \d, when .*, does something else: .* instead of .*--symmetry off/,
    );
  });

  it('is checked without symmetry', async () => {
    const { code } = await checkStating(WRONG, '--symmetry', 'off');

    expect(code).toBe(0);
  });

  it('that is of another form is refused with its line', async () => {
    const { code, stderr } = await checkStating("{ of: 'ring', state: 'leader' }");

    expect(code).toBe(254);
    expect(stderr).toMatch(/ring\.ts:\d+:\d+: "symmetry" must have lists of paths/);
  });
});

describe('a protocol of the user that sends to no node', () => {
  const SOURCE = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');

  it.each(['0', '99', '-1', 'step.self.members[7]'])('such as %s is refused', async (to) => {
    const file = join(scratchFolder(), 'ring.ts');
    const send = `step.effects.send(${to} as any, { type: 'LEADER', leader: 1 } as any);`;
    writeFileSync(file, SOURCE.replace('start(step) {', `start(step) { ${send}`));

    const args = ['check', 'example-protocol', '--load', file, '--threads', '1'];
    const { code, stdout, stderr } = await ended(spawnUsurp(args));

    expect([code, stdout]).toEqual([254, '']);
    const rank = to.startsWith('step') ? 'undefined' : to;
    expect(stderr).toContain(
      `protocol example-protocol: node 1 sends {"type":"LEADER","leader":1} to ${rank}, which is no node`,
    );
  });
});

describe('an execution of a protocol of the user that repeats for ever', () => {
  const SOURCE = readFileSync(join(ROOT, 'examples/definitions/example-protocol.ts'), 'utf8');
  const TERM = `counters: [{ name: 'terms', state: ['term'], persisted: [], messages: ['term'], unset: [] }]`;

  /** The example with another machine. */
  function fileOf(counters: string, state: string, handlers: string): string {
    const file = join(scratchFolder(), 'own.ts');
    const machine = `createMachine<any, any>({ settings: null, init: (self) => (${state}), on: ${handlers} } as any)`;
    const text = SOURCE.replace('counters: []', counters)
      .replace("candidate: 'rank' }", "candidate: 'rank', term: 'epoch' }")
      .replace(/create: \(\) =>\n.*$/s, `create: () => ${machine},\n} as any);\n`);
    writeFileSync(file, text);
    return file;
  }

  it.each([
    ['a remainder', 'state.term % 3 === 0'],
    ['a limit', 'state.term > 9'],
  ])('is not taken for one with lower terms if its machine looks for %s', async (_, condition) => {
    const handlers = `{
      start: ({ effects }) => effects.setTimer('round', 3, false),
      timeout: {
        round({ self, state, effects }) {
          state.term += 1;
          if (${condition}) effects.elect(self.rank, 0);
          effects.setTimer('round', 3, false);
        },
      },
    }`;

    const { code, stderr } = await liveness(fileOf(TERM, '{ term: 1 }', handlers));

    expect(stderr).toContain('protocol example-protocol: "counters" is wrong for "terms"');
    expect(code).toBe(254);
  });

  function liveness(file: string) {
    const args = [
      'example-protocol',
      '--nodes',
      '2',
      '--properties',
      'leader-elected',
      '--load',
      file,
    ];
    return ended(spawnUsurp(['check', ...args]));
  }

  it('owes a message while a node draws again and again', async () => {
    const handlers = `{
      start({ self, effects }) {
        if (self.rank !== 1) return;
        effects.setTimer('tick', 3, false);
        effects.send(self.members[1], { type: 'LEADER', leader: self.members[1] });
      },
      timeout: { tick: ({ effects }) => effects.choose(2) },
      chosen: ({ effects }) => effects.setTimer('tick', 3, false),
      deliver: {
        LEADER({ self, effects }, message) {
          effects.elect(message.leader, 0);
          if (self.rank === message.leader) effects.send(self.members[0], message);
        },
      },
    }`;

    const { code, stdout } = await liveness(fileOf('counters: []', '{}', handlers));

    expect(stdout).toMatch(/^leader-elected +holds/m);
    expect(code).toBe(0);
  });

  it('does not owe a message whose term is lowered each time', async () => {
    // Node 1 has two numbered messages in flight. In order they raise its term for ever; out of order one elects it.
    const handlers = `{
      start({ self, state, effects }) {
        if (self.rank !== 1) return;
        effects.send(1, { type: 'PROBE', candidate: 1, term: state.term });
        effects.send(1, { type: 'PROBE', candidate: 1, term: state.term + 1 });
      },
      deliver: {
        PROBE({ state, effects }, { term }) {
          if (term < state.term) return;
          if (term === state.term) {
            state.term += 1;
            effects.send(1, { type: 'PROBE', candidate: 1, term: term + 2 });
            return;
          }
          state.term += 100;
          effects.elect(1, 0);
          effects.send(2, { type: 'LEADER', leader: 1 });
        },
        LEADER: ({ effects }, { leader }) => effects.elect(leader, 0),
      },
    }`;
    const state = 'self.rank === 1 ? { term: 1 } : {}';

    const { code, stdout } = await liveness(fileOf(TERM, state, handlers));

    expect(stdout).toContain('each time with terms higher by 1');
    expect(code).toBe(1);
  });
});
