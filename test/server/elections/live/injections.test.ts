/**
 * @module
 * Messages that a caller injects in the name of any node. The level decides which nodes accept them.
 */

import { describe, expect, it } from 'vitest';
import { SERVER } from '../../../../server/request/principal.ts';

import type { Answer } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { OutsidePlayer } from '../outside-player.ts';

interface Flight {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly seal?: object };
}

const lab = labUnderTest();
const advance = { type: 'advance', until: 'idle' };
/** A message in the name of the crashed leader. */
const usurpation = {
  ...{ type: 'inject', from: 5, to: 'all' },
  message: { type: 'COORDINATOR', leader: 5 },
};

async function create(members: object = {}): Promise<string> {
  const body = { protocol: 'bully-oneshot', nodes: 5, seed: '1', level: 'L0', ...members };
  const made = await lab.post('/v1/elections', body);
  return String(made.headers.get('Location'));
}

const act = (election: string, action: object, headers: Record<string, string> = {}) =>
  lab.post(`${election}/actions`, action, headers);
const leadersOf = (election: string) =>
  lab.elections
    .get(election.split('/').at(-1) ?? '', SERVER)
    .stage.simulation.nodes()
    .map(({ leader }) => leader);

describe('an injected COORDINATOR of a crashed leader', () => {
  it('is accepted at L0', async () => {
    const election = await create({ crash: 'highest', run: true });
    const before = leadersOf(election).slice(0, 4);

    await act(election, usurpation);
    const end = await act(election, advance);

    expect(before).toEqual([4, 4, 4, 4]);
    expect(leadersOf(election).slice(0, 4)).toEqual([5, 5, 5, 5]);
    expect(end.json).toMatchObject({ agreed: false, leader: null });
  });

  it.each([
    ['L2', {}],
    ['L2', { seal: { by: 5, signature: '00'.repeat(64) } }],
    ['L3', { seal: { by: 5, number: 9, signature: '00'.repeat(64) } }],
    ['L3', { seal: { by: 5, number: 9, signature: '00'.repeat(16) } }],
  ])('is accepted by no node at %s, sealed with %j', async (level, members) => {
    const election = await create({ level, crash: 'highest', run: true });

    const { status } = await act(election, {
      ...usurpation,
      message: { ...usurpation.message, ...members },
    });
    await act(election, advance);

    expect(status).toBe(200);
    expect(leadersOf(election).slice(0, 4)).toEqual([4, 4, 4, 4]);
  });

  it('is refused if messages are not checked', async () => {
    const election = await create({ level: undefined, run: true });

    const answer = await act(election, usurpation);

    expect(answer).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
    expect(String(answer.json.detail)).toContain('L0');
  });
});

describe('at L1', () => {
  it('a message is accepted only with the token of its sender, which joined', async () => {
    const election = await create({ level: 'L1' });
    const player = await OutsidePlayer.join({ lab, election });
    await act(election, { type: 'start' });
    const word = (from: number) => ({ ...usurpation, from, to: [1, 2] });
    const token = { 'Node-Token': player.token };

    const none = await act(election, word(6));
    const anothers = await act(election, word(6), { 'Node-Token': player.token.toUpperCase() });
    const servers = await act(election, word(5), token);
    const own = await act(election, word(6), token);

    expect(none).toMatchObject({ status: 401, json: { code: 'auth.node' } });
    expect(anothers).toMatchObject({ status: 401, json: { code: 'auth.node' } });
    expect(servers).toMatchObject({
      status: 409,
      json: { code: 'election.conflict', errors: [{ pointer: '#/from' }] },
    });
    expect(own.status).toBe(200);
  });

  it('a seal that claims another sender is dropped', async () => {
    const election = await create({ level: 'L1' });
    const player = await OutsidePlayer.join({ lab, election, waitMs: 0 });
    await act(election, { type: 'start' });
    await act(election, advance);
    const message = { type: 'COORDINATOR', leader: 6, seal: { by: 5 } };
    const before = leadersOf(election);

    await act(
      election,
      { type: 'inject', from: 6, to: 'all', message },
      { 'Node-Token': player.token },
    );
    await act(election, advance);

    expect(leadersOf(election)).toEqual(before);
  });
});

describe('an injection', () => {
  it('is an event with the sent messages', async () => {
    const election = await create();
    await act(election, { ...usurpation, to: 2 });

    const headers = { Accept: 'application/jsonl' };
    const response = await lab.app.request(`${election}/events?follow=false`, { headers });

    expect(JSON.parse(await response.text())).toMatchObject({
      event: 'message.injected',
      action: { type: 'inject', node: 5 },
      effects: [{ type: 'send', to: 2, message: usurpation.message }],
    });
  });

  it.each([
    [{ from: 6 }, 'election.conflict'],
    [{ to: 6 }, 'election.conflict'],
    [{ to: [2, 6] }, 'election.conflict'],
    [{ to: [] }, 'schema'],
    [{ to: 'some' }, 'schema'],
    [{ from: 0 }, 'schema'],
    [{ from: '5' }, 'schema'],
    [{ message: null }, 'schema'],
    [{ message: [] }, 'schema'],
    [{ message: {} }, 'schema'],
    [{ message: { type: 5 } }, 'schema'],
    [{ message: { type: '' } }, 'schema'],
    [{ message: { type: 'x'.repeat(65) } }, 'schema'],
    [{ message: { type: 'OK', seal: 'no' } }, 'schema'],
    [{ message: { type: 'OK', half: 0.5 } }, 'schema'],
    [{ message: { type: 'OK', much: 2 ** 53 } }, 'schema'],
    [{ message: { type: 'OK', é: 1 } }, 'schema'],
    [{ message: { type: 'OK', text: '\ud800' } }, 'schema'],
    [{ message: { type: 'OK', texts: Array(9).fill('x'.repeat(999)) } }, 'schema'],
    [{ message: { type: 'OK', deep: JSON.parse('['.repeat(16) + ']'.repeat(16)) } }, 'json.depth'],
    [{ message: JSON.parse('{"type":"OK","__proto__":{"leader":1}}') }, 'schema'],
    [{ token: 'mine' }, 'schema'],
  ])('with %j is refused', async (members, code) => {
    const election = await create();
    const before = (await lab.call('GET', election)).json;

    const answer = await act(election, { ...usurpation, ...members });

    const status = code === 'election.conflict' ? 409 : 400;
    expect(answer).toMatchObject({ status, json: { code } });
    expect((await lab.call('GET', election)).json).toEqual(before);
  });

  it.each([
    [{ to: 6 }, '#/to'],
    [{ to: [1, 2, 9] }, '#/to/2'],
    [{ to: [9, 1] }, '#/to/0'],
    [{ from: 9 }, '#/from'],
  ])('with %j points at %s', async (members, pointer) => {
    const election = await create();

    const answer = await act(election, { ...usurpation, ...members });

    expect(answer).toMatchObject({ status: 409, json: { errors: [{ pointer }] } });
    expect(String(answer.json.detail)).toContain(pointer.slice(1));
  });

  it('of a message that no node could send is ignored by all nodes', async () => {
    const election = await create();
    for (const type of ['constructor', '__proto__', 'hasOwnProperty', 'COORDINATOR']) {
      await act(election, { ...usurpation, message: { type, leader: 'none' } });
    }

    const end = await act(election, advance);

    expect(end).toMatchObject({ status: 200, json: { bound: 'idle', inFlight: 0 } });
    expect((await lab.call('GET', `${election}/messages`)).status).toBe(200);
  });
});

describe('the answer to an injection', () => {
  const L2_SEAL = { by: 5, signature: '00'.repeat(64) };
  const verdictOf = ({ json }: Answer) => json.injection;
  const only = (rank: number, obstacle: string | null) => ({
    processable: obstacle === null,
    recipients: [{ rank, obstacle }],
  });

  it.each([
    ['L0', {}, null],
    ['L0', { leader: 'none' }, 'malformed'],
    ['L0', { type: 'NOTHING' }, 'type'],
    ['L2', {}, 'malformed'],
    ['L2', { seal: L2_SEAL }, 'signature'],
    ['L2', { seal: { ...L2_SEAL, by: 9 } }, 'sender'],
    ['L3', { seal: { ...L2_SEAL, number: 0 } }, 'replay'],
    ['L3', { seal: { ...L2_SEAL, number: 1 } }, 'signature'],
  ])('at %s with %j states the obstacle %s', async (level, members, obstacle) => {
    const election = await create({ level });

    const answer = await act(election, {
      ...usurpation,
      ...{ to: 2, message: { ...usurpation.message, ...members } },
    });

    expect(verdictOf(answer)).toEqual(only(2, obstacle));
  });

  it('states for each recipient whether it is down, cut off or not there yet', async () => {
    // The nodes have even ranks, and the odd ones are kept.
    const election = await create({ newcomers: 1 });
    await act(election, { type: 'crash', rank: 4 });
    await act(election, { type: 'partition', cut: 'isolate:2' });

    const some = await act(election, { ...usurpation, from: 6, to: [1, 2, 4, 8] });
    const none = await act(election, { ...usurpation, from: 6, to: [1, 2, 4] });

    const obstacles = ['absent', 'cut', 'down', null];
    const recipients = [1, 2, 4, 8].map((rank, at) => ({ rank, obstacle: obstacles[at] }));
    expect(verdictOf(some)).toEqual({ processable: true, recipients });
    expect(verdictOf(none)).toEqual({ processable: false, recipients: recipients.slice(0, 3) });
  });

  it('states that a message counts once at L3, and twice at L2', async () => {
    const repeated = async (level: string) => {
      const election = await create({ level });
      await act(election, { type: 'start', nodes: [1] });
      const { items } = (await lab.call('GET', `${election}/messages`)).json;
      const [flight] = items as readonly Flight[]; // By the schema.
      const { id = 0, from, to, type, body } = flight ?? {};
      const copy = { type: 'inject', from, to, message: { type, ...body } };
      const before = await act(election, copy);
      await act(election, { type: 'deliver', message: id });
      const after = await act(election, copy);
      return [before, after].map(verdictOf);
    };

    expect(await repeated('L3')).toEqual([only(2, null), only(2, 'replay')]);
    expect(await repeated('L2')).toEqual([only(2, null), only(2, null)]);
  });

  it('states no obstacle for a node that a program plays', async () => {
    const election = await create({ level: 'L3' });
    const { rank } = await OutsidePlayer.join({ lab, election });

    expect(verdictOf(await act(election, { ...usurpation, to: rank }))).toEqual(only(rank, null));
  });

  it('changes no state of a node', async () => {
    const election = await create({ level: 'L3', run: true });
    const { stage } = lab.elections.get(election.split('/').at(-1) ?? '', SERVER);
    const states = () => [1, 2, 3, 4, 5].map((rank) => stage.simulation.stateOf(rank));
    const before = states();

    const answer = await act(election, { ...usurpation, message: { type: 'COORDINATOR' } });

    expect(verdictOf(answer)).toMatchObject({ processable: false });
    expect(states()).toEqual(before);
  });
});

describe('the answer to an outbox', () => {
  const COORDINATOR = { type: 'COORDINATOR', leader: 6 };

  it('states for each message and each recipient why it could not process the message', async () => {
    const election = await create();
    const player = await OutsidePlayer.join({ lab, election });
    await act(election, { type: 'start' });
    await act(election, { type: 'crash', rank: 2 });
    await act(election, { type: 'partition', cut: 'isolate:4' });

    const { json } = await player.outbox({
      effects: [
        { type: 'send', to: [1, 2], message: COORDINATOR },
        { type: 'step-down' },
        { type: 'send', to: 4, message: COORDINATOR },
      ],
    });
    const none = await player.outbox({ effects: [{ type: 'step-down' }] });

    const [one, two, four] = [[1, null] as const, [2, 'down'] as const, [4, 'cut'] as const].map(
      ([rank, obstacle]) => ({ rank, obstacle }),
    );
    expect(json).toMatchObject({
      status: 'accepted',
      sent: [
        { effect: 0, processable: true, recipients: [one, two] },
        { effect: 2, processable: false, recipients: [four] },
      ],
    });
    expect(none.json).toMatchObject({ status: 'accepted', sent: [] });
  });

  it('states what was so when the messages were sent, also while an advance goes on', async () => {
    const election = await create({ level: 'L3' });
    const player = await OutsidePlayer.join({ lab, election, waitMs: 10_000 });
    await act(election, { type: 'start' });
    const advancing = act(election, advance);
    await expect.poll(async () => (await lab.call('GET', election)).json.awaiting).toEqual([6]);

    const first = await player.outbox({ through: 1, effects: [player.send(1, COORDINATOR)] });
    const again = await player.outbox({ effects: [player.send(1, COORDINATOR)] });
    await act(election, { type: 'crash', rank: 6 });
    await advancing;

    const recipients = [{ rank: 1, obstacle: null }];
    expect(first.json).toMatchObject({ sent: [{ effect: 0, processable: true, recipients }] });
    expect(again.json).toMatchObject({ sent: [{ effect: 0, processable: true, recipients }] });
  });

  it('states no obstacle for the store, which is no node', async () => {
    const election = await create({ protocol: 'db-lease' });
    const player = await OutsidePlayer.join({ lab, election });
    await act(election, { type: 'start' });

    const { status, json } = await player.outbox({
      effects: [{ type: 'send', to: 7, message: { type: 'NOTHING' } }],
    });

    expect([status, json.sent]).toEqual([
      200,
      [{ effect: 0, processable: true, recipients: [{ rank: 7, obstacle: null }] }],
    ]);
  });
});
