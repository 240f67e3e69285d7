/**
 * @module
 * Redis as a store. Each operation is one Lua script, which Redis carries out as one step. The lease of lease-local is a
 * key with `SET … PX`, which Redis deletes on its own clock, and its fencing token is a counter beside it. What survives a
 * restart is what Redis wrote to its log: without `appendfsync always` it can grant an epoch a second time.
 */

import { Redis } from 'ioredis';
import { LabError } from '../../errors.ts';
import type { Cells } from './cells.ts';
import { cellServices } from './cells.ts';
import type { LeaseActions } from './lease.ts';
import { granted, leaseMs, leaseService, rankIn, refused } from './lease.ts';
import type { LiveStore, StoreAnswer, StoreUse } from './live-store.ts';
import { StoreAway, storeOfServices } from './live-store.ts';

const CONNECT_MS_MAX = 2_000;
const RECONNECT_MS = 50;

const READ = `
local cell = redis.call('HMGET', KEYS[1], 'version', 'text')
return {cell[1] or '0', cell[2] or false, redis.call('GET', KEYS[2]) or '0'}`;

const SWAP = `
if (redis.call('HGET', KEYS[1], 'version') or '0') ~= ARGV[1] then return false end
redis.call('HSET', KEYS[1], 'version', ARGV[1] + 1, 'text', ARGV[2])
return redis.call('INCR', KEYS[2])`;

// KEYS: the lease, the counter of epochs, the counter of writes. ARGV: caller, request, ticks or epoch.
// An answer is: whether it is granted, the holder, the epoch, the number of the last write, whether this is that write.
const ACQUIRE = `
local own = ARGV[1] .. ' ' .. ARGV[2]
if redis.call('SET', KEYS[1], own, 'NX', 'PX', ARGV[3]) then
  return {1, ARGV[1], redis.call('INCR', KEYS[2]), redis.call('INCR', KEYS[3]), 1}
end
local held = redis.call('GET', KEYS[1])
local holder = string.match(held, '^%S+')
local granted = held == own and 1 or 0
return {granted, holder, redis.call('GET', KEYS[2]) or '0', redis.call('GET', KEYS[3]) or '0', 0}`;

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

/** Connects. Throws LabError `storage.unavailable` if no Redis answers. */
export async function openRedisStore(url: string, use: StoreUse): Promise<LiveStore> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS_MAX,
    // What cannot be sent now is lost, and the machine sends again.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    client.disconnect();
    const cause = error instanceof Error ? error.message : String(error);
    const { host } = new URL(url);
    throw new LabError(
      'storage.unavailable',
      `no Redis can be used at ${host} (${cause}); start one (redis-server)`,
    );
  }
  // One slot for all keys of an election.
  const key = (name: string) => `usurp:{${use.election}}:${name}`;
  const script = scriptsOf(client);
  const services = cellServices(cellsIn(script, key), use);
  if (use.protocol === 'lease-local') {
    services.push(leaseService(redisLease(script, key, use)));
  }
  return storeOfServices(services, async () => client.disconnect());
}

type Script = (
  text: string,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

function scriptsOf(client: Redis): Script {
  return async (text, keys, args) => {
    try {
      return await client.eval(text, keys.length, ...keys, ...args);
    } catch (error) {
      throw new StoreAway(error instanceof Error ? error.message : String(error));
    }
  };
}

function cellsIn(script: Script, key: (name: string) => string): Cells {
  const writes = key('writes');
  return {
    async read(name) {
      const [version, text, revision] = membersOf(await script(READ, [key(name), writes], []));
      return {
        text: typeof text === 'string' ? text : null,
        version: Number(version),
        revision: Number(revision),
      };
    },
    async swap(name, version, text) {
      const written = await script(SWAP, [key(name), writes], [version, text]);
      return written === null ? null : Number(written);
    },
  };
}

function redisLease(script: Script, key: (name: string) => string, use: StoreUse): LeaseActions {
  const ms = leaseMs(use);
  const own = String(use.own);
  const keys = [key('lease'), key('epoch'), key('writes')];
  return {
    acquire: async (request) => answerOf(request, await script(ACQUIRE, keys, [own, request, ms])),
    renew: async (request, epoch) => answerOf(request, await script(RENEW, keys, [own, epoch, ms])),
    async release(epoch) {
      await script(RELEASE, keys, [own, epoch]);
    },
  };
}

function answerOf(request: number, result: unknown): StoreAnswer {
  const [isGranted, holder, last, writes, wrote] = membersOf(result);
  const epoch = Number(last);
  const revision = Number(writes);
  if (isGranted === 1) return granted(request, epoch, { revision, wrote: wrote === 1 });
  return refused(request, {
    holder: rankIn(typeof holder === 'string' ? holder : null),
    ...{ epoch, revision },
  });
}

function membersOf(result: unknown): readonly unknown[] {
  return Array.isArray(result) ? result : [];
}
