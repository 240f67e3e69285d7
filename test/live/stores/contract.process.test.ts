/**
 * @module
 * One contract for the modelled store and the real ones (SQLite, Redis, ZooKeeper, etcd; one that is not installed is
 * skipped with a notice): acquire, renew, expire, lose, and the fence of the resource.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Rank } from '../../../src/election/machine.ts';
import { openStore } from '../../../src/live/stores/open-store.ts';
import { until } from '../network.ts';
import type { Client } from './test-stores.ts';
import { createTestStores, storesFor, TESTED } from './test-stores.ts';

const stores = createTestStores();
afterAll(() => stores.close());

/** As many clients as a test names. */
type Two = [Client, Client];

describe.each(storesFor('db-lease'))('the row of db-lease in %s', (name) => {
  const rowOf = ({ own }: Client, version: number, request: number, epoch = version) => {
    return { holder: own, version, epoch, request, leaseTicks: 60 };
  };
  const open = async () => (await stores.clients(name, 2, { protocol: 'db-lease' })) as Two;

  it('is written once for one version, and every answer shows the row as it is', async () => {
    const [one, other] = await open();

    const empty = await one.ask({ type: 'READ' });
    const answers = await Promise.all([
      one.ask({ type: 'SWAP', expected: 0, row: rowOf(one, 1, 7) }),
      other.ask({ type: 'SWAP', expected: 0, row: rowOf(other, 1, 8) }),
    ]);

    expect(empty).toEqual({ type: 'ROW', row: null });
    expect(answers[0]).toEqual(answers[1]);
    expect(await other.ask({ type: 'READ' })).toEqual(answers[0]);
  });

  it('is renewed by its holder, and lost when another writes the next version', async () => {
    const [one, other] = await open();
    await one.ask({ type: 'SWAP', expected: 0, row: rowOf(one, 1, 1) });
    const renewed = await one.ask({ type: 'SWAP', expected: 1, row: rowOf(one, 2, 2, 1) });
    const taken = await other.ask({ type: 'SWAP', expected: 2, row: rowOf(other, 3, 1) });

    const late = await one.ask({ type: 'SWAP', expected: 2, row: rowOf(one, 3, 3, 1) });

    expect(renewed).toEqual({ type: 'ROW', row: rowOf(one, 2, 2, 1) });
    expect(taken).toEqual({ type: 'ROW', row: rowOf(other, 3, 1) });
    expect(late).toEqual(taken);
  });

  it('is not written a second time by a copy of a request', async () => {
    const [one, other] = await open();
    const swap = { type: 'SWAP', expected: 0, row: rowOf(one, 1, 1) };
    await one.ask(swap);
    await other.ask({ type: 'SWAP', expected: 1, row: rowOf(other, 2, 1) });

    expect(await one.ask(swap)).toEqual({ type: 'ROW', row: rowOf(other, 2, 1) });
  });

  it('orders answers by the writes that they saw', async () => {
    const [one, other] = await open();
    const first = await one.store.call({ type: 'READ' });
    const second = await one.store.call(
      Object.assign({ type: 'SWAP' }, { expected: 0, row: rowOf(one, 1, 1) }),
    );
    const third = await other.store.call({ type: 'READ' });

    const marks = [first, second, third].map((answer) => answer?.mark);

    expect(marks.map((mark) => mark?.wrote)).toEqual([false, true, false]);
    expect(marks[1]?.revision).toBeGreaterThan(marks[0]?.revision ?? Number.POSITIVE_INFINITY);
    expect(marks[2]?.revision).toBe(marks[1]?.revision);
  });
});

describe.each(storesFor('lease-local'))('the lease of lease-local in %s', (name) => {
  const open = async () => (await stores.clients(name, 2, { protocol: 'lease-local' })) as Two;

  it('is granted to one node, again for a copy of its request, and refused to others', async () => {
    const [one, other] = await open();

    const answers = [
      await one.ask({ type: 'ACQUIRE', request: 5 }),
      await one.ask({ type: 'ACQUIRE', request: 5 }),
      await one.ask({ type: 'ACQUIRE', request: 6 }),
      await other.ask({ type: 'ACQUIRE', request: 5 }),
      await one.ask({ type: 'RENEW', request: 7, epoch: 1 }),
    ];

    const held = { type: 'REFUSED', holder: one.own, epoch: 1 };
    expect(answers).toEqual([
      { type: 'GRANTED', request: 5, epoch: 1 },
      { type: 'GRANTED', request: 5, epoch: 1 },
      { ...held, request: 6 },
      { ...held, request: 5 },
      { type: 'GRANTED', request: 7, epoch: 1 },
    ]);
  });

  it('ends without a renewal; the next holder has a higher epoch, and the former one is refused', async () => {
    const [one, other] = await open();
    await one.ask({ type: 'ACQUIRE', request: 1 });
    let request = 1;
    const taken = async () => {
      request += 1;
      return (await other.ask({ type: 'ACQUIRE', request }))?.type === 'GRANTED';
    };
    await until('the lease has ended', taken);

    const late = await one.ask({ type: 'RENEW', request: 2, epoch: 1 });

    expect(late).toEqual({ type: 'REFUSED', request: 2, holder: other.own, epoch: 2 });
  });

  it('gives answers from before its end lower numbers than answers from after it', async () => {
    const [one, other] = await open();
    await one.ask({ type: 'ACQUIRE', request: 1 });
    const before = await other.store.call(Object.assign({ type: 'ACQUIRE' }, { request: 1 }));
    let after: typeof before = null;
    await until('the lease has ended', async () => {
      // An attempt that comes too early renews it.
      await delay(1_800);
      after = await one.store.call(Object.assign({ type: 'RENEW' }, { request: 2, epoch: 1 }));
      return after?.value.type === 'REFUSED';
    });

    expect(before?.value).toMatchObject({ type: 'REFUSED', holder: one.own });
    expect(after).toMatchObject({ value: { holder: null, epoch: 1 } });
    expect(after).toMatchObject({
      mark: {
        revision: expect.toSatisfy((number) => number > (before?.mark.revision ?? Number.NaN)),
      },
    });
  });

  it('is free after its release, which counts in its own epoch only', async () => {
    const [one, other] = await open();
    await one.ask({ type: 'ACQUIRE', request: 1 });
    await other.ask({ type: 'RELEASE', epoch: 1 });
    const refused = await other.ask({ type: 'ACQUIRE', request: 1 });
    await one.ask({ type: 'RELEASE', epoch: 1 });
    const granted = await other.ask({ type: 'ACQUIRE', request: 2 });
    await one.ask({ type: 'RELEASE', epoch: 1 });

    expect(refused).toMatchObject({ type: 'REFUSED', holder: one.own });
    expect(granted).toEqual({ type: 'GRANTED', request: 2, epoch: 2 });
    expect(await other.ask({ type: 'RENEW', request: 3, epoch: 2 })).toMatchObject({
      type: 'GRANTED',
    });
  });
});

const settled = (['db-lease', 'lease-local', 'zk-recipe'] as const).flatMap((protocol) =>
  storesFor(protocol).flatMap((name) => (name === 'modelled' ? [] : [[protocol, name] as const])),
);

it.each(settled)('a node of %s on %s with another latency is refused', async (protocol, name) => {
  const { address } = await stores.serverOf(name);
  const about = { election: `latency-${protocol}`, protocol, resource: null, own: RANK };
  const open = (latencyTicksMax: number) =>
    openStore(address, { ...about, timing: { latencyTicksMax }, onNotice: () => undefined });
  const first = await open(500);

  const other = open(50);

  await expect(other).rejects.toThrow(/run with --latency 500ms, not 50ms .*give --latency 500ms/);
  await (await open(500)).close();
  await first.close();
});

// A rank of a live node is hex.
const RANK = '1a' as string as Rank;

describe.each(TESTED)('the resource in %s', (name) => {
  const protocol = 'db-lease';
  const write = (epoch: number, value: number) => ({ type: 'WRITE', epoch, value });

  it('without a fence accepts the write of a leader that was replaced', async () => {
    const [one, other] = (await stores.clients(name, 2, { protocol, resource: 'unfenced' })) as Two;
    await one.ask(write(1, 1));
    await other.ask(write(2, 1));

    expect(await one.ask(write(1, 2))).toEqual({ type: 'WRITTEN', epoch: 1, value: 2 });
  });

  it('with fencing-max refuses it once the new leader has written', async () => {
    const use = { protocol, resource: 'fencing-max' } as const;
    const [one, other] = (await stores.clients(name, 2, use)) as Two;
    await one.ask(write(1, 1));
    await other.ask(write(2, 1));

    const late = await one.ask(write(1, 2));

    expect(late).toEqual({ type: 'REFUSED', epoch: 1, reason: 'stale', max: 2 });
    expect(await other.ask(write(2, 2))).toMatchObject({ type: 'WRITTEN' });
  });

  it('with fencing-register refuses it once the new leader has registered, and not before', async () => {
    const use = { protocol, resource: 'fencing-register' } as const;
    const [one, other] = (await stores.clients(name, 2, use)) as Two;
    await one.ask({ type: 'REGISTER', epoch: 1 });
    const before = await one.ask(write(1, 1));
    await other.ask({ type: 'REGISTER', epoch: 2 });

    expect(before).toMatchObject({ type: 'WRITTEN' });
    expect(await one.ask(write(1, 2))).toMatchObject({ type: 'REFUSED', reason: 'stale', max: 2 });
  });
});
