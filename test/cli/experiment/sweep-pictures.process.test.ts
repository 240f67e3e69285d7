/**
 * @module
 * `usurp sweep --out` draws what it swept: each kind of sweep has the pictures that fit it.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { scratchFolder, usurp } from '../shell.ts';

const SAMPLED = ['sweep', 'top-id', '--set', 'work=sampled', '--seed', '5', '--workers', '1'];
const BUDGET = 'adversaries.main.budget.attempts=2^4:2^12|*16';

function sets(...texts: readonly string[]): string[] {
  return texts.flatMap((text) => ['--set', text]);
}

async function drawnBy(args: readonly string[]) {
  const out = join(scratchFolder(), 'f.csv');
  const { code, stderr } = await usurp([...args, '--out', out]);
  const names = readdirSync(dirname(out)).filter((name) => /\.(svg|html)$/.test(name));
  return {
    code,
    stderr,
    names,
    read: (name: string) => readFileSync(join(dirname(out), name), 'utf8'),
  };
}

describe('a sweep draws', () => {
  it('win probability against a difficulty, with the closed form and the bound', async () => {
    const args = [...SAMPLED, ...sets('network.identity.c1=range(2,6,1)'), '--runs', '40'];

    const { code, stderr, names, read } = await drawnBy(args);

    const svg = read('f.win-probability.svg');
    expect([code, names]).toEqual([0, ['f.html', 'f.win-probability.svg']]);
    expect(stderr).toMatch(/drawn: .*f\.win-probability\.svg, .*f\.html\n$/);
    for (const words of [
      'An adversary with a small budget',
      'static difficulty (bits)',
      'closed form',
    ]) {
      expect(svg).toContain(words);
    }
    expect(svg).toContain('ε = 0.5');
    expect(svg).toContain('f.cells.csv');
    expect(read('f.html')).toContain(
      '--set &apos;network.identity.c1=range(2,6,1)&apos; --runs 40',
    );
  });

  it('the frontier of budget and difficulty', async () => {
    const axes = sets('network.identity.c1=4,8,12', BUDGET);

    const { names, read } = await drawnBy([...SAMPLED, ...axes, '--runs', '40']);

    expect(names).toEqual(['f.frontier.svg', 'f.html', 'f.win-probability.svg']);
    expect(read('f.frontier.svg')).toContain('measured p = ε = 0.5');
  });

  it('messages against the number of nodes', async () => {
    const axes = sets('network.honest=4,8,16', 'confirmRuns=1');

    const { names, read } = await drawnBy([...SAMPLED, ...axes, '--runs', '3']);

    expect(names).toEqual(['f.html', 'f.messages.svg']);
    expect(read('f.messages.svg')).toContain('n log n');
  });

  it('detection delay, with a point for each run', async () => {
    const crash = sets('adversaries=null', 'faults={crash: 3@100}', 'network.election.ticks=300');
    const axes = sets('network.election.latency=1,2', 'network.election.detector=fd-heartbeat');
    const args = ['sweep', 'slow-drip', ...crash, ...axes, '--runs', '3', '--seed', '5'];

    const { names, read } = await drawnBy([...args, '--workers', '1']);

    expect(names).toEqual(['f.detection-delay.svg', 'f.html']);
    expect(read('f.detection-delay.svg')).toContain('one run (large marks: means)');
  });

  it('a row for each named value, including refused ones', async () => {
    const axes = sets('adversaries.main.strategy=siblings,stockpile');

    const { names, read } = await drawnBy([...SAMPLED, ...axes, '--runs', '20']);

    expect(names).toEqual(['f.frequency.svg', 'f.html']);
    expect(read('f.frequency.svg')).toContain('each of 2 cells (the document refuses 1)');
  });

  it('nothing with --no-pictures, and without files', async () => {
    const args = [...SAMPLED, ...sets('network.identity.c1=2,3'), '--runs', '5'];

    const { names, stderr } = await drawnBy([...args, '--no-pictures']);
    const printed = await usurp(args);

    expect(names).toEqual([]);
    expect(stderr).not.toContain('drawn:');
    expect(printed.stderr).not.toContain('drawn:');
  });
});
