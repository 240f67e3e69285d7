/**
 * @module
 * etcd as a store, over its JSON gateway (`/v3/…`). The lease of lease-local is a key that is bound to a lease of etcd. A
 * time to live has whole seconds, and etcd may lengthen it: a lease in etcd lasts at least as long as its holder counts.
 * A new leader of etcd begins to count every lease anew. The fencing token is a counter that one transaction raises
 * together with the creation of the key.
 */

import { z } from 'zod';
import type { Rank } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { Cells } from './cells.ts';
import { cellServices } from './cells.ts';
import type { LeaseActions } from './lease.ts';
import { granted, leaseMs, leaseService, leaseStateIn, refused } from './lease.ts';
import type { LiveStore, StoreAnswer, StoreUse } from './live-store.ts';
import {
  ANSWER_BYTES_MAX,
  countTextSchema,
  malformedAnswer,
  onceReady,
  StoreAway,
  StoreNotReady,
  storedJson,
  storeOfServices,
} from './live-store.ts';

/** A request that takes longer is lost. etcd itself waits 7 s for a majority. */
const ANSWER_MS_MAX = 2_000;

// Integers of 64 bits are strings, and zeros are absent.
const number64 = countTextSchema.default(0);
const headerSchema = z.looseObject({ revision: number64 });
const keyValueSchema = z.looseObject({
  mod_revision: number64,
  value: z.string().default(''),
  lease: z.string().default('0'),
});
const rangeSchema = z.looseObject({ kvs: z.array(keyValueSchema).default([]) });
const rangeAnswerSchema = z.looseObject({ header: headerSchema, ...rangeSchema.shape });
const txnSchema = z.looseObject({ header: headerSchema, succeeded: z.boolean().default(false) });
const grantSchema = z.looseObject({ ID: z.string() });
const aliveSchema = z.looseObject({
  result: z.looseObject({ header: headerSchema, TTL: number64 }),
});

type Post = <Answer>(path: string, body: object, schema: z.ZodType<Answer>) => Promise<Answer>;

/** Throws LabError `storage.unavailable` if no etcd answers, or its content is not of the form that nodes write. */
export async function openEtcdStore(url: string, use: StoreUse): Promise<LiveStore> {
  const closing = new AbortController();
  const post = posting(url.replace(/\/+$/, ''), closing.signal);
  const path = (name: string) => `usurp/${use.election}/${name}`;
  const key = (name: string) => base64(path(name));
  const where = (name: string) => `${path(name)} in etcd at ${url}`;
  try {
    await onceReady(() => post('kv/range', { key: key('epoch') }, rangeAnswerSchema));
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new LabError(
      'storage.unavailable',
      `no etcd can be used at ${url} (${cause}); start one (etcd-server), or correct the address`,
    );
  }
  const services = cellServices(cellsIn(post, key, where), use);
  if (use.protocol === 'lease-local') {
    services.push(leaseService(etcdLease(post, key, { use, where }), use));
  }
  return storeOfServices(services, use, async () => closing.abort());
}

function posting(url: string, closed: AbortSignal): Post {
  const store = `etcd at ${url}`;
  return async (path, body, schema) => {
    try {
      const answer = await fetch(`${url}/v3/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        // A store could name another server.
        redirect: 'error',
        signal: AbortSignal.any([closed, AbortSignal.timeout(ANSWER_MS_MAX)]),
      });
      const text = await boundedText(answer, store);
      const fault = text.slice(0, FAULT_CHARACTERS_MAX);
      if (NO_LEADER.includes(answer.status)) throw new StoreNotReady(fault);
      if (!answer.ok) throw new StoreAway(fault);
      const parsed = schema.safeParse(storedJson(text));
      if (parsed.success) return parsed.data;
      throw malformedAnswer(store, `no answer to ${path}`);
    } catch (error) {
      if (error instanceof StoreAway) throw error;
      const cause = error instanceof Error ? error.message : String(error);
      const isOverdue = error instanceof DOMException && error.name === 'TimeoutError';
      throw isOverdue ? new StoreNotReady(cause) : new StoreAway(cause);
    }
  };
}

/** What a member answers that has no leader: service unavailable, gateway timeout. */
const NO_LEADER = [503, 504];
const FAULT_CHARACTERS_MAX = 200;

async function boundedText({ body }: Response, store: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) {
      throw malformedAnswer(store, `an answer of more than ${ANSWER_BYTES_MAX} bytes`);
    }
  }
  return Buffer.concat(chunks).toString();
}

function cellsIn(
  post: Post,
  key: (name: string) => string,
  where: (name: string) => string,
): Cells {
  return {
    where,
    raises: false,
    async read(name) {
      const { header, kvs } = await post('kv/range', { key: key(name) }, rangeAnswerSchema);
      const [found] = kvs;
      const text = found === undefined ? null : textOf(found.value);
      return { text, version: found?.mod_revision ?? 0, revision: header.revision };
    },
    async swap(name, version, text) {
      const compare = [unchanged(key(name), version)];
      const success = [put(key(name), text)];
      const { header, succeeded } = await post('kv/txn', { compare, success }, txnSchema);
      return succeeded ? header.revision : null;
    },
  };
}

function etcdLease(
  post: Post,
  key: (name: string) => string,
  { use, where }: { readonly use: StoreUse; readonly where: (name: string) => string },
): LeaseActions {
  const keys = { lease: key('lease'), epoch: key('epoch') };
  const context = {
    post,
    ...keys,
    own: use.own,
    where: `${where('lease')}, or its epoch beside it`,
  };
  const ttl = Math.ceil(leaseMs(use) / 1000);
  return {
    where: context.where,
    raise: null,
    look: () => heldLease(context),
    acquire: (request, least) => acquire(context, { request, least, ttl }),
    renew: (request, epoch) => renew(context, request, epoch),
    async release(epoch) {
      const held = await heldLease(context);
      if (held.holder === use.own && held.epoch === epoch) await revoke(post, held.id);
    },
  };
}

interface Lease {
  readonly post: Post;
  /** The keys of the lease and of the counter. */
  readonly lease: string;
  readonly epoch: string;
  readonly own: Rank;
  /** In words for the user. */
  readonly where: string;
}

/** The lease as it is at one revision. */
async function heldLease({ post, lease, epoch, own, where }: Lease) {
  const success = [{ request_range: { key: lease } }, { request_range: { key: epoch } }];
  const schema = z.looseObject({
    header: headerSchema,
    responses: z.array(z.looseObject({ response_range: rangeSchema })),
  });
  const { header, responses } = await post('kv/txn', { success }, schema);
  const [held, count] = [0, 1].map((index) => responses[index]?.response_range.kvs[0]);
  const [holder, request] = held === undefined ? [null, null] : textOf(held.value).split(' ');
  const last = count === undefined ? '0' : textOf(count.value);
  const state = leaseStateIn({ holder, epoch: last, revision: header.revision }, own, where);
  const [id, epochVersion] = [held?.lease ?? '0', count?.mod_revision ?? 0];
  return { ...state, id, request: Number(request), epochVersion };
}

/** How often an attempt begins again because another node has acquired and released the lease meanwhile. */
const ATTEMPTS_MAX = 4;

async function acquire(
  context: Lease,
  {
    request,
    least,
    ttl,
  }: { readonly request: number; readonly least: number; readonly ttl: number },
): Promise<StoreAnswer> {
  const { post, lease, epoch, own } = context;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const held = await heldLease(context);
    if (held.holder !== null || held.epoch < least) {
      const isOwn = held.holder === own && held.request === request;
      if (!isOwn) return refused(request, held);
      return granted(request, held.epoch, { revision: held.revision, wrote: false });
    }
    const { ID } = await post('lease/grant', { TTL: ttl }, grantSchema);
    const next = held.epoch + 1;
    const { header, succeeded } = await post(
      'kv/txn',
      {
        compare: [unchanged(lease, 0), unchanged(epoch, held.epochVersion)],
        success: [put(lease, `${String(own)} ${request}`, ID), put(epoch, String(next))],
      },
      txnSchema,
    );
    if (succeeded) return granted(request, next, { revision: header.revision, wrote: true });
    await revoke(post, ID);
  }
  throw new StoreAway('other nodes have acquired the lease');
}

async function renew(context: Lease, request: number, epoch: number): Promise<StoreAnswer> {
  const held = await heldLease(context);
  if (held.holder !== context.own || held.epoch !== epoch) return refused(request, held);
  const { result } = await context.post('lease/keepalive', { ID: held.id }, aliveSchema);
  if (result.TTL > 0) return granted(request, epoch, { revision: held.revision, wrote: false });
  // It is over, but etcd may not have deleted the key yet.
  await revoke(context.post, held.id);
  return refused(request, await heldLease(context));
}

/** A lease that is gone already is no fault. */
async function revoke(post: Post, id: string): Promise<void> {
  await post('lease/revoke', { ID: id }, z.looseObject({})).catch(() => undefined);
}

function unchanged(key: string, version: number): object {
  return { key, target: 'MOD', result: 'EQUAL', mod_revision: String(version) };
}

function put(key: string, text: string, lease = '0'): object {
  return { request_put: { key, value: base64(text), lease } };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function textOf(value: string): string {
  return Buffer.from(value, 'base64').toString();
}
