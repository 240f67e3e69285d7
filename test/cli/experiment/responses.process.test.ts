/**
 * @module
 * Responses that are searched, as a user meets them: the same with any number of threads and workers, fixed by
 * the replay command, in the columns of sweeps, and over HTTP.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { csvParse } from 'd3-dsv';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  operationInThreads,
  parseOperation,
} from '../../../server/jobs/operations/operation-job.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import { RUN as RUN_OPERATION } from '../../../src/operations/run/run.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import type { Printed } from '../shell.ts';
import { argumentsOf, parsed, scratchFolder, usurp } from '../shell.ts';

const OPEN = {
  work: 'sampled',
  'network.honest': 2,
  'network.election.protocols': ['cr-join'],
  'network.election.level': 'L2',
  'adversaries.main.behaviours': null,
  'adversaries.main.budget.attempts': 16,
};
const SETS = Object.entries(OPEN).flatMap(([path, value]) => [
  '--set',
  `${path}=${JSON.stringify(value)}`,
]);
const RUN = ['run', 'top-id', ...SETS, '--runs', '12', '--seed', '3', '--json'];

/** What the run printed, with three threads. Several tests compare with it. */
let printedRun: Printed;
beforeAll(async () => {
  printedRun = await usurp([...RUN, '--threads', '3']);
});

describe('a response that is searched', () => {
  it('is the same with any number of threads', async () => {
    const one = parsed(await usurp([...RUN, '--threads', '1']));

    expect(one.response).toMatchObject([
      { found: 'exhaustive', behaviours: ['spoof-coordinator'] },
    ]);
    expect(one.response[0].reason).toMatch(
      /^Each of \d+ responses had \d+ pilot runs, and those not clearly worse than the best had \d+\. /,
    );
    expect(parsed(printedRun)).toEqual(one);
  });

  it('is fixed by the replay command, which searches nothing and gives the same answer', async () => {
    const first = parsed(printedRun);

    const again = parsed(await usurp([...argumentsOf(first.replay), '--json']));

    expect(again.response).toMatchObject([
      { found: 'fixed', behaviours: ['spoof-coordinator'], reason: 'The document fixes it.' },
    ]);
    expect(again.results).toEqual(first.results);
    expect(again.verdict).toEqual(first.verdict);
  });

  it('stands in the columns of a sweep, the same with any number of workers', async () => {
    const tables = await Promise.all(
      ['1', '2'].map(async (workers) => {
        const out = join(scratchFolder(), 'f.csv');
        const axes = ['--set', 'network.election.defences=[],[beacon-rank]', '--workers', workers];
        const args = ['sweep', 'top-id', ...SETS, '--runs', '6', '--seed', '3', ...axes];
        const { code } = await usurp([...args, '--out', out]);
        expect(code).toBe(0);
        return csvParse(readFileSync(out.replace('.csv', '.cells.csv'), 'utf8'));
      }),
    );

    const [one, two] = tables;
    expect(one?.map((row) => row.response_found)).toEqual(['exhaustive', 'exhaustive']);
    expect(one?.[0]?.response).toMatch(/; spoof-coordinator$/);
    expect(two).toEqual(one);
    const out = join(scratchFolder(), 'again.csv');
    await usurp([...argumentsOf(String(one?.[0]?.replay)), '--out', out]);
    const [cell] = csvParse(readFileSync(out.replace('.csv', '.cells.csv'), 'utf8'));
    expect(cell).toMatchObject({ response_found: 'fixed', k: one?.[0]?.k, n: '6' });
  });

  it('stands in the report over HTTP', async () => {
    const body = { threatModel: 'top-id', runs: 12, seed: '3', set: { ...OPEN } };
    const report = await reportOf(body);

    const printed = parsed(printedRun);
    expect(report.response).toEqual(printed.response);
    expect(report.verdict).toEqual(printed.verdict);
  });
});

describe('a run until its verdict is decided, over HTTP', () => {
  it('ends at the look of the command line and has its answer', async () => {
    const set = { work: 'sampled', 'expect.probability': 0.2 };
    const body = { threatModel: 'top-id', maxRuns: 5000, untilDecided: true, seed: '4', set };
    const report = await reportOf(body);

    const sets = Object.entries(set).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
    const until = ['--until-decided', '--max-runs', '5000', '--seed', '4', '--json'];
    const printed = parsed(await usurp(['run', 'top-id', ...sets, ...until]));
    expect(report.verdict.value).toBe('false');
    expect(report.results[0]?.measured.runs).toBeLessThan(5000);
    expect(report.results).toEqual(printed.results);
    expect(report.replay).toContain('--until-decided --max-runs 5000');
  });
});

/** The report that a server computes for a body. */
async function reportOf(body: object): Promise<RunReport> {
  const input = inputSchema(RUN_OPERATION, true).parse(body);
  const request = parseOperation('run', input, { threatModels: await readCatalogue(), papers: [] });
  const report = await operationInThreads(2)(request, {
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
  return report as RunReport; // The output of this operation.
}
