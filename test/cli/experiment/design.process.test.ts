/**
 * @module
 * `usurp design` as a user meets it: three exit codes, the documented members, replays, refusals.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import type { Printed } from '../shell.ts';
import { argumentsOf, parsed, usurp } from '../shell.ts';

const ASKED = ['design', '--nodes', '16', '--join-time', '10s', '--rate', '10000', '--seed', '5'];
const POSSIBLE = [...ASKED, '--epsilon', '0.5', '--time', '1'];
const UNLIKELY = [...ASKED, '--epsilon', '0.01', '--time', '60'];
const NOT_POSSIBLE = [...UNLIKELY, '--advantage', '8'];

const PRINTED = new Map<string, Promise<Printed>>();

/** What the command prints as JSON. Several tests need the same answers. */
function printedOf(args: readonly string[]): Promise<Printed> {
  const key = args.join(' ');
  const printed = PRINTED.get(key) ?? usurp([...args, '--json']);
  PRINTED.set(key, printed);
  return printed;
}

describe('design', () => {
  it('prints the documented members', async () => {
    const answer = parsed(await printedOf(NOT_POSSIBLE));

    const { answers, ...rest } = answer;
    expect(rest).toMatchObject({
      verdict: { value: 'false', sentence: expect.any(String), reason: expect.any(String) },
      seed: '5',
      replay: expect.stringContaining('--rate 10000'),
    });
    expect(answers[0]).toMatchObject({
      request: { epsilon: 0.01, time: 60, nodes: 16, joinQuantile: 0.95 },
      adversaryAttempts: 4_800_000,
      needed: { realBits: expect.any(Number), wholeBits: 26, probability: expect.any(Number) },
      bearable: { wholeBits: 15 },
      spareBits: expect.any(Number),
      isPossible: false,
      join: { one: { p50Seconds: expect.any(Number), p95Seconds: expect.any(Number) } },
      enough: { time: expect.any(Number), nodes: expect.any(Number) },
      check: { difficultyBits: 15, runs: expect.any(Number), agrees: true },
    });
    expect(answers[0].remedies).toHaveLength(6);
  });

  it.each([
    ['possible', POSSIBLE, 0, 'true'],
    ['not possible', NOT_POSSIBLE, 1, 'false'],
    ['unknown', [...POSSIBLE, '--runs', '3'], 2, 'unknown'],
  ])('answers %s with an exit code of its own', async (_name, args, code, value) => {
    const printed = await printedOf(args);

    expect(printed.code).toBe(code);
    expect(parsed(printed).verdict.value).toBe(value);
  });

  it('reports no rate if it is interrupted while it measures one', async () => {
    const asked = ['design', '--nodes', '16', '--join-time', '10s', '--epsilon', '0.01'];

    const printed = await usurp([...asked, '--time', '60'], '', AbortSignal.abort());

    expect(printed).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('has no check and prints no NaN if it is interrupted before a run', async () => {
    const printed = await usurp([...POSSIBLE, '--seed', '1'], '', AbortSignal.abort());

    expect(printed.code).toBe(130);
    expect(printed.stdout).toMatch(/\ncheck +none\n/);
    expect(printed.stdout).not.toContain('NaN');
  });

  it.each([
    ['run', ['run', 'top-id', '--set', 'work=sampled', '--runs', '1e1']],
    [
      'design',
      POSSIBLE.filter((word, index) => word !== '--seed' && POSSIBLE[index - 1] !== '--seed'),
    ],
    ['sweep', ['sweep', 'top-id', '--set', 'work=sampled', '--runs', '2', '--set', 'runs=2']],
  ])('%s notes a chosen seed as other verbs do', async (_verb, args) => {
    const { stderr } = await usurp(args);

    expect(stderr).toMatch(/^seed (\d+) was chosen; --seed \1 gives the same result$/m);
  });

  it('prints one sentence first, and lists defences only if they are needed', async () => {
    const possible = await usurp(POSSIBLE);
    const not = await usurp(NOT_POSSIBLE);

    expect(possible.stdout).toMatch(/^Possible: .*\.\nverdict /);
    expect(possible.stdout).not.toContain('commit-then-beacon');
    expect(not.stdout).toMatch(/^Not possible: .*\.\nEach of these changes alone/);
    expect(not.stdout).toMatch(/\ncommit-then-beacon +1\.51 /);
  });

  it('replays by the command that it prints, checked or not', async () => {
    for (const args of [POSSIBLE, NOT_POSSIBLE, [...POSSIBLE, '--no-check', '--window', '1m']]) {
      const first = await printedOf(args);
      const words = argumentsOf(parsed(first).replay);

      const second = await usurp([...words, '--json']);

      expect(parsed(second)).toEqual(parsed(first));
    }
  });

  it('makes no runs with --no-check', async () => {
    const answer = parsed(await usurp([...POSSIBLE, '--no-check', '--json']));

    expect(answer).toMatchObject({ seed: null, answers: [{ check: null, isPossible: true }] });
    expect(answer.verdict.reason).toBe(
      'computed with the closed form; no run was sampled to confirm it',
    );
  });

  it('measures the rate of this machine if none is given, and replays it as a number', async () => {
    const args = ['design', '--nodes', '16', '--join-time', '10s', '--epsilon', '0.5'];

    const printed = await usurp([...args, '--time', '1', '--no-check', '--json']);

    expect(parsed(printed).replay).toMatch(/--rate [0-9]+ /);
  });

  it('counts the seconds before the window for the defences salt and frozen membership', async () => {
    const args = [...NOT_POSSIBLE, '--preparation', '0s', '--window', '1s', '--no-check', '--json'];

    const [{ remedies: defences }] = parsed(await usurp(args)).answers;

    // Without a salt, IDs that are dropped before their puzzle make keys up to 1.5 times as fast.
    expect(defences[0].defence).toBe('commit-then-beacon');
    expect(defences[0].gainBits).toBeGreaterThan(Math.log2(60));
    expect(defences[0].gainBits).toBeLessThan(Math.log2(60 * 1.5));
    expect(defences[4]).toMatchObject({ defence: 'frozen-membership', gainBits: Math.log2(60) });
  });

  it.each([
    ['ε = 0', ['--epsilon', '0'], 'a probability above 0'],
    ['ε = 1', ['--epsilon', '1'], 'below 1'],
    ['ε below the precision of doubles', ['--epsilon', '1e-30'], 'epsilon'],
    ['negative seconds', ['--time', '-5'], '90s'],
    ['seconds beyond years', ['--time', '900000000'], '100000000'],
    ['no nodes', ['--nodes', '0'], '1..1000000'],
    ['nodes over the limit', ['--nodes', '1000001'], '1..1000000'],
    ['no join time', ['--join-time', '0s'], 'above 0'],
    ['a quantile of 1', ['--join-quantile', '1'], 'below 1'],
    ['an advantage of 0', ['--advantage', '0'], 'above 0'],
    ['a rate in words', ['--rate', 'fast'], '--rate must be a number above 0'],
    ['a rate beyond all machines', ['--rate', '1e30'], 'at most 10000000000'],
    ['preparation beyond its seconds', ['--preparation', '2m'], 'preparation'],
    ['attempts beyond the closed form', ['--time', '1e8', '--advantage', '1e9'], '2^60'],
    ['attempts beyond 2^60', ['--time', '100000000', '--advantage', '10000000'], '2^60'],
    ['an advantage twice', ['--advantage', '1,1'], 'different ones'],
    [
      'too many advantages',
      ['--advantage', Array.from({ length: 17 }, (_, i) => i + 1).join()],
      '16',
    ],
    ['a picture of another form', ['--out', 'chart.png'], '.svg, .html'],
    ['an unknown protocol', ['--protocol', 'paxos'], 'raft'],
    ['a question that does not fit', ['--question', 'no-leader'], 'adversary-leads'],
    ['a defence that does not fit', ['--defences', 'receipts'], 'receipts'],
    ['an unknown scheme', ['--scheme', 'rsa'], 'ed25519'],
    ['more machines', ['--advantage', '2,8', '--machines', '9'], '--machines: must be at most 8'],
  ])('refuses %s', async (_name, changed, word) => {
    const printed = await usurp([...POSSIBLE, '--no-check', ...changed]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(word);
    expect(printed.stderr).not.toMatch(/\n\s+at /);
  });

  it('names no number of honest nodes if one is enough', async () => {
    const { stdout } = await usurp([...POSSIBLE, '--no-check']);

    expect(stdout).toMatch(/enough alone .*/);
    expect(stdout.replaceAll(/\s+/g, ' ')).not.toContain('or 1 honest node');
  });

  it.each(['--epsilon', '--time', '--nodes', '--join-time'])('requires %s', async (flag) => {
    const at = POSSIBLE.indexOf(flag);

    const printed = await usurp(POSSIBLE.toSpliced(at, 2));

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(flag);
  });

  it.each([
    ['all possible', POSSIBLE, '1,2,0.5', 0, ['true', 'true', 'true']],
    ['one not possible', UNLIKELY, '1,1e-3', 1, ['false', 'true']],
    ['undecided', [...POSSIBLE, '--runs', '20'], '0.05,4', 2, ['unknown', 'unknown']],
  ])(
    'has an answer for each advantage, and the worst exit code: %s',
    async (_name, args, factors, code, values) => {
      const printed = await usurp([...args, '--advantage', factors, '--json']);

      const { answers, verdict, replay } = parsed(printed);
      expect(printed.code).toBe(code);
      expect(answers.map((each: typeof answers) => each.verdict.value)).toEqual(values);
      expect(answers.map((each: typeof answers) => each.request.advantage)).toEqual(
        factors.split(',').map(Number),
      );
      expect(verdict.value).toBe(['true', 'false', 'unknown'][code]);
      expect(replay).toContain(`--advantage ${factors.replace('1e-3', '0.001')}`);
    },
  );

  it('prints the answers in one table of at most 100 characters', async () => {
    const args = [...UNLIKELY, '--advantage', '1,10,100,1000', '--protocol', 'raft'];

    const { stdout } = await usurp([...args, '--no-check', '--machines', '1']);

    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.length > 100 && !line.startsWith('replay'))).toEqual([]);
    expect(lines[0]).toBe('Not possible at 1, 10, 100, 1000 times the speed of an honest node.');
    expect(lines[1]).toMatch(/^advantage +possible +bits needed +P +check +join 50 % +95 % +CPU/);
    expect(lines.slice(2, 6).map((line) => line.split(/ +/)[0])).toEqual([
      ...['1', '10', '100', '1000'],
    ]);
    expect(stdout).toMatch(/\nfailure of raft +[0-9.]+ messages \([0-9.]+ to [0-9.]+\) and /);
    expect(stdout).toMatch(/\nassumes +The rank has no meaning in raft/);
  });

  it('asks what fits the protocol, and states cost and assumption', async () => {
    const args = [...NOT_POSSIBLE, '--protocol', 'raft', '--question', 'no-leader', '--json'];

    const { answers, replay } = parsed(await usurp([...args, '--defences', 'quorum-certificates']));
    const [answer] = answers;

    expect(answer).toMatchObject({
      request: { protocol: 'raft', question: 'no-leader' },
      verdict: { sentence: expect.stringContaining('prevents a leader') },
      check: { agrees: true },
      honestCost: {
        join: { repeats: 'once', seconds: { p95: answer.join.one.p95Seconds } },
        elections: [{ protocol: 'raft', nodes: 16 }],
        defences: [{ defence: 'quorum-certificates', ticks: expect.any(Number) }],
        joinUnder: expect.arrayContaining([
          expect.objectContaining({ defence: 'commit-then-beacon', repeats: 'every epoch' }),
        ]),
      },
    });
    expect(replay).toMatch(/--protocol raft --question no-leader --defences quorum-cert/);
  });

  it.each(['svg', 'html'])('writes a chart as %s, and replaces no file', async (form) => {
    const path = join(mkdtempSync(join(tmpdir(), 'usurp-design-')), `chart.${form}`);
    const args = [...POSSIBLE, '--no-check', '--advantage', '1,8', '--out', path];

    const first = await usurp(args);
    const second = await usurp(args);
    const forced = await usurp([...args, '--force']);

    expect(first.code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('advantage 8');
    expect(second).toMatchObject({ code: 254, stdout: '' });
    expect(second.stderr).toContain('--force replaces it');
    expect(forced.stdout).toBe(first.stdout);
  });

  it('explains the exit codes in its help, with examples', async () => {
    const { stdout, code } = await usurp(['design', '--help']);

    expect(code).toBe(0);
    for (const word of ['--epsilon', '--join-quantile', 'Exit codes', 'Examples']) {
      expect(stdout).toContain(word);
    }
  });
});
