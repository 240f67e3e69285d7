/**
 * @module
 * Protocols over HTTP: the list of them, elections by each, and the flags that some take.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../../src/election/registry.ts';
import { MESSAGES_MAX } from '../../../src/simulation/request/remote-limits.ts';
import { labUnderTest } from '../lab-under-test.ts';

const { call, post } = labUnderTest();
const create = (body: object) => post('/v1/elections', { seed: '1', ...body });

const NO_CANDIDATES = { names: [], stands: false };

describe('GET /v1/protocols', () => {
  it('lists the registry in pages, in the order of names', async () => {
    const first = await call('GET', '/v1/protocols?pageSize=20');
    const token = String(first.json.nextPageToken);
    const second = await call('GET', `/v1/protocols?pageSize=20&pageToken=${token}`);

    const items = [...(first.json.items as object[]), ...(second.json.items as object[])];
    expect(items).toMatchObject(
      PROTOCOL_NAMES.toSorted().map((name) => {
        const { family, fifo, messageBound, source, flags } = PROTOCOLS[name];
        return { name, family, fifo, messageBound, source, flags };
      }),
    );
    expect(second.json.nextPageToken).toBeNull();
  });

  it('lists numbers and attributes where a protocol has them', async () => {
    const { json } = await call('GET', '/v1/protocols?pageSize=100');

    const items = json.items as { name: string; numbers: object[]; attributes: string | null }[];
    const found = (name: string) => items.find((each) => each.name === name);
    expect(found('raft')).toMatchObject({ attributes: expect.stringMatching(/log/) });
    expect(found('raft')?.numbers).toContainEqual({
      ...{ name: 'electionTicks', min: 1, max: 1_000_000_000, default: 30 },
      meaning: expect.stringMatching(/ticks/),
    });
    expect(found('cr-join')).toMatchObject({ numbers: [], attributes: null });
  });

  it('shows every message with its members, and which of them name candidates', async () => {
    const { json } = await call('GET', '/v1/protocols?pageSize=100');

    const items = json.items as { name: string; messages: object[]; carries: string | null }[];
    const found = (name: string) => items.find((each) => each.name === name);
    expect(found('bully-oneshot')?.messages).toEqual([
      { type: 'ELECTION', members: [], ...NO_CANDIDATES },
      { type: 'OK', members: [], ...NO_CANDIDATES },
      {
        ...{ type: 'COORDINATOR', members: [{ name: 'leader', kind: 'rank' }] },
        ...{ names: ['leader'], stands: false },
      },
    ]);
    expect(found('zab-fle')?.messages).toContainEqual(
      expect.objectContaining({
        members: expect.arrayContaining([
          { name: 'state', kind: 'word', words: ['LOOKING', 'FOLLOWING', 'LEADING'] },
        ]),
      }),
    );
    expect(found('bully-improved')?.messages).toContainEqual({
      ...{ type: 'INFO', members: [{ name: 'round', kind: 'integer' }] },
      ...{ names: [], stands: true },
    });
    expect(found('ring-robust')).toMatchObject({ carries: 'cr-join' });
    for (const { name, messages } of items) {
      const shown = messages.map((message) => (message as { type: string }).type); // By the schema.
      const { messageTypes, store } = PROTOCOLS[name as keyof typeof PROTOCOLS]; // As listed.
      expect(shown.toSorted()).toEqual(store === null ? messageTypes.toSorted() : []);
    }
  });

  it.each(['pageSize=0', 'family=ring'])('refuses the query %s', async (query) => {
    const answer = await call('GET', `/v1/protocols?${query}`);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
  });
});

describe('an election', () => {
  it.each(PROTOCOL_NAMES)('by %s', async (protocol) => {
    const answer = await create({ protocol, nodes: 7, latency: 'uniform:10:50', run: true });

    expect(answer).toMatchObject({ status: 201, json: { agreed: true, status: 'idle' } });
  });

  it('accepts flags and returns them', async () => {
    const naive = { protocol: 'bully-oneshot', nodes: 6, flags: { rejoin: 'naive' } };

    const answer = await create({ ...naive, crash: 'highest', initiators: 'lowest', run: true });

    expect(answer.json).toMatchObject({ flags: { rejoin: 'naive' }, messages: { ELECTION: 31 } });
  });

  it('accepts numbers as flags and returns them', async () => {
    const raft = { protocol: 'raft', nodes: 5, run: true };
    const flags = { preVote: 'on', electionTicks: '150' };

    const patient = await create({ ...raft, flags });
    const usual = await create(raft);

    expect(patient.json).toMatchObject({ flags, status: 'idle', agreed: true });
    expect(Number(patient.json.time)).toBeGreaterThan(Number(usual.json.time) + 120);
  });

  it('accepts attributes that decide which node may win', async () => {
    const raft = { protocol: 'raft', nodes: 3, run: true };

    const equal = await create(raft);
    const behind = await create({ ...raft, attributes: [1, 4, 4] });

    expect(equal.json).toMatchObject({ leader: { rank: 1 } });
    expect(behind.json).toMatchObject({
      agreed: true,
      leader: { rank: expect.toSatisfy((rank) => rank > 1) },
    });
  });

  it('accepts attributes if the protocol elects by them', async () => {
    const body = { protocol: 'ring-attr', nodes: 3, attributes: [7, 9, 8], run: true };

    expect((await create(body)).json).toMatchObject({ leader: { rank: 2 } });
  });

  it.each<[string, object, string]>([
    ['an unknown protocol', { protocol: 'paxos' }, '#/protocol'],
    ['an unknown flag', { flags: { rejoins: 'naive' } }, '#/flags/rejoins'],
    ['an unknown value', { flags: { rejoin: 'often' } }, '#/flags/rejoin'],
    [
      'a number out of bounds',
      { protocol: 'raft', flags: { electionTicks: '0' } },
      '#/flags/electionTicks',
    ],
    [
      'a number that contradicts another',
      { protocol: 'raft', latency: 2, flags: { heartbeatTicks: '50' } },
      '#/flags/heartbeatTicks',
    ],
    [
      'a number that contradicts a default',
      { protocol: 'raft', flags: { preVote: 'on', electionTicks: '1' } },
      '#/flags/electionTicks',
    ],
    [
      'a number that is no text',
      { protocol: 'raft', flags: { electionTicks: 150 } },
      '#/flags/electionTicks',
    ],
    ['a value that is no text', { flags: { rejoin: { $ne: null } } }, '#/flags/rejoin'],
    ['a long value', { flags: { rejoin: 'x'.repeat(65) } }, '#/flags/rejoin'],
    ['flags as a list', { flags: ['naive'] }, '#/flags'],
    ['the name of a method', { flags: { toString: 'naive' } }, '#/flags/toString'],
    ['the name of a prototype', { flags: { constructor: 'naive' } }, '#/flags/constructor'],
    ['a name with a slash', { flags: { 'a/b~': 'naive' } }, '#/flags/a~1b~0'],
    ['attributes elsewhere', { attributes: [1, 2, 3] }, '#/attributes'],
    ['too few attributes', { protocol: 'ring-attr', attributes: [1, 2] }, '#/attributes'],
    ['a negative attribute', { protocol: 'ring-attr', attributes: [1, 2, -3] }, '#/attributes/2'],
  ])('refuses %s and points at it', async (_what, change, pointer) => {
    const answer = await create({ protocol: 'bully-oneshot', nodes: 3, ...change });

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
  });

  it('refuses a number with leading zeros', async () => {
    const answer = await create({ protocol: 'raft', nodes: 3, flags: { electionTicks: '0150' } });

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'schema', errors: [{ pointer: '#/flags/electionTicks' }] },
    });
  });

  it('refuses a flag with the name __proto__', async () => {
    const body = '{"protocol":"bully-oneshot","nodes":3,"flags":{"__proto__":"naive"}}';

    const answer = await post('/v1/elections', body);

    expect(answer.status).toBe(400);
  });

  it('refuses an election that would send too many messages, and accepts one node fewer', async () => {
    const naive = (nodes: number) =>
      create({ protocol: 'bully-oneshot', nodes, flags: { rejoin: 'naive' } });
    const { messagesAbout } = PROTOCOLS['bully-oneshot'];
    const most = [...Array(40).keys()].findLast(
      (nodes) => messagesAbout(nodes, { rejoin: 'naive' }) <= MESSAGES_MAX,
    );

    const taken = await naive(most ?? 0);
    const refused = await naive((most ?? 0) + 1);

    expect(taken.status).toBe(201);
    expect(refused.json).toMatchObject({ code: 'job.size', errors: [{ pointer: '#/nodes' }] });
    expect((await naive(500)).json).toMatchObject({ code: 'job.size' });
  });

  it.each(PROTOCOL_NAMES)('with the most nodes runs by %s with its defaults', async (protocol) => {
    const fewer: Readonly<Record<string, number>> = {
      ...{ 'zab-fle': 66, 'echo-extinction': 65, floodmax: 387, invitation: 387 },
    };
    const nodes = fewer[protocol] ?? 500;

    const answer = await create({ protocol, nodes, seed: '1', run: true });

    expect(answer).toMatchObject({ status: 201, json: { status: 'idle', agreed: true } });
    await call('DELETE', String(answer.headers.get('Location')));
  });

  it('by zab-fle, which has the most messages in flight, has 66 nodes', async () => {
    const refused = await create({ protocol: 'zab-fle', nodes: 67 });

    expect(refused.json).toMatchObject({ code: 'job.size', errors: [{ pointer: '#/nodes' }] });
    expect(refused.json.detail).toContain('150000 messages in flight');
  });
});
