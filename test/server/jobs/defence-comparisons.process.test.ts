/**
 * @module
 * Comparisons of defences over HTTP: the same result and table as `usurp compare`, refusals that point at a member,
 * and what a cancelled comparison keeps.
 */

import { describe, expect, it } from 'vitest';

import { operationInThreads } from '../../../server/jobs/operations/operation-job.ts';
import { argumentsOf, parsed, usurp } from '../../cli/shell.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const PATH = '/v1/defence-comparisons';
const WAIT = { Prefer: 'wait=60' };
const executions = { operation: operationInThreads(1) };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));

const SMALL = {
  ...{ threatModel: 'late-joiner', defences: ['none', 'frozen-membership'], advantage: [1, 2] },
  ...{ protocols: ['bully-oneshot', 'cr-join'], runs: 5, seed: '1' },
};

describe(`POST ${PATH}`, () => {
  it.each([
    SMALL,
    {
      ...{ defences: ['memory-hard', 'proof-of-work+beacon-rank'], protocols: ['raft'] },
      ...{ advantage: [1, 10], machines: 2, hardRate: 30, set: { 'network.honest': 4 }, runs: 5 },
    },
  ])('gives the result that its replay command prints: %o', async (body) => {
    const { post, app } = labUnderTest({ executions });

    const answer = await post(PATH, body, WAIT);

    const { json } = answer;
    const result = json.result as { readonly replay: string }; // By the schema.
    const words = argumentsOf(result.replay).slice(1);
    const printed = parsed(await usurp([...words, '--json']));
    const { threatModel, seed } = printed;
    expect(json).toMatchObject({
      id: expect.stringMatching(/^compare_[a-z2-7]{16}$/),
      ...{ kind: 'compare', status: 'done', request: { threatModel, seed, runs: 5 } },
    });
    expect({ ...result, replay: `npx ${result.replay}` }).toEqual(printed);
    const lines = await usurp([...words, '--format', 'csv']);
    const headers = { Accept: 'text/csv' };
    const table = await app.request(`${linkOf(answer)}/results/rows`, { headers });
    expect(await table.text()).toBe(lines.stdout);
  });

  it('takes a whole threat model', async () => {
    const { call, post } = labUnderTest({ executions });
    const model = (await call('GET', '/v1/threat-models/late-joiner')).json;

    const few = { ...SMALL, threatModel: model, advantage: [1], protocols: ['cr-join'] };
    const answer = await post(PATH, few, WAIT);

    expect(answer).toMatchObject({ status: 202, json: { request: { threatModel: model } } });
    const { replay } = answer.json.result as { readonly replay: string }; // By the schema.
    expect(replay).toMatch(/^usurp compare late-joiner\.yaml /);
  });

  it.each<[object, string, string]>([
    [{ threatModel: 'nothing' }, 'schema', '#/threatModel'],
    [{ defences: [] }, 'schema', '#/defences'],
    [{ defences: ['shield'] }, 'schema', '#/defences/0'],
    [{ defences: ['beacon-rank', 'beacon-rank'] }, 'arguments', '#/defences'],
    [{ defences: ['beacon-rank+beacon-rank'] }, 'schema', '#/defences/0'],
    [{ defences: ['none'], pairs: true }, 'schema', '#/pairs'],
    [{ protocols: ['raft', 'raft'] }, 'schema', '#/protocols'],
    [{ advantage: [0] }, 'schema', '#/advantage/0'],
    [{ set: { 'network.hones': 4 } }, 'schema', '#/set/network.hones'],
    [{ set: ['network.honest'] }, 'schema', '#/set/0'],
    [{ machines: -1 }, 'schema', '#/machines'],
    [{ hardRate: 0 }, 'schema', '#/hardRate'],
    [{ set: { work: 'mined' } }, 'arguments', '#/threatModel'],
    [{ runs: 200_000 }, 'job.size', '#/runs'],
    [
      { pairs: true, advantage: Array.from({ length: 64 }, (_, index) => index + 1) },
      ...(['job.size', '#/advantage'] as const),
    ],
  ])('refuses %o', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const answer = await post(PATH, body);

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
  });

  it('keeps the finished rows if it is cancelled', async () => {
    const { post, call, jobs } = labUnderTest({ executions });
    const comparison = await post(PATH, {
      ...{ threatModel: 'late-joiner', protocols: ['bully-oneshot', 'zab-fle'], runs: 300 },
      ...{ defences: ['none', 'frozen-membership'], advantage: [1], seed: '1' },
    });
    const read = async () => (await call('GET', linkOf(comparison))).json;
    const runs = async () => {
      const { progress } = (await read()) as { progress: { now: string; done: number } }; // By the schema.
      return progress.now === 'runs' ? progress.done : 0;
    };
    // The first row has 300 runs.
    await expect.poll(runs, { timeout: 60_000 }).toBeGreaterThan(300);

    await call('POST', `${linkOf(comparison)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { status, result } = (await read()) as {
      status: string;
      result: { complete: boolean; rows: readonly { results: readonly { n: number }[] }[] };
    }; // By the schema.
    expect(status).toBe('cancelled');
    expect(result.complete).toBe(false);
    expect(result.rows.length).toBeGreaterThan(0);
    expect(result.rows.length).toBeLessThan(4);
    for (const { results } of result.rows) expect(results).toMatchObject([{ n: 300 }]);
  });
});
