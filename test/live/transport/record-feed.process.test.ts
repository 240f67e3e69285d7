/**
 * @module
 * Observers that follow the records of a node: each place is free again when its observer is gone or takes no record,
 * and few records are read at once.
 */

import { EventEmitter } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, expect, it, vi } from 'vitest';

import type { Rank } from '../../../src/election/machine.ts';
import {
  createRecordFeed,
  FOLLOWERS_MAX,
  FOLLOWERS_OF_ONE_MAX,
} from '../../../src/live/node-api.ts';
import type { NodeLog } from '../../../src/live/node-log.ts';
import { openNodeLog } from '../../../src/live/node-log.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { startNode } from '../../../src/live/start-node.ts';
import { settingsFor } from '../hostile-peer.ts';
import { testNetwork } from '../network.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  vi.useRealTimers();
});

/** The address of the records of a node that is alone. */
async function recordsOfOne(): Promise<string> {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const [key] = made.keys;
  if (key === undefined) throw new Error('a key was expected');
  const node = await startNode(
    settingsFor(parsePeers(made.peers), key, join(made.folder, 'node.log')),
    { onLeader: () => undefined, onRecord: () => undefined },
    new AbortController().signal,
  );
  closing.unshift(node.close);
  return `${node.url}/events`;
}

it('HEAD takes no place, an address has few, and a follower that goes away leaves its own', async () => {
  const url = await recordsOfOne();
  const asked = async (method: string, signal?: AbortSignal) => {
    const answer = await fetch(url, { method, ...(signal === undefined ? {} : { signal }) });
    return answer.status;
  };
  const leaving = new AbortController();

  const heads = await Promise.all(Array.from({ length: 2 * FOLLOWERS_MAX }, () => asked('HEAD')));
  const followers = Array.from({ length: FOLLOWERS_OF_ONE_MAX }, () =>
    asked('GET', leaving.signal),
  );
  const followed = await Promise.all(followers);
  const tooMany = await asked('GET');
  leaving.abort();

  expect(new Set([...heads, ...followed])).toEqual(new Set([200]));
  expect(tooMany).toBe(503);
  const after = new AbortController();
  closing.unshift(() => after.abort());
  await expect.poll(() => asked('GET', after.signal)).toBe(200);
});

it('the number of observers is bounded, also if each has another address', async () => {
  const log = { read: () => [] } as unknown as NodeLog; // Nothing else is used.
  const follow = createRecordFeed(log);
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/events/:name', (context) =>
    follow(context, { name: context.req.param('name'), pays: () => true }),
  );
  const outgoing = Array.from({ length: FOLLOWERS_MAX + 1 }, () => new EventEmitter());

  const answers = outgoing.map((each, number) =>
    app.request(`/events/${number}`, {}, { outgoing: each }),
  );

  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  for (const each of outgoing) each.emit('close');
  expect(statuses.filter((status) => status === 200)).toHaveLength(FOLLOWERS_MAX);
  expect(statuses.at(-1)).toBe(503);
});

it('an observer that takes no record for ten seconds loses its connection', async () => {
  vi.useFakeTimers();
  let isDestroyed = false;
  const outgoing = new EventEmitter();
  const destroy = () => {
    isDestroyed = true;
    outgoing.emit('close');
  };
  const log = { read: () => ['record'] } as unknown as NodeLog; // Nothing else is used.
  const follow = createRecordFeed(log);
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/events', (context) => follow(context, { name: 'one', pays: () => true }));

  // The body of the answer is not read.
  await app.request('/events', {}, { outgoing: Object.assign(outgoing, { destroy }) });
  await vi.advanceTimersByTimeAsync(9_000);
  const before = isDestroyed;
  await vi.advanceTimersByTimeAsync(2_000);

  expect([before, isDestroyed]).toEqual([false, true]);
});

/** An empty log, and ten records of a thousand characters. */
async function loggedRecords(bytesMax?: number) {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const rank = 'aa';
  const log = openNodeLog(
    join(made.folder, 'node.log'),
    {
      ...{ rank, protocol: 'bully-oneshot', election: 'test', latency: 50, level: 'L3' },
      ...{ defences: [], behaviours: [], workload: null },
    },
    bytesMax,
  );
  closing.unshift(() => log.close());
  const record = (number: number) => {
    const event = {
      type: 'suspect',
      node: `${number}${'x'.repeat(1_000)}` as string as Rank,
    } as const;
    return { t: number, event, effects: [], clock: {} };
  };
  const records = Array.from({ length: 10 }, (_, index) => record(index));
  return { log, records };
}

it('a log that has as many bytes as it may have takes no more records, and says so', async () => {
  const { log, records } = await loggedRecords(4_000);
  const before = log.isComplete();

  log.append({ records, recorder: log.recorder, persisted: undefined, heard: null });

  expect([before, log.isComplete()]).toEqual([true, false]);
  expect(log.read(0, 100, 100_000)).toHaveLength(4);
});

it('a read of the records ends with the one that makes it too long', async () => {
  const { log, records } = await loggedRecords();
  log.append({ records, recorder: log.recorder, persisted: undefined, heard: null });

  const lengths = [1, 1_000, 2_500, 100_000].map((bytes) => log.read(2, 5, bytes).length);

  expect(lengths).toEqual([1, 1, 3, 5]);
});
