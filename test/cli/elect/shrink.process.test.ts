/**
 * @module
 * `usurp elect --shrink`: what is left of the faults still fails, and no less of them does.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const RING = ['elect', 'cr-join', '--nodes', '5'];
const FAILING = [...RING, '--random-faults', '--seed', '12'];

describe('--shrink', () => {
  it('keeps the faults that a failure needs, and expresses them as flags', async () => {
    const whole = parsed(await usurp([...FAILING, '--json']));

    const printed = await usurp([...FAILING, '--shrink', '--json']);

    const { outcome, faults, shrunk, replay } = parsed(printed);
    const again = await usurp([...argumentsOf(replay), '--json']);
    const without = await usurp(argumentsOf(replay.replace(/ --crash \S+/, '')));
    expect(printed.code).toBe(1);
    expect(outcome).toBe(whole.outcome);
    expect(faults.faults).toEqual([{ type: 'crash', rank: 4, at: 4 }]);
    expect(shrunk).toMatchObject({ failing: 'termination', faultsAfter: 1, minimal: true });
    expect(shrunk.faultsBefore).toBe(whole.faults.faults.length);
    expect(parsed(again)).toEqual({ ...parsed(printed), shrunk: undefined });
    expect(without.code).toBe(0);
  });

  it('shortens the remaining faults, from a file and from flags', async () => {
    const faults = [
      { type: 'loss', share: 0, from: 0, to: null },
      { type: 'blackout', from: 0, to: 100 },
    ];
    const flags = ['--loss', '0%', '--blackout', '0-100'];

    const spelt = await usurp([...RING, '--seed', '1', ...flags, '--shrink', '--json']);
    const read = await usurp(
      [...RING, '--seed', '1', '--faults', '-', '--shrink', '--json'],
      JSON.stringify({ faults }),
    );

    expect(parsed(spelt).faults.faults).toMatchObject([{ type: 'blackout', from: 0, to: 1 }]);
    expect(parsed(read)).toEqual(parsed(spelt));
  });

  it('keeps crashes before the run, and the latencies of a schedule with only crashes', async () => {
    const crashes = ['--crash', '1', '--crash', '5@1,4@90', '--latency', 'uniform:1:9'];

    const first = await usurp([...RING, '--seed', '3', ...crashes, '--shrink', '--json']);

    const { replay, ...answer } = parsed(first);
    const again = parsed(await usurp([...argumentsOf(replay), '--json']));
    expect(replay).toContain('--crash 5@1 --crash 1 ');
    expect(again).toEqual({ ...answer, shrunk: undefined, replay });
  });

  it('takes the first failing seed of many', async () => {
    const runs = [...RING, '--random-faults', '--seed', '1', '--runs', '20', '--json'];
    const save = join(scratchFolder(), 'run.json');

    const printed = await usurp([...runs, '--shrink', '--save', save]);

    const { failures, smallest, replay } = parsed(printed);
    const replayed = await usurp(['replay', save, '--json']);
    expect(printed.code).toBe(1);
    const seeds = failures.map(({ seed }: { seed: string }) => Number(seed));
    expect(Number(smallest.seed)).toBe(Math.min(...seeds));
    expect(replayed.code).toBe(0);
    expect(parsed(replayed).faults).toEqual(smallest.faults);
    expect(JSON.parse(readFileSync(save, 'utf8')).schedule).toEqual(smallest.faults);
    expect(parsed(await usurp([...argumentsOf(replay), '--json']))).toEqual(parsed(printed));
  });

  it('is printed for people below the runs', async () => {
    const { stdout } = await usurp([...FAILING, '--runs', '2', '--shrink']);

    expect(stdout).toMatch(/^outcome +runs +share +95 %\n/);
    expect(stdout).toMatch(/^fault +--crash 4@4$/m);
    expect(stdout).toMatch(
      /^shrunk +from \d+ to 1 faults in \d+ elections; still fails: termination$/m,
    );
  });

  it('does not change an election that does not fail', async () => {
    const args = [...RING, '--slowdown', '2@0-9', '--seed', '1'];

    const one = await usurp([...args, '--shrink']);
    const many = await usurp([...args, '--runs', '3', '--shrink']);

    for (const printed of [one, many]) {
      expect(printed.code).toBe(0);
      expect(printed.stderr).toContain('--shrink has nothing to do');
      expect(printed.stdout).not.toContain('shrunk');
    }
  });

  it.each([
    ['without faults', ['--shrink'], '--shrink: needs faults'],
    ['to save a run of many without it', ['--runs', '2', '--save', 'a.json'], '--shrink'],
  ])('refuses %s', async (_what, flags, words) => {
    const printed = await usurp([...RING, '--seed', '1', ...flags]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(words);
  });
});
