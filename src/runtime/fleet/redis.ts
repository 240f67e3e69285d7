/**
 * @module
 * Connections to Redis, which are made again after a loss, and the boards on which drivers and workers show
 * that they are live. The clock of Redis decides who is live, so machines whose clocks differ agree.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChainableCommander } from 'ioredis';
import { Redis } from 'ioredis';
import { LabError } from '../../errors.ts';
import { keyPrefix } from './wire.ts';

export const REDIS_DEFAULT = 'redis://127.0.0.1:6379';

/** One connection, which its owner closes. */
export interface RedisLink {
  readonly client: Redis;
  /** The address without its password, for messages. */
  readonly address: string;
  /** Seconds since the connection was lost. 0 if it is connected. */
  awaySeconds(): number;
  /** Calls the listener when the connection is lost and when it is back. */
  onChange(listener: (isThere: boolean) => void): void;
  /** Gives up a lost connection, also those of BullMQ. Resolves when that is done. */
  giveUp(): Promise<void>;
  close(): void;
}

/** The connections of a driver, and the name of its queue. */
export interface Fleet {
  readonly link: RedisLink;
  /** Waits for results. A connection that waits cannot do anything else. */
  readonly waiting: RedisLink;
  readonly queue: string;
  readonly say: (line: string) => void;
}

const CONNECT_MS_MAX = 5000;
const RECONNECT_MS_MAX = 500;
/** No command takes that long. A machine that is switched off does not close its connections. */
const SILENCE_MS_MAX = 15_000;

/**
 * Connects to a Redis. Throws LabError `arguments` for an invalid address, and `storage.unavailable` if no Redis
 * answers. A connection that is lost later is made again while the link is open.
 */
export async function connectRedis(url: string): Promise<RedisLink> {
  const address = addressOf(url);
  // BullMQ copies the options to its own connections. Without this they would look for a lost Redis
  // for ever.
  let isOpen = false;
  let cause = 'no answer';
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    // Commands wait for the connection. The caller decides how long.
    maxRetriesPerRequest: null,
    retryStrategy: (times) => (isOpen ? Math.min(50 * times, RECONNECT_MS_MAX) : null),
  });
  client.on('error', (error: Error) => {
    cause = error.message || cause;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    if (error instanceof Error && !/closed/i.test(error.message)) cause = error.message;
    throw new LabError(
      'storage.unavailable',
      `no Redis can be used at ${address} (${cause}); start one (redis-server) or name it, for example --redis ${REDIS_DEFAULT}`,
    );
  }
  isOpen = true;
  const watch = watchLink(client, () => isOpen);
  const giveUp = async () => {
    isOpen = false;
    await delay(2 * RECONNECT_MS_MAX);
  };
  const close = () => {
    isOpen = false;
    client.disconnect();
  };
  return { client, address, ...watch, giveUp, close };
}

/** The refusal for a Redis that BullMQ cannot use, such as one that is too old. */
export function unusable({ address }: RedisLink, error: unknown): LabError {
  const cause = error instanceof Error ? error.message : String(error);
  const detail = `the Redis at ${address} cannot be used (${cause}); update it, or name another one with --redis`;
  return new LabError('storage.unavailable', detail);
}

/** Prints when the connection is lost and when it is back. */
export function reportLosses(link: RedisLink, say: (line: string) => void): void {
  link.onChange((isThere) =>
    say(isThere ? 'Redis is back' : `Redis at ${link.address} is away; waiting for it`),
  );
}

/** Executes commands as one transaction. Throws the first error among the answers. */
export async function executeAll(commands: ChainableCommander): Promise<void> {
  for (const [error] of (await commands.exec()) ?? []) if (error !== null) throw error;
}

function watchLink(
  client: Redis,
  isOpen: () => boolean,
): Pick<RedisLink, 'awaySeconds' | 'onChange'> {
  let lostAt: number | null = null;
  const listeners: ((isThere: boolean) => void)[] = [];
  client.on('close', () => {
    if (lostAt !== null || !isOpen()) return;
    lostAt = performance.now();
    for (const listener of listeners) listener(false);
  });
  client.on('ready', () => {
    lostAt = null;
    for (const listener of listeners) listener(true);
  });
  return {
    awaySeconds: () => (lostAt === null ? 0 : (performance.now() - lostAt) / 1e3),
    onChange: (listener) => listeners.push(listener),
  };
}

/** The address of a Redis for messages. Throws LabError `arguments` for an invalid one. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    throw new LabError(
      'arguments',
      `the address of a Redis has the form ${REDIS_DEFAULT} or rediss://user:password@host:port/database`,
    );
  }
  const database = url.pathname.length > 1 ? url.pathname : '';
  return `${url.protocol}//${url.host}${database}`;
}

/** How often drivers and workers show that they are live, and when a silent one counts as gone. */
export const PULSE_MS = 1000;
const PRESENT_MS = 4 * PULSE_MS;
const NOTES_MAX = 1000;

export type Board = 'workers' | 'sweeps';
const boardKey = (queue: string, board: Board) => `${keyPrefix(queue)}:${board}`;

// Shows one note, removes notes that were not shown for a while, reads the other board.
const PULSE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. (now - ARGV[2]))
  redis.call('PEXPIRE', key, ARGV[2])
end
return redis.call('ZRANGE', KEYS[2], 0, ARGV[3] - 1)`;

/** Shows a note on a board for the next seconds. Returns the notes on the other board. */
export async function showPresence(
  client: Redis,
  queue: string,
  { board, note }: { readonly board: Board; readonly note: string },
): Promise<readonly string[]> {
  const keys = [
    boardKey(queue, board),
    boardKey(queue, board === 'workers' ? 'sweeps' : 'workers'),
  ];
  const notes: unknown = await client.eval(PULSE, 2, ...keys, note, PRESENT_MS, NOTES_MAX);
  return Array.isArray(notes) ? notes.filter((text) => typeof text === 'string') : [];
}

/** Removes the note. */
export async function endPresence(
  client: Redis,
  queue: string,
  { board, note }: { readonly board: Board; readonly note: string },
): Promise<void> {
  await client.zrem(boardKey(queue, board), note);
}
