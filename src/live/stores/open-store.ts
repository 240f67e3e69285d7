/**
 * @module
 * The stores by name, and which protocols each can serve.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import type { LiveStore, StoreUse } from './live-store.ts';

export const STORE_KINDS = ['sqlite', 'redis', 'zookeeper', 'etcd'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

/** The protocols with a store of their own. Each store also has the resource, for all protocols. */
export const STORE_PROTOCOLS: Readonly<Record<StoreKind, readonly ProtocolName[]>> = {
  sqlite: ['db-lease', 'kubernetes-lease'],
  redis: ['db-lease', 'lease-local', 'kubernetes-lease'],
  zookeeper: ['db-lease', 'zk-recipe', 'kubernetes-lease'],
  etcd: ['db-lease', 'lease-local', 'kubernetes-lease'],
};

export const STORE_FORMS =
  'sqlite:FILE, redis:HOST:PORT, redis://…, rediss://… (TLS), zookeeper:HOST:PORT, etcd:HOST:PORT or etcd:http://…';

/** Where a store is. */
export interface StoreAddress {
  readonly kind: StoreKind;
  /** A file, a URL, or host and port. */
  readonly location: string;
}

/** The kind of a store that is named without an address: one that is started for the nodes. */
export function ownStoreKind(text: string): StoreKind | null {
  return STORE_KINDS.find((kind) => kind === text) ?? null;
}

/** Reads an address. Throws LabError `arguments`. */
export function parseStoreAddress(text: string): StoreAddress {
  const [, name, rest = ''] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  const kind = name === 'rediss' ? 'redis' : STORE_KINDS.find((each) => each === name);
  if (kind === undefined) throw refusal(text);
  if (kind === 'sqlite') return { kind, location: rest };
  if (kind === 'zookeeper') {
    if (!/^.+:\d{1,5}$/.test(rest)) throw refusal(text);
    return { kind, location: rest };
  }
  const scheme = kind === 'redis' ? name : 'http';
  const url = kind === 'redis' && rest.startsWith('//') ? text : rest;
  const location = url.includes('://') ? url : `${scheme}://${url}`;
  if (URL.parse(location) === null) throw refusal(text);
  return { kind, location };
}

/** The kinds of stores that serve the protocol. */
export function storesServing(protocol: ProtocolName): readonly StoreKind[] {
  return STORE_KINDS.filter((kind) => STORE_PROTOCOLS[kind].includes(protocol));
}

/** Throws LabError `arguments` if a store of this kind cannot serve the protocol. */
export function assertServes(kind: StoreKind, protocol: ProtocolName): void {
  if (PROTOCOLS[protocol].store === null || STORE_PROTOCOLS[kind].includes(protocol)) return;
  const fit = storesServing(protocol);
  const instead = fit.length === 0 ? 'no real store does' : `choose ${fit.join(' or ')}`;
  throw new LabError('arguments', `${kind} does not serve ${protocol}; ${instead}`);
}

/** Connects to a store. Throws LabError `arguments` or `storage.unavailable`. */
export async function openStore(text: string, use: StoreUse): Promise<LiveStore> {
  const { kind, location } = parseStoreAddress(text);
  assertServes(kind, use.protocol);
  switch (kind) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite-store.ts');
      return openSqliteStore(location, use);
    }
    case 'redis': {
      const { openRedisStore } = await import('./redis-store.ts');
      return openRedisStore(location, use);
    }
    case 'zookeeper': {
      const { openZookeeperStore } = await import('./zookeeper-store.ts');
      const colon = location.lastIndexOf(':');
      const host = location.slice(0, colon).replace(/^\[|\]$/g, '');
      return openZookeeperStore({ host, port: Number(location.slice(colon + 1)) }, use);
    }
    case 'etcd': {
      const { openEtcdStore } = await import('./etcd-store.ts');
      return openEtcdStore(location, use);
    }
    default:
      return kind satisfies never;
  }
}

function refusal(text: string): LabError {
  const started = `usurp cluster up also takes ${STORE_KINDS.join(', ')} alone, and starts the store`;
  return new LabError(
    'arguments',
    `${JSON.stringify(text)} is no store; write ${STORE_FORMS}; ${started}`,
  );
}
