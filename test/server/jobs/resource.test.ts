/**
 * @module
 * Jobs of every kind as one resource: the same operations list, read, cancel and remove them. Executions are
 * staged.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { TokenSet } from '../../../server/callers/tokens.ts';
import type { Schema } from '../../../server/contract/openapi/shape.ts';
import { JOB_KINDS } from '../../../server/jobs/all-jobs.ts';
import { typeNameOf } from '../../../server/jobs/operations/operation-job.ts';
import { SweepFolders } from '../../../server/jobs/sweeps/folders.ts';
import { tableFileAt } from '../../../server/jobs/sweeps/table-files.ts';
import { openLogs } from '../../../server/lab.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { FOUND, REPORT } from '../fuzz/staged-results.ts';
import type { Answer, LabUnderTest } from '../lab-under-test.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';
import { stagedRuns } from './staged-runs.ts';
import { submissionOf } from './submissions.ts';

const RUN = { threatModel: 'top-id', runs: 50, seed: '1' };
const SWEEP = { threatModel: 'top-id', axes: { 'network.honest': [4, 8] }, seed: '1' };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const idsOf = (answer: Answer) => (answer.json.items as { id: string }[]).map(({ id }) => id); // By the schema.

/** One job of each kind; the first runs, designs are done at once, and the others wait. */
async function oneOfEach({ post }: LabUnderTest): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const kind of JOB_KINDS) ids[kind] = String((await post(...submissionOf(kind))).json.id);
  return ids;
}

describe('GET /v1/jobs', () => {
  it('lists jobs of every kind, the newest first, in pages', async () => {
    let wallMs = 0;
    const lab = stagedRuns({ wallMs: () => (wallMs += 1) });
    const ids = await oneOfEach(lab);

    const first = await lab.call('GET', '/v1/jobs?pageSize=5');
    const rest = await lab.call('GET', `/v1/jobs?pageToken=${first.json.nextPageToken}`);

    expect(Object.keys(ids)).toEqual(expect.arrayContaining(JOB_KINDS));
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(Object.values(ids).toReversed());
    expect(rest.json.nextPageToken).toBeNull();
  });

  it('selects by kind and status', async () => {
    const lab = stagedRuns();
    const ids = await oneOfEach(lab);
    const listed = async (query: string) => idsOf(await lab.call('GET', `/v1/jobs?${query}`));

    expect(await listed('kind=sweep')).toEqual([ids.sweep]);
    expect(await listed('status=running')).toEqual([ids[JOB_KINDS[0] ?? '']]);
    expect(await listed('status=done')).toEqual([ids.design]);
    expect(await listed('kind=design&status=queued')).toEqual([]);
  });

  it.each(['kind=runs', 'kind=', 'status=over', 'kind=run&kind=sweep', 'noun=run'])(
    'refuses the query %s',
    async (query) => {
      const { call } = stagedRuns();

      const answer = await call('GET', `/v1/jobs?${query}`);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );
});

describe('GET /v1/jobs/{id}', () => {
  it('says of which kind the job is, and links to its operations', async () => {
    const lab = stagedRuns();
    const ids = await oneOfEach(lab);

    for (const [kind, id] of Object.entries(ids)) {
      const { json } = await lab.call('GET', `/v1/jobs/${id}`);
      const self = `/v1/jobs/${id}`;
      expect(json).toMatchObject({ id, kind });
      expect(json.links).toMatchObject({
        self,
        events: `${self}/events`,
        cancel: `${self}/cancel`,
      });
    }
  });

  it.each(['r_2222222222222222', 'x_2222222222222222', 'r', 'design'])(
    'answers 404 for %s, with the same words for every kind of id',
    async (id) => {
      const { call } = stagedRuns();

      const answers = [
        await call('GET', `/v1/jobs/${id}`),
        await call('DELETE', `/v1/jobs/${id}`),
        await call('POST', `/v1/jobs/${id}/cancel`),
        await call('GET', `/v1/jobs/${id}/results/rows`),
      ];

      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 404, json: { detail: `there is no job ${id}` } });
      }
    },
  );

  it('has a result by name only if its kind has it', async () => {
    const lab = stagedRuns({
      executions: { operation: async ({ name }) => (name === 'run' ? REPORT : FOUND) },
    });
    const run = await lab.post('/v1/runs', RUN);
    const forgery = await lab.post('/v1/forgeries', { c1: 8, seed: '42' });
    const of = (answer: Answer, name: string) =>
      lab.call('GET', `${linkOf(answer)}/results/${name}`);

    await setImmediate();
    await setImmediate();

    expect(await of(forgery, 'secret')).toMatchObject({ status: 200, json: { seed: '42' } });
    expect((await of(forgery, 'rows')).json.detail).toContain('has no rows');
    expect((await of(run, 'rows')).status).toBe(404);
    expect((await of(run, 'keys')).json.code).toBe('schema');
  });
});

describe('DELETE /v1/jobs/{id}', () => {
  it('is refused while the job is not over, and then removes it', async () => {
    const { started, post, call } = stagedRuns();
    const run = await post('/v1/runs', RUN);
    const waiting = await post('/v1/runs', RUN);

    const early = [await call('DELETE', linkOf(run)), await call('DELETE', linkOf(waiting))];
    await call('POST', `${linkOf(run)}/cancel`);
    const cancelling = await call('DELETE', linkOf(run));
    started[0]?.resolve(REPORT);
    await setImmediate();
    const removed = await call('DELETE', linkOf(run));
    const again = await call('DELETE', linkOf(run));

    for (const answer of [...early, cancelling]) {
      expect(answer).toMatchObject({ status: 409, json: { code: 'job.unfinished' } });
      expect(answer.json.detail).toContain('/cancel');
    }
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(again.status).toBe(404);
    expect((await call('GET', linkOf(run))).status).toBe(404);
    expect((await call('GET', `${linkOf(run)}/events`)).status).toBe(404);
    expect(idsOf(await call('GET', '/v1/jobs'))).toEqual([waiting.json.id]);
  });

  it('removes the files of a sweep before it is answered', async () => {
    const folders = new SweepFolders();
    const folder = await folders.make();
    for (const name of ['rows.jsonl', 'rows.cells.jsonl'])
      writeFileSync(join(folder, name), '{}\n');
    const tables = ['rows.jsonl', 'rows.cells.jsonl'].map((name) =>
      tableFileAt(join(folder, name)),
    );
    const counts = { cells: 2, refused: 0, runs: 20, rows: 1, failed: 0 };
    const { post, call } = labUnderTest({
      executions: { sweep: async () => ({ counts, isComplete: true, bytes: 6, tables, folder }) },
    });
    const sweep = await post('/v1/sweeps', SWEEP);
    await setImmediate();
    const rows = await call('GET', `${linkOf(sweep)}/results/rows`);

    const { status } = await call('DELETE', linkOf(sweep));

    expect([rows.status, status, existsSync(folder)]).toEqual([200, 204, false]);
    await folders.close();
  });

  it('removes for ever: the job is missing after a restart as well', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const onFault = () => undefined;
    const logs = openLogs(data, onFault);
    const before = labUnderTest({ logs, execute: async () => REPORT });
    const [kept, gone] = [await before.post('/v1/runs', RUN), await before.post('/v1/runs', RUN)];
    await setImmediate();
    await before.call('DELETE', linkOf(gone));
    before.elections.close();

    const after = labUnderTest({ logs: openLogs(data, onFault) });
    await after.jobs.restore();

    expect(idsOf(await after.call('GET', '/v1/jobs'))).toEqual([kept.json.id]);
    after.elections.close();
  });

  it('is for the owner of the job alone, and does not say that others have it', async () => {
    const tokens = new TokenSet(
      ['ann', 'bob'].map((name) => ({ name, role: 'student', token: `${name}-0123456789abcdef` })),
    );
    const lab = labUnderTest({ tokens, execute: async () => REPORT });
    const as = (name: string) => ({ Authorization: `Bearer ${name}-0123456789abcdef` });
    const run = await lab.post('/v1/runs', RUN, as('ann'));
    await setImmediate();
    const remove = (name: string) => lab.call('DELETE', linkOf(run), { headers: as(name) });

    const [other, own, after] = [await remove('bob'), await remove('ann'), await remove('bob')];

    expect([other.status, own.status, after.status]).toEqual([404, 204, 404]);
    expect(other.json.detail).toBe(after.json.detail);
  });
});

describe('DELETE /v1/elections/{id}', () => {
  it('is refused while an action on it is being carried out', async () => {
    const { post, call } = labUnderTest();
    const { headers } = await post('/v1/elections', { protocol: 'zab-fle', nodes: 40 });
    const path = String(headers.get('Location'));
    await post(`${path}/actions`, { type: 'start' });

    const advance = post(`${path}/actions`, { type: 'advance', until: 'idle' });
    await setImmediate();
    const early = await call('DELETE', path);
    await advance;
    const late = await call('DELETE', path);

    expect(early).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
    expect(late.status).toBe(204);
  });
});

describe('the document', () => {
  const document = documentOf(labUnderTest().app);
  const { schemas } = document.components;
  const schemaOf = (name: string): Schema => schemas[name] ?? {};

  it('has a job as a union of named schemas, discriminated by kind with a mapping', () => {
    const names = JOB_KINDS.map((kind) => `${typeNameOf(kind)}Job`);
    const reference = (name: string) => `#/components/schemas/${name}`;

    const mapping = Object.fromEntries(JOB_KINDS.map((kind, index) => [kind, names[index]]));

    expect(schemaOf('Job')).toMatchObject({
      oneOf: names.map((name) => ({ $ref: reference(name) })),
      discriminator: {
        propertyName: 'kind',
        mapping: Object.fromEntries(
          Object.entries(mapping).map(([kind, name]) => [kind, reference(String(name))]),
        ),
      },
    });
    for (const name of names) {
      expect(schemaOf(name).required, name).toEqual(
        expect.arrayContaining(['id', 'kind', 'status', 'progress', 'links']),
      );
    }
  });

  it('has each operation on jobs once, and a typed one to submit each kind', () => {
    const paths = Object.entries(document.paths);
    const submissions = paths.filter(([, { post }]) => post?.operationId.startsWith('submit'));
    const onJobs = paths.flatMap(([path, item]) =>
      path.startsWith('/v1/jobs') ? Object.keys(item).map((method) => `${method} ${path}`) : [],
    );

    expect(onJobs.toSorted()).toEqual([
      'delete /v1/jobs/{id}',
      'get /v1/jobs',
      'get /v1/jobs/{id}',
      'get /v1/jobs/{id}/events',
      'get /v1/jobs/{id}/results/{name}',
      'post /v1/jobs/{id}/cancel',
    ]);
    expect(submissions).toHaveLength(JOB_KINDS.length);
    for (const [path, item] of submissions) {
      expect(Object.keys(item), path).toEqual(['post']);
    }
  });
});
