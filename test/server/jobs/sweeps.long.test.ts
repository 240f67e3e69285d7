/**
 * @module
 * Sweeps over HTTP: requests, progress, and the tables of a sweep that threads computed, in every form.
 */

import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import { SweepFolders } from '../../../server/jobs/sweeps/folders.ts';
import type { SweepRequest } from '../../../server/jobs/sweeps/request.ts';
import type { SweepJob, SweepResult } from '../../../server/jobs/sweeps/sweep.ts';
import { sweepInThreads } from '../../../server/jobs/sweeps/sweep.ts';
import { REMOTE_ROWS_MAX } from '../../../src/experiment/document/limits.ts';
import { memberName } from '../../../src/experiment/sweep/columns.ts';
import { parquetRows } from '../../runtime/sweep/table-rows.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const BODY = {
  ...{ threatModel: 'top-id', axes: { 'network.honest': [4, 8] }, set: { work: 'sampled' } },
  ...{ runs: 20, seed: '1' },
};
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A lab whose sweeps end when the test says so. */
function stagedLab() {
  const started: {
    readonly request: SweepRequest;
    readonly progress: (progress: SweepJob['progress']) => void;
    readonly resolve: (result: SweepResult) => void;
  }[] = [];
  const sweep: Execute<SweepJob> = (request, { onProgress }) => {
    const { promise, resolve } = Promise.withResolvers<SweepResult>();
    started.push({ request, progress: onProgress, resolve });
    return promise;
  };
  return { started, ...labUnderTest({ executions: { sweep } }) };
}

describe('POST /v1/sweeps', () => {
  it('answers 202 with a Location, the size of the grid and the replay command', async () => {
    const { post } = stagedLab();

    const answer = await post('/v1/sweeps', { ...BODY, seeds: 'independent' });

    expect(answer).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^s_[a-z2-7]{16}$/),
        ...{ status: 'running', request: { ...BODY, seeds: 'independent' } },
        grid: [{ path: 'network.honest', values: 2 }],
        ...{ cells: 2, progress: null },
        replay:
          'usurp sweep top-id --set network.honest=4,8 --set work=sampled --runs 20 --seed 1 --seeds independent',
        links: { self: linkOf(answer), rows: `${linkOf(answer)}/results/rows` },
      },
    });
  });

  it('draws a sample of cells, and a seed by default', async () => {
    const { post } = stagedLab();
    const axes = { 'network.honest': 'range(1,100)', 'network.identity.c1': 'range(0,9)' };
    const body = { threatModel: 'top-id', set: { work: 'sampled' }, axes, sample: 50 };

    const answer = await post('/v1/sweeps', body);

    const seed = expect.stringMatching(/^[0-9]+$/);
    expect(answer.json).toMatchObject({ cells: 50, request: { ...body, seed } });
  });

  // One lab for the whole table, because a refusal changes nothing in it.
  const refusing = stagedLab();

  it.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['schema', '#/threatModel', { threatModel: 'none' }],
    ['schema', '#/threatModel', { threatModel: undefined }],
    ['schema', '#/set', { set: ['work=sampled'] }],
    ['schema', '#/set/work', { set: { work: { a: 1 } } }],
    ['schema', '#/axes', { axes: ['network.honest=4,8'] }],
    ['schema', '#/axes/network.honest', { axes: { 'network.honest': 5 } }],
    ['schema', '#/axes/network.honest', { axes: { 'network.honest': [5] } }],
    ['schema', '#/axes/network.honest', { axes: { 'network.honest': '' } }],
    ['schema', '#/axes/__proto__.x', { axes: { '__proto__.x': [1, 2] } }],
    ['arguments', '#/set/network.honset', { set: { 'network.honset': 4 } }],
    ['arguments', '#/axes/network.honset', { axes: { 'network.honset': [4, 8] } }],
    ['arguments', '#/axes', { axes: { 'network.honest': [0, -1] } }],
    ['arguments', '#/axes', { axes: { 'expect.by': ['eve', 'none'] } }],
    ['arguments', '#/axes/network.honest', { axes: { 'network.honest': 'range(8,4)' } }],
    ['arguments', '#/axes/network.honest', { axes: { 'network.honest': 'range(4,8,0)' } }],
    ['arguments', '#/axes/network.honest', { axes: { 'network.honest': 'range(4,NaN)' } }],
    ['arguments', '#/axes/network.honest', { axes: { 'network.honest': [4, 4] } }],
    ['arguments', '#/axes', { set: { 'network.honest': 16 } }],
    [
      'job.size',
      '#/axes',
      { axes: { 'network.honest': 'range(1,10000)', runs: 'range(1,10000)' } },
    ],
    ['job.size', '#/axes', { axes: { 'network.election.latency': ['1', 'uniform:1:1001'] } }],
    ['job.size', '#/set', { set: { 'network.election.latency': 'uniform:1:1001' } }],
    ['job.size', '#/runs', { runs: REMOTE_ROWS_MAX / 2 + 1 }],
    ['schema', '#/runs', { runs: 0 }],
    ['schema', '#/runs', { runs: 1.5 }],
    ['schema', '#/sample', { sample: '5%' }],
    ['schema', '#/seed', { seed: '-1' }],
    ['schema', '#/seeds', { seeds: 'paird' }],
    ['schema', '#/out', { out: '/tmp/x.csv' }],
  ])('refuses as %s at %s: %j', async (code, pointer, members) => {
    const { started, post } = refusing;

    const answer = await post('/v1/sweeps', { ...BODY, ...members });

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
    expect(started).toEqual([]);
  });

  it('accepts as many rows as the limit', async () => {
    const { post } = stagedLab();

    const answer = await post('/v1/sweeps', { ...BODY, runs: REMOTE_ROWS_MAX / 2 });

    expect(answer.status).toBe(202);
  });
});

describe('GET /v1/jobs/{id} of a sweep', () => {
  it('shows its progress', async () => {
    const { started, post, call } = stagedLab();
    const sweep = await post('/v1/sweeps', BODY);
    const counts = { cells: 2, cellsDone: 1, rows: 40, rowsDone: 25, failed: 0 };
    const rest = { rowsPerSecond: 10, secondsLeft: 1.5, reused: 0, engine: '1 thread' };
    const runs = { runs: 40, runsDone: 25, runsPerSecond: 10, secondsLeft: 1.5, failed: 0 };
    const progress = { phase: 'computing', cells: 2, cellsDone: 1, ...runs };

    started[0]?.progress({ phase: 'computing', ...counts, ...rest });

    const { json } = await call('GET', linkOf(sweep));
    expect(json).toMatchObject({ status: 'running' });
    expect(json.progress).toEqual(progress);
  });

  it('has no tables before it is done, or when it was cancelled', async () => {
    const { started, post, call } = stagedLab();
    const sweep = await post('/v1/sweeps', BODY);
    const counts = { cells: 2, refused: 0, runs: 20, rows: 7, failed: 0 };

    const before = await call('GET', `${linkOf(sweep)}/results/rows`);
    await call('POST', `${linkOf(sweep)}/cancel`);
    started[0]?.resolve({ counts, isComplete: false, bytes: 0, tables: [], folder: null });
    await settle();
    const after = await call('GET', `${linkOf(sweep)}/results/cells`);

    expect(before).toMatchObject({ status: 409, json: { code: 'job.unfinished' } });
    expect(after).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect((await call('GET', linkOf(sweep))).json).toMatchObject({
      status: 'cancelled',
      result: { complete: false, runs: 7 },
    });
  });

  it('is not found under another id, and neither are its tables', async () => {
    const { call } = stagedLab();

    for (const path of ['', '/results/rows', '/results/cells']) {
      expect(await call('GET', `/v1/jobs/s_x${path}`)).toMatchObject({ status: 404 });
    }
  });
});

describe('a sweep by threads', async () => {
  const folders = new SweepFolders();
  const made: string[] = [];
  const make = folders.make.bind(folders);
  folders.make = async () => {
    const folder = await make();
    made.push(folder);
    return folder;
  };
  const sweep = sweepInThreads(1, folders);
  const { app, post, call, jobs } = labUnderTest({ executions: { sweep } });
  afterAll(async () => {
    await jobs.close();
    await folders.close();
  });
  const submitted = await post('/v1/sweeps', BODY);
  await vi.waitUntil(() => jobs.queue.executing === 0, { timeout: 60_000 });
  const path = linkOf(submitted);
  const read = (name: string, accept?: string) =>
    app.request(`${path}/results/${name}`, {
      headers: accept === undefined ? {} : { Accept: accept },
    });

  it('is done, with every row', async () => {
    const { json } = await call('GET', path);

    expect(json).toMatchObject({
      status: 'done',
      result: { complete: true, runs: 40, refused: 0, failed: 0 },
    });
  });

  it('has the same cells in every form', async () => {
    const rows: readonly Record<string, unknown>[] = JSON.parse(await (await read('cells')).text());
    const lines = await (await read('cells', 'application/jsonl')).text();
    const csv = await (await read('cells', 'text/csv')).text();
    const parquet = await (await read('cells', 'application/vnd.apache.parquet')).arrayBuffer();

    const columns = (await call('GET', path)).json.columns as { cells: { name: string }[] };
    expect(rows).toMatchObject([
      { cell: 0, networkHonest: 4, n: 20 },
      { cell: 1, networkHonest: 8, n: 20 },
    ]);
    expect(Object.keys(rows[0] ?? {})).toEqual(columns.cells.map(({ name }) => memberName(name)));
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
    expect(csv.trimEnd().split('\n')).toHaveLength(3);
    expect(await parquetRows(parquet)).toEqual(rows);
  });

  it('streams rows as one JSON array, of its own type', async () => {
    const { json, headers } = await call('GET', `${path}/results/rows`);

    expect(json).toHaveLength(40);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(headers.get('Vary')).toBe('Accept');
  });

  it.each([
    ['*/*', 'application/json'],
    ['text/*', 'text/csv'],
    ['application/jsonl, application/json;q=0.5', 'application/jsonl'],
    ['application/json;q=0, */*;q=0.1', 'text/csv'],
    ['text/html, TEXT/CSV;q=0.1', 'text/csv'],
  ])('answers Accept: %s with %s', async (accept, type) => {
    const response = await read('rows', accept);

    expect(response.headers.get('Content-Type')).toBe(type);
    expect((await response.text()).length).toBeGreaterThan(1000);
  });

  it.each(['text/html', 'application/json;q=0', 'nothing'])(
    'refuses Accept: %s',
    async (accept) => {
      const answer = await call('GET', `${path}/results/rows`, { headers: { Accept: accept } });

      expect(answer).toMatchObject({ status: 406, json: { code: 'not_acceptable' } });
    },
  );

  it.skipIf(!existsSync('/proc/self/fd'))('keeps a file open only while it is read', async () => {
    const open = () => openFilesBelow(made[0] ?? '');
    const reader = (await read('rows', 'text/csv')).body?.getReader();
    const before = open();

    await reader?.read();
    const during = open();
    await reader?.cancel();
    await app.request(`${path}/results/rows`, { method: 'HEAD' });

    expect([before, during, open()]).toEqual([0, 1, 0]);
  });

  it('refuses a table that was changed, cut or removed, and serves the others', async () => {
    const [folder = ''] = made;
    const answerOf = (name: string, accept: string) =>
      call('GET', `${path}/results/${name}`, { headers: { Accept: accept } });
    const tables = [
      ['rows', 'text/csv', 'rows.csv'],
      ['rows', 'application/json', 'rows.jsonl'],
      ['rows', 'application/vnd.apache.parquet', 'rows.parquet'],
      ['cells', 'application/jsonl', 'rows.cells.jsonl'],
    ] as const;

    for (const [name, accept, file] of tables) {
      const whole = readFileSync(join(folder, file));
      const changed = Uint8Array.from(whole);
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      for (const bytes of [changed, whole.subarray(0, -1), null]) {
        if (bytes === null) rmSync(join(folder, file));
        else writeFileSync(join(folder, file), bytes);
        expect(await answerOf(name, accept), file).toMatchObject({
          ...{ status: 409, json: { code: 'sweep.damaged' } },
        });
        expect((await read('cells', 'text/csv')).status).toBe(200);
      }
      writeFileSync(join(folder, file), whole);
      expect((await read(name, accept)).status).toBe(200);
    }
  });

  it('keeps its folder private, and removes it with the queue', async () => {
    const [folder = ''] = made;

    const names = readdirSync(folder);
    await folders.close();

    expect(names).toEqual(expect.arrayContaining(['rows.csv', 'rows.jsonl', 'rows.parquet']));
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a sweep that is cancelled', () => {
  const body = {
    ...{ threatModel: 'top-id', runs: 1000, seed: '1' },
    ...{ set: { 'network.honest': 16 }, axes: { 'network.identity.c1': [12, 13] } },
  };
  /** A lab with one such sweep, after its first report of this phase. */
  async function cancelled(phase: 'planning' | 'computing') {
    const folders = new SweepFolders();
    const lab = labUnderTest({ executions: { sweep: sweepInThreads(1, folders) } });
    const made: Promise<string>[] = [];
    const make = folders.make.bind(folders);
    folders.make = () => {
      made.push(make());
      return made.at(-1) ?? make();
    };
    const sweep = await lab.post('/v1/sweeps', body);
    const path = linkOf(sweep);
    const reported = async () => (await lab.call('GET', path)).json.progress;
    if (phase === 'computing') {
      await expect.poll(reported, { timeout: 60_000 }).toMatchObject({ phase });
    }
    await lab.call('POST', `${path}/cancel`);
    await expect.poll(() => lab.jobs.queue.executing).toBe(0);
    return { ...lab, folders, path, folder: (await made[0]) ?? '' };
  }

  it('ends soon and keeps the rows that were computed, in every form, until it is removed', async () => {
    const { app, call, path, folders, folder } = await cancelled('computing');
    const read = (name: string, accept: string) =>
      app.request(`${path}/results/${name}`, { headers: { Accept: accept } });

    const { json } = await call('GET', path);
    const rows: readonly Record<string, unknown>[] = JSON.parse(
      await (await read('rows', 'application/json')).text(),
    );
    const cells = (await call('GET', `${path}/results/cells`)).json;
    const csv = await (await read('rows', 'text/csv')).text();
    const parquet = await (await read('rows', 'application/vnd.apache.parquet')).arrayBuffer();
    const removed = await call('DELETE', path);

    // A run has a line for each group of protocols with one outcome.
    const repetitions = [...new Set(rows.map(({ repetition }) => repetition))];
    expect(json).toMatchObject({
      status: 'cancelled',
      result: { complete: false, runs: repetitions.length, bytes: expect.any(Number) },
    });
    expect(repetitions.length).toBeGreaterThan(0);
    expect(repetitions).toEqual(repetitions.map((_, index) => index));
    expect(csv.trimEnd().split('\n')).toHaveLength(rows.length + 1);
    expect(await parquetRows(parquet)).toEqual(rows);
    expect(cells).toMatchObject([
      { cell: 0, n: repetitions.length },
      { cell: 0 },
      { n: 0 },
      { n: 0 },
    ]);
    expect([removed.status, existsSync(folder)]).toEqual([204, false]);
    await folders.close();
  });

  it('leaves no files behind if it has no rows', async () => {
    const { call, path, folders, folder } = await cancelled('planning');

    const { json } = await call('GET', path);

    expect(json.status).toBe('cancelled');
    expect(existsSync(folder)).toBe(false);
    expect((await call('GET', `${path}/results/rows`)).status).toBe(404);
    await folders.close();
  });
});

/** Number of files in the folder that this process has open. */
function openFilesBelow(folder: string): number {
  return readdirSync('/proc/self/fd').filter((name) => targetOf(name).startsWith(folder)).length;
}

/** Empty for a file that was closed meanwhile, such as that of the listing itself. */
function targetOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${name}`);
  } catch {
    return '';
  }
}
