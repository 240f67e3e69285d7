/**
 * @module
 * Threat models that are sent in a request: validated like files, with a pointer to each wrong member.
 */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';

import { BODY_BYTES_MAX } from '../../../server/contract/json-body.ts';
import { operationInThreads } from '../../../server/jobs/operations/operation-job.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';

const MODEL = {
  ...{ id: 'my-model', title: 'Mine', assumes: 'Nothing.', can: 'Try 64 keys.', cannot: 'Sleep.' },
  ...{ wants: 'A node ID above all.', outcome: 'It leads at times.', work: 'sampled', runs: 50 },
  network: { honest: 8, identity: { c1: 4 }, election: { protocols: ['bully-oneshot'] } },
  adversaries: { main: { budget: { attempts: 64 }, behaviours: [] } },
  expect: { property: 'adversary-leads', comparison: 'at-most', probability: 0.5 },
};

describe('a threat model in a request', () => {
  it('runs, with settings, and its replay command names a file', async () => {
    const { post } = labUnderTest({ execute: operationInThreads(1) });
    const body = { threatModel: MODEL, set: { 'network.honest': 4 }, seed: '1' };

    const { status, json } = await post('/v1/runs', body, { Prefer: 'wait=60' });

    expect(status).toBe(202);
    expect(json).toMatchObject({
      ...{ status: 'done', request: { ...body, set: ['network.honest=4'] } },
      result: {
        threatModel: 'my-model',
        replay: 'usurp run my-model.yaml --runs 50 --seed 1 --set network.honest=4',
      },
    });
  });

  it('can be swept', async () => {
    const { post } = labUnderTest();
    const body = { threatModel: MODEL, axes: { 'network.honest': [4, 8] }, seed: '1' };

    const { status, json } = await post('/v1/sweeps', body);

    expect(status).toBe(202);
    expect(json).toMatchObject({ request: body, cells: 2 });
    expect(json.replay).toContain('usurp sweep my-model.yaml --set network.honest=4,8');
  });

  it('may be any document of the catalogue', async () => {
    for (const model of await readCatalogue()) {
      const { post, jobs } = labUnderTest({ execute: () => Promise.reject(new Error('staged')) });
      const answer = await post('/v1/runs', { threatModel: model, runs: 1 });
      await setImmediate();
      expect([model.id, answer.status, jobs.queue.waiting]).toEqual([model.id, 202, 0]);
    }
  });

  // One lab for the whole table, because a refusal changes nothing in it.
  const { post } = labUnderTest();

  it.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ['#/threatModel/network/honest', { network: { ...MODEL.network, honest: 0 } }],
    ['#/threatModel/network/honset', { network: { ...MODEL.network, honset: 4 } }],
    ['#/threatModel/title', { title: undefined }],
    [
      '#/threatModel/adversaries/main/budget/attempts',
      {
        adversaries: { main: { budget: { attempts: 'many' }, behaviours: [] } },
      },
    ],
    ['#/threatModel/work', { work: 'dreamt' }],
    ['#/threatModel/id', { id: '../etc/passwd' }],
    ['#/threatModel/extra', { extra: 1 }],
  ])('is refused at %s', async (pointer, members) => {
    for (const path of ['/v1/runs', '/v1/sweeps']) {
      const { status, json } = await post(path, { threatModel: { ...MODEL, ...members } });

      expect([status, json.code]).toEqual([400, 'document']);
      expect(json.errors).toContainEqual({ pointer, detail: expect.any(String) });
    }
  });

  it('shows all of its faults at once', async () => {
    const threatModel = { ...MODEL, title: undefined, work: 'dreamt' };

    const { json } = await post('/v1/runs', { threatModel });

    expect(json.errors).toHaveLength(2);
  });

  it.each([[5], [null], [[]]])('is neither %j', async (threatModel) => {
    expect(await post('/v1/runs', { threatModel })).toMatchObject({
      status: 400,
      json: { code: 'schema', errors: [{ pointer: '#/threatModel' }] },
    });
  });
});

describe('a threat model as a body in YAML', () => {
  const YAML = { 'Content-Type': 'application/yaml' };

  it('has a longest form that the document states, and a type that a refusal names', async () => {
    const { app, post } = labUnderTest();
    const { requestBody } = documentOf(app).paths['/v1/runs']?.post ?? {};
    const { json } = await post('/v1/runs', 'id: x', { 'Content-Type': 'text/yaml' });

    expect(requestBody?.content['application/yaml']?.schema).toMatchObject({ maxLength: 4096 });
    expect(json.detail).toContain('application/yaml');
  });

  it('is refused with details that end with a whole word', async () => {
    const { post } = labUnderTest();
    const { json } = await post('/v1/runs', { threatModel: 'topid' });
    const [{ detail }] = json.errors as [{ readonly detail: string }]; // One member is wrong.

    expect(detail.length).toBeLessThanOrEqual(500);
    expect(detail).toMatch(/, …$/);
  });
  const { post } = labUnderTest({ execute: () => new Promise(() => {}) });

  it.each(['application/yaml', 'application/yaml; charset=utf-8', 'APPLICATION/X-YAML'])(
    'is run like the same document in JSON: %s',
    async (type) => {
      const lab = labUnderTest({ execute: operationInThreads(1) });
      const headers = { 'Content-Type': type, Prefer: 'wait=60' };

      const { status, json } = await lab.post('/v1/runs', stringify(MODEL), headers);
      const again = await lab.post('/v1/runs', Object(json.request), { Prefer: 'wait=60' });

      expect(status).toBe(202);
      expect(json).toMatchObject({ status: 'done', request: { threatModel: MODEL } });
      expect(again.json.result).toEqual(json.result);
    },
  );

  it('can be swept if it has axes', async () => {
    const text = stringify({ ...MODEL, sweep: { axes: { 'network.honest': [4, 8] } } });

    expect((await post('/v1/sweeps', text, YAML)).json).toMatchObject({ cells: 2 });
  });

  it.each([
    ['unknown member', '#/adversaries/main/budgets', /^body:\d+:\d+: .*adversaries.main.budgets/],
  ])('points at an %s with its line', async (_what, pointer, detail) => {
    const text = stringify(MODEL).replace('budget:', 'budgets:');
    const line = text.split('\n').findIndex((each) => each.includes('budgets:')) + 1;

    const answer = await post('/v1/runs', text, YAML);

    const { errors } = answer.json as { errors: { pointer: string; detail: string }[] }; // By the schema.
    expect(answer).toMatchObject({ status: 400, json: { code: 'document' } });
    expect(errors[0]).toMatchObject({ pointer, detail: expect.stringMatching(detail) });
    expect(errors[0]?.detail).toContain(`body:${line}:`);
  });

  it.each([
    ['', 400, 'document'],
    ['id: [', 400, 'document'],
    ['a: &x 1\nb: *x', 400, 'document'],
    ['id: 1\nid: 2', 400, 'document'],
    ['\ufeffid: x', 400, 'json.encoding'],
    [`id: ${'x'.repeat(BODY_BYTES_MAX)}`, 413, 'body.too_large'],
    ['id: .nan', 400, 'document'],
    ['__proto__: {}', 400, 'document'],
  ])('refuses %j', async (text, status, code) => {
    expect(await post('/v1/runs', text, YAML)).toMatchObject({ status, json: { code } });
  });

  it('is not a body of other operations', async () => {
    for (const path of ['/v1/elections', '/v1/attacks', '/v1/designs']) {
      expect((await post(path, stringify(MODEL), YAML)).json.code, path).toBe('content_type');
    }
  });
});
