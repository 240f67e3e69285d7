/**
 * @module
 * Processes of etcd as one cluster, whose members reach each other through proxies. Requests between members name their
 * sender in a header, so that the proxy of a member can disconnect one other member.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Watchdog } from '../../src/live/cluster/watchdog.ts';
import { startWatchdog } from '../../src/live/cluster/watchdog.ts';
import { freePorts } from '../../src/live/stores/own-store.ts';
import type { RaftSystem, RaftView } from './raft-run.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { startProxy } from './tcp-proxy.ts';

const POLL_MS = 20;
const ANSWER_MS_MAX = 500;

interface EtcdTimes {
  readonly heartbeatMs: number;
  readonly electionMs: number;
}

/** Whether etcd is installed. */
export function isEtcdInstalled(): boolean {
  return spawnSync('etcd', ['--version'], { stdio: 'ignore' }).status === 0;
}

export interface EtcdSystem extends RaftSystem {
  /** What `openStore` takes, for the clients of this member. */
  addressOf(node: number): string;
}

/** Starts a cluster of etcd with these times. */
export async function startEtcdCluster(nodes: number, times: EtcdTimes): Promise<EtcdSystem> {
  const clients = await freePorts(2 * nodes);
  const peers = clients.slice(nodes);
  const proxies = await Promise.all(peers.map((port) => startProxy(port, memberIn)));
  const members = peers.map((peer, index) => {
    const advertised = `http://127.0.0.1:${proxies[index]?.port}`;
    return { name: `n${index + 1}`, client: clients[index] ?? 0, peer, advertised };
  });
  return new EtcdCluster(members, proxies, times);
}

interface Member {
  readonly name: string;
  /** Its ports. */
  readonly client: number;
  readonly peer: number;
  /** The URL under which the others reach it. */
  readonly advertised: string;
}

class EtcdCluster implements EtcdSystem {
  readonly #members: readonly Member[];
  readonly #proxies: readonly TcpProxy[];
  readonly #times: EtcdTimes;
  readonly #folder = mkdtempSync(join(tmpdir(), 'usurp-etcd-'));
  readonly #watchdog: Watchdog = startWatchdog(this.#folder);
  readonly #children = new Map<number, ChildProcess>();
  /** What etcd calls each member: a number in decimal. */
  readonly #ids = new Map<number, string>();
  readonly #views = new Map<number, RaftView>();
  readonly #led = new Map<number, Set<number>>();

  constructor(members: readonly Member[], proxies: readonly TcpProxy[], times: EtcdTimes) {
    this.#members = members;
    this.#proxies = proxies;
    this.#times = times;
    for (let node = 1; node <= members.length; node += 1) this.start(node);
  }

  addressOf(node: number): string {
    return `etcd:127.0.0.1:${this.#members[node - 1]?.client}`;
  }

  views(): readonly RaftView[] {
    return [...this.#views.values()];
  }

  async leadersByTerm(): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
    return this.#led;
  }

  start(node: number): void {
    const child = spawn('etcd', this.#argumentsOf(node), {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    createInterface({ input: child.stderr }).on('line', (line) => this.#noteLog(node, line));
    this.#children.set(node, child);
    if (child.pid !== undefined) this.#watchdog.add(child.pid);
    child.once('close', () => {
      if (child.pid !== undefined) this.#watchdog.remove(child.pid);
    });
    void this.#follow(node, child);
  }

  async kill(node: number): Promise<void> {
    const child = this.#children.get(node);
    this.#children.delete(node);
    this.#views.delete(node);
    if (child === undefined) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }

  isolate(node: number): void {
    const own = BigInt(this.#ids.get(node) ?? 0).toString(16);
    for (const [index, proxy] of this.#proxies.entries()) {
      if (index === node - 1) proxy.cut();
      else proxy.cut(own);
    }
  }

  heal(): void {
    for (const proxy of this.#proxies) proxy.heal();
  }

  async close(): Promise<void> {
    for (const node of [...this.#children.keys()]) await this.kill(node);
    for (const proxy of this.#proxies) proxy.close();
    await this.#watchdog.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #argumentsOf(node: number): readonly string[] {
    const own = this.#members[node - 1];
    if (own === undefined) throw new RangeError(`"node" expected 1..${this.#members.length}`);
    const client = `http://127.0.0.1:${own.client}`;
    const everyone = this.#members.map(({ name, advertised }) => `${name}=${advertised}`);
    return [
      ...['--name', own.name, '--data-dir', join(this.#folder, own.name), '--log-level', 'info'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', `http://127.0.0.1:${own.peer}`],
      ...['--initial-advertise-peer-urls', own.advertised],
      ...['--initial-cluster', everyone.join(',')],
      ...['--heartbeat-interval', String(this.#times.heartbeatMs)],
      ...['--election-timeout', String(this.#times.electionMs)],
    ];
  }

  /** Asks a member again and again what it knows, while its process lives. */
  async #follow(node: number, child: ChildProcess): Promise<void> {
    const port = this.#members[node - 1]?.client ?? 0;
    while (this.#children.get(node) === child) {
      const status = await statusOf(port);
      if (status !== null && this.#children.get(node) === child) this.#note(node, status);
      await delay(POLL_MS);
    }
  }

  #note(node: number, { member, leader, term }: EtcdStatus): void {
    this.#ids.set(node, member);
    const [number = null] = [...this.#ids].find(([, id]) => id === leader) ?? [];
    this.#views.set(node, { node, leader: number, term });
  }

  /** A status is not of one moment: its term can be newer than its leader. The log of a leader names its term. */
  #noteLog(node: number, line: string): void {
    const term = Number(/ became leader at term (\d+)/.exec(line)?.[1] ?? 0);
    if (term > 0) this.#led.set(term, (this.#led.get(term) ?? new Set()).add(node));
  }
}

/** The member that has sent a request to another, in hex. */
function memberIn(head: string): string | null {
  return /^x-server-from: ([0-9a-f]+)/im.exec(head)?.[1] ?? null;
}

/** What a member says. Members are numbers in decimal; no leader is 0. */
interface EtcdStatus {
  readonly member: string;
  readonly leader: string;
  readonly term: number;
}

/** Null if it does not answer. */
async function statusOf(port: number): Promise<EtcdStatus | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v3/maintenance/status`, {
      method: 'POST',
      body: '{}',
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const { header, leader = 0, raftTerm } = Object(await answer.json());
    return { member: String(header.member_id), leader: String(leader), term: Number(raftTerm) };
  } catch {
    return null;
  }
}
