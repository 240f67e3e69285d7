/**
 * @module
 * Lists of elections, verdicts, members of a creation, and interventions in messages and
 * links, each with its nearest refusal.
 */

import { describe, expect, it } from 'vitest';
import { ACTIONS_MAX } from '../../../../server/elections/storage/store.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { LIVE_CUTS_LIMIT } from '../../../../src/simulation/run/intervention.ts';
import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';

const { call, post } = labUnderTest();
const create = (body: object) => post('/v1/elections', { protocol: 'bully-oneshot', ...body });
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const act = (election: Answer, action: unknown) => post(`${linkOf(election)}/actions`, action);
const advance = { type: 'advance', until: 'idle' };

async function messagesOf(election: Answer): Promise<Record<string, unknown>[]> {
  const { json } = await call('GET', `${linkOf(election)}/messages?pageSize=100`);
  return json.items as Record<string, unknown>[]; // By the schema of the page.
}

describe('GET /v1/elections', () => {
  it('lists every election once, page by page, while others are created and deleted', async () => {
    const fresh = labUnderTest();
    const ids = new Set<unknown>();
    for (let count = 0; count < 7; count += 1) {
      const made = await fresh.post('/v1/elections', { protocol: 'cr-join', nodes: 3 });
      ids.add(made.json.id);
    }
    const seen: unknown[] = [];
    let token: unknown = null;

    do {
      const after = token === null ? '' : `&pageToken=${token}`;
      const { json } = await fresh.call('GET', `/v1/elections?pageSize=3${after}`);
      const items = json.items as { readonly id: unknown }[]; // By the schema of the page.
      seen.push(...items.map(({ id }) => id));
      token = json.nextPageToken;
    } while (token !== null);

    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(ids);
  });

  it('shows the status of each', async () => {
    const fresh = labUnderTest();
    const body = { protocol: 'cr-join', nodes: 3, seed: '4', run: true };
    const made = await fresh.post('/v1/elections', body);

    const { json } = await fresh.call('GET', '/v1/elections');

    const { id, time, created } = made.json;
    const links = { self: `/v1/elections/${id}` };
    const shared = { owner: null, access: 'private' };
    const run = { protocol: 'cr-join', nodes: 3, seed: '4', time, status: 'idle' };
    const item = { id, created, ...run, ...shared, links };
    expect(json).toEqual({ items: [item], nextPageToken: null });
  });

  it.each([
    'pageSize=0',
    'pageSize=101',
    'pageToken=a',
    'pageToken=!',
    'limit=3',
    'pageSize=2&pageSize=3',
  ])('refuses %s', async (query) => {
    const answer = await call('GET', `/v1/elections?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });
});

describe('the verdict of an election', () => {
  it('is unknown before the start, and true after an undisturbed run', async () => {
    const [atRest, run] = [await create({ nodes: 4 }), await create({ nodes: 4, run: true })];

    const before = await call('GET', linkOf(atRest));
    const after = await call('GET', linkOf(run));

    expect(before.json).toMatchObject({ verdict: { value: 'unknown' } });
    expect(after.json).toMatchObject({ verdict: { value: 'true' } });
  });
});

describe('a creation', () => {
  it('accepts level, defences, order of links and detector, and returns them', async () => {
    const requested = {
      ...{ protocol: 'cr-join', nodes: 4, run: true, fifo: false, level: 'L3' },
      ...{ defences: ['hop-limit'], detector: 'fd-heartbeat:every=10,timeout=35' },
      sameTick: 'timers-first',
    };

    const election = await create(requested);

    expect(election).toMatchObject({ status: 201, json: { leader: { rank: 4 } } });
    const { fifo, sameTick, level, defences, detector } = requested;
    const members = { fifo, sameTick, level, defences, detector, origin: null };
    expect(election.json).toMatchObject(members);
  });

  it.each(['L0', 'L1', 'L2', 'L3'])(
    'elects the same leader at %s as without a level',
    async (level) => {
      const election = await create({ nodes: 20, run: true, level });

      expect(election.json).toMatchObject({
        level,
        leader: { rank: 20 },
        verdict: { value: 'true' },
      });
    },
  );

  it('has plain defaults', async () => {
    const election = await create({ nodes: 4 });

    expect(election.json).toMatchObject({
      ...{ fifo: true, sameTick: 'messages-first' },
      level: null,
      defences: [],
      detector: 'crashes',
    });
  });

  it('applies defences that are settings', async () => {
    const election = await create({
      protocol: 'raft',
      nodes: 3,
      level: 'L1',
      defences: ['pre-vote'],
    });

    expect(election).toMatchObject({ status: 201, json: { defences: [] } });
    expect(election.json.flags).not.toEqual({});
  });

  it.each([
    [{ level: 'L4' }, '#/level'],
    [{ defences: ['prayer'] }, '#/defences/0'],
    [{ fifo: 1 }, '#/fifo'],
    [{ sameTick: 'first' }, '#/sameTick'],
    [{ detector: 'fd-guess' }, '#/detector'],
    [{ detector: 'fd-heartbeat:every=0' }, '#/detector'],
    [{ detector: 7 }, '#/detector'],
  ])('with %j is refused there', async (members, pointer) => {
    const answer = await create({ nodes: 4, ...members });

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
  });

  it.each([
    [{ defences: ['hop-limit'] }, 'arguments'],
    [{ defences: ['hop-limit', 'hop-limit'], level: 'L2' }, 'arguments'],
    [{ nodes: 101, level: 'L2' }, 'job.size'],
    [{ nodes: 250, detector: 'fd-phi-exp' }, 'job.size'],
    [{ nodes: 257, detector: 'fd-heartbeat' }, 'arguments'],
  ])('with %j makes no election', async (members, code) => {
    const answer = await create({ nodes: 4, ...members });

    expect(answer).toMatchObject({ status: 400, json: { code } });
  });
});

describe('messages in flight', () => {
  it.each(['abc', '1e15', '-2', '99'])('have no page behind %s', async (key) => {
    const election = await create({ protocol: 'bully-oneshot', nodes: 3 });
    const query = `pageToken=${Buffer.from(key).toString('base64url')}`;

    const answer = await call('GET', `${linkOf(election)}/messages?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });

  it('are listed with sender, recipient, type, and the ticks of sending and arrival', async () => {
    const election = await create({ nodes: 3, latency: 5 });
    await act(election, { type: 'start', nodes: [1] });
    await act(election, { type: 'advance', until: 4 });

    const messages = await messagesOf(election);

    const fields = { type: 'ELECTION', body: {}, sentAt: 0, due: 5 };
    expect(messages).toEqual([
      { id: 0, from: 1, to: 2, ...fields },
      { id: 1, from: 1, to: 3, ...fields },
    ]);
  });

  it('are listed in pages, in the order in which they were sent', async () => {
    const election = await create({ nodes: 12, latency: 'uniform:1:50', seed: '1' });
    await act(election, { type: 'start' });
    const whole = await messagesOf(election);

    const { json: first } = await call('GET', `${linkOf(election)}/messages?pageSize=5`);
    const query = `pageSize=5&pageToken=${first.nextPageToken}`;
    const { json: second } = await call('GET', `${linkOf(election)}/messages?${query}`);

    expect(whole.map(({ id }) => id)).toEqual(Array.from({ length: 77 }, (_, id) => id));
    expect(first.items).toEqual(whole.slice(0, 5));
    expect(second.items).toEqual(whole.slice(5, 10));
  });

  it('are delivered, dropped and delayed by number', async () => {
    const election = await create({ nodes: 4, latency: 5, seed: '1' });
    await act(election, { type: 'start', nodes: [1] });

    await act(election, { type: 'drop', message: 0 });
    await act(election, { type: 'deliver', message: 1 });
    await act(election, { type: 'delay', message: 2, ticks: 100 });

    const messages = await messagesOf(election);
    expect(messages.find(({ id }) => id === 0)).toBeUndefined();
    expect(messages.find(({ id }) => id === 1)).toBeUndefined();
    expect(messages.find(({ id }) => id === 2)).toMatchObject({ to: 4, due: 105 });
    // Node 3 received its ELECTION and answers.
    expect(
      messages.some(({ from, type, sentAt }) => from === 3 && type === 'OK' && sentAt === 0),
    ).toBe(true);
    const end = await act(election, advance);
    expect(end.json).toMatchObject({ inFlight: 0, leader: { rank: 4 } });
  });

  it.each([
    [{ type: 'deliver', message: 99 }, 409, 'election.conflict'],
    [{ type: 'drop', message: -1 }, 409, 'election.conflict'],
    [{ type: 'delay', message: 99, ticks: 1 }, 409, 'election.conflict'],
    [{ type: 'delay', message: 0, ticks: 9_999 }, 409, 'election.conflict'],
    [{ type: 'delay', message: 0, ticks: 0 }, 400, 'schema'],
    [{ type: 'delay', message: 0, ticks: 10_001 }, 400, 'schema'],
    [{ type: 'delay', message: 0 }, 400, 'schema'],
    [{ type: 'drop', message: '0' }, 400, 'schema'],
    [{ type: 'deliver', message: 1e300 }, 400, 'schema'],
    [{ type: 'drop' }, 400, 'schema'],
  ])('refuse %j, which changes nothing', async (action, status, code) => {
    const election = await create({ nodes: 3, latency: 5 });
    const before = await act(election, { type: 'start', nodes: [1] });

    const answer = await act(election, action);

    expect(answer).toMatchObject({ status, json: { code } });
    expect((await call('GET', linkOf(election))).json).toEqual(before.json);
    expect(await messagesOf(election)).toHaveLength(2);
  });
});

describe('a partition', () => {
  it('splits an election until it is healed', async () => {
    const election = await create({ nodes: 5, seed: '1' });

    await act(election, { type: 'partition', cut: 'isolate:5' });
    await act(election, { type: 'start' });
    const split = await act(election, advance);
    await act(election, { type: 'heal' });
    await act(election, { type: 'suspect', rank: 4, by: [1] });
    const healed = await act(election, advance);

    expect(split.json).toMatchObject({ agreed: false, leader: null });
    expect(healed.json).toMatchObject({ agreed: true, leader: { rank: 5 } });
  });

  it.each([
    [{ type: 'partition', cut: 'thirds' }, 400],
    [{ type: 'partition', cut: 'isolate:6' }, 409],
    [{ type: 'partition', cut: 'one-way:2>2' }, 400],
    [{ type: 'partition', cut: 'links:1-1' }, 400],
    [{ type: 'partition', cut: 'links:1-9' }, 409],
    [{ type: 'partition', cut: 'x'.repeat(1001) }, 400],
    [{ type: 'partition' }, 400],
    [{ type: 'heal', cut: 'halves' }, 400],
  ])('is refused as %j, which changes nothing', async (action, status) => {
    const election = await create({ nodes: 5 });

    const answer = await act(election, action);

    const code = status === 409 ? 'election.conflict' : 'schema';
    expect(answer).toMatchObject({ status, json: { code } });
    expect((await call('GET', linkOf(election))).json).toEqual(election.json);
  });
});

describe('a partition that the election does not allow now', () => {
  it('is a conflict: one too many, and a heal without a partition', async () => {
    const election = await create({ nodes: 5 });
    const healed = await act(election, { type: 'heal' });
    const cuts = Array.from({ length: LIVE_CUTS_LIMIT + 1 }, () => {
      return act(election, { type: 'partition', cut: 'halves' });
    });

    const answers = await Promise.all(cuts);

    const conflict = { status: 409, json: { code: 'election.conflict' } };
    expect(healed).toMatchObject(conflict);
    expect(answers.at(-2)).toMatchObject({ status: 200 });
    expect(answers.at(-1)).toMatchObject(conflict);
  });
});

describe('one action too many', () => {
  it('is a conflict, and the election stays as it is', async () => {
    const lab = labUnderTest();
    const { json } = await lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes: 3 });
    const id = String(json.id);
    for (let count = 0; count < ACTIONS_MAX; count += 1) {
      await lab.elections.act(id, { type: 'heal' }, { principal: SERVER }).catch(() => undefined);
    }

    const answer = await lab.post(`/v1/elections/${id}/actions`, { type: 'start' });

    expect(answer).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
    expect(answer.json.detail).toContain(`at most ${ACTIONS_MAX} actions`);
    expect((await lab.call('GET', `/v1/elections/${id}`)).json).toEqual(json);
  });
});

describe('a suspicion', () => {
  it('makes the nodes that suspect act as after a crash', async () => {
    const election = await create({ nodes: 4, run: true });
    const { total } = election.json.messages as { readonly total: number }; // By the schema.

    const suspected = await act(election, { type: 'suspect', rank: 4, by: [2] });

    expect(suspected.json).toMatchObject({ status: 'active' });
    expect(suspected.json.messages).not.toMatchObject({ total });
  });

  it.each([
    [{ type: 'suspect', rank: 5 }, 409],
    [{ type: 'suspect', rank: 4, by: [4] }, 400],
    [{ type: 'suspect', rank: 4, by: [5] }, 409],
    [{ type: 'suspect', rank: 4, by: [1, 1] }, 400],
    [{ type: 'suspect', rank: 4, by: [] }, 400],
    [{ type: 'suspect' }, 400],
  ])('is refused as %j, which changes nothing', async (action, status) => {
    const election = await create({ nodes: 4, run: true });

    const answer = await act(election, action);

    const code = status === 409 ? 'election.conflict' : 'schema';
    expect(answer).toMatchObject({ status, json: { code } });
    expect((await call('GET', linkOf(election))).json).toEqual(election.json);
  });
});

describe('an election that was deleted', () => {
  it.each([
    ['GET', ''],
    ['GET', '/messages'],
    ['GET', '/events'],
    ['GET', '/trace'],
    ['POST', '/actions'],
    ['POST', '/fork'],
  ])('is not found by %s …%s', async (method, path) => {
    const election = await create({ nodes: 3 });
    await call('DELETE', linkOf(election));
    const url = `${linkOf(election)}${path}`;

    const answer = method === 'GET' ? await call('GET', url) : await post(url, BODIES[path]);

    expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
  });
});

const BODIES: Readonly<Record<string, object>> = { '/actions': { type: 'start' }, '/fork': {} };
