/**
 * @module
 * The costs of replaying elections for streams, traces and copies. They are counted before
 * the replay begins, and events that were counted once are not counted again.
 */

import { describe, expect, it } from 'vitest';

import { STREAM_NODES_MAX, StreamBudget } from '../../../../server/callers/stream-budget.ts';
import { replayed } from '../../../../server/elections/live/live-election.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { OverloadError } from '../../../../server/request/refusals.ts';
import { bearer, limited } from '../../callers/limited-lab.ts';

/** A lab with an idle election whose last event has this number. */
async function concluded(limits: Parameters<typeof limited>[0]) {
  const lab = limited(limits);
  const { json } = await lab.elect('ann', 6);
  const id = String(json.id);
  const election = lab.elections.get(id, SERVER);
  const last = (await replayed(election.history, 10_000, SERVER)).records().length - 1;
  const events = async (headers: Record<string, string>, query = '') =>
    lab.app.request(`/v1/elections/${id}/events${query}`, {
      headers: { ...bearer('ann'), Accept: 'text/event-stream', ...headers },
    });
  const comeBack = async (after: number) => {
    const response = await events({ 'Last-Event-ID': String(after) });
    return { status: response.status, text: await response.text() };
  };
  const fork = (body: object) => lab.post(`/v1/elections/${id}/fork`, body, bearer('ann'));
  const act = (action: object) => lab.post(`/v1/elections/${id}/actions`, action, bearer('ann'));
  return { ...lab, election, last, events, comeBack, fork, act };
}

describe('callers that reconnect to an idle election', () => {
  it('are answered without a replay, so that they need no stream', async () => {
    const { comeBack, events, last, elections } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const taken = await comeBack(last);
    const rest = await comeBack(last - 1);
    await other.body?.cancel();

    expect([taken.status, rest.status]).toEqual([204, 429]);
    expect(elections.streams.open).toBe(0);
  });

  it('receive the events since', async () => {
    const { comeBack, last, election, act } = await concluded({});
    await act({ type: 'crash', rank: 6 });
    await act({ type: 'advance' });

    const { text } = await comeBack(last);

    expect(text).toContain(`id: ${last + 1}\nevent: node.crashed`);
    expect(text.match(/^id: /gm)).toHaveLength(election.events - last - 1);
  });

  it('receive the rest', async () => {
    const { comeBack, last } = await concluded({});

    const { text } = await comeBack(last - 3);

    expect(text.match(/^id: (\d+)$/gm)).toEqual([2, 1, 0].map((back) => `id: ${last - back}`));
  });
});

describe('copies at an event', () => {
  it('count as streams while the election is replayed for them', async () => {
    const { fork, events, elections, last } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const refused = await fork({ at: last - 1 });
    await other.body?.cancel();
    const taken = await fork({ at: last - 1 });

    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.connections' } });
    expect(taken.status).toBe(201);
    expect(elections.streams.open).toBe(0);
  });

  it('are refused without a replay if there is no such event', async () => {
    const { fork, events, last } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const answers = [await fork({ at: last + 1 }), await fork({ at: 2 ** 52 })];
    await other.body?.cancel();

    for (const { status, json } of answers) {
      expect([status, json.code]).toEqual([409, 'election.conflict']);
      expect(json.errors).toEqual([
        { pointer: '#/at', detail: `there are ${last + 1} events so far, numbered from 0` },
      ]);
    }
    expect((await fork({ at: last })).status).toBe(201);
  });

  it('reserve their room before the replay, and free it if they fail', async () => {
    const { fork, events, elections } = await concluded({ storedBytes: 150_000, streams: 1 });
    const other = await events({}, '?follow=true');

    const nothing = [];
    for (let count = 0; count < 4; count += 1) nothing.push(await fork({ at: 3 }));
    await other.body?.cancel();
    const taken = await fork({ at: 3 });
    const without = await fork({ at: 3 });

    expect(nothing.map(({ json }) => json.code)).toEqual(Array(4).fill('limit.connections'));
    expect(taken.status).toBe(201);
    expect(without).toMatchObject({ status: 413, json: { code: 'limit.storage' } });
    expect(elections.streams.open).toBe(0);
  });
});

describe('the trace of a large election', () => {
  it('is refused without a replay', async () => {
    const lab = limited({ streams: 1 });
    const { json } = await lab.elect('ann', 200);
    const path = `/v1/elections/${json.id}`;
    const open = (what: string, accept: string) =>
      lab.app.request(path + what, { headers: { ...bearer('ann'), Accept: accept } });
    const other = await open('/events?follow=true', 'text/event-stream');

    const answers = [];
    for (const accept of ['application/jsonl', 'text/plain', 'image/svg+xml']) {
      answers.push(await open('/trace', accept));
    }
    await other.body?.cancel();

    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await answers[0]?.json()).toMatchObject({
      code: 'job.size',
      detail: 'more than 10000 events, which is the limit of this form; follow its events instead',
    });
  });
});

describe('the number of events of an election', () => {
  const drawn = { nodes: 6, seed: '3', run: true };

  it.each<object>([
    { protocol: 'bully-gm82', network: { loss: '20%', duplicate: '20%' } },
    { protocol: 'raft', network: { churn: '30@0-500' } },
    { protocol: 'itai-rodeh', newcomers: 1 },
    { protocol: 'db-lease', network: { pause: '2@3-40' } },
    { protocol: 'bully-oneshot', level: 'L0' },
  ])('is that of the records of its trace: %j', async (members) => {
    const lab = limited({});
    const made = await lab.post('/v1/elections', { ...drawn, ...members }, bearer('ann'));
    const path = `/v1/elections/${made.json.id}`;
    const act = (action: object) => lab.post(`${path}/actions`, action, bearer('ann'));
    const election = lab.elections.get(String(made.json.id), SERVER);
    const isSame = async () =>
      (await replayed(election.history, 1_000_000, SERVER)).records().length === election.events;
    const first = await isSame();
    const rank = election.stage.simulation.nodes().find(({ up }) => up)?.rank;
    for (const type of ['crash', 'recover']) await act({ type, rank });
    const message = { type: 'NOTHING' };
    await act({ type: 'inject', from: rank, to: 'all', message });
    await act({ type: 'advance', until: 'idle', events: 40 });
    const [flight] = election.stage.simulation.flights();
    if (flight !== undefined) await act({ type: 'drop', message: flight.id });
    await act({ type: 'advance', until: 'idle', events: 400 });

    expect(made.status).toBe(201);
    expect([first, await isSame()]).toEqual([true, true]);
    expect(election.events).toBeGreaterThan(20);
  });
});

it('large elections count by their messages, which grow with the square of the nodes', () => {
  const heavy = new StreamBudget();
  const light = new StreamBudget();
  const takenOf = (budget: StreamBudget, nodes: number) => {
    for (let count = 0; ; count += 1) {
      try {
        budget.take(nodes, SERVER);
      } catch (error) {
        expect(error).toBeInstanceOf(OverloadError);
        return count;
      }
    }
  };

  expect(takenOf(heavy, 500)).toBe(STREAM_NODES_MAX / 2_500);
  expect(takenOf(light, 100)).toBe(STREAM_NODES_MAX / 100);
});
