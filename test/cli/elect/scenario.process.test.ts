/**
 * @module
 * `usurp elect --scenario` as a user meets it: the documented members, the list, refusals, files.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadRun } from '../../../src/simulation/report/saved-run.ts';
import { SCENARIOS } from '../../../src/simulation/scenarios/registry.ts';
import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const NAMES = SCENARIOS.map(({ name }) => name);

describe('elect --scenario', () => {
  it.each(NAMES)('runs %s, whose expected outcome occurs', async (name) => {
    const printed = await usurp(['elect', '--scenario', name, '--json']);

    const answer = parsed(printed);
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    expect(answer).toMatchObject({ scenario: name, asExpected: true, seed: '1' });
    expect(answer.observed).toBe(answer.expected);
    expect(answer.messages.total).toBeGreaterThan(0);
  });

  it('prints exactly the documented members', async () => {
    const answer = parsed(await usurp(['elect', '--scenario', 'split-brain', '--json']));

    expect(Object.keys(answer)).toEqual([
      ...['scenario', 'title', 'expected', 'observed', 'asExpected', 'nodes', 'leaders'],
      ...['messages', 'runs', 'figures', 'explanation', 'source', 'seed', 'replay'],
    ]);
    expect(answer.leaders[0]).toEqual({ run: 'links are watched', rank: 5, from: 0, to: null });
  });

  it('prints n^2-2 messages a cycle for the given number of nodes', async () => {
    const printed = await usurp(['elect', '--scenario', 'flapping-top', '--nodes', '10']);

    expect(printed.code).toBe(0);
    expect(printed.stdout).toMatch(/^observed .* 98, 98, 98 and 98; /m);
    expect(printed.stdout).toMatch(/^as expected +yes$/m);
  });

  it('gives the same again by its replay', async () => {
    const args = ['elect', '--scenario', 'flapping', '--nodes', '4', '--seed', '77', '--json'];
    const first = await usurp(args);
    const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    expect(again).toEqual(first);
    expect(parsed(first).scenario).toBe('flapping-top');
  });

  it('lists the scenarios for people and for programs', async () => {
    const table = await usurp(['elect', '--scenario', 'list']);
    const json = await usurp(['elect', '--scenario', 'list', '--json']);

    for (const name of NAMES) expect(table.stdout).toContain(name);
    expect(parsed(json).scenarios.map(({ name }: { name: string }) => name)).toEqual(NAMES);
  });

  it('names all scenarios where one is unknown', async () => {
    const printed = await usurp(['elect', '--scenario', 'split-brian']);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    for (const name of NAMES) expect(printed.stderr).toContain(name);
  });

  it.each([
    [['cr-join']],
    [['--crash', '5@3']],
    [['--latency', 'uniform:1:4']],
    [['--no-fifo']],
    [['--list']],
    [['--nodes', '1']],
    [['--nodes', '101']],
  ])('refuses %j, which does not go with it', async (extra) => {
    const printed = await usurp(['elect', '--scenario', 'flapping-top', ...extra]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toMatch(/--scenario|nodes/);
  });

  it('writes trace and run to the named files, one for each run', async () => {
    const folder = scratchFolder();
    const files = ['--trace', join(folder, 'trace.svg'), '--save', join(folder, 'run.json')];

    const one = await usurp(['elect', '--scenario', 'one-way-loss', ...files]);
    const two = await usurp(['elect', '--scenario', 'orphan-probe', ...files]);

    expect([one.code, two.code]).toEqual([0, 0]);
    expect(readFileSync(join(folder, 'trace.svg'), 'utf8')).toContain('<svg');
    expect(loadRun(readFileSync(join(folder, 'run.json'), 'utf8')).options.nodes).toBe(5);
    expect(readFileSync(join(folder, 'trace-2.svg'), 'utf8')).toContain('<svg');
    expect(existsSync(join(folder, 'run-2.json'))).toBe(true);
    // A closing ring is no protocol of the registry, so that no file could name it.
    expect(existsSync(join(folder, 'run-1.json'))).toBe(false);
    expect(two.stderr).toContain('run-1.json was not written');
  });

  it('overwrites nothing, and then prints nothing', async () => {
    const trace = join(scratchFolder(), 'trace.txt');
    const args = ['elect', '--scenario', 'stale-coordinator', '--trace', trace];
    await usurp(args);

    const refused = await usurp(args);
    const forced = await usurp([...args, '--force']);

    expect(refused).toMatchObject({ code: 254, stdout: '' });
    expect(forced.code).toBe(0);
  });
});
