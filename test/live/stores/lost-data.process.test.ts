/**
 * @module
 * Stores that lose what they had confirmed, under live nodes: all of it, or what was written since a copy. Either a leader
 * follows with an epoch above all others, or every node names the store and what to do.
 */

import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import type { Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { Watchdog } from '../../../src/live/cluster/watchdog.ts';
import { startWatchdog } from '../../../src/live/cluster/watchdog.ts';
import type { StoreKind } from '../../../src/live/stores/open-store.ts';
import { openStore } from '../../../src/live/stores/open-store.ts';
import type { OwnStore } from '../../../src/live/stores/own-store.ts';
import { isStoreInstalled, startOwnStore } from '../../../src/live/stores/own-store.ts';
import { until } from '../network.ts';
import { agreed, startWatchedCluster } from './watched-cluster.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Three nodes and a store beside them, which a test can bring back with other data. */
async function started(protocol: ProtocolName, kind: StoreKind) {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-lost-'));
  const watchdog: Watchdog = startWatchdog(folder);
  const store = await startOwnStore(kind, folder, watchdog);
  const { session, warnings } = await startWatchedCluster(protocol, store.address);
  closing.push(
    () => session.close(),
    () => store.close(),
    () => watchdog.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  return { folder, store, session, warnings };
}

type Lost = 'all' | 'some';

/** Returns a function that makes the store lose data: all of it, or what was written after this call. */
async function lossOf(store: OwnStore, folder: string, lost: Lost): Promise<() => Promise<void>> {
  const [kind, host, port] = store.address.split(':');
  if (kind === 'sqlite') return async () => emptied(join(folder, 'store.sqlite'));
  const data = join(folder, String(kind), kind === 'redis' ? 'appendonlydir' : 'data');
  const copy = join(folder, 'copy');
  if (lost === 'some') cpSync(data, copy, { recursive: true });
  return async () => {
    if (kind === 'redis' && lost === 'all') {
      const client = new Redis(Number(port), String(host));
      await client.flushall();
      client.disconnect();
      return;
    }
    await store.kill();
    rmSync(data, { recursive: true });
    if (lost === 'some') cpSync(copy, data, { recursive: true });
    await store.start();
  };
}

function emptied(path: string): void {
  const database = new DatabaseSync(path, { timeout: 2_000 });
  database.exec('BEGIN IMMEDIATE; DELETE FROM cells; UPDATE writes SET count = 0; COMMIT');
  database.close();
}

const RAISING = [
  ['db-lease', 'sqlite', 'all'],
  ['db-lease', 'redis', 'all'],
  ['db-lease', 'redis', 'some'],
  ['lease-local', 'redis', 'all'],
  ['lease-local', 'redis', 'some'],
  ['kubernetes-lease', 'redis', 'some'],
] as const;
const REFUSING = [
  ['db-lease', 'etcd', 'all'],
  ['lease-local', 'etcd', 'some'],
  ['db-lease', 'zookeeper', 'some'],
  ['zk-recipe', 'zookeeper', 'all'],
] as const;
const installed = <Run extends readonly [ProtocolName, StoreKind, Lost]>(runs: readonly Run[]) =>
  runs.filter(([, kind]) => isStoreInstalled(kind));

it.each(installed(RAISING))(
  '%s on %s that has lost %s of its data elects again above all epochs, as the model does',
  async (protocol, kind, lost) => {
    const { folder, store, session, warnings } = await started(protocol, kind);
    const before = await agreed(session);
    const lose = await lossOf(store, folder, lost);
    // Further writes, which a copy has not.
    await delay(1_000);

    await lose();
    const since = Date.now() - 10_000;
    await until('a leader with an epoch above all others', () =>
      session.cluster.followed().every(({ leader, epoch }) => leader !== null && epoch > since),
    );

    await session.cluster.down();
    const { replayed, clash } = session.check();
    expect(before.epoch).toBeLessThan(since);
    expect(warnings[0]?.text).toMatch(/lost data .*epochs go on above/);
    expect([replayed.defect, clash]).toEqual([null, null]);
  },
);

it.each(installed(REFUSING))(
  '%s on %s that has lost %s of its data elects no more, and every node says once what to do',
  async (protocol, kind, lost) => {
    const { folder, store, session, warnings } = await started(protocol, kind);
    await agreed(session);
    const lose = await lossOf(store, folder, lost);
    await delay(1_000);

    await lose();
    const warned = () => new Set(warnings.map(({ node }) => node)).size;
    await until('each node has warned', () => warned() === 3);
    const leaders = () => session.cluster.followed().map(({ leader }) => leader);
    await until('no node leads', () => leaders().every((leader) => leader === null));

    await delay(1_500);
    expect(leaders()).toEqual([null, null, null]);
    await session.cluster.down();
    const { replayed, clash } = session.check();
    for (const { text } of warnings) expect(text).toMatch(/lost data .*begin another election/);
    expect([replayed.defect, clash]).toEqual([null, null]);
  },
);

it('nodes that return to an emptied store know from their logs that it has lost data', async () => {
  const { store, folder, session, warnings } = await started('db-lease', 'sqlite');
  const before = await agreed(session);
  const { cluster } = session;
  for (const node of cluster.nodes()) await cluster.kill(node);
  await (await lossOf(store, folder, 'all'))();

  const since = Date.now();
  for (const node of cluster.nodes()) cluster.start(node, false);
  await until('a leader', () => cluster.followed().every(({ epoch }) => epoch > before.epoch));
  const after = await agreed(session);

  await cluster.down();
  const { replayed, clash } = session.check();
  expect(after.epoch).toBeGreaterThan(since);
  expect(warnings[0]?.text).toMatch(/lost data .*epochs go on above/);
  expect([replayed.defect, clash]).toEqual([null, null]);
});

it('a row that SQLite loses between reading and writing is not written again with an earlier number', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-lost-'));
  const path = join(folder, 'store.sqlite');
  const own = '1a' as string as Rank;
  const warnings: string[] = [];
  const store = await openStore(`sqlite:${path}`, {
    own,
    election: 'test',
    protocol: 'db-lease',
    timing: { latencyTicksMax: 10 },
    resource: null,
    onNotice: () => undefined,
    onWarning: (text) => warnings.push(text),
  });
  closing.push(
    () => store.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  const row = (version: number) => ({ holder: own, version, epoch: 1, request: 1, leaseTicks: 90 });
  const swap = (expected: number) =>
    Object.assign({ type: 'SWAP' }, { expected, row: row(expected + 1) });
  await store.call(swap(0));

  // The call has read the row before it returns its promise, and writes later.
  const second = store.call(swap(1));
  emptied(path);
  const answer = await second;

  expect(answer).toMatchObject({ mark: { raised: { type: 'RAISE' } } });
  expect(warnings).toEqual([expect.stringMatching(/lost data .*epochs go on above/)]);
});

it.each(installed([['lease-local', 'redis', 'all']]))(
  '%s on %s that has lost %s of its data shows this to each node until one has the lease',
  async (protocol, kind, lost) => {
    const folder = mkdtempSync(join(tmpdir(), 'usurp-lost-'));
    const watchdog = startWatchdog(folder);
    const server = await startOwnStore(kind, folder, watchdog);
    const open = (rank: string) =>
      openStore(server.address, {
        // A rank of a live node is hex.
        own: rank as string as Rank,
        election: 'test',
        protocol,
        timing: { latencyTicksMax: 10 },
        resource: null,
        onNotice: () => undefined,
      });
    const [one, other] = [await open('1a'), await open('2a')];
    closing.push(
      () => one.close(),
      () => other.close(),
      () => server.close(),
      () => watchdog.close(),
      () => rmSync(folder, { recursive: true, force: true }),
    );
    const acquire = Object.assign({ type: 'ACQUIRE' }, { request: 1 });
    await one.call(acquire);
    await (await lossOf(server, folder, lost))();

    const [first, second] = [await one.call(acquire), await other.call(acquire)];

    const { epoch } = Object(first?.value);
    const refused = { value: { type: 'REFUSED', holder: null, epoch } };
    expect(first).toMatchObject({ ...refused, mark: { raised: { type: 'RAISE', epoch } } });
    expect(second).toMatchObject({ ...refused, mark: { raised: { type: 'RAISE', epoch } } });
    await expect
      .poll(async () => (await other.call(acquire))?.value, { timeout: 60_000 })
      .toMatchObject({ type: 'GRANTED', epoch: epoch + 1 });
  },
);
