/**
 * @module
 * Sessions, znodes and watches in the modelled store and in ZooKeeper, also over a lost connection; and what every real
 * store keeps over kill -9.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { startProxy } from '../../../bench/study/tcp-proxy.ts';
import { until } from '../network.ts';
import type { Client, TestedStore } from './test-stores.ts';
import { createTestStores, storesFor, TESTED } from './test-stores.ts';

const stores = createTestStores();
afterAll(() => stores.close());

/** A client with a session and its znode. */
interface Lined extends Client {
  readonly session: number;
  readonly name: string;
  /** The next number of a request. */
  next(): number;
}

async function lineUp(client: Client, guid: string): Promise<Lined> {
  let request = 1;
  const next = () => {
    request += 1;
    return request;
  };
  const connected = await client.ask({ type: 'CONNECT', request, guid });
  const { session } = Object(connected);
  const created = await client.ask({ type: 'CREATE', session, request: next(), guid });
  return { ...client, session, name: Object(created).name, next };
}

async function lineOf(name: TestedStore, count: number, address?: string): Promise<Lined[]> {
  const clients = await stores.clients(name, count, { protocol: 'zk-recipe' }, address);
  const lined: Lined[] = [];
  for (const [index, client] of clients.entries()) {
    lined.push(await lineUp(client, `${index}f`));
    // On a busy machine a session would end before the last one begins.
    for (const each of lined) await ping(each, null);
  }
  // A client asks only for names of a list.
  for (const each of lined) await list(each);
  return lined;
}

function list({ ask, session, next }: Lined) {
  return ask({ type: 'GET_CHILDREN', session, request: next() });
}

/** Keeps the session for as long as the test runs. */
function ping({ ask, session, next }: Lined, watch: string | null) {
  return ask({ type: 'PING', session, request: next(), watch });
}

describe.each(storesFor('zk-recipe'))('the znodes of zk-recipe in %s', (name) => {
  it('have rising sequence numbers, and every list shows their owners', async () => {
    const [one, other] = (await lineOf(name, 2)) as [Lined, Lined];

    const children = await list(other);

    expect([one.session, other.session]).toEqual([1, 2]);
    expect([one.name, other.name]).toEqual(['0f-n_0000000001', '1f-n_0000000002']);
    expect(Object(children).children).toEqual([
      { name: one.name, owner: one.own },
      { name: other.name, owner: other.own },
    ]);
  });

  it('go with the session of their owner, which each watcher learns once, and the owner at its next request', async () => {
    const [one, second, third] = (await lineOf(name, 3)) as [Lined, Lined, Lined];
    for (const each of [second, third]) {
      await ping(one, null);
      const { session, next } = each;
      const stat = await each.ask({ type: 'EXISTS', session, request: next(), name: one.name });
      expect(stat).toMatchObject({ type: 'STAT', exists: true });
    }

    await until('both are notified', async () => {
      const pongs = [await ping(second, null), await ping(third, null)];
      // What shows that it is gone comes after the notice.
      const isGone = pongs.map((pong) => Object(pong).oldest.name !== one.name);
      const isNotified = [second, third].map(({ notices }) => notices.length > 0);
      expect(isGone.every((gone, index) => !gone || isNotified[index])).toBe(true);
      return isGone.every((gone) => gone);
    });

    for (const { notices, session } of [second, third]) {
      expect(notices).toEqual([{ type: 'DELETED', session, name: one.name }]);
    }
    const expired = { type: 'EXPIRED', session: one.session };
    // A request that meets the end of the connection has no answer.
    expect((await ping(one, null)) ?? (await ping(one, null))).toEqual(expired);
    const { session, next } = second;
    const gone = await second.ask({ type: 'EXISTS', session, request: next(), name: one.name });
    expect(gone).toMatchObject({ type: 'STAT', exists: false });
    expect(await ping(second, one.name)).toMatchObject({ type: 'PONG', gone: one.name });
  });
});

describe.skipIf(!TESTED.includes('zookeeper'))('a session of ZooKeeper', () => {
  it('survives a lost connection, after which a ping renews the watch', async () => {
    const { address } = await stores.serverOf('zookeeper');
    const proxy = await startProxy(Number(address.split(':').at(-1)));
    const [one, other] = (await lineOf('zookeeper', 2, `zookeeper:127.0.0.1:${proxy.port}`)) as [
      Lined,
      Lined,
    ];
    const { session, next } = other;
    await other.ask({ type: 'EXISTS', session, request: next(), name: one.name });
    proxy.cut();
    const lost = await ping(other, one.name);
    proxy.heal();

    const pong = await ping(other, one.name);
    await until('it is notified', async () => {
      await ping(other, null);
      return other.notices.length > 0;
    });

    proxy.close();
    expect(lost).toBeNull();
    expect(pong).toMatchObject({ type: 'PONG', session: other.session, gone: null });
    expect(other.notices).toEqual([{ type: 'DELETED', session: other.session, name: one.name }]);
  });
});

describe.each(TESTED.filter((name) => name !== 'modelled' && name !== 'sqlite'))('%s', (name) => {
  it('loses operations while it is down, and keeps over kill -9 what it has answered', async () => {
    const use = { protocol: 'db-lease', resource: 'fencing-max' } as const;
    const [one] = (await stores.clients(name, 1, use)) as [Client];
    await one.ask({ type: 'WRITE', epoch: 7, value: 1 });
    // The filter leaves no other kind.
    const server = await stores.serverOf(name as Exclude<TestedStore, 'modelled'>);
    await server.kill();
    const lost = await one.ask({ type: 'WRITE', epoch: 8, value: 2 });
    await server.start();

    let answer = null;
    await until('it answers again', async () => {
      answer = await one.ask({ type: 'WRITE', epoch: 6, value: 3 });
      return answer !== null;
    });

    expect(lost).toBeNull();
    expect(answer).toEqual({ type: 'REFUSED', epoch: 6, reason: 'stale', max: 7 });
  });
});
