/**
 * @module
 * A store of this machine that usurp starts itself: in a folder, on a free port of 127.0.0.1, with every write on disk
 * before it is answered. It can be killed, paused and started again.
 */

import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from '../../errors.ts';
import { unwritable } from '../../runtime/files/file-sink.ts';
import type { StoreKind } from './open-store.ts';

export interface OwnStore {
  /** What `openStore` takes. */
  readonly address: string;
  /** Starts it again with what is on disk. */
  start(): Promise<void>;
  /** Ends it with kill -9. */
  kill(): Promise<void>;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts the store's processes, and ends them if this process is killed. */
export interface ProcessWatch {
  spawn(command: readonly string[]): ChildProcess;
  /** The process has ended. */
  remove(pid: number): void;
}

/** A program that serves, and what it needs. */
interface Program {
  /** Debian's package. */
  readonly from: string;
  readonly isInstalled: () => boolean;
  /** The program with its arguments, for a folder and free ports. */
  readonly commandIn: (folder: string, ports: readonly number[]) => readonly string[];
  /** What one writes to its first port, and what it answers when it serves: a server listens before that. */
  readonly greeting: { readonly says: string; readonly answer: RegExp };
}

/** Where Debian has ZooKeeper. The manifest of this jar names the jars that it needs. */
export const ZOOKEEPER_JAR = '/usr/share/java/zookeeper.jar';
/** Sessions end at a multiple of this, and may be 2 to 20000 of them long. */
const ZOOKEEPER_TICK_MS = 50;
const SERVER_CLASS = 'org.apache.zookeeper.server.ZooKeeperServerMain';
const START_MS_MAX = 20_000;
const POLL_MS = 20;
const ANSWER_MS_MAX = 1_000;

const PROGRAMS: Readonly<Record<Exclude<StoreKind, 'sqlite'>, Program>> = {
  redis: {
    from: 'redis-server',
    isInstalled: () => canRun('redis-server', '--version'),
    commandIn: (folder, [port]) => [
      ...['redis-server', '--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
    ],
    greeting: { says: 'PING\r\n', answer: /^\+PONG/ },
  },
  zookeeper: {
    from: 'libzookeeper-java and default-jre-headless',
    isInstalled: () => existsSync(ZOOKEEPER_JAR) && canRun('java', '-version'),
    commandIn(folder, [port]) {
      const settings = join(folder, 'zoo.cfg');
      const lines = [
        ...[`tickTime=${ZOOKEEPER_TICK_MS}`, `maxSessionTimeout=${ZOOKEEPER_TICK_MS * 20_000}`],
        ...[`dataDir=${join(folder, 'data')}`, 'clientPortAddress=127.0.0.1'],
        ...[`clientPort=${port}`, 'admin.enableServer=false', 'maxClientCnxns=0'],
        '4lw.commands.whitelist=srvr',
      ];
      writeFileSync(settings, `${lines.join('\n')}\n`);
      // The first compiler alone: the server lives for a short time, and starts with half of the work.
      const java = ['java', '-XX:TieredStopAtLevel=1', '-Xmx128m', '-cp', ZOOKEEPER_JAR];
      return [...java, '-Dzookeeper.jmx.log4j.disable=true', SERVER_CLASS, settings];
    },
    greeting: { says: 'srvr', answer: /^Zookeeper version/ },
  },
  etcd: {
    from: 'etcd-server',
    isInstalled: () => canRun('etcd', '--version'),
    commandIn(folder, [client, peer]) {
      const [own, between] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
      return [
        ...['etcd', '--data-dir', join(folder, 'data'), '--log-level', 'error'],
        ...['--listen-client-urls', own, '--advertise-client-urls', own],
        ...['--listen-peer-urls', between, '--initial-advertise-peer-urls', between],
        ...['--initial-cluster', `default=${between}`],
        // A single member elects itself sooner, and grants leases of 1 s instead of 2 s.
        ...['--heartbeat-interval', '50', '--election-timeout', '500'],
      ];
    },
    greeting: { says: 'GET /health HTTP/1.0\r\n\r\n', answer: /"health":"true"/ },
  },
};

/** Whether the program of a store is installed. SQLite needs none. */
export function isStoreInstalled(kind: StoreKind): boolean {
  return kind === 'sqlite' || PROGRAMS[kind].isInstalled();
}

/**
 * Starts a store, with what it has in `folder` from an earlier start. The caller removes the folder. Throws LabError `storage.unavailable` if its
 * program is not installed or does not serve.
 */
export async function startOwnStore(
  kind: StoreKind,
  folder: string,
  watch: ProcessWatch,
): Promise<OwnStore> {
  if (kind === 'sqlite') return fileStore(join(folder, 'store.sqlite'));
  const program = PROGRAMS[kind];
  if (!program.isInstalled()) {
    throw new LabError(
      'storage.unavailable',
      `${kind} is not installed; install Debian's ${program.from}, or name a store that runs`,
    );
  }
  const own = join(folder, kind);
  try {
    mkdirSync(own, { recursive: true });
  } catch (error) {
    throw unwritable(own, error);
  }
  const ports = await freePorts(2);
  const command = program.commandIn(own, ports);
  const server = new ServerProcess(command, watch, () => serves(ports[0] ?? 0, program.greeting));
  await server.start();
  const location = `127.0.0.1:${ports[0]}`;
  return Object.assign(server, { address: `${kind}:${location}` });
}

class ServerProcess {
  readonly #command: readonly string[];
  readonly #watch: ProcessWatch;
  readonly #serves: () => Promise<boolean>;
  #child: ChildProcess | null = null;

  constructor(command: readonly string[], watch: ProcessWatch, serves: () => Promise<boolean>) {
    this.#command = command;
    this.#watch = watch;
    this.#serves = serves;
  }

  async start(): Promise<void> {
    if (this.#child !== null) throw new LabError('arguments', 'the store is up; kill it first');
    const child = this.#watch.spawn(this.#command);
    this.#child = child;
    const { pid } = child;
    child.once('close', () => {
      if (pid !== undefined) this.#watch.remove(pid);
      if (this.#child === child) this.#child = null;
    });
    child.on('error', () => undefined);
    const deadline = Date.now() + START_MS_MAX;
    while (!(await this.#serves())) {
      if (this.#child !== child || Date.now() > deadline) {
        await this.close();
        throw new LabError(
          'storage.unavailable',
          `${this.#command[0]} has stopped, or did not answer within ${START_MS_MAX / 1000} s; try to start it by hand`,
        );
      }
      await delay(POLL_MS);
    }
  }

  async kill(): Promise<void> {
    const child = this.#up();
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }

  pause(): void {
    this.#up().kill('SIGSTOP');
  }

  resume(): void {
    this.#up().kill('SIGCONT');
  }

  async close(): Promise<void> {
    if (this.#child !== null) await this.kill();
  }

  #up(): ChildProcess {
    if (this.#child !== null) return this.#child;
    throw new LabError('arguments', 'the store is down; start it first');
  }
}

/** A file has no process. */
function fileStore(path: string): OwnStore {
  const refuse = () => {
    throw new LabError(
      'arguments',
      'sqlite is a file without a process; only another store can be started, killed, paused or resumed',
    );
  };
  return {
    address: `sqlite:${path}`,
    pause: refuse,
    resume: refuse,
    start: async () => refuse(),
    kill: async () => refuse(),
    close: async () => undefined,
  };
}

function canRun(program: string, argument: string): boolean {
  return spawnSync(program, [argument], { stdio: 'ignore' }).status === 0;
}

async function serves(port: number, { says, answer }: Program['greeting']): Promise<boolean> {
  const socket = createConnection({ port, host: '127.0.0.1' });
  const heard = await new Promise<string>((resolve) => {
    socket.setTimeout(ANSWER_MS_MAX, () => resolve(''));
    socket.once('data', (chunk) => resolve(String(chunk)));
    socket.once('error', () => resolve('')).once('close', () => resolve(''));
    socket.write(says);
  });
  socket.destroy();
  return answer.test(heard);
}

/**
 * Below the ports that systems give to outgoing connections. One of those could take the port of a process that is down,
 * which then cannot return.
 */
const PORTS = { from: 15_000, to: 32_768 } as const;
const PORTS_TRIED_MAX = 1_000;

/** Different ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let tried = 0; found.size < count; tried += 1) {
    if (tried >= PORTS_TRIED_MAX + count) {
      const range = `${PORTS.from}..${PORTS.to - 1}`;
      throw new LabError('arguments', `no ports are free in ${range}; stop other programs`);
    }
    const port = randomInt(PORTS.from, PORTS.to);
    if (await isPortFree(port)) found.add(port);
  }
  return [...found];
}

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isPortFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer().once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
