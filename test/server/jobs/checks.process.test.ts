/**
 * @module
 * Checks over HTTP: the same results as on the command line, refusals that point at a member, and what a cancelled
 * check keeps.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';

import {
  operationInThreads,
  parseOperation,
} from '../../../server/jobs/operations/operation-job.ts';
import { judgedOf } from '../../../src/checking/check-request.ts';
import { BOUND_NAMES } from '../../../src/checking/instance.ts';
import { Walk } from '../../../src/checking/traces/walk.ts';
import { RESOURCE_KINDS } from '../../../src/election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import { requestOf } from '../../../src/experiment/checks/request.ts';
import {
  actionLines,
  sentenceOf,
  walkedWorld,
} from '../../../src/experiment/checks/walked-world.ts';
import type { CheckInput } from '../../../src/operations/check/check.ts';
import { CHECK_OPERATION, checkRequestOf } from '../../../src/operations/check/check.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import { parsed, scratchFolder, usurp } from '../../cli/shell.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const WAIT = { Prefer: 'wait=60' };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const executions = { operation: operationInThreads(1) };

describe('POST /v1/checks', () => {
  it.each([
    ['exhausted', { protocol: 'cr-join' }, 'cr-join'],
    [
      ...['violated', { protocol: 'bully-oneshot', nodes: 3, properties: ['one-leader'] }],
      'bully-oneshot --properties one-leader',
    ],
    [
      ...['exhausted', { protocol: 'cr-join', ring: [2, 3, 1], bounds: { loss: 1 } }],
      'cr-join --ring 2,3,1 --bounds loss=1',
    ],
    [
      'violated',
      {
        ...{ protocol: 'cr-join', nodes: 3, bounds: { loss: 1 } },
        ...{ properties: ['leader-elected'], order: 'depth' },
      },
      'cr-join --nodes 3 --bounds loss=1 --properties leader-elected --order depth',
    ],
    [
      'capped',
      { protocol: 'raft', nodes: 4, bounds: { crash: 1 }, maxStates: 1000 },
      'raft --nodes 4 --bounds crash=1 --max-states 1000',
    ],
    [
      'violated',
      {
        ...{ protocol: 'bully-oneshot', nodes: 4, properties: ['one-leader'] },
        ...{ walks: 50, depth: 100, seed: '3' },
      },
      'bully-oneshot --nodes 4 --properties one-leader --walks 50 --depth 100 --seed 3',
    ],
  ] as const)('is %s as on the command line: %o', async (result, body, line) => {
    const { post } = labUnderTest({ executions });

    const { status, json } = await post('/v1/checks', body, WAIT);

    const printed = parsed(await usurp(['check', ...line.split(' '), '--threads', '1', '--json']));
    expect(status).toBe(202);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^check_[a-z2-7]{16}$/),
      ...{ kind: 'check', status: 'done', request: { protocol: body.protocol } },
    });
    expect(json.result).toEqual({ ...printed, replay: expect.any(String) });
    expect(json.result).toHaveProperty('result', result);
  });

  it('keeps its counts, and is capped, if it is cancelled', async () => {
    const { post, call, jobs } = labUnderTest({ executions });
    const check = await post('/v1/checks', {
      ...{ protocol: 'bully-oneshot', nodes: 5, bounds: { crash: 2 }, maxStates: 2_000_000 },
      properties: ['someone-leads'],
    });
    const read = async () => (await call('GET', linkOf(check))).json;
    await expect
      .poll(async () => (await read()).progress, { timeout: 60_000 })
      .not.toMatchObject({ done: 0 });

    await call('POST', `${linkOf(check)}/cancel`);
    await expect.poll(() => jobs.queue.executing).toBe(0);

    expect(await read()).toMatchObject({
      status: 'cancelled',
      result: {
        ...{ result: 'capped', detail: 'the search was stopped' },
        counts: { states: expect.any(Number) },
      },
    });
  });

  it.each([
    [{}, 'schema', '#/protocol'],
    [{ protocol: 'paxos' }, 'schema', '#/protocol'],
    [{ protocol: 'cr-join', nodes: 13 }, 'schema', '#/nodes'],
    [{ protocol: 'cr-join', nodes: 3, ring: [1, 2] }, 'arguments', '#/nodes'],
    [{ protocol: 'cr-join', ring: [1, 3] }, 'arguments', '#/ring'],
    [{ protocol: 'cr-join', maxStates: 2_000_001 }, 'schema', '#/maxStates'],
    [{ protocol: 'cr-join', bounds: { crash: 8 } }, 'schema', '#/bounds/crash'],
    [{ protocol: 'cr-join', flags: { strange: '1' } }, 'arguments', '#/flags/strange'],
    [{ protocol: 'cr-join', initiators: [4] }, 'arguments', '#/initiators'],
    [{ protocol: 'cr-join', walks: 10_001 }, 'schema', '#/walks'],
    [{ protocol: 'cr-join', walks: 1, seed: 'x' }, 'schema', '#/seed'],
    [{ protocol: 'raft', spread: 2, terms: 'exact' }, 'arguments', '#/spread'],
    [{ protocol: 'cr-join', properties: [] }, 'schema', '#/properties'],
    [{ protocol: 'cr-join', cut: ['1-2', '2-1'] }, 'arguments', '#/cut'],
  ])('refuses %o', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/checks', body);

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
  });

  it('accepts or refuses every combination of members', () => {
    const ranks = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 });
    const drawn = fc.record(
      {
        protocol: fc.constantFrom(...PROTOCOL_NAMES),
        nodes: fc.constantFrom(1, 2, 3, 4, 12),
        ...{ initiators: ranks, crashedBefore: ranks, absent: ranks, phantoms: ranks },
        cut: fc.array(
          fc
            .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
            .filter(([one, other]) => one !== other)
            .map((pair) => pair.join('-')),
          { maxLength: 2 },
        ),
        terms: fc.constantFrom('shifted' as const, 'exact' as const),
        spread: fc.integer({ min: 1, max: 3 }),
        resource: fc.constantFrom(...RESOURCE_KINDS),
        bounds: fc.dictionary(fc.constantFrom(...BOUND_NAMES), fc.integer({ min: 0, max: 7 })),
      },
      { requiredKeys: ['protocol'] },
    );
    const defaults = inputSchema(CHECK_OPERATION, true).parse({ protocol: 'raft' });
    fc.assert(
      fc.property(drawn, (body) => {
        try {
          parseOperation(
            'check',
            { ...defaults, ...body, maxStates: 10 },
            { threatModels: [], papers: [] },
          );
        } catch (error) {
          expect(error).toBeInstanceOf(LabError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('GET /v1/jobs/{id}/results/counterexample', () => {
  it.each([
    [
      { protocol: 'bully-oneshot', nodes: 3, properties: ['one-leader'] },
      'bully-oneshot --properties one-leader',
    ],
    [
      { protocol: 'bully-oneshot', nodes: 3, perLink: 1, properties: ['settles'] },
      'bully-oneshot --per-link 1 --properties settles',
    ],
    [
      {
        ...{ protocol: 'raft', ring: [2, 1], flags: { spreadTicks: '1' }, perLink: 1 },
        ...{ spread: 1, properties: ['leader-elected'] },
      },
      'raft --ring 2,1 --flags spreadTicks=1 --per-link 1 --spread 1 --properties leader-elected',
    ],
  ] as const)('is the files that usurp check writes: %o', async (body, line) => {
    const { app, post } = labUnderTest({ executions });
    const folder = scratchFolder();
    const files = ['saved.json', 'trace.svg', 'trace.txt'].map((name) => join(folder, name));
    const [saved = '', svg = '', text = ''] = files;
    for (const trace of [svg, text]) {
      const words = [...line.split(' '), '--save', saved, '--trace', trace, '--force'];
      await usurp(['check', ...words, '--threads', '1']);
    }

    const check = await post('/v1/checks', body, WAIT);

    const { counterexample } = check.json.links as Record<string, string>; // By the schema.
    expect(counterexample).toBe(`${linkOf(check)}/results/counterexample`);
    const types = ['application/json', 'image/svg+xml', 'text/plain'];
    for (const [index, accept] of types.entries()) {
      const answer = await app.request(String(counterexample), { headers: { Accept: accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('Content-Type')).toMatch(accept);
      expect(await answer.text()).toBe(readFileSync(String(files[index]), 'utf8'));
    }
    const replayed = await usurp(['replay', saved]);
    expect(replayed.stdout).toContain('the saved one');
  });

  it('exists only for a check that is over and found a violation', async () => {
    const { post, call } = labUnderTest({ executions });

    const holds = await post('/v1/checks', { protocol: 'cr-join' }, WAIT);
    const large = { protocol: 'bully-oneshot', nodes: 5, bounds: { crash: 2 } };
    const runs = await post('/v1/checks', large);

    expect(holds.json.links).not.toHaveProperty('counterexample');
    const read = (check: Answer) => call('GET', `${linkOf(check)}/results/counterexample`);
    expect(await read(holds)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(await read(runs)).toMatchObject({ status: 409, json: { code: 'job.unfinished' } });
    await call('POST', `${linkOf(runs)}/cancel`);
  });
});

describe('POST /v1/checks/worlds', () => {
  const VIOLATED = [
    { protocol: 'bully-oneshot', nodes: 3, properties: ['one-leader'] },
    {
      ...{ protocol: 'cr-join', nodes: 3, bounds: { loss: 1, crash: 1, partition: 1 } },
      ...{ properties: ['leader-elected'] },
    },
    {
      ...{ protocol: 'cr-join', nodes: 3, bounds: { lies: 1 }, properties: ['agreement'] },
      ...{ level: 'L0', byzantine: ['1'] },
    },
  ];

  it.each(VIOLATED)('leads step by step to the violation: %o', async (body) => {
    const { post } = labUnderTest({ executions });
    const { request, result } = (await post('/v1/checks', body, WAIT)).json as {
      readonly request: CheckInput;
      readonly result: { readonly address: number[]; readonly breach: string };
    }; // By the schema.
    const worldAfter = async (steps: number) => {
      const address = result.address.slice(0, steps);
      const { status, json } = await post('/v1/checks/worlds', { ...request, address });
      expect(status).toBe(200);
      expect(json.address).toEqual(address);
      return json as unknown as ReturnType<typeof walkedWorld>; // By the schema.
    };
    const walk = new Walk(judgedOf(checkRequestOf(request)));

    for (const [step, index] of result.address.entries()) {
      const world = await worldAfter(step);
      expect(world).toEqual(JSON.parse(JSON.stringify(walkedWorld(walk))));
      const before = walk.actions.length;
      expect(walk.take(index)).toBe(true);
      const lines = actionLines(walk.actions, walk.store).slice(before);
      const done = lines.map(sentenceOf).join('; ');
      expect(world.actions[index]).toMatchObject({ index, text: done });
    }

    const { properties } = await worldAfter(result.address.length);
    expect(properties).toMatchObject([{ holds: false, breach: result.breach }]);
  });

  it('shows the goal of an adversary as not reached until it is', async () => {
    const { post } = labUnderTest({ executions });
    const body = {
      ...{ protocol: 'cr-replace', nodes: 3, level: 'L3', bounds: { lies: 1 }, goal: 'leader' },
      byzantine: ['2'],
    };
    const { request, result } = (await post('/v1/checks', body, WAIT)).json as {
      readonly request: object;
      readonly result: { readonly address: number[] };
    }; // By the schema.
    const judgedAt = async (address: readonly number[]) =>
      (await post('/v1/checks/worlds', { ...request, address })).json.properties;

    const goal = { name: 'adversary-leads', kind: 'sometimes' };
    expect(await judgedAt([])).toMatchObject([{ ...goal, holds: false }]);
    expect(await judgedAt(result.address)).toMatchObject([{ ...goal, holds: true, breach: null }]);
  });

  it('begins in the first world', async () => {
    const { post } = labUnderTest();

    const { json } = await post('/v1/checks/worlds', { protocol: 'cr-join', nodes: 2 });

    expect(json).toMatchObject({ address: [], isAtRest: false, inFlight: [] });
    expect(json.actions).toMatchObject([{ index: 0, isFault: false }]);
  });

  it('refuses an index without a possible action', async () => {
    const { post } = labUnderTest();

    const answer = await post('/v1/checks/worlds', { protocol: 'cr-join', address: [0, 0, 9, 0] });

    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'check.address', errors: [{ pointer: '#/address/2' }] },
    });
  });

  it.each([
    [{ protocol: 'cr-join', address: Array.from({ length: 501 }, () => 0) }, 'schema', '#/address'],
    [{ protocol: 'cr-join', address: [-1] }, 'schema', '#/address/0'],
    [{ protocol: 'cr-join', maxState: 5 }, 'schema', '#/maxState'],
    [{ protocol: 'cr-join', initiators: [9] }, 'arguments', '#/initiators'],
    [
      { protocol: 'raft', nodes: 12, flags: { spreadTicks: '4096' }, address: [0] },
      ...(['job.size', '#/address/1'] as const),
    ],
    [
      {
        ...{ protocol: 'ring-robust:peterson', nodes: 12, bounds: { lies: 7 }, level: 'L0' },
        byzantine: Array.from({ length: 11 }, (_, index) => String(index + 1)),
        address: Array.from({ length: 20 }, () => 0),
      },
      ...(['job.size', '#/address/12'] as const),
    ],
  ])('refuses what is too large or no check: %j', async (body, code, pointer) => {
    const { post } = labUnderTest();

    const { status, json } = await post('/v1/checks/worlds', body);

    expect({ status, code: json.code }).toEqual({ status: 400, code });
    expect(JSON.stringify(json.errors)).toContain(pointer);
  });

  it('works in turns: other requests are answered meanwhile', async () => {
    const { post, call } = labUnderTest();
    const bounds = { crash: 7, loss: 7, duplicate: 7, partition: 7 };
    const large = { protocol: 'bully-oneshot', nodes: 12, bounds };
    let isOver = false;

    const world = post('/v1/checks/worlds', { ...large, address: Array(12).fill(0) });
    void world.then(() => {
      isOver = true;
    });
    let answered = 0;
    while (!isOver) {
      await call('GET', '/healthz');
      await new Promise((resolve) => setImmediate(resolve));
      answered += 1;
    }

    const { json } = await world;
    expect((json.actions as object[]).length).toBeGreaterThan(2000); // By the schema.
    expect(answered).toBeGreaterThan(10);
  });
});

describe('the description of a world', () => {
  it('reads what has happened once, however many actions are possible', () => {
    const walk = new Walk(judgedOf(requestOf({ protocol: 'bully-oneshot', ring: [1, 2, 3] })));
    for (let step = 0; step < 3; step += 1) walk.take(0);
    const read = vi.spyOn(walk, 'actions', 'get');

    const { actions } = walkedWorld(walk);

    expect(actions.length).toBeGreaterThan(2);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
