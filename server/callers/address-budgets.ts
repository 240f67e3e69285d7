/**
 * @module
 * What the addresses of a server with tokens may take before their callers are known: new connections, and requests without a
 * token that is known.
 */

import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';

import { payingAddress } from '../../src/live/transport/work-budget.ts';
import { OverloadError } from '../request/refusals.ts';
import type { KnownTokens } from './auth.ts';
import { callerNamed } from './auth.ts';
import type { CallerLimits } from './caller-budgets.ts';
import { TokenBuckets } from './caller-budgets.ts';
import { isRationed } from './caller-gate.ts';
import { TrustedProxies } from './client-address.ts';
import { RoundRobin } from './work-turns.ts';

/** New connections of one address. A class can share it. */
export const ADDRESS_CONNECTIONS = { burst: 512, perSecond: 256 } as const;
/** New connections of all addresses together. */
export const ALL_CONNECTIONS = { burst: 2_048, perSecond: 1_024 } as const;
/**
 * Addresses of one caller that have connections of their own, for this long after its last request from there, and the callers
 * that are remembered.
 */
export const KNOWN_ADDRESSES = { perCaller: 4, callers: 1_024, ms: 10 * 60_000 } as const;
/** Requests of one address without a token that is known, in those of one caller. The pages of the lab need none. */
const STRANGERS_PER_CALLER = 2;
const BURST_SECONDS = 2;

const ALL = 'all';

/** The limit of one caller; 0 for none. */
interface CallerRate {
  readonly limits: Pick<CallerLimits, 'requestsPerSecond'>;
  readonly nowMs: () => number;
}

/** Who sends a request, as far as it shows before it is answered. */
export interface Sender {
  /** Where its requests wait to begin. That of a token that is known is preferred. */
  readonly line: Line;
  /** Why the request is refused; null if it is not. */
  readonly refusal: OverloadError | null;
}

export class AddressBudgets {
  readonly #credentials: KnownTokens;
  readonly #isShared: boolean;
  readonly #connections: TokenBuckets;
  readonly #all: TokenBuckets;
  readonly #requests: TokenBuckets;
  /** The last addresses of the last callers, the latest last, with the times of their last requests. */
  readonly #addresses = new Map<string, Map<string, number>>();
  /** New connections of these addresses. */
  readonly #known: TokenBuckets;
  readonly #nowMs: () => number;
  readonly #proxies: TrustedProxies;

  /** A server without tokens has one user, and no limits. */
  constructor(
    credentials: KnownTokens,
    { limits, nowMs }: CallerRate,
    proxies: TrustedProxies = new TrustedProxies(),
  ) {
    this.#proxies = proxies;
    const perSecond = STRANGERS_PER_CALLER * limits.requestsPerSecond;
    this.#credentials = credentials;
    this.#isShared = credentials.tokens !== null;
    this.#connections = new TokenBuckets(ADDRESS_CONNECTIONS, nowMs);
    this.#known = new TokenBuckets(ADDRESS_CONNECTIONS, nowMs);
    this.#nowMs = nowMs;
    this.#all = new TokenBuckets(ALL_CONNECTIONS, nowMs);
    this.#requests = new TokenBuckets({ perSecond, burst: BURST_SECONDS * perSecond }, nowMs);
  }

  /**
   * Counts a new connection. False if its address can open none now, or all addresses together. What these have opened does not
   * count for an address that has lately sent a token that is known. Those of a trusted proxy, which serves many clients, are
   * not counted.
   */
  takeConnection(remoteAddress: string | undefined): boolean {
    if (!this.#isShared || this.#proxies.has(remoteAddress)) return true;
    const address = payingAddress(remoteAddress ?? '');
    if (this.#isKnown(address)) {
      if (this.#known.waitS(address) > 0) return false;
      this.#known.take(address, 1);
      return true;
    }
    if (this.#connections.waitS(address) > 0 || this.#all.waitS(ALL) > 0) return false;
    this.#connections.take(address, 1);
    this.#all.take(ALL, 1);
    return true;
  }

  /** Counts a request of a sender who is not known. */
  senderOf(incoming: IncomingMessage): Sender {
    const { headers, method = '', url = '' } = incoming;
    const caller = this.#isShared ? callerNamed(headers, this.#credentials) : null;
    const name = payingAddress(this.#proxies.addressOf(incoming) ?? '');
    if (caller !== null) {
      this.#remember(caller, name);
      return { line: { name: `caller ${caller}`, isPreferred: true }, refusal: null };
    }
    return { line: { name, isPreferred: false }, refusal: this.#refusalOf(name, method, url) };
  }

  #remember(caller: string, address: string): void {
    const addresses = this.#addresses.get(caller) ?? new Map<string, number>();
    putLast(this.#addresses, { key: caller, value: addresses, most: KNOWN_ADDRESSES.callers });
    const most = KNOWN_ADDRESSES.perCaller;
    putLast(addresses, { key: address, value: this.#nowMs(), most });
  }

  #isKnown(address: string): boolean {
    const sinceMs = this.#nowMs() - KNOWN_ADDRESSES.ms;
    for (const addresses of this.#addresses.values()) {
      if ((addresses.get(address) ?? Number.NEGATIVE_INFINITY) >= sinceMs) return true;
    }
    return false;
  }

  #refusalOf(address: string, method: string, url: string): OverloadError | null {
    const [path = ''] = url.split('?', 1);
    if (!this.#isShared || !isRationed(method, path)) return null;
    const waitS = this.#requests.waitS(address);
    if (waitS > 0) return new OverloadError('limit.rate', DETAIL, Math.ceil(waitS));
    this.#requests.take(address, 1);
    return null;
  }
}

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly most: number;
}

/** Puts an entry behind the others, of which the first is removed if there are too many. */
function putLast<Value>(map: Map<string, Value>, { key, value, most }: Entry<Value>): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > most && first !== undefined) map.delete(first);
}

const DETAIL =
  'too many requests came from your address without a token that this server knows; send a token, or fewer requests';

/**
 * Work of a turn. The last piece may end later. Short work on the thread that answers, such as reading a piece of a
 * connection or beginning a request. A turn of the event loop does a few milliseconds of it. What is left waits in
 * lines, which take turns: the work of one client does not wait for all work of another. Every second piece is one
 * of a preferred line, so that these do not wait for any number of others.
 */
export const TURN_MS = 2;

/** Where work waits. */
export interface Line {
  readonly name: string;
  readonly isPreferred: boolean;
}

export class FairTurns {
  readonly #nowMs: () => number;
  readonly #preferred = new RoundRobin<() => void>();
  readonly #others = new RoundRobin<() => void>();
  #endsMs = 0;
  /** Whether a turn has begun and the next one is scheduled. */
  #isBegun = false;
  #wasPreferred = false;
  /** Whether the next turn is to do one piece only. */
  #isHurried = false;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  get waiting(): number {
    return this.#preferred.size + this.#others.size;
  }

  /** Does the work at once if the turn has time left, else when its line has its turn. */
  run({ name, isPreferred }: Line, work: () => void): void {
    if (!this.#isBegun) this.#begin();
    if (this.waiting === 0 && this.#nowMs() < this.#endsMs) work();
    else (isPreferred ? this.#preferred : this.#others).push(name, work);
  }

  /**
   * The event loop has accepted a connection. It accepts one in each of its turns, and others may wait, so that the next turn
   * does one piece only.
   */
  hurry(): void {
    this.#isHurried = true;
  }

  #begin(): void {
    this.#isBegun = true;
    this.#endsMs = this.#nowMs() + (this.#isHurried ? 0 : TURN_MS);
    this.#isHurried = false;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#isBegun = false;
    if (this.waiting === 0) return;
    this.#begin();
    do this.#take()?.();
    while (this.waiting > 0 && this.#nowMs() < this.#endsMs);
  };

  #take(): (() => void) | undefined {
    const isPreferred = this.#others.size === 0 || !this.#wasPreferred;
    this.#wasPreferred = isPreferred && this.#preferred.size > 0;
    return this.#wasPreferred ? this.#preferred.take() : this.#others.take();
  }
}
