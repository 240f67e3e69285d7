/**
 * @module
 * Nodes that a program outside plays: their messages, and how long virtual time waits for them.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { ElectionStore } from '../../../../server/elections/storage/store.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import type { LabUnderTest } from '../../lab-under-test.ts';
import { documentOf, labUnderTest } from '../../lab-under-test.ts';
import { storedElection } from '../../store/store-files.ts';
import { OutsidePlayer } from '../outside-player.ts';

const lab = labUnderTest();
const advance = { type: 'advance', until: 'idle' };

async function create(members: object = {}, { post }: LabUnderTest = lab): Promise<string> {
  const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level: 'L0', ...members };
  const made = await post('/v1/elections', body);
  return String(made.headers.get('Location'));
}

const act = (election: string, action: object) => lab.post(`${election}/actions`, action);
const idOf = (election: string) => election.split('/').at(-1) ?? '';
const leadersOf = (election: string) =>
  lab.elections
    .get(idOf(election), SERVER)
    .stage.simulation.nodes()
    .map(({ leader }) => leader);

/** An election that has begun, with one node from outside above all others. */
async function begun(options: { readonly level?: string; readonly waitMs?: number } = {}) {
  const { level = 'L0', ...joining } = options;
  const election = await create({ level });
  const player = await OutsidePlayer.join({ lab, election, ...joining });
  await act(election, { type: 'start' });
  return { election, player };
}

async function eventsOf(election: string): Promise<unknown[]> {
  const headers = { Accept: 'application/jsonl' };
  const response = await lab.app.request(`${election}/events?follow=false`, { headers });
  const lines = (await response.text()).trim().split('\n');
  return lines.map((line) => ({ ...JSON.parse(line), election: null }));
}

describe('a Bully node that is played from outside', () => {
  it.each(['L0', 'L1', 'L2', 'L3'])('wins at %s when it is the highest', async (level) => {
    const { election, player } = await begun({ level, waitMs: 10_000 });
    let isOver = false;
    const playing = player.play(() => isOver);

    const end = await act(election, advance);

    isOver = true;
    await playing;
    expect(player.rank).toBe(5);
    expect(end.json).toMatchObject({
      ...{ status: 'idle', bound: 'idle', agreed: true },
      leader: { rank: 5, nodeId: player.nodeId },
      verdict: { value: 'true' },
    });
  });

  it('is awaited no longer than it requested, then the others continue without it', async () => {
    const { election } = await begun({ waitMs: 50 });
    const startedMs = performance.now();

    const end = await act(election, advance);

    expect(performance.now() - startedMs).toBeGreaterThan(49);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(end.json).toMatchObject({ status: 'idle', bound: 'idle' });
    expect(leadersOf(election).slice(0, 4)).toEqual([4, 4, 4, 4]);
  });

  it('that is not awaited is skipped at once, and receives its events all the same', async () => {
    const { election, player } = await begun({ waitMs: 0 });

    const end = await act(election, advance);

    const { json } = await player.inbox();
    expect(end.json).toMatchObject({ bound: 'idle' });
    expect(json.events).toMatchObject([
      { number: 1, at: 0, event: { type: 'start' } },
      ...[2, 3, 4, 5].map((number) => ({ number, at: 1, event: { type: 'deliver' } })),
    ]);
  });

  it('is the same after a restart and in a fork', async () => {
    const { election, player } = await begun({ waitMs: 50 });
    let isOver = false;
    const playing = player.play(() => isOver);
    await act(election, advance);
    isOver = true;
    await playing;
    await act(election, { type: 'suspect', rank: 5, by: [4] });
    await act(election, advance); // No program plays the node any more, so it lapses.
    const before = (await lab.call('GET', election)).json;

    const fork = await lab.post(`${election}/fork`, {});
    const { history } = lab.elections.get(idOf(election), SERVER);
    const stored = storedElection(idOf(election), JSON.parse(JSON.stringify(history)));
    const restarted = new ElectionStore({ ...EPHEMERAL_LOG, read: () => [stored] });
    restarted.open();
    await restarted.restoreAll();

    const types = history.actions.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['outbox', 'lapse', 'advance']));
    const again = restarted.get(idOf(election), SERVER);
    const live = lab.elections.get(idOf(election), SERVER);
    expect(again.status()).toEqual(live.status());
    expect(again.stage.simulation.inbox(5)).toEqual(live.stage.simulation.inbox(5));
    const { time, leader, messages, verdict } = before;
    expect(fork.json).toMatchObject({ time, leader, messages, verdict });
    const copy = String(fork.headers.get('Location'));
    expect(await eventsOf(copy)).toEqual(await eventsOf(election));
  });

  it('is the same in a fork at any of its events', async () => {
    const { election, player } = await begun({ waitMs: 20 });
    let isOver = false;
    const playing = player.play(() => isOver);
    await act(election, { ...advance, events: 12 });
    isOver = true;
    await playing;
    const events = await eventsOf(election);

    for (const at of events.keys()) {
      const fork = await lab.post(`${election}/fork`, { at });
      const copied = await eventsOf(String(fork.headers.get('Location')));
      expect(copied.length, `${at}`).toBeGreaterThan(at);
      expect(copied, `${at}`).toEqual(events.slice(0, copied.length));
    }
  });

  it('receives an event when its own timers fire, and may cancel them', async () => {
    const { election, player } = await begun({ waitMs: 0 });
    const set = (timer: string, ticks: number) => ({ type: 'set-timer', timer, ticks });
    const cancel = { type: 'cancel-timer', timer: 'other' };

    await player.outbox({ through: 1, effects: [set('mine', 3), set('other', 3), cancel] });
    await act(election, { type: 'advance', until: 3 });

    const { json } = await player.inbox();
    const timeouts = (json.events as { event: object }[]).filter(
      ({ event }) => (event as { type: string }).type === 'timeout',
    );
    expect(timeouts).toMatchObject([{ at: 3, event: { type: 'timeout', timer: 'mine' } }]);
  });
});

describe('an advance that reaches a node from outside', () => {
  it('ends there if it must not wait, and continues when all events are answered', async () => {
    const { election, player } = await begun();
    const impatient = { ...advance, waits: false };

    const stopped = await act(election, impatient);
    const still = await act(election, impatient);
    const answer = await player.outbox({ through: 1, effects: player.announce() });
    const end = await act(election, impatient);

    expect(stopped.json).toMatchObject({ status: 'active', bound: 'outside', time: 0 });
    expect(still.json).toEqual(stopped.json);
    expect(answer).toMatchObject({ status: 200, json: { status: 'accepted', answered: 1 } });
    expect(end.json).toMatchObject({ bound: 'outside', time: 1 });
  });

  it('continues only for the events that are left of it', async () => {
    const { election, player } = await begun({ waitMs: 100 });
    const advancing = act(election, { ...advance, events: 3 });
    await player.inbox('?waitMs=1000');

    await player.outbox({ through: 1 });

    await advancing;
    const { actions } = lab.elections.get(idOf(election), SERVER).history;
    const limits = actions.flatMap((action) => (action.type === 'advance' ? [action.events] : []));
    expect(limits[0]).toBe(3);
    const events = await eventsOf(election);
    const names = events.map((event) => (event as { event: string }).event);
    expect(names.filter((name) => name === 'message.delivered').length).toBeLessThanOrEqual(3);
  });

  it('gives a node its whole time whenever it reaches it', async () => {
    const { election, player } = await begun({ waitMs: 4_000 });
    const advancing = act(election, { ...advance, events: 2 });

    for (const through of [1, 2]) {
      await player.inbox(`?after=${through - 1}&waitMs=1000`);
      await delay(2_100);
      await player.outbox({ through });
    }

    await advancing;
    const { actions } = lab.elections.get(idOf(election), SERVER).history;
    expect(actions.map(({ type }) => type)).not.toContain('lapse');
  });

  it('continues to wait if only a part is answered', async () => {
    const { election, player } = await begun({ waitMs: 100 });
    await act(election, { ...advance, waits: false });
    await player.outbox({ through: 1 });
    const startedMs = performance.now();
    const advancing = act(election, advance);
    await player.inbox('?after=1&waitMs=1000');

    const early = await player.outbox({ through: 1 });
    await advancing;

    expect(early.json).toMatchObject({ status: 'accepted', answered: 1 });
    expect(performance.now() - startedMs).toBeGreaterThan(99);
  });

  it('waits no longer when the node crashes, and keeps the election until then', async () => {
    const { election } = await begun({ waitMs: 30_000 });
    const startedMs = performance.now();
    const advancing = act(election, advance);
    await delay(10);

    const removal = await lab.call('DELETE', election);
    await act(election, { type: 'crash', rank: 5 });

    expect(removal).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
    expect((await advancing).status).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  it('stops waiting when the server drains, and reports the part so far', async () => {
    const draining = labUnderTest();
    const election = await create({}, draining);
    await OutsidePlayer.join({ lab: draining, election, waitMs: 30_000 });
    await draining.post(`${election}/actions`, { type: 'start' });
    const advancing = draining.post(`${election}/actions`, advance);
    await delay(10);

    draining.lifecycle.drain();

    expect(await advancing).toMatchObject({ status: 200, json: { bound: 'outside' } });
    expect(draining.lifecycle.listeners).toBe(0);
    expect(draining.elections.get(idOf(election), SERVER).listeners).toBe(0);
  });
});

describe('an outbox', () => {
  it.each<readonly [object, number, string, string?]>([
    [{ through: 2 }, 409, 'election.conflict', '#/through'],
    [{ through: -1 }, 400, 'schema'],
    [{ through: '1' }, 400, 'schema'],
    [
      { through: 1, effects: [{ type: 'send', to: 9, message: { type: 'OK' } }] },
      409,
      'election.conflict',
      '#/effects/0/to',
    ],
    [
      {
        effects: [{ type: 'step-down' }, { type: 'send', to: [1, 2, 9], message: { type: 'OK' } }],
      },
      409,
      'election.conflict',
      '#/effects/1/to/2',
    ],
    [
      { effects: [{ type: 'send', to: [1, 2], message: { type: 'COORDINATOR' } }] },
      400,
      'schema',
      '#/effects/0/message',
    ],
    [{ effects: [{ type: 'send', to: [], message: { type: 'OK' } }] }, 400, 'schema'],
    [{ effects: [{ type: 'send', to: 1, message: { type: 'COORDINATOR' } }] }, 400, 'schema'],
    [{ effects: [{ type: 'send', to: 1, message: 'OK' }] }, 400, 'schema'],
    [
      { effects: [{ type: 'elect', leader: 99, epoch: 0 }] },
      409,
      'election.conflict',
      '#/effects/0',
    ],
    [{ effects: [{ type: 'elect', leader: 1, epoch: 0.5 }] }, 400, 'schema'],
    [{ effects: [{ type: 'set-timer', timer: 't', ticks: 0, periodic: true }] }, 400, 'schema'],
    [{ effects: [{ type: 'set-timer', timer: 't', ticks: 1e9 }] }, 400, 'schema'],
    [{ effects: [{ type: 'accuse', evidence: null }] }, 400, 'schema'],
    [{ effect: [] }, 400, 'schema'],
  ])('with %j is refused and changes nothing', async (body, status, code, pointer) => {
    const { election, player } = await begun();
    const before = (await lab.call('GET', election)).json;

    const answer = await player.outbox(body);

    expect(answer).toMatchObject({ status, json: { code } });
    if (pointer !== undefined) expect(answer.json.errors).toMatchObject([{ pointer }]);
    expect((await lab.call('GET', election)).json).toEqual(before);
    expect((await player.inbox()).json).toMatchObject({ answered: 0 });
  });

  it.each([
    ['a rank', 3, [3]],
    ['a list of ranks', [1, 3], [1, 3]],
    ['all other nodes', 'all', [1, 2, 3, 4]],
  ])('sends a message to %s, as an injection does', async (_what, to, ranks) => {
    const { election, player } = await begun();
    const message = { type: 'OK' };
    const messagesAfter = async (last: number) => {
      const { json } = await lab.call('GET', `${election}/messages?pageSize=100`);
      // By the schema of the page.
      const items = json.items as { readonly id: number; readonly to: number }[];
      return items.filter(({ id }) => id > last);
    };
    const last = (await messagesAfter(-1)).at(-1)?.id ?? -1;

    const sent = await player.outbox({ effects: [{ type: 'send', to, message }] });
    const first = await messagesAfter(last);
    const injection = { type: 'inject', from: 5, to, message };
    const injected = await lab.post(`${election}/actions`, injection);

    expect([sent.status, injected.status]).toEqual([200, 200]);
    expect(first.map((each) => each.to)).toEqual(ranks);
    const both = await messagesAfter(last);
    expect(both.map((each) => each.to)).toEqual([...ranks, ...ranks]);
  });

  it('is refused as a whole if one of its effects is refused', async () => {
    const { election, player } = await begun();
    const effects = [...player.announce(), { type: 'elect', leader: 99, epoch: 0 }];

    const answer = await player.outbox({ through: 1, effects });

    expect(answer.status).toBe(409);
    expect((await lab.call('GET', `${election}/messages`)).json.items).toHaveLength(10);
    expect((await player.inbox()).json).toMatchObject({ answered: 0 });
  });

  it.each(['nothing', 'unsigned', 'timer'])(
    'is accepted as the documentation shows it: %s',
    async (name) => {
      const { election, player } = await begun();
      await act(election, { type: 'suspect', rank: 3, by: [5] });
      const { paths } = documentOf(lab.app);
      const operation = paths['/v1/elections/{id}/nodes/{node}/outbox']?.post;

      const example = operation?.requestBody?.content['application/json']?.examples?.[name];

      expect(await player.outbox(example?.value)).toMatchObject({ json: { status: 'accepted' } });
    },
  );

  it('is refused before the election has begun', async () => {
    const election = await create();
    const player = await OutsidePlayer.join({ lab, election });

    const answer = await player.outbox({ effects: [] });

    expect(answer).toMatchObject({ status: 409, json: { code: 'election.conflict' } });
  });

  it.each(['', 'wrong', '00'.repeat(32)])('is refused with the token %j', async (token) => {
    const { player } = await begun();

    const outbox = await player.outbox({ through: 1 }, { 'Node-Token': token });
    const inbox = await player.inbox('', { headers: { 'Node-Token': token } });
    const bare = await player.inbox('', { headers: {} });

    expect(outbox).toMatchObject({ status: 401, json: { code: 'auth.node' } });
    expect(inbox).toMatchObject({ status: 401, json: { code: 'auth.node' } });
    expect(bare).toMatchObject({ status: 401, json: { code: 'auth.node' } });
  });

  it('is refused for a node that the server plays, and for a node that does not exist', async () => {
    const { election, player } = await begun();
    const honest = String(lab.elections.get(idOf(election), SERVER).stage.roster.nodeAt(1)?.nodeId);
    const post = (node: string) =>
      lab.post(`${election}/nodes/${node}/outbox`, {}, { 'Node-Token': player.token });

    const [present, absent] = [await post(honest), await post('00'.repeat(32))];

    expect(present).toMatchObject({ status: 401, json: { code: 'auth.node' } });
    expect(absent.json).toEqual({ ...present.json, instance: absent.json.instance });
  });
});
