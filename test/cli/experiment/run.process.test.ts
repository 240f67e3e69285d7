/**
 * @module
 * `usurp run` as a user meets it: the documented members, the exit codes of the three verdicts, files,
 * settings and the replay command.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogueText } from '../../experiment/models.ts';
import { argumentsOf, parsed, ROOT, scratchFolder, usurp } from '../shell.ts';

/** On one thread: it takes longer to load than these runs take. */
const ONE = ['--threads', '1'];
const SAMPLED = ['run', 'top-id', '--set', 'work=sampled', '--seed', '1', '--json', ...ONE];

describe('run', () => {
  it('prints the documented members', async () => {
    const answer = parsed(await usurp([...SAMPLED, '--runs', '1000']));

    expect(answer).toMatchObject({
      threatModel: 'top-id',
      verdict: { value: 'true', sentence: expect.any(String), reason: expect.any(String) },
      results: [
        {
          protocols: ['bully-oneshot', 'cr-join'],
          measured: { runs: 1000, wins: expect.any(Number), frequency: expect.any(Number) },
          theory: { probability: expect.any(Number), formula: expect.any(String) },
        },
      ],
      replay: expect.stringContaining('usurp run top-id --runs 1000 --seed 1'),
    });
    expect(answer.results[0].measured.interval).toHaveLength(2);
  });

  it.each([
    ['true', '0.9', 0],
    ['false', '0.01', 1],
    ['unknown', '0.316', 2],
  ])('answers %s with exit code of its own', async (value, bound, code) => {
    const printed = await usurp([
      ...SAMPLED,
      '--runs',
      '2000',
      '--set',
      `expect.probability=${bound}`,
    ]);

    expect(parsed(printed).verdict.value).toBe(value);
    expect(printed.code).toBe(code);
  });

  it('gives the same tally with any number of threads', async () => {
    const one = parsed(await usurp([...SAMPLED, '--runs', '3000']));
    const three = parsed(await usurp([...SAMPLED, '--runs', '3000', '--threads', '3']));

    expect(three).toEqual(one);
  });

  it('stops when the interval is narrow, whatever the verdict, and replays that', async () => {
    const untilNarrow = [...SAMPLED, '--until-width', '0.05'];
    const wide = parsed(await usurp([...untilNarrow, '--set', 'expect.probability=0.9']));
    const near = parsed(await usurp([...untilNarrow, '--set', 'expect.probability=0.316']));
    const replayed = parsed(await usurp([...argumentsOf(wide.replay), '--json']));

    const [low, high] = wide.results[0].measured.interval;
    expect(high - low).toBeLessThanOrEqual(0.05);
    expect(near.results[0].measured).toEqual(wide.results[0].measured);
    expect(replayed).toEqual(wide);
  });

  it('reports that --max-runs came first', async () => {
    const printed = await usurp([...SAMPLED, '--until-width', '0.001', '--max-runs', '200']);

    expect(printed.stderr).toContain('the interval is wider than 0.001 after --max-runs 200');
    expect(parsed(printed).results[0].measured.runs).toBe(200);
  });

  it('takes a width with an exponent', async () => {
    const printed = await usurp([...SAMPLED, '--until-width', '1e-9', '--max-runs', '20']);

    expect(printed.stderr).toContain('the interval is wider than 1e-9 after --max-runs 20');
  });

  it.each([
    [['--runs', '20', '--set', 'expect.probability=0.01'], /20 runs .* it takes at least 368,/],
    [['--runs', '20', '--set', 'expect.probability=0'], /20 runs .* no number can,/],
    [['--until-decided', '--max-runs', '300', '--set', 'expect.probability=0.01'], /^300 runs/m],
  ])('warns before the runs that %j cannot confirm the expectation', async (words, note) => {
    const printed = await usurp([...SAMPLED, ...words]);

    expect(printed.stderr).toMatch(/runs can refute the expectation, but not confirm it/);
    expect(printed.stderr).toMatch(note);
  });

  it('warns of nothing if the number of runs can confirm the expectation', async () => {
    const { stderr } = await usurp([...SAMPLED, '--runs', '20', '--set', 'expect.probability=0.5']);

    expect(stderr).not.toContain('but not confirm it');
  });

  it.each([
    [['top-id', '--runs', '5', '--until-width', '0.1'], '--runs: excludes untilWidth'],
    [['top-id', '--until-decided', '--until-width', '0.1'], '--until-width: excludes untilDecided'],
    [['top-id', '--max-runs', '5'], '--max-runs: needs untilWidth'],
    [['top-id', '--until-width', '2'], 'must be a probability above 0, below 1'],
    [['top-id', '--until-width', '1e9'], 'must be a probability above 0, below 1'],
    [[], '--list shows all'],
  ])('refuses %j', async (words, reason) => {
    const printed = await usurp(['run', ...words]);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(reason);
  });

  it.each([
    [
      'top-id',
      'Protocol: bully-oneshot, cr-join. Budget: main: 64 attempts. Response: one identity',
    ],
    ['stockpile-no-salt', 'Protocol: no election. Budget: main: 16384 attempts. Response: all'],
  ])(
    'draws a picture of %s with its title, protocol, budget, response and runs',
    async (model, caption) => {
      const out = join(scratchFolder(), 'run.svg');
      await usurp([
        'run',
        model,
        '--set',
        'work=sampled',
        '--runs',
        '6',
        '--seed',
        '1',
        '--out',
        out,
      ]);

      const text = readFileSync(out, 'utf8')
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ');
      const title = /^title: (.*)$/m.exec(catalogueText(model))?.[1];
      expect(text).toContain(` ${title} `);
      expect(text).toContain(caption);
      expect(text).toContain('Runs: 6');
    },
  );

  it('lists the threat models, and shows one with its changes', async () => {
    const listed = parsed(await usurp(['run', '--list', '--json']));
    const shown = await usurp(['run', 'top-id', '--show', '--set', 'network.honest=3']);

    expect(listed).toContainEqual(expect.objectContaining({ id: 'top-id', work: 'mined' }));
    expect(shown.stdout).toContain('  honest: 3\n');
  });

  it('replays by the command that it prints', async () => {
    const first = await usurp([...SAMPLED, '--runs', '500', '--set', 'network.honest=3']);
    const words = argumentsOf(parsed(first).replay);

    const second = await usurp([...words, '--json']);

    expect(parsed(second)).toEqual(parsed(first));
  });

  it('takes a file', async () => {
    const text = readFileSync(join(ROOT, 'threat-models/top-id.yaml'), 'utf8');
    const file = join(scratchFolder(), 'mine.yaml');
    writeFileSync(file, `\ufeff${text.replace('id: top-id', 'id: mine').replaceAll('\n', '\r\n')}`);

    const printed = await usurp(['run', file, '--runs', '3', '--seed', '1', '--json', ...ONE]);

    expect(parsed(printed).threatModel).toBe('mine');
    expect(parsed(printed).results[0].measured.runs).toBe(3);
    expect(parsed(printed).replay).toContain(file);
  });

  it('sets the strategy of every adversary', async () => {
    const args = ['run', 'top-id', '--runs', '1', '--seed', '1', '--strategy', 'walk', ...ONE];

    const answer = parsed(await usurp([...args, '--json']));

    expect(answer.replay).toContain('--set adversaries.main.strategy=walk');
  });

  it('widens the interval with --confidence', async () => {
    const width = ({ results }: { results: { measured: { interval: [number, number] } }[] }) => {
      const [low = 0, high = 0] = results[0]?.measured.interval ?? [];
      return high - low;
    };

    const usual = parsed(await usurp([...SAMPLED, '--runs', '500']));
    const wide = parsed(await usurp([...SAMPLED, '--runs', '500', '--confidence', '0.9999']));

    expect(width(wide)).toBeGreaterThan(width(usual));
  });

  it('replays mined CPU seconds in attempts', async () => {
    const settings = ['adversaries.main.budget={cpuSeconds: 0.02}', 'network.honest=2'];
    const args = ['run', 'top-id', '--runs', '1', '--seed', '4', '--json', ...ONE];

    const first = parsed(await usurp([...args, ...settings.flatMap((each) => ['--set', each])]));

    expect(first.replay).toMatch(/adversaries\.main\.budget\.attempts=\d+/);
    expect(first.replay).toContain('adversaries.main.budget.cpuSeconds=null');
  });

  it('measures the rate of this machine when the model asks for it', async () => {
    const settings = [
      'adversaries.main.budget={cpuSeconds: 0.1}',
      'adversaries.main.rate=measured',
    ];
    const args = [...SAMPLED, '--runs', '100', ...settings.flatMap((each) => ['--set', each])];

    const answer = parsed(await usurp(args));

    expect(answer.verdict.sentence).toContain('measured');
    expect(answer.replay).toMatch(/adversaries\.main\.rate=\d+/);
  });
});
