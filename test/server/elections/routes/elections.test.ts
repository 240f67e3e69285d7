/**
 * @module
 * Elections over HTTP: created, advanced, bounded, deleted. Refusals change nothing.
 */

import { describe, expect, it } from 'vitest';
import { NODES_KEPT_MAX } from '../../../../server/elections/storage/store.ts';
import { createPopulation } from '../../../../src/experiment/runs/inhabitants.ts';
import { parseSeed } from '../../../../src/random.ts';
import { NODES_MAX } from '../../../../src/simulation/request/remote-limits.ts';
import { simulateElection } from '../../../../src/simulation/run/simulate.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const lab = labUnderTest();
const { call, post } = lab;
const create = (body: unknown) => post('/v1/elections', body);
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const act = (election: Answer, action: unknown) => post(`${linkOf(election)}/actions`, action);

describe('POST /v1/elections', () => {
  it('creates an election at time 0', async () => {
    const answer = await create({ protocol: 'bully-oneshot', nodes: 5, seed: '1' });

    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(/^e_[a-z2-7]{16}$/),
      protocol: 'bully-oneshot',
      nodes: 5,
      seed: '1',
      time: 0,
      status: 'created',
      bound: null,
      leader: null,
      agreed: false,
      messages: { ELECTION: 0, OK: 0, COORDINATOR: 0, total: 0 },
      verdict: { value: 'unknown' },
    });
    expect(answer.json.links).toMatchObject({
      self: linkOf(answer),
      actions: `${linkOf(answer)}/actions`,
      nodes: `${linkOf(answer)}/nodes`,
    });
    await call('DELETE', linkOf(answer));
  });

  it.each([
    [{ crash: [{ rank: 5, at: 3 }], level: 'L0' }, '--nodes 5 --level L0 --crash 5@3 --latency 1'],
    [
      { crash: [{ rank: 5, at: 3 }, { rank: 2 }], initiators: [1, 3], until: 40 },
      '--nodes 5 --initiators 1,3 --crash 2,5@3 --latency 1 --until 40',
    ],
    [
      { protocol: 'ring-attr', attributes: [9, 2, 3, 4, 5], ring: [3, 1, 2, 5, 4] },
      '--attributes 9,2,3,4,5 --ring 3,1,2,5,4 --latency 1',
    ],
    [
      { crash: [{ rank: 4, at: 9 }], network: { restart: '4@30', loss: '5%' }, fifo: false },
      '--nodes 5 --crash 4@9 --restart 4@30 --loss 5% --latency 1 --no-fifo',
    ],
    [{ detector: 'links' }, '--nodes 5 --detector links --latency 1'],
    [
      { detector: 'fd-heartbeat:every=10,timeout=35', latency: 'uniform:1:5' },
      '--nodes 5 --detector fd-heartbeat:every=10,timeout=35 --latency uniform:1:5',
    ],
  ])('states the command of %j', async (members, words) => {
    const body = { protocol: 'bully-oneshot', nodes: 5, seed: '3', ...members };
    const answer = await create(body);

    expect(answer.json.replay).toBe(`usurp elect ${body.protocol} ${words} --seed 3`);
    await call('DELETE', linkOf(answer));
  });

  it.each([
    { byzantine: [{ rank: 2, behaviours: ['swallow'] }] },
    { newcomers: 1 },
    { phantoms: [2] },
    { policy: { c1: 1 } },
  ])('states no command with %j', async (members) => {
    const answer = await create({ protocol: 'bully-oneshot', nodes: 5, seed: '3', ...members });
    expect(answer.json).toMatchObject({ seed: '3', replay: null });
    await call('DELETE', linkOf(answer));
  });

  it('chooses another seed each time if none is given, and returns it', async () => {
    const first = await create({ protocol: 'cr-join', nodes: 3 });
    const second = await create({ protocol: 'cr-join', nodes: 3 });

    expect(first.json.seed).toMatch(/^(0|[1-9][0-9]*)$/);
    expect(first.json.seed).not.toBe(second.json.seed);
    await call('DELETE', linkOf(first));
    await call('DELETE', linkOf(second));
  });

  it('runs to idle at once on request, and names the leader with its node ID', async () => {
    const answer = await create({
      protocol: 'bully-oneshot',
      nodes: 10,
      crash: 'highest',
      initiators: 'lowest',
      seed: '7',
      run: true,
    });

    const { nodeIds } = createPopulation({ nodes: 10, seed: parseSeed('7') });
    expect(answer.json).toMatchObject({
      status: 'idle',
      bound: 'idle',
      agreed: true,
      leader: { rank: 9, nodeId: nodeIds[8] },
      messages: { ELECTION: 45, OK: 36, COORDINATOR: 8, total: 89 },
      verdict: { value: 'true' },
    });
    await call('DELETE', linkOf(answer));
  });

  it('gives the result of a simulation with the same options', async () => {
    const answer = await create({
      protocol: 'cr-join',
      nodes: 50,
      latency: 'uniform:10:50',
      seed: '3',
      run: true,
    });

    const latency = { type: 'uniform', ticksMin: 10, ticksMax: 50 } as const;
    const seed = parseSeed('3');
    const outcome = simulateElection({ protocol: 'cr-join', nodes: 50, latency, seed });
    expect(answer.json).toMatchObject({ messages: outcome.messages, ticks: outcome.ticks });
    await call('DELETE', linkOf(answer));
  });

  it('accepts a ring as a list of ranks', async () => {
    const answer = await create({ protocol: 'cr-join', ring: [3, 1, 2], run: true });

    expect(answer.json).toMatchObject({ nodes: 3, ring: [3, 1, 2], leader: { rank: 3 } });
    await call('DELETE', linkOf(answer));
  });

  it('orders a ring by ID on request', async () => {
    const answer = await create({ protocol: 'cr-join', nodes: 4, ringOrder: 'by-id' });

    expect(answer.json.ring).toEqual([1, 2, 3, 4]);
    await call('DELETE', linkOf(answer));
  });

  it('closes the ring around a node that crashed before, and not around one that crashes later', async () => {
    const before = await create({
      protocol: 'cr-join',
      ring: [1, 2, 3],
      crash: [{ rank: 3 }],
      run: true,
    });
    const later = await create({
      protocol: 'cr-join',
      ring: [1, 2, 3],
      crash: [{ rank: 'highest', at: 0 }],
      run: true,
    });

    expect(before.json).toMatchObject({ leader: { rank: 2 }, verdict: { value: 'true' } });
    expect(later.json).toMatchObject({ leader: null, verdict: { value: 'false' } });
    await call('DELETE', linkOf(before));
    await call('DELETE', linkOf(later));
  });

  it.each([
    [{}, '#/protocol'],
    [{ protocol: 'paxos', nodes: 3 }, '#/protocol'],
    [{ protocol: 'constructor', nodes: 3 }, '#/protocol'],
    [{ protocol: 'cr-join' }, '#/nodes'],
    [{ protocol: 'cr-join', nodes: NODES_MAX + 1 }, '#/nodes'],
    [{ protocol: 'cr-join', nodes: 0 }, '#/nodes'],
    [{ protocol: 'cr-join', nodes: 3, seed: 1 }, '#/seed'],
    [{ protocol: 'cr-join', nodes: 3, seed: '01' }, '#/seed'],
    [{ protocol: 'cr-join', nodes: 3, seed: '0x1' }, '#/seed'],
    [{ protocol: 'cr-join', nodes: 3, seed: '-1' }, '#/seed'],
    [{ protocol: 'cr-join', nodes: 3, ring: [0, 1, 2] }, '#/ring/0'],
    [{ protocol: 'cr-join', ring: [1, 2], ringOrder: 'by-id' }, '#/ringOrder'],
    [{ protocol: 'cr-join', nodes: 3, ringOrder: 'random' }, '#/ringOrder'],
    [{ protocol: 'cr-join', nodes: 3, crash: [{ rank: 3, at: -1 }] }, '#/crash/0/at'],
    [{ protocol: 'cr-join', nodes: 3, crash: [{ rank: 3, when: 1 }] }, '#/crash/0/when'],
    [{ protocol: 'cr-join', nodes: 3, run: 'yes' }, '#/run'],
    [{ protocol: 'cr-join', nodes: 3, until: 1.5 }, '#/until'],
    [{ protocol: 'cr-join', nodes: 3, trace: true }, '#/trace'],
    [{ protocol: 'cr-join', nodes: 3, leader: 1 }, '#/leader'],
  ])('refuses %j as schema and points at it', async (body, pointer) => {
    const answer = await create(body);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
  });

  it.each([
    [{ nodes: 3, ring: [1, 2] }],
    [{ ring: [1, 2, 4] }],
    [{ nodes: 2, crash: [{ rank: 1 }, { rank: 2 }] }],
    [{ nodes: 2, crash: [{ rank: 1 }, { rank: 1 }] }],
    [{ nodes: 2, crash: [{ rank: 3 }] }],
    [{ nodes: 3, latency: '0' }],
    [{ nodes: 3, latency: 'uniform:5:1' }],
    [{ nodes: 3, latency: 'poisson:3' }],
    [{ nodes: 3, initiators: [4], run: true }],
    [{ nodes: 3, initiators: [3], crash: 'highest', run: true }],
  ])('refuses %j, which makes no election', async (members) => {
    const answer = await create({ protocol: 'cr-join', ...members });

    expect(answer).toMatchObject({ status: 400, json: { code: 'arguments' } });
  });

  it('refuses latencies that would only cost memory', async () => {
    const atLimit = await create({ protocol: 'cr-join', nodes: 3, latency: 1000 });
    const over = await create({ protocol: 'cr-join', nodes: 3, latency: 1001 });

    expect(atLimit.status).toBe(201);
    expect(over).toMatchObject({ status: 400, json: { code: 'schema' } });
    await call('DELETE', linkOf(atLimit));
  });
});

describe('POST /v1/elections/{id}/actions', () => {
  it('starts and advances like a creation that runs at once', async () => {
    const options = { protocol: 'bully-oneshot', nodes: 6, latency: 'uniform:1:9', seed: '5' };
    const atOnce = await create({ ...options, run: true });
    const stepped = await create(options);

    const started = await act(stepped, { type: 'start' });
    const ended = await act(stepped, { type: 'advance', until: 'idle' });

    expect(started.json).toMatchObject({ status: 'active', time: 0 });
    const ofBoth = ({ json }: Answer) => ({ ...json, id: '', created: '', links: {} });
    expect(ofBoth(ended)).toEqual(ofBoth(atOnce));
    await call('DELETE', linkOf(atOnce));
    await call('DELETE', linkOf(stepped));
  });

  it('advances to a tick, or by a number of events, and reports the bound', async () => {
    const election = await create({ protocol: 'cr-join', ring: [3, 1, 2], seed: '1' });
    await act(election, { type: 'start', nodes: [1] });

    const toTick = await act(election, { type: 'advance', until: 1 });
    const byEvents = await act(election, { type: 'advance', until: 'idle', events: 1 });
    const toEnd = await act(election, { type: 'advance', until: 'idle' });

    expect(toTick.json).toMatchObject({ time: 1, bound: 'until', status: 'active' });
    expect(byEvents.json).toMatchObject({ bound: 'events', status: 'active' });
    expect(toEnd.json).toMatchObject({ bound: 'idle', status: 'idle', leader: { rank: 3 } });
    await call('DELETE', linkOf(election));
  });

  it('starts the initiators of the creation when no ranks are named', async () => {
    const election = await create({ protocol: 'cr-join', ring: [1, 2, 3], initiators: 'lowest' });

    const started = await act(election, { type: 'start' });

    expect(started.json.messages).toEqual({ PROBE: 1, SELECTED: 0, total: 1 });
    await call('DELETE', linkOf(election));
  });

  it('crashes and recovers a node, and the election follows', async () => {
    const election = await create({ protocol: 'bully-oneshot', nodes: 4, run: true });

    await act(election, { type: 'crash', rank: 4 });
    const without = await act(election, { type: 'advance', until: 'idle' });
    await act(election, { type: 'recover', rank: 4 });
    const again = await act(election, { type: 'advance', until: 'idle' });

    expect(without.json).toMatchObject({ leader: { rank: 3 }, agreed: true });
    expect(again.json).toMatchObject({ leader: { rank: 4 }, agreed: true });
    await call('DELETE', linkOf(election));
  });

  it('carries out actions of many callers one after the other', async () => {
    const election = await create({ protocol: 'cr-join', nodes: 30, seed: '2', run: false });

    const advance = { type: 'advance', until: 'idle', events: 10 };
    const answers = await Promise.all([
      act(election, { type: 'start' }),
      ...Array.from({ length: 5 }, () => act(election, advance)),
      act(election, { type: 'advance', until: 'idle' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.at(-1)?.json).toMatchObject({ status: 'idle', leader: { rank: 30 } });
    await call('DELETE', linkOf(election));
  });

  it.each([
    [{}, '#/type'],
    [{ type: 'stop' }, '#/type'],
    [{ type: 'start', nodes: [] }, '#/nodes'],
    [{ type: 'start', nodes: ['1'] }, '#/nodes/0'],
    [{ type: 'start', nodes: [1, 1] }, '#/nodes'],
    [{ type: 'start', until: 'idle' }, '#/until'],
    [{ type: 'crash' }, '#/rank'],
    [{ type: 'recover', rank: 0 }, '#/rank'],
    [{ type: 'advance', until: 'never' }, '#/until'],
    [{ type: 'advance', until: -1 }, '#/until'],
    [{ type: 'advance', until: 'idle', events: 0 }, '#/events'],
    [{ type: 'advance', until: 'idle', events: 1_000_001 }, '#/events'],
  ])('refuses %j as schema and points at it', async (action, pointer) => {
    const election = await create({ protocol: 'cr-join', nodes: 3 });

    const answer = await act(election, action);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
    await call('DELETE', linkOf(election));
  });

  it.each([
    [{ type: 'start', nodes: [4] }, '#/nodes'],
    [{ type: 'start', nodes: [3] }, '#/nodes'],
    [{ type: 'crash', rank: 3 }, '#/rank'],
    [{ type: 'crash', rank: 4 }, '#/rank'],
    [{ type: 'recover', rank: 1 }, '#/rank'],
    [{ type: 'recover', rank: 4 }, '#/rank'],
    [{ type: 'suspect', rank: 1, by: [3] }, '#/by'],
    [{ type: 'suspect', rank: 4 }, '#/rank'],
    [{ type: 'suspect', rank: 4, by: [1] }, '#/rank'],
    [{ type: 'partition', cut: 'isolate:4' }, '#/cut'],
    [{ type: 'heal' }, '#/type'],
    [{ type: 'deliver', message: 99 }, '#/message'],
    [{ type: 'drop', message: 99 }, '#/message'],
    [{ type: 'delay', message: 99, ticks: 1 }, '#/message'],
    [{ type: 'inject', from: 1, to: 2, message: { type: 'OK' } }, '#/type'],
    [{ type: 'advance', until: 4 }, '#/until'],
  ])('refuses %j as a conflict at %s, and changes nothing', async (action, pointer) => {
    const election = await create({ protocol: 'bully-oneshot', nodes: 3, crash: 'highest' });
    await act(election, { type: 'start', nodes: [1] });
    const before = await act(election, { type: 'advance', until: 5 });

    const answer = await act(election, action);

    const after = await call('GET', linkOf(election));
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'election.conflict', errors: [{ pointer }] },
    });
    expect(after.json).toEqual(before.json);
    await call('DELETE', linkOf(election));
  });

  it('leaves an election as it was created if its first action is refused', async () => {
    const election = await create({ protocol: 'cr-join', nodes: 3 });

    const refused = await act(election, { type: 'start', nodes: [4] });

    expect(refused.status).toBe(409);
    expect((await call('GET', linkOf(election))).json).toEqual(election.json);
    await call('DELETE', linkOf(election));
  });

  it('stops with too many messages in flight, and continues to answer', async () => {
    const crowded = { protocol: 'bully-oneshot', nodes: NODES_MAX, latency: 'uniform:1:1000' };
    const stepped = await create({ ...crowded, seed: '1' });
    await act(stepped, { type: 'start' });

    const cut = await act(stepped, { type: 'advance', until: 'idle' });
    const answer = await act(stepped, { type: 'advance', until: 'idle' });
    const atOnce = await create({ ...crowded, seed: '1', run: true });

    expect(cut).toMatchObject({ status: 200, json: { status: 'active', bound: 'events' } });
    expect(answer).toMatchObject({ status: 400, json: { code: 'job.size' } });
    expect(atOnce).toMatchObject({ status: 400, json: { code: 'job.size' } });
    expect(await call('DELETE', linkOf(stepped))).toMatchObject({ status: 204 });
  });
});

describe('DELETE /v1/elections/{id}', () => {
  it('removes the election once', async () => {
    const election = await create({ protocol: 'cr-join', nodes: 3 });

    const first = await call('DELETE', linkOf(election));
    const second = await call('DELETE', linkOf(election));

    expect(first).toMatchObject({ status: 204, text: '' });
    expect(second).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });

  it('stops the current advance, whose caller is answered that the election is gone', async () => {
    const election = await create({ protocol: 'bully-oneshot', nodes: NODES_MAX });
    await act(election, { type: 'start' });
    const advancing = act(election, { type: 'advance', until: 'idle' });

    const deleted = await call('DELETE', linkOf(election));

    expect(deleted.status).toBe(204);
    expect(await advancing).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });
});

describe('the elections kept', () => {
  it('are bounded: one more is refused until one is deleted', async () => {
    const fresh = labUnderTest();
    const body = { protocol: 'cr-join', nodes: 500 };
    const kept: Answer[] = [];
    for (let count = 0; count < NODES_KEPT_MAX / 500; count += 1) {
      kept.push(await fresh.post('/v1/elections', body));
    }

    const refused = await fresh.post('/v1/elections', body);
    await fresh.call('DELETE', linkOf(kept[0] as Answer)); // NODES_KEPT_MAX is above 500.
    const accepted = await fresh.post('/v1/elections', body);

    expect(refused).toMatchObject({ status: 409, json: { code: 'limit.elections' } });
    expect(refused.json.detail).toContain('DELETE');
    expect(accepted.status).toBe(201);
  });
});
