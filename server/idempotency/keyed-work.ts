/**
 * @module
 * What is done for a request with an Idempotency-Key: whoever writes something lasting for it writes its
 * key with it, in the same transaction, so that neither is ever there without the other.
 */

import { AsyncLocalStorage } from 'node:async_hooks';

/** A request as far as its repetition must be the same. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly fingerprint: string;
}

/** What a request has brought about, and with which status that is answered. */
export interface Effect {
  readonly status: number;
  /** The path where it can be looked at. */
  readonly resource: string;
}

export interface KeyedWork {
  readonly request: KeyedRequest;
  /** Its effect is stored with its key. */
  isClaimed: boolean;
  /** It is over: what goes on afterwards is no part of it. */
  isOver: boolean;
}

const current = new AsyncLocalStorage<KeyedWork>();

/** Does the work of a request; `keyedWork` tells what it is anywhere within. */
export function asKeyedWork<T>(work: KeyedWork, doIt: () => Promise<T>): Promise<T> {
  return current.run(work, doIt);
}

/** The request that is being worked for; null for one without a key, or outside of any. */
export function keyedWork(): KeyedWork | null {
  const work = current.getStore();
  return work === undefined || work.isOver ? null : work;
}
