/**
 * @module
 * On whose behalf something is done. The outermost layer creates a principal for each request, and it is
 * passed as an argument to every function that looks up, creates or computes something for the request.
 */

/** A caller that exchanged a join code, and the election that the code is for. */
export interface Participation {
  readonly id: string;
  readonly election: string;
  /** Digest of the token of the request, which may be replaced meanwhile. */
  readonly tokenDigest: string;
}

export interface Principal {
  /** Name of the token, or address of the connection. Budgets, queues and jobs are kept by this name. */
  readonly caller: string;
  /** Owner of the elections that it creates. `undefined` makes them visible to everyone. */
  readonly owner: string | undefined;
  /**
   * What is visible: `own`, only what it owns and what has no owner; `open`, everything, because the
   * server requires no tokens; `all`, everything, and its lists contain everything.
   */
  readonly access: 'own' | 'open' | 'all';
  /** Null, except for a participant of one election, for which nothing else is visible. */
  readonly participant: Participation | null;
  /** The role of its token; null without a token. */
  readonly role: Role | null;
  /** Time until its elections may use the thread that answers again, in ms. */
  readonly waitMs: () => number;
  /** Charges it for time on the thread that answers, in ms. */
  readonly charge: (ms: number) => void;
  /** The request's Idempotency-Key, which stores write together with the effect of the request. */
  readonly keyed: KeyedWork | null;
}

/** The parts of a request that must be equal when it is repeated. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly fingerprint: string;
}

/** The effect of a request, and the status of its answer. */
export interface Effect {
  readonly status: number;
  /** Path at which the effect can be read. */
  readonly resource: string;
}

/**
 * The work for a request with an Idempotency-Key. A store writes the key in the same transaction as the
 * effect of the request, so that neither exists without the other.
 */
export interface KeyedWork {
  readonly request: KeyedRequest;
  /** Whether its effect is stored with its key. */
  isClaimed: boolean;
  /** Whether the request was answered. Effects after that do not belong to it. */
  isOver: boolean;
}

/** Name of the server itself among callers. It has no budget. */
export const SERVER_ITSELF = '';

/** The server itself, for example when it restores elections. Everything is visible to it and free. */
export const SERVER: Principal = {
  caller: SERVER_ITSELF,
  owner: undefined,
  access: 'all',
  participant: null,
  role: null,
  waitMs: () => 0,
  charge: () => undefined,
  keyed: null,
};

/** Whether the principal may know of an object of this owner. `undefined` means that it has no owner. */
export function isVisibleTo(owner: string | undefined, principal: Principal): boolean {
  if (principal.participant !== null) return false;
  return owner === undefined || principal.access !== 'own' || owner === principal.owner;
}

/** Does a slice of work and charges the principal for its time. */
export function charged<T>(principal: Principal, work: () => T): T {
  const startedMs = performance.now();
  try {
    return work();
  } finally {
    principal.charge(performance.now() - startedMs);
  }
}

/**
 * The roles of tokens. Each may do what those before it may: a reader reads; a participant plays a node of the
 * one election whose join code it exchanged; a student has elections and jobs of its own; an instructor also
 * reads and manages those of all; an operator also monitors the server.
 */
export const ROLES = ['reader', 'participant', 'student', 'instructor', 'operator'] as const;

export type Role = (typeof ROLES)[number];

/** The roles of tokens that the operator writes. */
export const HELD_ROLES = ROLES.filter((role) => role !== 'participant');

/** Whether a role includes another one. */
export function includesRole(role: Role, asked: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(asked);
}
