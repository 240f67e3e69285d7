/**
 * @module
 * Real stores that fail over, under live nodes: a Redis whose replica lacks the last writes, members of etcd and servers of
 * ZooKeeper of which a majority is lost and returns, and sessions that move to another server. docs/stores.md states what
 * happens then, beside what happens in the model.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { startEtcdCluster } from '../../../bench/study/etcd-cluster.ts';
import { numbersOf } from '../../../src/election/definition/flags.ts';
import { DB_LEASE_NUMBERS } from '../../../src/election/lease/db-lease.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { STORE_NUMBER } from '../../../src/live/cluster/cluster.ts';
import type { ClusterSession } from '../../../src/live/cluster/cluster-session.ts';
import type { Watchdog } from '../../../src/live/cluster/watchdog.ts';
import { startWatchdog } from '../../../src/live/cluster/watchdog.ts';
import { isStoreInstalled } from '../../../src/live/stores/own-store.ts';
import { until } from '../network.ts';
import { startEnsemble, startReplicatedRedis } from './replicated-stores.ts';
import { agreed, startWatchedCluster } from './watched-cluster.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const LATENCY = 100;
/** The machine is busy with other tests. */
const SLACK_MS = 1_500;
/** What the replica is behind when nothing is lost. */
const REPLICATED_MS = 200;

function folderOf(): { readonly folder: string; readonly watchdog: Watchdog } {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-failover-'));
  const watchdog = startWatchdog(folder);
  closing.push(
    () => watchdog.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  return { folder, watchdog };
}

/** Closes this before what was started earlier. */
function closeFirst(...close: (() => unknown)[]): void {
  closing.unshift(...close);
}

async function startedOn(protocol: ProtocolName, address: string) {
  const started = await startWatchedCluster(protocol, address, LATENCY);
  closeFirst(() => started.session.close());
  return started;
}

async function checkedAfter(session: ClusterSession) {
  await session.cluster.down();
  const { replayed, clash } = session.check();
  return { defect: replayed.defect, clash };
}

const leadersOf = ({ cluster }: ClusterSession) => cluster.followed().map(({ leader }) => leader);

function print(about: string, measured: object): void {
  process.stderr.write(`${about}: ${JSON.stringify(measured)}\n`);
}

const LEASES = ['db-lease', 'kubernetes-lease', 'lease-local'] as const;

describe.skipIf(!isStoreInstalled('redis'))('a Redis whose replica takes over', () => {
  async function started(protocol: ProtocolName) {
    const { folder, watchdog } = folderOf();
    const redis = await startReplicatedRedis(folder, watchdog);
    closeFirst(() => redis.close());
    return { redis, ...(await startedOn(protocol, redis.address)) };
  }

  it.each(LEASES)(
    'without the last renewals: nodes of %s notice it, and lead above all epochs after a lease',
    async (protocol) => {
      const { redis, session, warnings } = await started(protocol);
      const before = await agreed(session);
      redis.cut();
      await delay(1_000);

      const since = Date.now();
      await redis.failOver();
      await until('a leader with an epoch above all others', () =>
        session.cluster.followed().every(({ leader, epoch }) => leader !== null && epoch > since),
      );
      print(`${protocol} without renewals`, { ms: Date.now() - since });

      expect(await checkedAfter(session)).toEqual({ defect: null, clash: null });
      expect(before.epoch).toBeLessThan(since);
      expect(warnings[0]?.text).toMatch(/lost data .*epochs go on above/);
    },
  );

  it.each(LEASES)(
    'without an acquisition: a node of %s that did not know it leads in the same epoch',
    async (protocol) => {
      const { redis, session, warnings } = await started(protocol);
      const { cluster } = session;
      const { leader, epoch } = await agreed(session);
      const [next = 0, unaware = 0] = cluster.nodes().filter((node) => node !== leader);
      // The one node does not see what the other acquires.
      cluster.partition([[unaware], [leader, next, STORE_NUMBER]]);
      await cluster.kill(leader);
      await delay(REPLICATED_MS);
      redis.cut();
      const led = (node: number) => cluster.followed().find((each) => each.node === node);
      const leads = (node: number) => () => led(node)?.leader === node;
      await until('the other node leads', leads(next));
      const lost = led(next)?.epoch;

      cluster.partition([[next], [leader, unaware, STORE_NUMBER]]);
      await redis.failOver();
      await until('the node leads that did not know it', leads(unaware));
      const again = led(unaware)?.epoch;
      const unnoticed = [...warnings];
      cluster.heal();
      const since = Date.now() - 60_000;
      await until('the nodes agree above both', () =>
        cluster.followed().every((each) => each.leader !== null && each.epoch > since),
      );
      const { defect, clash } = await checkedAfter(session);
      print(`${protocol} without an acquisition`, { epoch, lost, again, defect, clash });

      expect(again).toBe(lost);
      expect(unnoticed).toEqual([]);
      expect(warnings[0]).toMatchObject({ node: next, text: expect.stringMatching(/lost data/) });
      expect(clash).toMatchObject({ epoch: lost });
      // The modelled store, which has lost nothing, does not give the epoch again.
      expect(defect).not.toBeNull();
    },
  );
});

describe.skipIf(!isStoreInstalled('etcd'))('an etcd of three members', () => {
  it.each(LEASES)(
    'loses nothing of %s with its leader, and lets no node lead without a majority',
    async (protocol) => {
      const etcd = await startEtcdCluster(3, { heartbeatMs: 101, electionMs: 1010 });
      closeFirst(() => etcd.close());
      const etcdLeader = () => etcd.views().find(({ leader }) => leader !== null)?.leader ?? null;
      await until('etcd has a leader', () => etcd.views().length === 3 && etcdLeader() !== null);
      const first = etcdLeader() ?? 1;
      const [own = 0, other = 0] = [1, 2, 3].filter((member) => member !== first);
      const { session, warnings } = await startedOn(protocol, etcd.addressOf(own));
      await agreed(session);

      await etcd.kill(first);
      await until('etcd has another leader', () => etcdLeader() !== null && etcdLeader() !== first);
      const before = await agreed(session);
      await etcd.kill(other);
      const lostMs = Date.now();
      await until('no node leads', () => leadersOf(session).every((leader) => leader === null));
      const stopMs = Date.now() - lostMs;
      await delay(1_000);
      const meanwhile = leadersOf(session);
      etcd.start(other);
      const backMs = Date.now();
      const after = await agreed(session);
      print(`${protocol} on etcd`, { stopMs, leaderMs: Date.now() - backMs, before, after });

      const { leaseTicks } = numbersOf(DB_LEASE_NUMBERS, { latencyTicksMax: LATENCY }, {});
      expect(stopMs).toBeLessThan(leaseTicks + SLACK_MS);
      expect(meanwhile).toEqual([null, null, null]);
      expect(after.epoch).toBeGreaterThan(before.epoch);
      expect(warnings).toEqual([]);
      expect(await checkedAfter(session)).toEqual({ defect: null, clash: null });
    },
  );

  it('is awaited by nodes that start while it has no majority', async () => {
    const etcd = await startEtcdCluster(3, { heartbeatMs: 101, electionMs: 1010 });
    closeFirst(() => etcd.close());
    await until('etcd has a leader', () => etcd.views().some(({ leader }) => leader !== null));
    for (const member of [2, 3]) await etcd.kill(member);

    const starting = startedOn('lease-local', etcd.addressOf(1));
    await delay(3_000);
    etcd.start(2);
    const { session } = await starting;

    expect(await agreed(session)).toMatchObject({ nodes: [1, 2, 3] });
  });
});

describe.skipIf(!isStoreInstalled('zookeeper'))('three servers of ZooKeeper', () => {
  it('are awaited by nodes that start while they have no majority', async () => {
    const { folder, watchdog } = folderOf();
    const ensemble = await startEnsemble(folder, watchdog);
    closeFirst(() => ensemble.close());
    const [, other] = ensemble.followers;
    for (const server of [ensemble.leader, other]) await ensemble.kill(server);

    const starting = startedOn('zk-recipe', ensemble.address);
    await delay(3_000);
    await ensemble.start(other);
    const { session } = await starting;

    expect(await agreed(session)).toMatchObject({ nodes: [1, 2, 3] });
  });

  it('take over a session that moves, and let no node lead without a majority', async () => {
    const { folder, watchdog } = folderOf();
    const ensemble = await startEnsemble(folder, watchdog);
    closeFirst(() => ensemble.close());
    const { session, warnings } = await startedOn('zk-recipe', ensemble.address);
    const [first, second] = ensemble.followers;
    const before = await agreed(session);

    ensemble.move(second);
    await ensemble.kill(first);
    await delay(2_000);
    const moved = await agreed(session);
    await ensemble.kill(ensemble.leader);
    const lostMs = Date.now();
    await until('no node leads', () => leadersOf(session).every((leader) => leader === null));
    const stopMs = Date.now() - lostMs;
    await ensemble.start(first);
    const after = await agreed(session);
    print('zk-recipe on three servers', { stopMs, before, moved, after, warnings });

    expect(moved).toMatchObject({ leader: before.leader, epoch: before.epoch });
    // The servers count each session anew when they have a majority again, so that the leader may keep its znode.
    expect(after.epoch).toBeGreaterThanOrEqual(before.epoch);
    expect(warnings).toEqual([]);
    expect(await checkedAfter(session)).toEqual({ defect: null, clash: null });
  });
});
