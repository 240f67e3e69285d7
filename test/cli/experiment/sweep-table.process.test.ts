/**
 * @module
 * The table of results that `usurp sweep` prints: with files as well, at most 100 characters wide, with the
 * refused cells and their reasons below it, and a note about shared seeds.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder, usurp } from '../shell.ts';

const SAMPLED = ['sweep', 'top-id', '--set', 'work=sampled', '--seed', '5', '--runs', '20'];

function sets(...texts: readonly string[]): string[] {
  return texts.flatMap((text) => ['--set', text]);
}

describe('the printed table', () => {
  it('is the same with --out, also when the sweep is finished already', async () => {
    const args = [...SAMPLED, ...sets('network.honest=4,8')];
    const file = join(scratchFolder(), 'f.csv');

    const bare = await usurp(args);
    const first = await usurp([...args, '--out', file]);
    const again = await usurp([...args, '--out', file]);

    expect(bare.stdout).toMatch(/^network_honest +protocol +n +k +p/);
    expect(first.stdout).toBe(bare.stdout);
    expect(again.stdout).toBe(bare.stdout);
    expect(again.stderr).toContain('40 reused');
  });

  it('has at most 200 cells with --out, and names the file with all', async () => {
    const file = join(scratchFolder(), 'f.csv');

    const { stdout, stderr } = await usurp([
      ...['sweep', 'top-id', '--seed', '5', '--runs', '1', '--no-pictures', '--out', file],
      ...sets('work=sampled', 'network.honest=range(1,202,1)'),
    ]);

    expect(stdout.split('\n').filter((line) => /^\d/.test(line))).toHaveLength(200);
    expect(stderr).toContain('200 of 202 cells are printed;');
    expect(stderr).toContain('f.cells.csv has all');
  });

  it('fits 100 characters, and says what it leaves out', async () => {
    const axes = sets(
      'network.election.protocols=[bully-oneshot],[cr-join]',
      'adversaries.main.budget.attempts=65536,131072',
      'adversaries.main.strategy=siblings,fresh',
      'network.identity.idBits=64,128',
      'network.honest=999999,1000000',
      'network.election.latency=1,uniform:1:10000',
    );

    const { stdout, stderr } = await usurp([...SAMPLED, '--runs', '1', ...axes]);

    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(65);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
    expect(stderr).toContain('left out, so that the table fits: ');
    expect(stderr).toContain('--format csv has all');
  });

  it('lists refused cells with their reasons below the table, once for each reason', async () => {
    const { stdout } = await usurp([
      ...SAMPLED,
      ...sets('network.honest=4,0', 'network.identity.c1=2,3'),
    ]);

    const [table = '', refused = ''] = stdout.split('\n\n');
    expect(table.match(/ refused$/gm)).toHaveLength(2);
    expect(table).not.toContain('must be');
    expect(refused).toMatch(/^refused by the document:\n {2}network\.honest = 0 \(2 cells\): /);
    expect(refused.match(/must be a whole number/g)).toHaveLength(1);
  });

  it('says that cells share their seeds, unless they do not', async () => {
    const args = [...SAMPLED, ...sets('network.honest=4,8')];

    const paired = await usurp(args);
    const independent = await usurp([...args, '--seeds', 'independent']);
    const single = await usurp(SAMPLED);

    expect(paired.stderr).toContain('seeds paired: every cell uses the same seeds.');
    expect(independent.stderr).not.toContain('same seeds');
    expect(single.stderr).not.toContain('same seeds');
  });

  it('is part of the page, with the refusals', async () => {
    const file = join(scratchFolder(), 'f.csv');

    await usurp([...SAMPLED, ...sets('network.honest=4,0'), '--out', file]);

    const page = readFileSync(file.replace('.csv', '.html'), 'utf8');
    expect(page.replaceAll('<wbr>', '')).toContain('<th>network_honest</th>');
    expect(page).toContain('<td>refused</td>');
    expect(page).toContain('<p>network.honest = 0: setting network.honest=0:');
  });
});
