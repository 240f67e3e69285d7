/**
 * @module
 * `usurp explain`: every kind of file at every length, what decides in the right order, and refusals of all else. The
 * numbers are those of other verbs.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import type { StudentResults } from '../../../src/exercise/grading.ts';
import { gradescopeReport } from '../../../src/exercise/reports.ts';
import { parseSeed } from '../../../src/random.ts';
import { savedRunOf } from '../../../src/simulation/report/saved-run.ts';
import { runElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const folder = scratchFolder();
const LENGTHS = ['short', 'medium', 'long'] as const;

interface Explained {
  readonly kind: string;
  readonly sentences: readonly string[];
}

/** The explanations of a text at all lengths, each with its exit code. */
async function explained(
  text: string,
  code = 0,
): Promise<Record<(typeof LENGTHS)[number], Explained>> {
  const all = [];
  for (const length of LENGTHS) {
    const printed = await usurp(['explain', '-', '--length', length, '--json'], text);
    expect(printed).toMatchObject({ code, stderr: '' });
    const explanation = parsed(printed);
    expect(Object.keys(explanation)).toEqual(['kind', 'length', 'sentences']);
    for (const sentence of explanation.sentences) expect(sentence).toMatch(/^\S.*[.!?:]$/);
    all.push([length, explanation]);
  }
  return Object.fromEntries(all);
}

/** The text of a file that a verb with these words writes. */
async function saved(...words: readonly string[]): Promise<string> {
  const file = join(folder, 'saved.json');
  await usurp([...words, '--save', file, '--force']);
  return readFileSync(file, 'utf8');
}

const STALE_LEADER = ['elect', 'db-lease', '--nodes', '3', '--pause', '1@100-300', '--seed', '1'];

describe('a saved run', () => {
  it('has its outcome, its turning points in the order of time, or all that happened', async () => {
    const words = [...STALE_LEADER, '--resource', 'unfenced'];
    const { short, medium, long } = await explained(await saved(...words));

    expect(short).toEqual({
      ...{ kind: 'run', length: 'short' },
      sentences: [
        'An election by db-lease with 3 nodes and seed 1: all 3 live nodes follow 2; the protocol may elect any node.',
        'The verdict is true.',
      ],
    });
    const points = medium.sentences.filter((each) => each.startsWith('Tick'));
    expect(points.map((each) => each.replace(/ \(.*\)/, ''))).toEqual([
      'Tick 4: node 1 receives message 9 from the store; it leads in epoch 1.',
      'Tick 100: node 1 pauses.',
      'Tick 131: node 2 receives message 258 from the store; it leads in epoch 11.',
      'Tick 300: node 1 resumes.',
      'Tick 300: the timer “lease-1” of node 1 fires; it ceases to lead.',
      'Tick 301: the store receives message 516 from node 1; it accepts this late write: it knows epoch 11.',
    ]);
    expect(medium.sentences).toContain('Its faults are: pause 1@100-300.');
    expect(long.sentences.length).toBeGreaterThan(600);
    expect(long.sentences.filter((each) => each.includes('this late write'))).toHaveLength(1);
  });

  it('has the refusal of a fence', async () => {
    const { medium } = await explained(await saved(...STALE_LEADER, '--resource', 'fencing-max'));

    expect(medium.sentences.join('\n')).toMatch(/Tick 301: the store .*; it refuses it: stale\.$/m);
  });

  it.each([1, 3, 4])('counts the turning points that it leaves out (seed %i)', async (seed) => {
    const words = [
      'elect',
      'bully-gm82',
      '--nodes',
      '9',
      '--random-faults',
      '--seed',
      String(seed),
    ];
    const { medium, long } = await explained(await saved(...words));

    const named = medium.sentences.filter((each) => each.startsWith('Tick'));
    const at = named.map((each) => Number(/\d+/.exec(each)?.[0]));
    expect(medium.sentences.length).toBeLessThanOrEqual(22);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    const rest = medium.sentences.find((each) => each.startsWith('Left out here')) ?? '';
    const [, count] = /suspicions (\d+)/.exec(rest) ?? [];
    const suspicions = (of: Explained) =>
      of.sentences.filter((each) => / (suspects|trusts) /.test(each)).length;
    expect(suspicions(medium) + Number(count ?? 0)).toBe(suspicions(long));
  });

  it('has the refused messages of a Byzantine node', async () => {
    const byzantine = [{ rank: 1, behaviours: ['spoof-coordinator'] }];
    const options = { protocol: 'bully-oneshot', nodes: 4, level: 'L2', byzantine } as const;
    const simulation = createSimulation({ ...options, seed: parseSeed('1') });
    runElection(simulation);
    const content = savedRunOf(simulation.plan, { initiators: null, digest: null });
    const { medium } = await explained(JSON.stringify(content));

    expect(medium.sentences[0]).toContain('messages at level L2, node 1 with spoof-coordinator');
    expect(medium.sentences.join('\n')).toMatch(
      /it refuses it: a node that it names has not signed its candidacy/,
    );
  });

  it('says that the trace is another one', async () => {
    const run = JSON.parse(await saved('elect', 'cr-join', '--nodes', '4', '--seed', '1'));
    const { short } = await explained(JSON.stringify({ ...run, seed: '2' }), 1);

    expect(short.sentences).toContain(
      'Its trace is not the saved one: its protocol or usurp has changed.',
    );
  });
});

describe('a counterexample', () => {
  const words = ['check', 'bully-oneshot', '--properties', 'one-leader'];

  it('has the same actions in a file and in the JSON of the check', async () => {
    const file = await explained(await saved(...words));
    const json = await explained((await usurp([...words, '--json'])).stdout);

    expect(file.short.kind).toBe('counterexample');
    expect(file.short.sentences).toEqual([
      'An execution of bully-oneshot with 3 nodes violates the property one-leader: nodes 1 and 3 lead at the same time.',
      'It has 4 actions.',
    ]);
    expect(json.short.sentences).toEqual(file.short.sentences);
    expect(file.medium.sentences.slice(2)).toEqual([
      'Action 3: node 3 starts an election; it leads.',
      'Action 4: the timer “answer” of node 1 fires; it leads.',
    ]);
    expect(file.long.sentences.slice(2)).toHaveLength(4);
    expect(json.long.sentences).toEqual(expect.arrayContaining([...file.long.sentences]));
  });

  it('has the lies', async () => {
    const lies = ['cr-replace', '--byzantine', '2', '--bounds', 'lies=1', '--goal', 'leader'];
    const { medium } = await explained((await usurp(['check', ...lies, '--json'])).stdout);

    expect(medium.sentences.join('\n')).toMatch(/^Action \d+: node 2 lies; it sends /m);
  });
});

describe('the result of an operation', () => {
  it('has the verdict, what stands beside it, and all numbers', async () => {
    const { stdout } = await usurp(['run', 'top-id', '--runs', '10', '--seed', '1', '--json']);
    const { short, medium, long } = await explained(stdout);
    const { verdict, results } = JSON.parse(stdout);

    expect(short.kind).toBe('verdict');
    expect(short.sentences).toEqual([verdict.sentence]);
    expect(medium.sentences).toContain(`The verdict is ${verdict.value}: ${verdict.reason}.`);
    expect(medium.sentences.join('\n')).toMatch(/^Theory: .* = E\[K\/\(n\+K\)\]/m);
    const { wins, runs } = results[0].measured;
    expect(long.sentences.join('\n')).toMatch(
      new RegExp(
        `^bully-oneshot: verdict ${verdict.value}, measured ${wins} of ${runs} runs, .*interval`,
        'm',
      ),
    );
    const job = JSON.stringify({ id: 'j_1', status: 'done', result: JSON.parse(stdout) });
    expect((await explained(job)).long).toEqual(long);
  });

  it.each([
    [
      [
        'design',
        '--epsilon',
        '0.01',
        '--time',
        '60s',
        '--nodes',
        '16',
        '--join-time',
        '10s',
        '--advantage',
        '8',
        '--rate',
        '1e6',
        '--no-elections',
        '--no-check',
      ],
      null,
    ],
    [['elect', 'cr-join', '--nodes', '4', '--seed', '1'], /^The verdict is true: /],
    [['elect', 'cr-join', '--nodes', '4', '--runs', '3', '--seed', '1'], null],
    [['attack', 'cr-join', '--behaviours', 'phantom-id', '--seed', '1'], /^The adversary, rank 1/],
    [['check', 'cr-join'], /^exhausted: /],
    [
      ['compare-protocols', 'cr-join', 'floodmax', '--nodes', '4', '--runs', '2', '--seed', '1'],
      null,
    ],
  ])('%j', async (words, first) => {
    const { stdout } = await usurp([...words, '--json']);
    const { short, medium, long } = await explained(stdout);

    expect(short.sentences.length).toBeGreaterThan(0);
    expect(short.sentences.length).toBeLessThanOrEqual(2);
    if (first !== null) expect(short.sentences[0]).toMatch(first);
    expect(long.sentences.length).toBeGreaterThanOrEqual(medium.sentences.length);
  });
});

const test = (criterion: string, met: boolean, detail: string) => {
  return { criterion, met, points: met ? 2 : 0, pointsMax: 2, detail };
};
const of = { student: 'ada', title: 'Ring', pointsMax: 4, status: 'partial', points: 2 } as const;
const tests = [test('ring', true, 'a ring of 5'), test('messages', false, 'it sends 9, not 10')];
const ADA: StudentResults = {
  ...{
    student: 'ada',
    points: 2,
    pointsMax: 4,
    exercises: [{ ...of, exercise: 'worst-ring', tests }],
  },
};
const MET = 'worst-ring, ring: met, 2 of 2 points: a ring of 5.';
const MISSING = 'worst-ring, messages: missing, 0 of 2 points: it sends 9, not 10.';

describe('grades', () => {
  it.each([
    ['ada', JSON.stringify([ADA])],
    ['The student', gradescopeReport(ADA, 'visible')],
  ])('of %s have the points, what is missing, and every criterion', async (student, text) => {
    const { short, medium, long } = await explained(text);

    const points = `${student} has 2 of 4 points and did not pass: 1 of 2 criteria are met.`;
    expect(short).toEqual({ kind: 'grade', length: 'short', sentences: [points] });
    expect(medium.sentences).toEqual([points, MISSING]);
    expect(long.sentences).toEqual([points, MET, MISSING]);
  });
});

describe('all else', () => {
  const action = { action: { type: 'constructor' }, effects: [], dropped: false, lost: null };

  it.each([
    ['{}', 'a saved run or counterexample of --save'],
    ['[]', 'results.json of usurp grade'],
    ['null', 'what an operation prints with --json'],
    ['{"replay":"usurp __proto__ x"}', 'what an operation prints'],
    ['{"replay":"usurp run x"}', 'this is not a result of usurp run'],
    ['{"replay":{"toString":1}}', 'what an operation prints'],
    ['{"format":"usurp/schedule/v1"}', 'this is not a saved run'],
    ['{"format":"usurp/counterexample/v1"}', 'this is not a counterexample'],
    ['no JSON\u001b[2J', 'this is not JSON'],
    ['['.repeat(1_000_000), 'nested deeper than 32 levels'],
    [`"${'\\"['.repeat(100)}`, 'this is not JSON'],
    ['1'.repeat(9_000_000), 'larger than'],
  ])('is refused: %.40s', async (text, refusal) => {
    const file = join(folder, 'hostile.json');
    writeFileSync(file, text);
    const { code, stdout, stderr } = await usurp(['explain', file]);

    expect({ code, stdout }).toEqual({ code: 254, stdout: '' });
    expect(stderr).toContain(refusal);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('is refused if the words of a verdict contradict its numbers', async () => {
    const run = parsed(await usurp(['run', 'top-id', '--runs', '50', '--seed', '1', '--json']));
    const [first, ...others] = run.results;
    const wins = { ...first, measured: { ...first.measured, wins: 49 } };
    const changed = [
      { ...run, verdict: { ...run.verdict, value: 'false' } },
      { ...run, results: [wins, ...others] },
    ];
    for (const json of changed) {
      const { code, stderr } = await usurp(['explain', '-'], JSON.stringify(json));
      expect(code).toBe(254);
      expect(stderr).toContain('its parts do not fit together');
    }
    expect(await usurp(['explain', '-'], JSON.stringify(run))).toMatchObject({ code: 0 });
  });

  it('is refused if the actions of a check do not fit together', async () => {
    const check = parsed(
      await usurp(['check', 'bully-oneshot', '--properties', 'one-leader', '--json']),
    );
    for (const actions of [[action], [{ ...action, action: { type: 'deliver', message: 7 } }]]) {
      const { code, stderr } = await usurp(['explain', '-'], JSON.stringify({ ...check, actions }));
      expect(code).toBe(254);
      expect(stderr).toContain('its parts do not fit together');
    }
  });

  it('cannot control the terminal', async () => {
    const student = { ...ADA, student: '\u001b[2Jada\nbob\u202e' };
    const { stdout } = await usurp(['explain', '-'], JSON.stringify([student]));

    expect(stdout).toMatch(/^\\u001b\[2Jada\\u000abob\\u202e has/);
  });
});
