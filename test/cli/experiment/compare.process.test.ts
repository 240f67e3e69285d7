/**
 * @module
 * `usurp compare`: one block for each protocol within 100 characters, refusals with reasons, the forms of
 * the output, files with a chart and the tables of costs, and a replay command with the same result.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const FEW = ['compare', '--runs', '20', '--seed', '5', '--advantage', '1,10'];
const SETS = ['--defences', 'none,proof-of-work,incumbency,hop-limit'];
const RINGS = ['--protocols', 'cr-join,raft'];

describe('the table', () => {
  it('has a block for each protocol, fits 100 characters, and states refusals and the unit', async () => {
    const { stdout, code } = await usurp([...FEW, ...SETS, ...RINGS]);

    expect(code).toBe(0);
    const lines = stdout.split('\n');
    for (const line of lines.filter((each) => !each.startsWith('replay'))) {
      expect(line.length).toBeLessThanOrEqual(100);
    }
    expect(stdout.replaceAll('\n', ' ')).toContain('4.80e+8 attempts in 1.00 min, 7324 identities');
    expect(stdout).toMatch(/\ncr-join\ndefences +1x/);
    expect(stdout).toMatch(/\nraft\ndefences +1x.*refused by raft\n.*hop-limit +no token travels/s);
    expect(stdout).toMatch(
      /proof-of-work +[\d.]+ \([\d.]+–[\d.]+\) \*9\.4 .* 27 +50\.3 s .*2\.8 % slow/,
    );
    expect(stdout).toMatch(/incumbency .*new leaders/);
  });

  it('states initiators, latency and stopping point of its costs, and those of a cold start', async () => {
    const sets = ['--defences', 'none,incumbency,frozen-membership'];
    const args = [...sets, '--protocols', 'bully-oneshot', '--advantage', '1', '--runs', '4'];
    const { stdout } = await usurp(['compare', 'late-joiner', '--seed', '1', ...args]);

    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(text).toContain(
      'failure 29 messages and 8.2 ticks (7.654 to 8.746) until all live nodes agree, from the notice of a crash of the leader of 6 honest nodes (node 1, the worst of 5; latency uniform:1:2); means of 5 runs, 95 % intervals; with frozen-membership 29 messages and 13.2 ticks',
    );
    expect(text).toMatch(
      /cold start 46\.4 messages \(.*\) and 1\.8 ticks \(.*\) until all agree if all 6 .*; with frozen-membership 46\.4 messages \(.*\) and 6\.8 ticks/,
    );
  });

  it('drops costs that do not fit, and keeps the interval and the closed form', async () => {
    const sets = ['--defences', 'none', '--protocols', 'cr-join', '--runs', '5', '--seed', '1'];
    const { stdout, stderr } = await usurp(['compare', ...sets]);

    expect(stdout).toMatch(/\nnone( +100 \(47\.8–100\) \*>?9\d\.\d){4}\n/);
    expect(stdout).toContain('* is the closed form.\n');
    expect(stderr).toContain('left out, so that the table fits: bits, join p95; --json has all');
  });

  it('states the number of runs, and the parts of the response that the document fixes', async () => {
    const args = ['--defences', 'none', '--protocols', 'bully-oneshot', '--advantage', '1'];
    const late = await usurp(['compare', 'late-joiner', '--runs', '20', '--seed', '1', ...args]);
    const open = await usurp([
      ...['compare', '--runs', '20', '--seed', '1', ...args],
      ...['--set', 'adversaries.main.behaviours=null'],
    ]);

    const unwrapped = late.stdout.replaceAll('\n', ' ');
    expect(unwrapped).toContain('of 20 runs for each');
    expect(unwrapped).toContain('goal top; registers after; behaviours late-joiner.');
    expect(open.stdout.replaceAll('\n', ' ')).not.toContain('fixes the response');
  });
});

describe('the other forms', () => {
  it('have the same rows, and the replay command repeats them', async () => {
    const first = parsed(await usurp([...FEW, ...SETS, '--protocols', 'cr-join', '--json']));
    const again = parsed(await usurp([...argumentsOf(first.replay), '--json']));
    const csv = await usurp([...FEW, ...SETS, '--protocols', 'cr-join', '--format', 'csv']);

    expect(again).toEqual(first);
    expect(first.rows).toHaveLength(4);
    expect(csv.stdout.trimEnd().split('\n')).toHaveLength(1 + 4 * 2);
    expect(csv.stdout).toContain(`cr-join,proof-of-work,1,480000000,`);
  });

  it('have the same numbers with any number of threads', async () => {
    const args = [...FEW, ...SETS, '--protocols', 'cr-join', '--format', 'jsonl'];

    const [one, two] = [
      await usurp([...args, '--threads', '1']),
      await usurp([...args, '--threads', '2']),
    ];

    expect(two.stdout).toBe(one.stdout);
  });
});

describe('files', () => {
  it('are those of a sweep, with a chart and the costs on its page', async () => {
    const out = join(scratchFolder(), 'f.csv');

    const { stderr, code } = await usurp([...FEW, ...SETS, ...RINGS, '--out', out]);

    expect(code).toBe(0);
    expect(stderr).toContain('f.comparison.svg');
    const page = readFileSync(out.replace(/csv$/, 'html'), 'utf8');
    expect(page).toContain('Cost for honest nodes');
    expect(page).toContain('Refused defences');
    expect(page).not.toContain('--seeds independent');
    // The closed form of Raft, whose elections are too large to watch.
    expect(readFileSync(out.replace(/csv$/, 'comparison.svg'), 'utf8')).toContain('>raft<');
    expect(readFileSync(out.replace(/csv$/, 'cells.csv'), 'utf8')).toMatch(/^cell,.*,advantage,/);
  });

  it('have the intervals of the costs on the page, in tables of at most seven columns', async () => {
    const out = join(scratchFolder(), 'f.html');
    const asked = [...FEW, ...SETS, '--protocols', 'cr-join'];

    const { rows } = parsed(await usurp([...asked, '--json']));
    await usurp([...asked, '--out', out]);

    const page = readFileSync(out, 'utf8');
    const shown = (value: number) => String(Number(value.toPrecision(4)));
    const { election } = rows[0].cost;
    for (const { messages, ticks, intervals } of [election, election.coldStart]) {
      const texts = (
        [
          [messages, intervals.messages],
          [ticks, intervals.ticks],
        ] as const
      ).map(([mean, [low, high]]) => `<td>${shown(mean)} (${shown(low)} to ${shown(high)})</td>`);
      expect(page).toContain(texts.join(''));
    }
    const [, ...costs] = page.split('<h2>Cost for honest nodes');
    const heads = costs.map((table) => /<tr>.*?<\/tr>/.exec(table)?.[0].match(/<th>/g)?.length);
    expect(heads).toEqual([7, 7]);
  });

  it('have one page, named alone or beside a table', async () => {
    const folder = scratchFolder();
    const [alone, beside] = [join(folder, 'f.html'), join(folder, 'g.csv')];

    for (const out of [alone, beside]) await usurp([...FEW, ...SETS, ...RINGS, '--out', out]);

    // A table says where its data are. The cells of a sweep know the response and the messages of each run.
    const textOf = (path: string) =>
      readFileSync(path, 'utf8')
        .replace(/<svg.*?<\/svg>/s, '')
        .replace(/<h2>Source<\/h2>\s*<p>.*?<\/p>\s*/s, '')
        .replace(/<pre>.*?<\/pre>/s, '')
        .replace(/<!-- .*? -->\s*$/, '');
    const page = textOf(alone);
    expect(page).toBe(textOf(beside.replace(/csv$/, 'html')));
    expect(page).toMatch(/<td>raft<\/td><td>hop-limit<\/td><td>.*no token travels/);
    for (const text of ['Share of runs in percent', '<th>theory</th>', '<p>excluded: ']) {
      expect(page).toContain(text);
    }
  });

  it('continue without their seed, and have the chart alone if its name says so', async () => {
    const folder = scratchFolder();
    const [out, svg] = [join(folder, 'f.csv'), join(folder, 'f.svg')];
    const args = [...FEW.filter((word) => word !== '--seed' && word !== '5'), ...SETS, ...RINGS];

    await usurp([...FEW, ...SETS, ...RINGS, '--out', out]);
    const again = await usurp([...args, '--out', out]);
    const drawn = await usurp([...FEW, ...SETS, ...RINGS, '--out', svg]);

    expect(again.stderr).toContain(`seed 5 of ${folder}/f.journal`);
    expect(again.stdout).toBe(drawn.stdout);
    expect(readFileSync(svg, 'utf8')).toContain('>raft<');
  });
});

describe('an interrupt while honest costs are measured', () => {
  it.each([[[]], [['--out']]])('is reported with %j, and nothing is written', async (flags) => {
    const out = join(scratchFolder(), 'f.csv');
    const given = flags.flatMap((flag) => [flag, out]);

    const printed = await usurp([...FEW, ...SETS, ...RINGS, ...given], '', AbortSignal.abort());

    expect(printed).toMatchObject({ code: 130, stdout: '' });
    expect(printed.stderr).toContain('interrupted: nothing is finished');
    expect(existsSync(out)).toBe(false);
  });
});

describe('a comparison whose cells are all closed forms', () => {
  const closed = ['compare', '--defences', 'none', '--protocols', 'raft', '--runs', '10', '--seed'];

  it('is printed', async () => {
    const { code, stdout } = await usurp([...closed, '1', '--format', 'csv']);

    expect(code).toBe(0);
    expect(stdout).toContain('closed form');
  });

  it('is refused with --out, and leaves an existing file as it is', async () => {
    const out = join(scratchFolder(), 'f.csv');
    const fresh = await usurp([...closed, '1', '--quiet', '--out', out]);
    const isWritten = existsSync(out);
    writeFileSync(out, 'mine');

    const existing = await usurp([...closed, '1', '--force', '--out', out]);

    for (const { code, stdout, stderr } of [fresh, existing]) {
      expect([code, stdout]).toEqual([254, '']);
      expect(stderr).toContain('--out: there are no runs to write, because every cell is a closed');
    }
    expect(isWritten).toBe(false);
    expect(readFileSync(out, 'utf8')).toBe('mine');
  });
});

describe('arguments', () => {
  it.each([
    [['--defences', 'beacon'], 'no defence "beacon"'],
    [['--pairs', '--defences', 'none'], '--pairs'],
    [['--machines', '1001'], '--machines: must be at most 1000, the advantage'],
    [['--advantage', '0'], '--advantage must be a number above 0'],
    [['--format', 'parquet'], 'Allowed choices are table, json, jsonl, csv'],
    [['--out', 'f.txt'], '.svg, .html, .csv, .jsonl, .parquet'],
    [['--defences', 'none,none'], '--defences: none is named twice'],
    [['--set', 'network.honest'], '--set setting network.honest: must be path=value'],
    [['--protocols', 'raft', '--defences', 'hop-limit'], 'all rows are refused'],
  ])('%j is refused with what would be right', async (args, reason) => {
    const { code, stderr } = await usurp(['compare', ...args]);

    expect(code).toBe(254);
    expect(stderr).toContain(reason);
  });

  it('take a document, whose budget is the unit', async () => {
    const args = [
      'compare',
      'late-joiner',
      '--runs',
      '4',
      '--seed',
      '1',
      '--advantage',
      '1',
      '--json',
    ];
    const { rows } = parsed(await usurp([...args, '--defences', 'none,incumbency']));

    // The behaviour joins late, against which incumbency acts.
    expect(rows.map(({ acting }: { acting: string[] }) => acting.join())).toEqual([
      '',
      'incumbency',
      '',
      'incumbency',
    ]);
    expect(rows[0].results[0].k).toBeGreaterThan(rows[1].results[0].k);
  });
});
