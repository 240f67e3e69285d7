/**
 * @module
 * Long polls of inboxes: what ends them. Each releases its resources.
 */

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SERVER } from '../../../../server/request/principal.ts';

import { listen } from '../../../../server/socket/listen.ts';
import type { Answer, LabUnderTest } from '../../lab-under-test.ts';
import { labUnderTest } from '../../lab-under-test.ts';
import { OutsidePlayer } from '../outside-player.ts';

const shared = labUnderTest();

async function joined(lab: LabUnderTest = shared, waitMs = 1_000) {
  const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', level: 'L0' };
  const made = await lab.post('/v1/elections', body);
  const election = String(made.headers.get('Location'));
  const player = await OutsidePlayer.join({ lab, election, waitMs });
  const act = (action: object) => lab.post(`${election}/actions`, action);
  const live = lab.elections.get(String(made.json.id), SERVER);
  const expectNothingLeft = () => {
    expect(live.listeners).toBe(0);
    expect(lab.lifecycle.listeners).toBe(0);
    expect(lab.elections.streams.open).toBe(0);
  };
  return { lab, election, player, act, live, expectNothingLeft };
}

describe('a poll of an inbox', () => {
  it('answers at once if there is an event', async () => {
    const { player, act } = await joined();
    await act({ type: 'start' });

    const answer = await player.inbox('?waitMs=30000');

    const { rank } = player;
    const events = [{ number: 1, at: 0, event: { type: 'start', rank } }];
    expect(answer.json).toEqual({ events, rank, lost: 0, answered: 0, time: 0, status: 'active' });
  });

  it('answers when an event occurs', async () => {
    const { player, act, expectNothingLeft } = await joined();
    const polling = player.inbox('?waitMs=30000');
    await delay(5);

    await act({ type: 'start' });

    expect((await polling).json.events).toHaveLength(1);
    expectNothingLeft();
  });

  it('answers without events when its time is over', async () => {
    const { player, expectNothingLeft } = await joined();

    const answer = await player.inbox('?waitMs=20');

    expect(answer).toMatchObject({ status: 200, json: { events: [], status: 'created' } });
    expectNothingLeft();
  });

  it('returns the events after the last that the caller received, until they are answered', async () => {
    const { player, act } = await joined();
    await act({ type: 'start' });
    await act({ type: 'suspect', rank: 3 });

    const [all, later, none] = [
      await player.inbox(),
      await player.inbox('?after=1'),
      await player.inbox('?after=2'),
    ];
    await player.outbox({ through: 1 });
    const rest = await player.inbox();

    expect(all.json.events).toMatchObject([{ number: 1 }, { number: 2 }]);
    expect(later.json.events).toMatchObject([{ number: 2, event: { type: 'suspect', node: 3 } }]);
    expect(none.json.events).toEqual([]);
    expect(rest.json).toMatchObject({ events: [{ number: 2 }], answered: 1 });
  });

  it('returns a hundred events at a time', async () => {
    const { player, act } = await joined(shared, 0);
    const message = { type: 'OK' };
    await act({ type: 'inject', from: 1, to: Array(150).fill(player.rank), message });
    await act({ type: 'advance', until: 5 });

    const first = await player.inbox();
    const rest = await player.inbox('?after=100&waitMs=1000');

    const numbersOf = ({ json }: Answer) =>
      (json.events as { readonly number: number }[]).map(({ number }) => number);
    expect(numbersOf(first)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(numbersOf(rest)).toEqual(Array.from({ length: 50 }, (_, index) => index + 101));
  });

  it('is ended by a newer one of the same node', async () => {
    const { player, act, expectNothingLeft } = await joined();
    const older = player.inbox('?waitMs=30000');
    await delay(5);
    const newer = player.inbox('?waitMs=30000');

    expect((await older).json.events).toEqual([]);

    await act({ type: 'start' });
    expect((await newer).json.events).toHaveLength(1);
    expectNothingLeft();
  });

  it('continues if a newer one is refused', async () => {
    const { player, act, expectNothingLeft } = await joined(
      labUnderTest({ limits: { streams: 1 } }),
    );
    const polling = player.inbox('?waitMs=1500');
    await delay(5);

    const refused = await player.inbox('?waitMs=1500');
    await act({ type: 'start' });

    const { status, json } = refused;
    expect({ status, ...json }).toMatchObject({
      ...{ status: 429, code: 'limit.connections', retryAfterS: 2 },
    });
    expect((await polling).json.events).toHaveLength(1);
    expectNothingLeft();
  });

  it('is answered 404 if the election is deleted meanwhile', async () => {
    const { lab, election, player, expectNothingLeft } = await joined();
    const polling = player.inbox('?waitMs=30000');
    await delay(5);

    await lab.call('DELETE', election);

    expect(await polling).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expectNothingLeft();
    expect((await lab.call('GET', `${player.path}/inbox`)).status).toBe(404);
  });

  it('ends when the server drains', async () => {
    const { lab, player, expectNothingLeft } = await joined(labUnderTest());
    const polling = player.inbox('?waitMs=30000');
    await delay(5);

    lab.lifecycle.drain();

    expect(await polling).toMatchObject({ status: 503, json: { code: 'server.unready' } });
    expectNothingLeft();
  });

  it.each(['after=-1', 'after=x', 'waitMs=30001', 'waitMs=-1', 'waitMs=1.5', 'wait=1'])(
    'with %s is refused',
    async (query) => {
      const { player } = await joined();

      const answer = await player.inbox(`?${query}`);

      expect(answer).toMatchObject({ status: 400, json: { code: 'schema' } });
    },
  );
});

describe('polls whose callers disconnect', () => {
  it('release their resources, 500 times', async () => {
    const { player, live, expectNothingLeft } = await joined();

    for (let count = 0; count < 500; count += 1) {
      const caller = new AbortController();
      const polling = player.inbox('?waitMs=30000', {
        signal: caller.signal,
        headers: headersOf(player),
      });
      while (live.listeners === 0) await setImmediate();
      caller.abort();
      await polling.catch(() => undefined);
    }

    expectNothingLeft();
  });

  it('release their resources when the socket is closed', async () => {
    const { lab, player, live, expectNothingLeft } = await joined();
    const listening = await listen({ host: '127.0.0.1', port: 0 }, lab.app, () => undefined);
    const { port } = new URL(listening.url);

    const sockets = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connect(Number(port), '127.0.0.1');
        await once(socket, 'connect');
        const lines = [`GET ${player.path}/inbox?waitMs=30000 HTTP/1.1`, `Host: 127.0.0.1:${port}`];
        socket.write(`${lines.join('\r\n')}\r\nNode-Token: ${player.token}\r\n\r\n`);
        return socket;
      }),
    );
    await vi.waitFor(() => expect(live.listeners).toBeGreaterThan(0), { timeout: 20_000 });
    for (const socket of sockets) socket.destroy();

    await vi.waitFor(expectNothingLeft, { timeout: 20_000 });
    await listening.close();
  });
});

function headersOf({ token }: OutsidePlayer): Record<string, string> {
  return { 'Node-Token': token };
}
