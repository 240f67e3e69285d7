/**
 * @module
 * The costs of replaying elections for streams, traces and copies. They are counted before
 * the replay begins, and events that were counted once are not counted again.
 */

import { describe, expect, it } from 'vitest';
import { STREAM_NODES_MAX, StreamBudget } from '../../../../server/callers/stream-budget.ts';
import { replayed } from '../../../../server/elections/live/replay.ts';
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
  it('count as streams while its events are counted for them', async () => {
    const { comeBack, events, last, elections } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const refused = await comeBack(last);
    await other.body?.cancel();
    const taken = await comeBack(last);

    expect([refused.status, taken.status]).toEqual([429, 204]);
    expect(refused.text).toContain('limit.connections');
    expect(elections.streams.open).toBe(0);
  });

  it('are answered without counting once a caller has received every event', async () => {
    const { comeBack, last, election } = await concluded({});
    const before = election.events;
    await comeBack(0);
    const received = election.events;
    // A false number shows that the noted number is used.
    election.noteEvents(election.history.actions.length, last + 6);

    const { status } = await comeBack(last + 5);

    expect([before, received]).toEqual([null, last + 1]);
    expect(status).toBe(204);
  });

  it('receive the events since, also if they were counted before', async () => {
    const { comeBack, last, election, act } = await concluded({});
    await comeBack(last);
    await act({ type: 'crash', rank: 6 });
    await act({ type: 'advance' });
    const counted = election.events;

    const { text } = await comeBack(last);

    expect(counted).toBeNull();
    expect(text).toContain(`id: ${last + 1}\nevent: node.crashed`);
    expect(text.match(/^id: /gm)).toHaveLength((election.events ?? 0) - last - 1);
  });

  it('receive the rest from the replay that looked for it', async () => {
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

  it('reserve their room before the replay, and free it if they fail', async () => {
    const { fork, elections } = await concluded({ storedBytes: 150_000 });

    const nothing = [];
    for (let count = 0; count < 4; count += 1) nothing.push(await fork({ at: 99_999 }));
    const taken = await fork({ at: 3 });
    const without = await fork({ at: 99_999 });

    expect(nothing.map(({ json }) => json.code)).toEqual(Array(4).fill('election.conflict'));
    expect(taken.status).toBe(201);
    expect(without).toMatchObject({ status: 413, json: { code: 'limit.storage' } });
    expect(elections.streams.open).toBe(0);
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
