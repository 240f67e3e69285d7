/**
 * @module
 * The operation `reproduce`: its documents, its verdicts, and one result that is computed at once.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agreementOf, missingOf, parsePaper } from '../../src/operations/reproduce/paper.ts';
import { REPRODUCE } from '../../src/operations/reproduce/reproduce.ts';
import { readPapers } from '../../src/runtime/files/papers.ts';
import { parsed, scratchFolder, usurp } from '../cli/shell.ts';
import { labUnderTest } from '../server/lab-under-test.ts';

const DOCUMENT = `
title: A title
citation: A source
claim: A claim.
ask: elect
unit: messages
source: Table 1
measured: /messages/total
rows:
  - { at: n = 3, published: 9 }
`;

const NUMBERS: readonly [
  what: string,
  bound: 'atMost' | 'atLeast' | undefined,
  published: number | null,
  measured: number,
  interval: readonly [number, number] | null,
  verdict: string,
][] = [
  ['equal', undefined, 100, 100, null, 'agrees'],
  ['near enough', undefined, 100, 102, null, 'agrees'],
  ['too far', undefined, 100, 102.1, null, 'differs'],
  ['within its interval', undefined, 100, 80, [70, 99], 'agrees'],
  ['outside of its interval', undefined, 100, 80, [70, 97], 'differs'],
  ['at its upper bound', 'atMost', 100, 102, null, 'agrees'],
  ['above its upper bound, which its interval reaches', 'atMost', 100, 110, [80, 120], 'differs'],
  ['below its lower bound', 'atLeast', 100, 97, null, 'differs'],
  ['without a published one', undefined, null, 8, null, 'incomparable'],
];

describe('a number', () => {
  it.each(NUMBERS)('%s', (_what, bound, published, measured, interval, verdict) => {
    const row = { published, bound, within: 0.02 };
    const explained = verdict === 'differs' ? 'explained' : verdict;

    expect(agreementOf({ ...row, differs: undefined }, measured, interval)).toBe(verdict);
    expect(agreementOf({ ...row, differs: 'A reason.' }, measured, interval)).toBe(explained);
  });
});

describe('a document', () => {
  it('gives its rows what stands above them', () => {
    const [row] = parsePaper('a', DOCUMENT, 'a.yaml').rows;

    expect(row).toMatchObject({ source: 'Table 1', measured: '/messages/total', within: 0 });
  });

  it.each([
    ['source: Table 1\n', '', 'a.yaml:9:5: rows.0 must have source, here or above rows'],
    ['published: 9 }', 'published: 9, within: 5% }', 'must have why'],
    ['published: 9 }', 'published: null }', 'must have why'],
    ['/messages/total', 'messages', 'must be a JSON pointer'],
    ['ask: elect', 'ask: serve', 'ask must be one of elect, run, detectors, lookups, churn, mine'],
  ])('with %j as %j is refused with the place of the fault', (before, after, refusal) => {
    expect(() => parsePaper('a', DOCUMENT.replace(before, after), 'a.yaml')).toThrow(refusal);
  });

  it('of a request over HTTP cannot ask mine, which a server meters', () => {
    const document = { name: 'a.yaml', text: DOCUMENT.replace('ask: elect', 'ask: mine') };
    const check = (isRemote: boolean) => () =>
      REPRODUCE.check({ paper: undefined, document, all: false }, isRemote);

    expect(check(true)).toThrow('asks mine');
    expect(check(false)).not.toThrow();
  });

  it('of this lab is well formed, and its names are those of the files', async () => {
    const papers = await readPapers();

    expect(papers.filter((paper) => missingOf(paper) === null).length).toBeGreaterThanOrEqual(20);
    // At least three that were tried, and what is missing.
    expect(papers.filter((paper) => missingOf(paper) !== null).length).toBeGreaterThanOrEqual(3);
    expect(papers.map(({ name }) => name)).toEqual(papers.map(({ name }) => name).toSorted());
  });
});

describe('usurp reproduce', () => {
  it('prints published beside measured numbers, with verdicts and commands', async () => {
    const printed = await usurp(['reproduce', 'chang-roberts-extremes', '--json']);
    const [{ rows }] = parsed(printed).results;

    expect(printed.code).toBe(0);
    // The longest and the shortest way of the probes, n(n + 1)/2 and 2n - 1.
    expect(rows.map(({ measured }: { measured: number }) => measured)).toEqual([21, 55, 11, 19]);
    expect(rows.every(({ agreement }: { agreement: string }) => agreement === 'agrees')).toBe(true);
  });

  it.each([
    ['published: 8', '/messages/total', 0, 'Of 1 number, 1 agrees.'],
    ['published: 9', '/messages/total', 1, 'Of 1 number, 1 differs without an explanation.'],
    [
      'published: 9, why: A distance.',
      '/messages/total',
      1,
      'Of 1 number, 1 differs without an explanation.',
    ],
    [
      'published: 9, differs: A slower ring.',
      '/messages/total',
      0,
      'Of 1 number, 1 differs as its document explains.',
    ],
    ['published: null, why: No number.', '/messages/total', 0, '1 cannot be compared'],
    [
      'published: 8',
      '/messages/totl',
      254,
      'measured: the answer of elect has no number at /messages/totl',
    ],
    ['published: 8', '/replay/length', 254, 'the answer of elect has no number at /replay/length'],
    ['published: 8', '/audit/trail/length', 254, 'has no number at /audit/trail/length'],
  ])('computes a document of the user with %s at %s', async (published, pointer, code, text) => {
    const file = join(scratchFolder(), 'mine.yaml');
    const input = `${published}, input: { protocol: cr-join, nodes: 3, seed: "1" }`;
    writeFileSync(
      file,
      DOCUMENT.replace('published: 9', input).replace('/messages/total', pointer),
    );
    const printed = await usurp(['reproduce', '--document', file]);

    expect(printed.code).toBe(code);
    expect(printed.stdout + printed.stderr).toContain(text);
  });

  it.each([
    ['nodes: 3', 'ndoes: 3', '/ndoes is not a known member'],
    ['protocol: cr-join', 'protocol: cr-jion', '/protocol'],
  ])('refuses %s as %s before it computes', async (right, wrong, text) => {
    const input = 'published: 8, input: { protocol: cr-join, nodes: 3 }';
    const document = DOCUMENT.replace('published: 9', input.replace(right, wrong));
    const printed = await usurp(['reproduce', '--document', '-'], document);

    expect(printed.code).toBe(254);
    expect(printed.stderr).toContain(text);
  });

  it('computes with the content of a file, and prints no control character of a document', async () => {
    const document = `
title: A trace in a document
citation: none
claim: An adversary buys what it can pay.
ask: churn
unit: puzzles per second
source: none
within: 5%
why: The last purchase is smaller.
measured: /rows/0/adversaryRate
input: { defences: [fixed], trace: "joinS,leaveS\\n5,\\n", rate: [10], time: 1000, seed: "1" }
rows:
  - { at: "T\\e[2J", published: 10, isOurs: true }
`;
    const { code, stdout } = await usurp(['reproduce', '--document', '-'], document);
    const table = await usurp(['reproduce', '--document', '-', '--format', 'csv'], document);

    expect(code).toBe(0);
    expect(stdout).toContain('Of 1 number, 1 agrees.');
    expect(stdout + table.stdout).not.toContain('\u001b');
    expect(table.stdout).toContain('T\\u001b[2J');
  });

  it('computes the other numbers of a result with one that it cannot compute', async () => {
    const file = join(scratchFolder(), 'half.yaml');
    const missing = '{ at: n = 4, published: 10, missing: A faster ring. }';
    const document = DOCUMENT.replace(
      'published: 9',
      'published: 8, input: { protocol: cr-join, nodes: 3 }',
    );
    writeFileSync(file, `${document}  - ${missing}\n`);
    const printed = await usurp(['reproduce', '--document', file, '--json']);
    const [{ rows, missing: whole }] = parsed(printed).results;

    expect(printed.code).toBe(0);
    expect(rows.map(({ measured }: { measured: number | null }) => measured)).toEqual([8, null]);
    expect(rows[1]).toMatchObject({ agreement: 'incomparable', why: 'A faster ring.' });
    expect(whole).toBeNull();
  });

  it('draws distribution functions, with the measured numbers along x', async () => {
    const [file, out] = ['curves.yaml', 'curves.svg'].map((name) => join(scratchFolder(), name));
    const rows = [0.5, 0.9].flatMap((share) => {
      const measured = `/distributions/messages/p${share * 100}/value`;
      return ['cr-join', 'peterson'].map(
        (protocol) =>
          `  - { at: ${protocol} ${share}, x: ${share}, series: ${protocol}, published: 20, measured: ${measured}, input: { protocol: ${protocol}, nodes: 4, runs: 5 } }`,
      );
    });
    const head = DOCUMENT.split('rows:')[0]?.replace('unit: messages', 'unit: sent');
    writeFileSync(file ?? '', `${head}axis: share\nshape: distribution\nrows:\n${rows.join('\n')}`);
    const printed = await usurp(['reproduce', '--document', file ?? '', '--out', out ?? '']);
    const drawn = readFileSync(out ?? '', 'utf8');

    expect(printed.code).toBe(1);
    expect(drawn.indexOf('>share<')).toBeLessThan(drawn.indexOf('>sent'));
    expect(drawn).toContain('>peterson<');
  });

  it('draws the numbers of a result without an axis row by row', async () => {
    const out = join(scratchFolder(), 'chart.svg');
    const printed = await usurp(['reproduce', 'chang-roberts-extremes', '--out', out]);
    const drawn = readFileSync(out, 'utf8');

    expect(printed.code).toBe(0);
    for (const text of ['>worst, n = 6<', '>published<', 'measured 21, published 21']) {
      expect(drawn).toContain(text);
    }
  });

  it('fails where --out names a chart that the answer does not have', async () => {
    const out = join(scratchFolder(), 'chart.svg');
    const printed = await usurp(['reproduce', '--out', out]);

    expect(printed.code).toBe(254);
    expect(printed.stdout).toContain('raft-figure-16');
    expect(printed.stderr).toContain('is not written, because this answer has no chart');
    expect(existsSync(out)).toBe(false);
  });

  it('prints the distance of a verdict, and the interval of a quantile', async () => {
    const asked = 'input: { protocol: cr-join, nodes: 3, runs: 50, seed: "1" }';
    const document = DOCUMENT.replace(
      'published: 9',
      `published: 8, within: 25%, why: A distance., ${asked}`,
    ).replace('/messages/total', '/distributions/messages/p50/value');
    const [text, csv] = await Promise.all(
      [[], ['--format', 'csv']].map((args) =>
        usurp(['reproduce', '--document', '-', ...args], document),
      ),
    );

    expect(text?.stdout).toMatch(/published +within +measured +interval +verdict/);
    expect(text?.stdout).toMatch(/ 8 +25\.0 % +\d+ +\d+ to \d+ +agrees/);
    expect(csv?.stdout).toContain(',unit,within,measured,ci_low,ci_high,verdict,');
  });

  it('lists all without a name, and names the nearest for a wrong one', async () => {
    const listed = await usurp(['reproduce']);
    const wrong = await usurp(['reproduce', 'frankling']);

    expect(listed.stdout).toContain('raft-figure-16');
    expect(wrong.code).toBe(254);
    expect(wrong.stderr).toContain('franklin');
  });
});

describe('POST /v1/reproductions', () => {
  it('refuses an unknown result at once, with the nearest name', async () => {
    const { post } = labUnderTest();

    expect(await post('/v1/reproductions', { paper: 'frankling' })).toMatchObject({
      status: 400,
      json: {
        code: 'schema',
        errors: [{ pointer: '#/paper', detail: expect.stringContaining('did you mean franklin?') }],
      },
    });
  });
});
