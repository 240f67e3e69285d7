/**
 * @module
 * Comparisons of protocols over HTTP: the same result as `usurp compare-protocols`, refusals that point at a
 * member, the table, and what a cancelled comparison keeps.
 */

import { describe, expect, it } from 'vitest';

import { COMPARED_ELECTIONS_MAX } from '../../../../src/operations/elect/compare-protocols.ts';
import { argumentsOf, parsed, usurp } from '../../../cli/shell.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const PATH = '/v1/protocol-comparisons';
const WAIT = { Prefer: 'wait=60' };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));

describe(`POST ${PATH}`, () => {
  it.each([
    { protocols: ['bully-oneshot', 'cr-join', 'raft'], nodes: 5, randomFaults: ['usual'], runs: 3 },
    {
      ...{ protocols: ['bully-oneshot', 'raft'], ring: [3, 1, 2, 4], initiators: 'highest' },
      ...{ crash: ['highest@3'], latency: 'uniform:1:4', linkFactors: 3, detector: 'links' },
      ...{ loss: ['5%'], partition: ['halves@0-20', 'minority@30-40'], join: ['3@9'] },
      ...{ calm: '300:restart', fifo: false, runs: 2 },
    },
    {
      ...{ protocols: ['raft', 'db-lease'], nodes: 3, flags: { preVote: 'on' }, until: 900 },
      ...{ detector: 'fd-heartbeat:every=10,timeout=35', resource: 'fencing-max:every=5' },
      ...{ linkFactors: '1>2:5', pause: ['1@100-300'], runs: 2 },
    },
    {
      ...{ protocols: ['ring-attr'], nodes: 3, attributes: [7, 9, 8], initiators: [3, 1], runs: 2 },
      faults: '{"faults":[{"type":"loss","share":0.05,"from":0,"to":null}]}',
    },
  ])('gives the result that its replay command prints: %o', async (body) => {
    const { post, call } = labUnderTest();

    const answer = await post(PATH, { ...body, seed: '1' }, WAIT);

    const { json } = answer;
    const result = json.result as { readonly replay: string }; // By the schema.
    const again = parsed(await usurp([...argumentsOf(result.replay).slice(1), '--json']));
    expect(json).toMatchObject({
      ...{ kind: 'compare-protocols', status: 'done', request: { ...body, seed: '1' } },
    });
    expect({ ...result, replay: again.replay }).toEqual(again);
    const { protocols } = again;
    const table = await call('GET', `${linkOf(answer)}/results/rows`);
    expect(table.json).toMatchObject(
      protocols.map(({ protocol, messagesMean }: Record<string, unknown>) => {
        return { protocol, messagesMean };
      }),
    );
  });

  it.each<[object, string, string]>([
    [{}, 'schema', '#/protocols'],
    [{ protocols: ['raft', 'raft'], nodes: 5 }, 'schema', '#/protocols'],
    [{ protocols: ['raft'] }, 'schema', '#/nodes'],
    [{ protocols: ['raft'], nodes: 5, flags: { rejoin: 'naive' } }, 'schema', '#/flags'],
    [{ protocols: ['cr-join'], nodes: 3, attributes: [1, 2, 3] }, 'schema', '#/attributes'],
    [{ protocols: ['raft'], nodes: 5, flags: { preVote: 'maybe' } }, 'arguments', '#/flags'],
    [{ protocols: ['raft'], ring: [1, 3] }, 'arguments', '#/ring'],
    [{ protocols: ['raft'], nodes: 5, crash: ['6'] }, 'arguments', '#/crash'],
    [{ protocols: ['raft'], nodes: 5, initiators: [6] }, 'arguments', '#/initiators'],
    [{ protocols: ['raft'], nodes: 5, crash: ['5'], initiators: [5] }, 'arguments', '#/initiators'],
    [{ protocols: ['raft'], nodes: 5, loss: ['500%'] }, 'schema', '#/loss/0'],
    [{ protocols: ['raft'], nodes: 5, pause: ['1@1-2', '9@1-2'] }, 'schema', '#/pause'],
    [{ protocols: ['raft'], nodes: 5, loss: ['5%', 'x'] }, 'schema', '#/loss/1'],
    [
      { protocols: ['raft'], nodes: 5, randomFaults: ['usual'], loss: ['5%'] },
      ...(['arguments', '#/randomFaults'] as const),
    ],
    [{ protocols: ['raft'], nodes: 5, linkFactors: '1>9:2' }, 'arguments', '#/linkFactors'],
    [
      { protocols: ['raft'], nodes: 5, latency: 1000, linkFactors: 1000 },
      ...(['job.size', '#/linkFactors'] as const),
    ],
    [{ protocols: ['raft'], nodes: 5, latency: '1001' }, 'job.size', '#/latency'],
    [{ protocols: ['raft'], nodes: 5, latency: 1001 }, 'schema', '#/latency'],
    [{ protocols: ['raft'], nodes: 5, detector: 'fd-none' }, 'schema', '#/detector'],
    [{ protocols: ['raft'], nodes: 5, resource: 'disk' }, 'schema', '#/resource'],
    [{ protocols: ['raft'], nodes: 5, faults: { faults: [{}] } }, 'schema', '#/faults'],
    [{ protocols: ['raft'], nodes: 5, runs: COMPARED_ELECTIONS_MAX + 1 }, 'job.size', '#/runs'],
    [{ protocols: ['raft', 'zab-fle'], nodes: 500 }, 'job.size', '#/nodes'],
    [{ protocols: ['raft'], nodes: 501 }, 'schema', '#/nodes'],
    [{ protocols: ['raft'], nodes: 5, seed: String(2n ** 256n - 1n) }, 'arguments', '#/seed'],
  ])('refuses %o', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const answer = await post(PATH, body);

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
    expect(answer.text).not.toMatch(/--|crashedBefore|links:/);
  });

  it('keeps the seeds with which all protocols ran if it is cancelled', async () => {
    const { post, call, jobs } = labUnderTest();
    const comparison = await post(PATH, {
      ...{ protocols: ['raft', 'db-lease'], nodes: 9, until: 20_000, runs: 10_000, seed: '1' },
    });
    const read = async () => (await call('GET', linkOf(comparison))).json;
    const done = async () => ((await read()).progress as { readonly done: number }).done; // By the schema.
    await expect.poll(done, { timeout: 60_000 }).toBeGreaterThan(0);

    await call('POST', `${linkOf(comparison)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { status, result } = (await read()) as { status: string; result: { runs: number } }; // By the schema.
    expect(status).toBe('cancelled');
    expect(result.runs).toBeGreaterThan(0);
    expect(result.runs).toBeLessThan(10_000);
    expect(result).toMatchObject({ protocols: [{ runs: result.runs }, { runs: result.runs }] });
  });
});
