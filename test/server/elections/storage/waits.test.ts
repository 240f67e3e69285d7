/**
 * @module
 * Requests that wait for nodes that are played from outside: their limit, and the answers to the others.
 */

import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import type { CallerLimits } from '../../../../server/callers/caller-budgets.ts';
import { REQUESTS_AT_ONCE_MAX } from '../../../../server/callers/caller-budgets.ts';
import { ACTIONS_WAITING_MAX } from '../../../../server/elections/live/live-election.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { bearer, limited } from '../../callers/limited-lab.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { OutsidePlayer } from '../outside-player.ts';

const advance = { type: 'advance', until: 'idle' };

/** An election that awaits a node from outside, with a limit on its streams and waits. */
async function standing(limits: Partial<CallerLimits>) {
  const lab = labUnderTest({ limits });
  const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level: 'L0' };
  const election = String((await lab.post('/v1/elections', body)).headers.get('Location'));
  const player = await OutsidePlayer.join({ lab, election, waitMs: 30_000 });
  const act = (action: object) => lab.post(`${election}/actions`, action);
  await act({ type: 'start' });
  const waiting = act(advance);
  const live = lab.elections.get(election.split('/').at(-1) ?? '', SERVER);
  await vi.waitFor(() => expect(live.status().awaiting).toEqual([player.rank]), {
    timeout: 20_000,
  });
  return { lab, election, player, act, waiting, live };
}

describe('an advance that waits', () => {
  it('counts as a stream, and so do requests that wait behind it, except the answer', async () => {
    const { lab, election, player, act, waiting } = await standing({ streams: 2 });
    const behind = act({ type: 'crash', rank: 1 });

    const refused = [await act(advance), await lab.post(`${election}/fork`, {})];
    const open = lab.elections.streams.open;
    let isOver = false;
    const playing = player.play(() => isOver);
    const ends = [await waiting, await behind];
    isOver = true;
    await playing;

    for (const { status, json } of refused) {
      expect({ status, ...json }).toMatchObject({ status: 429, code: 'limit.connections' });
      expect(json.retryAfterS).toBeGreaterThan(50);
      expect(json.retryAfterS).toBeLessThanOrEqual(60);
    }
    expect(open).toBe(2);
    expect(ends.map(({ status }) => status)).toEqual([200, 200]);
    expect(lab.elections.streams.open).toBe(0);
  });

  it('reports its latest end to requests for which there is no room', async () => {
    const { player, act, waiting, live } = await standing({});
    const behind = Array.from({ length: ACTIONS_WAITING_MAX - 1 }, () => act({ type: 'heal' }));

    const refused = await act({ type: 'heal' });
    await player.outbox({ through: 1 });
    let isOver = false;
    const playing = player.play(() => isOver);
    await Promise.all([waiting, ...behind]);
    isOver = true;
    await playing;

    expect(refused).toMatchObject({ status: 503, json: { code: 'limit.queue' } });
    expect(refused.json.retryAfterS).toBeGreaterThan(50);
    expect(refused.json.retryAfterS).toBeLessThanOrEqual(60);
    expect((await act({ type: 'heal' })).status).not.toBe(503);
    expect(live.listeners).toBe(0);
  });

  it('does not count if no node is played from outside', async () => {
    const lab = labUnderTest({ limits: { streams: 1 } });
    const { json } = await lab.post('/v1/elections', { protocol: 'bully-oneshot', nodes: 4 });
    const act = (action: object) => lab.post(`/v1/elections/${json.id}/actions`, action);
    await act({ type: 'start' });

    const ends = await Promise.all([act(advance), act(advance), act(advance)]);

    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('requests of one caller at the same time', () => {
  it('are limited until their answers are taken', async () => {
    const { app, get } = limited({});
    const ask = async (outgoing: EventEmitter, name = 'ann') => {
      const incoming = { socket: { remoteAddress: '127.0.0.1', bytesWritten: 0 } };
      const env = { incoming, outgoing };
      return (await app.request('/v1/params', { headers: bearer(name) }, env)).status;
    };
    const answers = Array.from({ length: REQUESTS_AT_ONCE_MAX }, () => new EventEmitter());
    const taken = await Promise.all(answers.map((outgoing) => ask(outgoing)));

    const refused = await get('ann', '/v1/params');
    const other = await ask(new EventEmitter(), 'bob');
    answers[0]?.emit('close');
    const later = await ask(new EventEmitter());

    expect(new Set(taken)).toEqual(new Set([200]));
    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.connections' } });
    expect(other).toBe(200);
    expect(later).toBe(200);
  });
});
