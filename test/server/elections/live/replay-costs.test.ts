/**
 * @module
 * What it costs to tell elections again, for streams, traces and copies: what is told is counted before
 * it begins, and what was counted once is not counted again.
 */

import { describe, expect, it } from 'vitest';
import { STREAM_NODES_MAX, StreamBudget } from '../../../../server/callers/stream-budget.ts';
import { replayed } from '../../../../server/elections/live/replay.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { OverloadError } from '../../../../server/request/refusals.ts';
import { bearer, limited } from '../../callers/limited-lab.ts';

/** A lab with an election at rest, whose last event has this number. */
async function concluded(limits: Parameters<typeof limited>[0]) {
  const lab = limited(limits);
  const { json } = await lab.elect('ann', 6);
  const id = String(json.id);
  const election = lab.elections.get(id, SERVER);
  const last = (await replayed(election.history, 10_000, SERVER)).records().length - 1;
  const events = async (headers: Record<string, string>, query = '') =>
    lab.app.request(`/v1/elections/${id}/events${query}`, {
      headers: { ...bearer('ann'), ...headers },
    });
  const comeBack = async (after: number) => {
    const response = await events({ 'Last-Event-ID': String(after) });
    return { status: response.status, text: await response.text() };
  };
  const fork = (body: object) => lab.post(`/v1/elections/${id}/fork`, body, bearer('ann'));
  const act = (action: object) => lab.post(`/v1/elections/${id}/actions`, action, bearer('ann'));
  return { ...lab, election, last, events, comeBack, fork, act };
}

describe('those who come back to an election at rest', () => {
  it('are streams while its events are counted for them', async () => {
    const { comeBack, events, last, elections } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const refused = await comeBack(last);
    await other.body?.cancel();
    const taken = await comeBack(last);

    expect([refused.status, taken.status]).toEqual([429, 204]);
    expect(refused.text).toContain('limit.connections');
    expect(elections.streams.open).toBe(0);
  });

  it('are answered without counting once somebody has heard everything', async () => {
    const { comeBack, last, election } = await concluded({});
    const before = election.events;
    await comeBack(0);
    const heard = election.events;
    // Another number than the true one shows that it is this that answers.
    election.noteEvents(election.history.actions.length, last + 6);

    const { status } = await comeBack(last + 5);

    expect([before, heard]).toEqual([null, last + 1]);
    expect(status).toBe(204);
  });

  it('are told what was done since, also when it was counted before', async () => {
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

  it('hear the rest in the same telling that looked whether there is one', async () => {
    const { comeBack, last } = await concluded({});

    const { text } = await comeBack(last - 3);

    expect(text.match(/^id: (\d+)$/gm)).toEqual([2, 1, 0].map((back) => `id: ${last - back}`));
  });
});

describe('copies at an event', () => {
  it('count as streams while the election is told for them', async () => {
    const { fork, events, elections, last } = await concluded({ streams: 1 });
    const other = await events({}, '?follow=true');

    const refused = await fork({ at: last - 1 });
    await other.body?.cancel();
    const taken = await fork({ at: last - 1 });

    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.connections' } });
    expect(taken.status).toBe(201);
    expect(elections.streams.open).toBe(0);
  });

  it('have their room before anything is told, and give it back when nothing comes of them', async () => {
    const { fork, elections } = await concluded({ storedBytes: 150_000 });

    const nothing = [];
    for (let count = 0; count < 4; count += 1) nothing.push(await fork({ at: 99_999 }));
    const taken = await fork({ at: 3 });
    const without = await fork({ at: 99_999 });

    expect(nothing.map(({ json }) => json.code)).toEqual(Array(4).fill('arguments'));
    expect(taken.status).toBe(201);
    expect(without).toMatchObject({ status: 413, json: { code: 'limit.storage' } });
    expect(elections.streams.open).toBe(0);
  });
});

it('large elections count for their messages, of which there are as many as nodes squared', () => {
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
