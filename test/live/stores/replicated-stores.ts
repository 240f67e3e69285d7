/**
 * @module
 * Stores of several servers on this machine: a Redis with a replica, and an ensemble of ZooKeeper. Nodes reach them through a
 * proxy, which a fail-over turns to another server. bench/study/etcd-cluster.ts has the members of etcd.
 */

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startProxy } from '../../../bench/study/tcp-proxy.ts';
import type { Watchdog } from '../../../src/live/cluster/watchdog.ts';
import { freePorts, startOwnStore, ZOOKEEPER_JAR } from '../../../src/live/stores/own-store.ts';
import { until } from '../network.ts';

export interface ReplicatedRedis {
  /** What `openStore` takes. It stays the same. */
  readonly address: string;
  /** Stops the replication: the replica receives no more writes. */
  cut(): void;
  /** Kills the primary, and puts the replica in its place. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

/** Starts both, and waits until the replica has what the primary has. */
export async function startReplicatedRedis(
  folder: string,
  watchdog: Watchdog,
): Promise<ReplicatedRedis> {
  const primary = await startOwnStore('redis', join(folder, 'primary'), watchdog);
  const replica = await startOwnStore('redis', join(folder, 'replica'), watchdog);
  const [from = 0, to = 0] = [primary, replica].map(({ address }) =>
    Number(address.split(':').at(-1)),
  );
  const [nodes, replication] = [await startProxy(from), await startProxy(from)];
  const [source, target] = [new Redis(from), new Redis(to)];
  await source.config('SET', 'repl-diskless-sync-delay', '0');
  source.disconnect();
  await target.replicaof('127.0.0.1', replication.port);
  const isLinked = async () => (await target.info('replication')).includes('link_status:up');
  await until('the replica has the data of the primary', isLinked);
  return {
    address: `redis:127.0.0.1:${nodes.port}`,
    cut: () => replication.cut(),
    async failOver() {
      await primary.kill();
      await target.replicaof('NO', 'ONE');
      nodes.redirect(to);
    },
    async close() {
      target.disconnect();
      for (const proxy of [nodes, replication]) proxy.close();
      for (const server of [primary, replica]) await server.close();
    },
  };
}

const SERVERS = [1, 2, 3] as const;
export type Server = (typeof SERVERS)[number];

export interface Ensemble {
  /** What `openStore` takes. It stays the same, whichever server is behind it: at first a follower. */
  readonly address: string;
  readonly leader: Server;
  readonly followers: readonly [Server, Server];
  /** Closes the connections of the nodes. They then connect to this server. */
  move(to: Server): void;
  kill(server: Server): Promise<void>;
  start(server: Server): Promise<void>;
  close(): Promise<void>;
}

const SERVER_CLASS = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** Starts three servers of ZooKeeper, and waits until two follow one. */
export async function startEnsemble(folder: string, watchdog: Watchdog): Promise<Ensemble> {
  const ports = await freePorts(3 * SERVERS.length);
  const clientPort = (server: Server) => ports[server - 1] ?? 0;
  const members = SERVERS.map(
    (server) => `server.${server}=127.0.0.1:${ports[server + 2]}:${ports[server + 5]}`,
  );
  const children = new Map<Server, ChildProcess>();
  const spawned = (server: Server) => {
    const own = join(folder, `server-${server}`);
    const data = join(own, 'data');
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, 'myid'), `${server}\n`);
    const lines = [
      ...['tickTime=50', 'initLimit=200', 'syncLimit=100', 'maxSessionTimeout=1000000'],
      ...[`dataDir=${data}`, 'clientPortAddress=127.0.0.1', `clientPort=${clientPort(server)}`],
      ...['admin.enableServer=false', 'maxClientCnxns=0', '4lw.commands.whitelist=srvr'],
      ...members,
    ];
    const settings = join(own, 'zoo.cfg');
    writeFileSync(settings, `${lines.join('\n')}\n`);
    const java = ['java', '-XX:TieredStopAtLevel=1', '-Xmx128m', '-cp', ZOOKEEPER_JAR];
    children.set(
      server,
      watchdog.spawn([...java, '-Dzookeeper.jmx.log4j.disable=true', SERVER_CLASS, settings]),
    );
  };
  const modes = async () => Promise.all(SERVERS.map((server) => modeOf(clientPort(server))));
  for (const server of SERVERS) spawned(server);
  const isComplete = async () =>
    (await modes()).filter((mode) => mode === 'follower').length === SERVERS.length - 1;
  await until('two servers follow one', isComplete);
  const started = await modes();
  const [leader] = SERVERS.filter((server) => started[server - 1] === 'leader');
  const [first, second] = SERVERS.filter((server) => started[server - 1] === 'follower');
  if (leader === undefined || first === undefined || second === undefined)
    throw new Error('the ensemble has changed its leader');
  const nodes = await startProxy(clientPort(first));
  const kill = async (server: Server) => {
    const child = children.get(server);
    children.delete(server);
    if (child?.pid === undefined) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    watchdog.remove(child.pid);
  };
  return {
    address: `zookeeper:127.0.0.1:${nodes.port}`,
    leader,
    followers: [first, second],
    move: (to) => nodes.redirect(clientPort(to)),
    kill,
    async start(server) {
      spawned(server);
      await until('the server serves', async () => (await modes())[server - 1] !== null);
    },
    async close() {
      nodes.close();
      for (const server of SERVERS) await kill(server);
    },
  };
}

/** What a server is, such as `follower`. Null if it does not serve. */
async function modeOf(port: number): Promise<string | null> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  const text = await new Promise<string>((resolve) => {
    let heard = '';
    socket.setTimeout(1_000, () => socket.destroy());
    socket.on('data', (chunk) => {
      heard += String(chunk);
    });
    socket.on('error', () => undefined).once('close', () => resolve(heard));
    socket.write('srvr');
  });
  return /^Mode: (\w+)$/m.exec(text)?.[1] ?? null;
}
