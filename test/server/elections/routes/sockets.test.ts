/**
 * @module
 * Event streams over real sockets: callers that disconnect, and one that never reads.
 */

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { SERVER } from '../../../../server/request/principal.ts';
import { listen } from '../../../../server/socket/listen.ts';
import { STALLED_MS } from '../../../../server/streams/pulled-stream.ts';
import { labUnderTest } from '../../lab-under-test.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function serve(body: object) {
  const lab = labUnderTest();
  const { id } = (await lab.post('/v1/elections', { protocol: 'bully-oneshot', ...body })).json;
  const onFault = (fault: (typeof lab.faults)[number]) => void lab.faults.push(fault);
  const listening = await listen({ host: '127.0.0.1', port: 0 }, lab.app, onFault);
  const { port } = new URL(listening.url);
  const ask = async (): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    const lines = [`GET /v1/elections/${id}/events?follow=true HTTP/1.1`, 'Host: 127.0.0.1'];
    socket.write(`${lines.join('\r\n')}:${port}\r\n\r\n`);
    return socket;
  };
  return { ...lab, id: String(id), ask, close: listening.close };
}

it('the resources of a caller that disconnects are released, 200 times', async () => {
  const { elections, lifecycle, faults, id, ask, close } = await serve({ nodes: 4 });

  for (let count = 0; count < 20; count += 1) {
    const sockets = await Promise.all(Array.from({ length: 10 }, ask));
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    for (const socket of sockets) socket.destroy();
  }

  await vi.waitFor(() => expect(elections.streams.open).toBe(0), { timeout: 20_000 });
  expect(elections.get(id, SERVER).listeners).toBe(0);
  expect(lifecycle.listeners).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

it('a caller that never reads is disconnected, and the log has no entry', async () => {
  const errors = vi.spyOn(console, 'error');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { elections, faults, id, ask, close } = await serve({ nodes: 200, run: true });
  const socket = await ask();
  socket.pause();
  while (elections.streams.open === 0) await setImmediate();

  while (elections.streams.open > 0) {
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
    vi.advanceTimersByTime(STALLED_MS);
  }

  expect(elections.get(id, SERVER).listeners).toBe(0);
  expect(faults).toEqual([]);
  expect(errors).not.toHaveBeenCalled();
  socket.destroy();
  vi.useRealTimers();
  await close();
});
