/**
 * @module
 * Redis as a store. Each operation is one Lua script, which Redis carries out as one step. The lease of lease-local is a
 * key with `SET … PX`, which Redis deletes on its own clock, and its fencing token is a counter beside it. What survives a
 * restart is what Redis wrote to its log: without `appendfsync always` it can grant an epoch a second time.
 */

import { isIP, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

import { AbstractConnector, Redis, ReplyError } from 'ioredis';

import { LabError } from '../../errors.ts';
import type { Cells } from './cells.ts';
import { cellServices } from './cells.ts';
import type { LeaseActions } from './lease.ts';
import { granted, leaseMs, leaseService, leaseStateIn, refused } from './lease.ts';
import type { LiveStore, StoreAnswer, StoreUse } from './live-store.ts';
import {
  ANSWER_BYTES_MAX,
  malformedAnswer,
  StoreAway,
  StoreMalformed,
  StoreNotReady,
  storeOfServices,
} from './live-store.ts';
import { Reconnecting } from './wire.ts';

/** A request that takes longer is lost. */
const ANSWER_MS_MAX = 2_000;

const READ = `
local cell = redis.call('HMGET', KEYS[1], 'version', 'text')
return {cell[1] or '0', cell[2] or false, redis.call('GET', KEYS[2]) or '0'}`;

const SWAP = `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return false end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'text', ARGV[2])
local written = redis.call('INCR', KEYS[2])
if written >= tonumber(ARGV[3]) then return written end
redis.call('SET', KEYS[2], ARGV[3])
return ARGV[3]`;

// KEYS: the lease, the counter of epochs, the counter of writes. ARGV of ACQUIRE: caller, request, lease in ms, least epoch.
// ARGV of RAISE: epoch, lease in ms, number of the last write. ARGV of RENEW: caller, epoch, lease in ms. ARGV of RELEASE:
// caller, epoch. An answer contains: whether the lease is granted, the holder ("-" after a RAISE), the epoch, the number of
// the last write, whether the script is that write.
const ACQUIRE = `
local own = ARGV[1] .. ' ' .. ARGV[2]
local epoch = redis.call('GET', KEYS[2]) or '0'
local isKnown = tonumber(epoch) >= tonumber(ARGV[4])
if isKnown and redis.call('SET', KEYS[1], own, 'NX', 'PX', ARGV[3]) then
  return {1, ARGV[1], redis.call('INCR', KEYS[2]), redis.call('INCR', KEYS[3]), 1}
end
local held = redis.call('GET', KEYS[1])
local holder = held and string.match(held, '^%S+')
local granted = isKnown and held == own and 1 or 0
return {granted, holder, epoch, redis.call('GET', KEYS[3]) or '0', 0}`;

const RAISE = `
if (redis.call('GET', KEYS[3]) or '0') ~= ARGV[3] then return false end
redis.call('SET', KEYS[1], '- 0', 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[1])
redis.call('SET', KEYS[3], ARGV[1])
return {0, '-', ARGV[1], ARGV[1], 1}`;

// Redis ends a lease without a number. The script that sees the end raises it, so that earlier answers have lower ones.
const RENEW = `
local held = redis.call('GET', KEYS[1])
local holder = held and string.match(held, '^%S+')
local epoch = redis.call('GET', KEYS[2]) or '0'
if holder == ARGV[1] and epoch == ARGV[2] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {1, holder, epoch, redis.call('INCR', KEYS[3]), 1}
end
if not held then return {0, holder, epoch, redis.call('INCR', KEYS[3]), 1} end
return {0, holder, epoch, redis.call('GET', KEYS[3]) or '0', 0}`;

const RELEASE = `
local held = redis.call('GET', KEYS[1])
if held and string.match(held, '^%S+') == ARGV[1] and redis.call('GET', KEYS[2]) == ARGV[2] then
  redis.call('DEL', KEYS[1])
  redis.call('INCR', KEYS[3])
end`;

// Reads the same as a refusal.
const LOOK = `
local held = redis.call('GET', KEYS[1])
local epoch = redis.call('GET', KEYS[2]) or '0'
return {0, held and string.match(held, '^%S+'), epoch, redis.call('GET', KEYS[3]) or '0', 0}`;

/** Connects. Throws LabError `storage.unavailable` if no Redis answers, or its content is not of the form that nodes write. */
export async function openRedisStore(url: string, use: StoreUse): Promise<LiveStore> {
  const { host } = new URL(url);
  const store = `Redis at ${host}`;
  const links = new Reconnecting(() => RedisLink.open(url, store, ANSWER_MS_MAX));
  try {
    await links.link();
  } catch (error) {
    links.close();
    if (!(error instanceof StoreAway)) throw error;
    throw new LabError(
      'storage.unavailable',
      `no Redis can be used at ${host} (${error.message}); start one (redis-server)`,
    );
  }
  // One slot for all keys of an election.
  const key = (name: string) => `usurp:{${use.election}}:${name}`;
  const context = { script: scriptsOf(links, store), key, store };
  const services = cellServices(cellsIn(context), use);
  if (use.protocol === 'lease-local') services.push(leaseService(redisLease(context, use), use));
  return storeOfServices(services, use, async () => links.close());
}

type Script = (
  text: string,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

interface Context {
  readonly script: Script;
  readonly key: (name: string) => string;
  /** In words for the user. */
  readonly store: string;
}

/** How Redis begins the refusals of a server that will answer later. */
const LATER = /^(LOADING|BUSY|TRYAGAIN|MASTERDOWN|CLUSTERDOWN)\b/;

function scriptsOf(links: Reconnecting<RedisLink>, store: string): Script {
  return async (text, keys, args) => {
    const link = await links.link();
    try {
      return await link.ask(['EVAL', text, keys.length, ...keys, ...args]);
    } catch (error) {
      if (!(error instanceof RedisRefusal)) throw error;
      if (LATER.test(error.message)) throw new StoreNotReady(error.message);
      const detail = `${store} refuses an operation on ${keys.join(', ')}: ${error.message}`;
      throw new StoreMalformed(`${detail}; correct its settings, or what it has there`);
    }
  };
}

function cellsIn({ script, key, store }: Context): Cells {
  const writes = key('writes');
  return {
    where: (name) => `${key(name)} in ${store}`,
    async read(name) {
      const reply = await script(READ, [key(name), writes], []);
      const [version, text, revision] = listOf(reply, store);
      return { text, version, revision };
    },
    raises: true,
    swap: (name, version, text, least) => script(SWAP, [key(name), writes], [version, text, least]),
  };
}

function redisLease({ script, key, store }: Context, use: StoreUse): LeaseActions {
  const ms = leaseMs(use);
  const own = String(use.own);
  const keys = [key('lease'), key('epoch'), key('writes')];
  const where = `${keys.join(', ')} in ${store}`;
  const stateIn = (reply: unknown) => {
    const [, found, epoch, revision] = listOf(reply, store);
    const isRaised = found === '-';
    const holder = isRaised ? null : found;
    return leaseStateIn({ holder, epoch, revision, isRaised }, use.own, where);
  };
  const answerOf = (request: number, reply: unknown): StoreAnswer => {
    const [isGranted, , , , wrote] = listOf(reply, store);
    const state = stateIn(reply);
    if (isGranted !== 1) return refused(request, state);
    return granted(request, state.epoch, { revision: state.revision, wrote: wrote === 1 });
  };
  return {
    where,
    acquire: async (request, least) =>
      answerOf(request, await script(ACQUIRE, keys, [own, request, ms, least])),
    renew: async (request, epoch) => answerOf(request, await script(RENEW, keys, [own, epoch, ms])),
    async release(epoch) {
      await script(RELEASE, keys, [own, epoch]);
    },
    look: async () => stateIn(await script(LOOK, keys, [])),
    async raise(epoch, revision) {
      const reply = await script(RAISE, keys, [epoch, ms, revision]);
      if (reply === null) throw new StoreAway(`another node has written ${where}`);
      return stateIn(reply);
    },
  };
}

function listOf(reply: unknown, store: string): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw malformedAnswer(store, 'no list where a script returns one');
}

/**
 * The server has refused a command. One connection to Redis, with the client ioredis. The client trusts the server:
 * it keeps an answer of any length, and makes room for as many members as an answer says it has. So its socket looks
 * at the answers first. Scripts of the store answer with a value, or with a flat list of few.
 */
class RedisRefusal extends Error {}

/** The first bytes of a list of 100 members and more. Scripts return five. */
const LONG_LIST = /\*(\d{3,})\r/;
/** Two pieces can have parts of it. */
const TAIL_CHARACTERS = 16;

/** Looks at the answers that a socket reads, and ends the connection when one is too long. */
class AnswerGuard {
  readonly #store: string;
  #left = ANSWER_BYTES_MAX;
  #tail = '';

  constructor(store: string) {
    this.#store = store;
  }

  /** One more answer may come. */
  expect(): void {
    this.#left = ANSWER_BYTES_MAX;
  }

  /** The same socket, whose answers are looked at; those of TLS when they are decrypted. */
  around<Guarded extends Socket>(socket: Guarded): Guarded {
    const push = socket.push.bind(socket);
    socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      const problem = chunk === null ? null : this.#problemOf(chunk);
      if (problem === null) return push(chunk, encoding);
      socket.destroy(problem);
      return false;
    };
    return socket;
  }

  #problemOf(chunk: Buffer): StoreMalformed | null {
    this.#left -= chunk.length;
    if (this.#left < 0)
      return malformedAnswer(this.#store, `an answer of more than ${ANSWER_BYTES_MAX} bytes`);
    const text = this.#tail + chunk.toString('latin1');
    this.#tail = text.slice(-TAIL_CHARACTERS);
    const [, length] = LONG_LIST.exec(text) ?? [];
    return length === undefined ? null : malformedAnswer(this.#store, `a list of ${length}`);
  }
}

class RedisLink {
  readonly #client: Redis;
  readonly #guard: AnswerGuard;
  #problem: StoreMalformed | null = null;
  /** Why its certificate is not trusted, with what to do. */
  #certificateFault: string | null = null;
  #isLost = false;

  /** Connects. Throws `StoreAway`. */
  static async open(url: string, store: string, answerMs: number): Promise<RedisLink> {
    const link = new RedisLink(url, store, answerMs);
    try {
      await link.#client.connect();
      await link.#client.ping();
      return link;
    } catch (error) {
      link.close();
      throw link.#problem ?? new StoreAway(link.#certificateFault ?? textOf(error));
    }
  }

  private constructor(url: string, store: string, answerMs: number) {
    const guard = new AnswerGuard(store);
    this.#guard = guard;
    this.#client = new Redis(url, {
      lazyConnect: true,
      connectTimeout: answerMs,
      commandTimeout: answerMs,
      // What cannot be sent now is lost, and the machine sends again. A lost connection is made anew by the store.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      // A server that will answer later refuses commands.
      enableReadyCheck: false,
      disableClientInfo: true,
      protocol: 2,
      Connector: connectorOf(guard),
    });
    this.#client.on('error', (error) => {
      if (error instanceof StoreMalformed) this.#problem ??= error;
      if (/certificate|altnames/i.test(error.message))
        this.#certificateFault = `${error.message}; name the file of its authority in NODE_EXTRA_CA_CERTS`;
      // The client has no class for it.
      if (error.message.startsWith('Unknown RESP type'))
        this.#problem ??= malformedAnswer(store, 'no reply of its protocol');
    });
  }

  get isOpen(): boolean {
    return !this.#isLost && this.#client.status === 'ready';
  }

  /** Throws `RedisRefusal` if the server refuses the command, or `StoreAway`, after which the connection is of no use. */
  async ask([name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
    this.#guard.expect();
    try {
      return await this.#client.call(name, ...args);
    } catch (error) {
      if (error instanceof ReplyError) throw new RedisRefusal(textOf(error));
      this.close();
      throw this.#problem ?? new StoreAway(textOf(error));
    }
  }

  close(): void {
    this.#isLost = true;
    this.#client.disconnect();
  }
}

function connectorOf(guard: AnswerGuard) {
  return class extends AbstractConnector {
    readonly #address: { readonly host: string; readonly port: number; readonly tls?: unknown };

    constructor(options: unknown) {
      super(0);
      // The client gives what it has read from the URL.
      this.#address = options as { host: string; port: number; tls?: unknown };
    }

    override async connect(): Promise<Socket> {
      const { host, port, tls } = this.#address;
      this.connecting = true;
      const servername = isIP(host) === 0 ? { servername: host } : {};
      const isSecure = tls !== undefined;
      const stream = isSecure ? connectTls({ host, port, ...servername }) : new Socket();
      this.stream = guard.around(stream);
      if (!isSecure) stream.connect({ host, port });
      return stream;
    }
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
