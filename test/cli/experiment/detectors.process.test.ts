/**
 * @module
 * `usurp detectors`: rows in each format, the same for the same seed, a picture, and refusals.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { scratchFolder, usurp } from '../shell.ts';

const SMALL = ['--latency', 'exp:30', '--loss', '0,10%', '--runs', '3', '--periods', '20'];

describe('usurp detectors', () => {
  it('has a row for each value of the parameter, latency and loss, and repeats by its replay', async () => {
    const { code, stdout } = await usurp([
      'detectors',
      'fd-phi-exp',
      ...SMALL,
      '--seed',
      '1',
      '--json',
    ]);
    const { replay, rows } = JSON.parse(stdout);
    const again = await usurp([...replay.split(' ').slice(2), '--json']);

    expect(code).toBe(0);
    expect(rows).toHaveLength(14);
    expect(rows[0]).toMatchObject({ detector: 'fd-phi-exp:every=100,threshold=0.5', loss: 0 });
    const [low] = rows[0].mistakeRate.interval;
    expect(low).toBeLessThanOrEqual(rows[0].mistakeRate.value);
    expect(rows.at(-1).detectionTicks.value).toBeGreaterThan(rows[0].detectionTicks.value);
    expect(JSON.parse(again.stdout).rows).toEqual(rows);
  });

  it('measures a detector with options with these alone, as CSV and as a picture', async () => {
    const out = join(await scratchFolder(), 'detectors.svg');
    const text = 'fd-heartbeat:timeout=150,adaptive';
    const args = ['detectors', text, ...SMALL, '--seed', '1', '--format', 'csv', '--out', out];
    const { stdout } = await usurp(args);
    const lines = stdout.trimEnd().split('\n');

    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^detector,latency,loss,observations,ticks,mistakes,mistake_rate,/);
    const svg = await readFile(out, 'utf8');
    expect(svg).toContain('detection time (ticks, mean)');
    expect(svg).toContain('1 detector, 3 observations');
    expect(svg).toContain('mistakes a tick, latency exp:30, loss 10 %');
  });

  it('prints an accuracy below 1 as such, no interval without a mistake, and the true period', async () => {
    const args = ['--latency', 'exp:30', '--loss', '0,5%', '--seed', '1', '--every', '30'];
    const spec = ['fd-heartbeat:every=100,timeout=400', 'fd-heartbeat:every=100,timeout=300'];
    const { stdout } = await usurp(['detectors', ...spec, ...args]);

    expect(stdout).toContain('A heartbeat every 100 ticks');
    expect(stdout).toContain(' 0.9999989 (0.9999938 to 0.999999972) ');
    expect(stdout).toMatch(/timeout=300 +exp:30 +0 % +0 \(0 to [\d.]+\) +- +1 {3,}\d/);
    expect(stdout.replaceAll('\n', ' ')).toContain('the accuracy is at least 1 − λT');
  });

  it('says why a node that is always suspected counts no mistake, and leaves it out of the chart', async () => {
    const out = join(await scratchFolder(), 'detectors.svg');
    const args = ['--latency', '30', '--loss', '0,1', '--runs', '3', '--periods', '20'];
    const { stdout } = await usurp([
      'detectors',
      'fd-gossip',
      ...args,
      '--seed',
      '1',
      '--out',
      out,
    ]);

    expect(stdout.replaceAll('\n', ' ')).toContain(
      '7 of 14 rows with accuracy 0: the live node was',
    );
    expect(stdout).toContain('mistake ticks  accuracy');
    const svg = await readFile(out, 'utf8');
    expect(svg).toContain('mistakes a tick, latency 30, loss 0 %');
    expect(svg).not.toContain('loss 100 %');
  });

  it('draws all panels with one scale, and says which', async () => {
    const out = join(await scratchFolder(), 'detectors.svg');
    const networks = [
      '--latency',
      '30,exp:30',
      '--loss',
      '0,5%',
      '--runs',
      '10',
      '--periods',
      '100',
    ];
    await usurp(['detectors', 'fd-phi-exp', ...networks, '--seed', '1', '--out', out]);

    const svg = await readFile(out, 'utf8');
    const titles = svg.match(/>mistakes a tick, [^<]*</g) ?? [];
    expect(titles).toHaveLength(4);
    expect(titles.every((title) => title.endsWith(', log scale<'))).toBe(true);
  });

  it.each([
    [['fd-oracle'], 'fd-phi-akka'],
    [['fd-none'], 'fd-heartbeat'],
    [
      ['crashes'],
      'must be one of fd-heartbeat, fd-phi-normal, fd-phi-akka, fd-phi-exp, fd-nfd-e, fd-gossip, got',
    ],
    [['--loss', '2'], 'a probability at least 0, at most 1'],
    [['--latency', 'slow'], 'uniform:10:50'],
    [['--out', 'a.png'], '.svg'],
    [['--runs', '1'], '2..100000'],
  ])('refuses %j and says what is right', async (args, remedy) => {
    const { code, stderr } = await usurp(['detectors', ...args]);

    expect(code).toBe(254);
    expect(stderr).toContain(remedy);
  });
});
