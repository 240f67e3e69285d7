/**
 * @module
 * Connections to Redis that come back by themselves after the first one was made, and the board on
 * which drivers and workers show that they live. Presence is counted by the clock of Redis, so that
 * machines whose clocks differ agree on it.
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
  /** For how long it has been without connection; 0 where it has one. */
  awaySeconds(): number;
  /** Says when the connection is lost and when it is back. */
  onChange(listener: (isThere: boolean) => void): void;
  /** Has a lost connection, also BullMQ's, given up; resolves when it has been. */
  giveUp(): Promise<void>;
  close(): void;
}

/** The connections of a driver, and where its workers look. */
export interface Fleet {
  readonly link: RedisLink;
  /** Waits for results, and a connection that waits can do nothing else. */
  readonly waiting: RedisLink;
  readonly queue: string;
  readonly say: (line: string) => void;
}

const CONNECT_MS_MAX = 5000;
const RECONNECT_MS_MAX = 500;
/** No command takes as long to answer: a machine that was switched off closes no connection. */
const SILENCE_MS_MAX = 15_000;

/**
 * Connects to a Redis. Throws LabError `arguments` where the address is none, `storage.unavailable` where nobody answers;
 * a connection that is lost later is made again for as long as the link is open.
 */
export async function connectRedis(url: string): Promise<RedisLink> {
  const address = addressOf(url);
  // Also read by the connections that BullMQ makes after this one's example, which would otherwise
  // look for a lost Redis for ever.
  let isOpen = false;
  let cause = 'nobody answers';
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS_MAX,
    socketTimeout: SILENCE_MS_MAX,
    // Commands wait for the connection: whether that is too long is the caller's question.
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

/** Executes commands as one; throws the first error among their answers. */
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

/** The address of a Redis for messages. Throws LabError `arguments` where it is none. */
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

/** How often drivers and workers show themselves, and when one that does not is gone. */
export const PULSE_MS = 1000;
const PRESENT_MS = 4 * PULSE_MS;
const NOTES_MAX = 1000;

export type Board = 'workers' | 'sweeps';
const boardKey = (queue: string, board: Board) => `${keyPrefix(queue)}:${board}`;

// Shows one note, takes down those that have not been shown for a while, reads the other board.
const PULSE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
for _, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', '(' .. (now - ARGV[2]))
  redis.call('PEXPIRE', key, ARGV[2])
end
return redis.call('ZRANGE', KEYS[2], 0, ARGV[3] - 1)`;

/** Shows `note` on a board for the next seconds and returns the notes on the other. */
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

/** Takes the note down. */
export async function endPresence(
  client: Redis,
  queue: string,
  { board, note }: { readonly board: Board; readonly note: string },
): Promise<void> {
  await client.zrem(boardKey(queue, board), note);
}
