/**
 * @module
 * `usurp churn`: rows and slopes, the same for the same seed, a trace, a picture, and refusals.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { parsed, scratchFolder, usurp } from '../shell.ts';

const SMALL = ['--nodes', '200', '--time', '2000', '--seed', '1'];

describe('usurp churn', () => {
  it('has a row for each defence, law, adversary and rate, and repeats by its replay', async () => {
    const laws = ['--laws', 'exp:1h,pareto:1.5:10m', '--adversaries', 'join,hold'];
    const printed = await usurp([
      'churn',
      'ccom',
      'ergo',
      ...laws,
      '--rate',
      '0,10',
      ...SMALL,
      '--json',
    ]);
    const { rows, curves, replay } = parsed(printed);
    const again = parsed(await usurp([...replay.split(' ').slice(2), '--json']));

    expect(printed.code).toBe(0);
    expect(rows).toHaveLength(16);
    expect(curves).toHaveLength(8);
    expect(again.rows).toEqual(rows);
    expect(rows[1]).toMatchObject({
      defence: 'ccom',
      sessions: 'exp:1h',
      adversary: 'join',
      rate: 10,
    });
    expect(rows[1].honestRate).toBeGreaterThan(rows[0].honestRate);
  });

  it('reads a trace, and draws a picture', async () => {
    const folder = await scratchFolder();
    const [trace, out] = [join(folder, 'trace.csv'), join(folder, 'churn.svg')];
    await writeFile(trace, 'joinS,leaveS\n0,\n0,50\n10,20\n30,\n');
    const args = [
      '--trace',
      trace,
      '--time',
      '100',
      '--rate',
      '1',
      '--out',
      out,
      '--format',
      'csv',
    ];
    const { stdout } = await usurp(['churn', 'fixed:hardness=2', ...args, '--seed', '1']);
    const [head, line] = stdout
      .trimEnd()
      .split('\n')
      .map((text) => text.split(','));
    const svg = await readFile(out, 'utf8');

    // Two joins in 100 seconds, each with hardness 2.
    expect(line?.[head?.indexOf('honest_rate') ?? -1]).toBe('0.04');
    expect(line?.[1]).toBe('trace');
    expect(svg).toContain('T: work of the adversary');
  });

  it('reads a trace of more than a mebibyte', async () => {
    const trace = join(await scratchFolder(), 'long.csv');
    await writeFile(trace, `joinS,leaveS\n${'0,1000000000.000000001\n'.repeat(50_000)}`);
    const args = ['--trace', trace, '--time', '10', '--rate', '0', '--seed', '1', '--json'];
    const printed = await usurp(['churn', 'ccom', ...args]);

    expect(parsed(printed).rows[0].members).toBe(50_000);
  });

  it.each([
    [
      ['nothing'],
      'must be one of fixed, recent, ccom, togcom, ergo, sybil-control, stop-forwarding, age',
    ],
    [['ergo:hardness=2'], 'ergo has purge, estimate'],
    [['fixed:hardness=0'], 'needs hardness in 1..1000000000'],
    [['ergo', '--nodes', '1e9'], '--nodes must be a whole number in 2..1000000'],
    [['ergo', '--laws', 'exp:0'], 'must be exp:MEAN'],
    [['ergo', 'ccom', 'ergo'], 'repeats ergo'],
  ])('%j is refused', async (args, refusal) => {
    const { code, stderr } = await usurp(['churn', ...args, '--seed', '1']);

    expect(code).toBe(254);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(refusal);
  });

  it.each([
    ['--nodes', '20'],
    ['--laws', 'exp:1h'],
  ])('a trace beside %s is refused', async (...flag) => {
    const trace = join(await scratchFolder(), 'trace.csv');
    await writeFile(trace, 'joinS,leaveS\n0,\n');
    const { code, stderr } = await usurp(['churn', 'ergo', '--trace', trace, ...flag]);

    expect(code).toBe(254);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('does not fit a trace');
  });

  it('takes shares as fractions and times in days', async () => {
    const args = ['churn', 'ergo', '--nodes', '20', '--rate', '1', '--seed', '1', '--json'];
    const days = parsed(await usurp([...args, '--power', '1/18', '--time', '0.1d']));
    const hours = parsed(await usurp([...args, '--time', '2.4h']));

    expect(days.rows).toEqual(hours.rows);
  });
});
