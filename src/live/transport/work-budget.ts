/**
 * @module
 * Bounds the work that requests cause, over all connections of one payer. A connection that has shown an identity is paid
 * for by this member, any other one by its remote address. A flood in the name of a member, or from its machine,
 * therefore uses up nothing of the budget of the member. A point stands for about 0.1 ms of this node's time.
 * Usual messages take more: points bound how many there are, and the time only of those that take long.
 */

import { isIPv6, SocketAddress } from 'node:net';
import type { Refusal } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';

/** Who pays: a member, or the connections of an address that have not shown that they are a member's. */
export type Payer = { readonly member: Rank } | { readonly address: string };

/** What a payer can use at once, and what it gets back each second. */
export interface Allowance {
  readonly most: number;
  readonly perSecond: number;
}

export interface Allowances {
  /** For each member and each address. */
  readonly payer: Allowance;
  /** For all addresses together, and for all members together that have joined. Founders use nothing of either. */
  readonly together: Allowance;
}

/** Messages and presentations of one payer: a tenth of the time, and a burst of a quarter of a second. */
export const PEER_ALLOWANCES: Allowances = {
  payer: { most: 2_500, perSecond: 1_000 },
  together: { most: 5_000, perSecond: 2_000 },
};
/**
 * Messages of detectors of those who have used up the other points, so that what a node passes on for others never makes it
 * suspected.
 */
const DETECTOR_ALLOWANCES: Allowances = {
  payer: { most: 250, perSecond: 100 },
  together: { most: 2_500, perSecond: 1_000 },
};
/** Requests of observers. */
export const OBSERVER_ALLOWANCES: Allowances = {
  payer: { most: 1_000, perSecond: 500 },
  together: { most: 2_000, perSecond: 1_000 },
};
/** New members that one payer presents. The policy can demand no work of them. */
export const ADMISSION_ALLOWANCE: Allowance = { most: 8, perSecond: 1 };
/** Members and addresses of which the use is remembered. */
const PAYERS_MAX = 4_096;

/** CPU time for which a point stands, in ms. */
export const POINT_MS = 0.1;
/** Points of a request. Long bodies cost more, see `bodyPoints`. */
export const POINTS = {
  /** A message that was taken, or was refused before its body was read. */
  message: 1,
  /** A message to another node that a message makes this node send, as when it passes on a token. */
  sent: 2,
  /** A message that was refused without a look at its signature. */
  unverified: 2,
  /** A message whose signatures were verified in vain. */
  verified: 5,
  /** Signature and claim of a newcomer. */
  presentation: 60,
  /** The answer to a newcomer that is admitted, or was before. */
  admission: 5,
  state: 5,
  metrics: 20,
  /** The number of records that are read at once. */
  records: 20,
} as const;

const BYTES_PER_POINT = 4 * 1024;

/** Points for reading a body of this length. */
export function bodyPoints(bytes: number): number {
  return Math.floor(bytes / BYTES_PER_POINT);
}

/** Points of a message with this outcome. */
export function messagePoints(refusal: Refusal | null): number {
  if (refusal === null) return POINTS.message;
  return refusal === 'signature' || refusal === 'candidacy' ? POINTS.verified : POINTS.unverified;
}

/** What each of many can still use. It fills up again with time. */
export class Buckets {
  readonly #allowance: Allowance;
  readonly #now: () => number;
  /** By name, the last used last. */
  readonly #left = new Map<string, { readonly points: number; readonly at: number }>();

  /** `now` is in ms. */
  constructor(allowance: Allowance, now: () => number) {
    this.#allowance = allowance;
    this.#now = now;
  }

  /** Uses points. False if there are too few, and none is used. */
  take(name: string, points: number): boolean {
    const left = this.#leftOf(name);
    if (left < points) return false;
    this.#note(name, left - points);
    return true;
  }

  /** Uses points that may be missing. As many as can be used at once can be owed. */
  owe(name: string, points: number): void {
    this.#note(name, Math.max(-this.#allowance.most, this.#leftOf(name) - points));
  }

  /** Time until something is left; 0 if it is. */
  waitMs(name: string): number {
    const left = this.#leftOf(name);
    return left > 0 ? 0 : Math.ceil((-left * 1000) / this.#allowance.perSecond) + 1;
  }

  /** Returns points that were taken and not used. */
  giveBack(name: string, points: number): void {
    this.#note(name, this.#leftOf(name) + points);
  }

  #leftOf(name: string): number {
    const { most, perSecond } = this.#allowance;
    const before = this.#left.get(name);
    if (before === undefined) return most;
    return Math.min(most, before.points + ((this.#now() - before.at) * perSecond) / 1000);
  }

  #note(name: string, points: number): void {
    this.#left.delete(name);
    this.#left.set(name, { points: Math.min(points, this.#allowance.most), at: this.#now() });
    const [oldest] = this.#left.size > PAYERS_MAX ? this.#left.keys() : [];
    if (oldest !== undefined) this.#left.delete(oldest);
  }
}

export class WorkBudget {
  readonly #payers: Buckets;
  readonly #together: Buckets;
  readonly #isFounder: (member: Rank) => boolean;

  /** `now` is in ms. */
  constructor(
    { payer, together }: Allowances,
    now: () => number,
    isFounder: (member: Rank) => boolean,
  ) {
    this.#payers = new Buckets(payer, now);
    this.#together = new Buckets(together, now);
    this.#isFounder = isFounder;
  }

  /** Uses points of the payer. False if it has too few left. */
  take(payer: Payer, points: number): boolean {
    if (!this.#payers.take(payerName(payer), points)) return false;
    const group = this.#groupOf(payer);
    if (group === null || this.#together.take(group, points)) return true;
    this.#payers.giveBack(payerName(payer), points);
    return false;
  }

  /** Returns points that were taken and not used. */
  giveBack(payer: Payer, points: number): void {
    this.#payers.giveBack(payerName(payer), points);
    const group = this.#groupOf(payer);
    if (group !== null) this.#together.giveBack(group, points);
  }

  /** The group that shares a sum of points with this payer; null of a founder. */
  #groupOf(payer: Payer): string | null {
    if ('address' in payer) return 'addresses';
    return this.#isFounder(payer.member) ? null : 'joined';
  }
}

/** The budgets of one node. `now` is in ms. */
export function budgetsFor(isFounder: (member: Rank) => boolean, now: () => number) {
  return {
    peers: new WorkBudget(PEER_ALLOWANCES, now, isFounder),
    detectors: new WorkBudget(DETECTOR_ALLOWANCES, now, isFounder),
    observers: new WorkBudget(OBSERVER_ALLOWANCES, now, isFounder),
    admissions: new Buckets(ADMISSION_ALLOWANCE, now),
  };
}

/** A payer as text. */
export function payerName(payer: Payer): string {
  return 'member' in payer ? `member ${payer.member}` : `address ${payer.address}`;
}

/** The one form of an IP address, by which it is compared: without a zone, and that of IPv4 if it is one in IPv6. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const plain = new SocketAddress({ address: bare, family: 'ipv6' }).address;
  return plain.replace(/^::ffff:(?=\d+\.)/, '');
}

/** The address that pays: that of a host, in IPv6 the /64 network, of which one host can use all addresses. */
export function payingAddress(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const zeros = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(Math.max(0, zeros)).fill('0'), ...groups(tail)];
  return `${all.slice(0, 4).join(':')}::/64`;
}
