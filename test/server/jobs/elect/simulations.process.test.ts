/**
 * @module
 * Elections of the simulator as jobs: the same result as `usurp elect`, refusals that point at a member, and what a
 * cancelled job keeps.
 */

import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, usurp } from '../../../cli/shell.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const PATH = '/v1/simulations';
const WAIT = { Prefer: 'wait=60' };

describe(`POST ${PATH}`, () => {
  it.each([
    { protocol: 'ring-attr', nodes: 3, attributes: [7, 9, 8], initiators: [3, 1] },
    { protocol: 'cr-join', nodes: 5, loss: ['10%'], runs: 9, shrink: true, measure: 'ticks' },
    { protocol: 'raft', flags: { preVote: 'on' }, vary: ['nodes=3,5', 'loss=none,5%'], runs: 3 },
    { nodes: 3, vary: ['protocol=cr-join,raft'], measure: 'leader', runs: 2 },
    {
      ...{ protocol: 'raft', nodes: 3, runs: 1 },
      faults: { faults: [{ type: 'loss', share: 1 / 3, from: 0, to: null }] },
    },
  ])('gives the result that its replay command prints: %o', async (body) => {
    const { post } = labUnderTest();

    const { json } = await post(PATH, { ...body, seed: '1' }, WAIT);

    const result = json.result as { readonly replay: string }; // By the schema.
    const again = parsed(await usurp([...argumentsOf(result.replay).slice(1), '--json']));
    expect(json).toMatchObject({ kind: 'elect', status: 'done' });
    expect(result).toEqual(JSON.parse(JSON.stringify(again).replaceAll('npx usurp', 'usurp')));
  });

  it.each<[object, string, string]>([
    [{ nodes: 3 }, 'arguments', '#/protocol'],
    [{ protocol: 'bully-oneshot', nodes: 5, crash: ['9@3'] }, 'arguments', '#/crash'],
    [{ protocol: 'raft' }, 'schema', '#/nodes'],
    [{ protocol: 'raft', nodes: 501 }, 'schema', '#/nodes'],
    [{ protocol: 'raft', vary: ['nodes=3,501'] }, 'arguments', '#/vary'],
    [{ protocol: 'raft', nodes: 3, vary: ['until=range(1,101)'] }, 'job.size', '#/vary'],
    [
      { protocol: 'raft', nodes: 3, vary: ['until=range(1,90000)', 'latency=range(1,900)'] },
      ...(['job.size', '#/vary'] as const),
    ],
    [{ protocol: 'raft', nodes: 3, vary: ['color=1,2'] }, 'schema', '#/vary/0'],
    [{ protocol: 'raft', vary: ['nodes=1,x'] }, 'arguments', '#/vary'],
    [{ protocol: 'raft', vary: ['nodes=1,2', 'nodes=3,4'] }, 'arguments', '#/vary'],
    [{ protocol: 'raft', nodes: 3, loss: ['5%'], vary: ['loss=1%,2%'] }, 'arguments', '#/vary'],
    [{ protocol: 'raft', nodes: 3, vary: ['protocol=raft,cr-join'] }, 'arguments', '#/vary'],
    [{ protocol: 'raft', vary: ['nodes=3,4'], runs: 50_001 }, 'job.size', '#/runs'],
    [{ protocol: 'raft', nodes: 3, measure: 'ticks' }, 'arguments', '#/measure'],
    [{ protocol: 'raft', nodes: 3, runs: 2, measure: 'speed' }, 'schema', '#/measure'],
    [{ protocol: 'raft', nodes: 3, shrink: true }, 'arguments', '#/shrink'],
    [{ protocol: 'raft', ring: [3, 1, 2], ringOrder: 'by-id' }, 'arguments', '#/ringOrder'],
  ])('refuses %o', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const answer = await post(PATH, body);

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
    expect(answer.text).not.toMatch(/--/);
  });

  it('keeps the finished runs if it is cancelled', async () => {
    const { post, call, jobs } = labUnderTest();
    const body = { protocol: 'raft', nodes: 9, until: 20_000, runs: 10_000, seed: '1' };
    const job = String((await post(PATH, body)).headers.get('Location'));
    const read = async () => (await call('GET', job)).json;
    const done = async () => ((await read()).progress as { readonly done: number }).done; // By the schema.
    await expect.poll(done, { timeout: 60_000 }).toBeGreaterThan(0);

    await call('POST', `${job}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    const { status, result } = (await read()) as { status: string; result: { runs: number } }; // By the schema.
    expect(status).toBe('cancelled');
    expect(result.runs).toBeGreaterThan(0);
    expect(result.runs).toBeLessThan(10_000);
  });
});
