/**
 * @module
 * Redis as a store. Each operation is one Lua script, which Redis carries out as one step. The lease of lease-local is a
 * key with `SET … PX`, which Redis deletes on its own clock, and its fencing token is a counter beside it. What survives a
 * restart is what Redis wrote to its log: without `appendfsync always` it can grant an epoch a second time.
 */

import { LabError } from '../../errors.ts';
import type { Cells } from './cells.ts';
import { cellServices } from './cells.ts';
import type { LeaseActions } from './lease.ts';
import { granted, leaseMs, leaseService, leaseStateIn, refused } from './lease.ts';
import type { LiveStore, StoreAnswer, StoreUse } from './live-store.ts';
import { malformedAnswer, StoreAway, StoreMalformed, storeOfServices } from './live-store.ts';
import { RedisLink, RedisRefusal } from './redis-link.ts';
import { Reconnecting } from './wire.ts';

/** A request that takes longer is lost. */
const ANSWER_MS_MAX = 2_000;

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
  if (use.protocol === 'lease-local') services.push(leaseService(redisLease(context, use)));
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
      if (LATER.test(error.message)) throw new StoreAway(error.message);
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
    swap: (name, version, text) => script(SWAP, [key(name), writes], [version, text]),
  };
}

function redisLease({ script, key, store }: Context, use: StoreUse): LeaseActions {
  const ms = leaseMs(use);
  const own = String(use.own);
  const keys = [key('lease'), key('epoch'), key('writes')];
  const where = `${keys.join(', ')} in ${store}`;
  const answerOf = (request: number, reply: unknown): StoreAnswer => {
    const [isGranted, holder, epoch, revision, wrote] = listOf(reply, store);
    const state = leaseStateIn({ holder, epoch, revision }, use.own, where);
    if (isGranted !== 1) return refused(request, state);
    return granted(request, state.epoch, { revision: state.revision, wrote: wrote === 1 });
  };
  return {
    acquire: async (request) => answerOf(request, await script(ACQUIRE, keys, [own, request, ms])),
    renew: async (request, epoch) => answerOf(request, await script(RENEW, keys, [own, epoch, ms])),
    async release(epoch) {
      await script(RELEASE, keys, [own, epoch]);
    },
    async look() {
      const [, holder, epoch, revision] = listOf(await script(LOOK, keys, []), store);
      return leaseStateIn({ holder, epoch, revision }, use.own, where);
    },
  };
}

function listOf(reply: unknown, store: string): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw malformedAnswer(store, 'no list where a script returns one');
}
