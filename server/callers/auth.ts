/**
 * @module
 * Roles and credentials. A request has a token as Authorization: Bearer (RFC 6750), or the cookie of a session
 * that stands for a token. The token is one of the operator's or that of a participant. Reading requires the
 * role of a reader, any other request that of a student, with the exceptions listed here. Paths with no data of
 * callers (health, documents, error codes) are open.
 */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

import type { Context, MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Participation, Principal, Role } from '../request/principal.ts';
import { includesRole } from '../request/principal.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import type { TrustedProxies } from './client-address.ts';
import type { Sessions } from './sessions.ts';
import { assertOwnOrigin, READING, sessionSecretIn } from './sessions.ts';
import type { TokenHolders } from './tokens.ts';
import { digestOfSecret } from './tokens.ts';

/** The role that a request requires; null if the path is open to everyone. */
export function roleNeeded(method: string, path: string): Role | null {
  if (OPEN.has(path) || /^\/(problems|assets|docs)\//.test(path)) return null;
  const isReading = READING.has(method);
  if (path === '/v1/sessions' && !isReading) return null;
  if (path === '/metrics') return 'operator';
  if (SUSPICIONS.test(path)) return 'instructor';
  if (CLUSTERS.test(path)) return 'operator';
  if (CLASS.test(path)) return CLASS_OF_STUDENTS.test(path) ? 'student' : 'instructor';
  if (isReading) return EXERCISE.test(path) ? null : 'reader';
  return EXCEPTIONS.find(([pattern]) => pattern.test(path))?.[1] ?? 'student';
}

/** Paths whose other methods than reading require another role than that of a student. */
const EXCEPTIONS: readonly (readonly [RegExp, Role])[] = [
  [/^\/v1\/sessions\/current$/, 'reader'],
  // It changes nothing.
  [/^\/v1\/identities\/verify$/, 'reader'],
  [/^\/v1\/challenges$/, 'participant'],
  [/^\/v1\/elections\/[^/]+\/nodes(?:\/[^/]+\/outbox)?$/, 'participant'],
  [/^\/v1\/elections\/[^/]+\/join-code$/, 'instructor'],
];

/** The exercises without what belongs to a student: everyone may read them. */
const EXERCISE = /^\/v1\/exercises(?:\/[^/]+)?$/;
const SUSPICIONS = /^\/v1\/exercises\/[^/]+\/suspicions$/;

const CLUSTERS = /^\/v1\/clusters(?:\/|$)/;
const CLASS = /^\/v1\/class(?:\/|$)/;
/** What students see of their class. */
const CLASS_OF_STUDENTS = /^\/v1\/class(?:\/(?:scoreboard|events|token))?$/;

/** Finds the holder of a token by its digest. */
export interface Participants {
  participantWith(tokenDigest: string): Participation | null;
}

/** Notes the open answers of each caller. */
export interface AnswerWatch {
  watch(caller: string, answer: ServerResponse): void;
}

export interface Credentials {
  /** The tokens of the operator; null if none is required. */
  readonly tokens: TokenHolders | null;
  readonly participants: Participants;
  readonly sessions: Sessions;
  readonly proxies: TrustedProxies;
  /** Whose open answers end when their tokens do; null without a class. */
  readonly classroom?: AnswerWatch | null;
}

/** Sets the principal of a request whose token is not known yet: it owns nothing. */
export function identify(
  budgets: CallerBudgets,
  proxies: TrustedProxies,
): MiddlewareHandler<ServerEnv> {
  return (c, next) => {
    const address = addressOf(c, proxies);
    const principal = bindingsOf(c).principal ?? principalOf(budgets, address, 'own');
    c.set('principal', principal);
    return next();
  };
}

/**
 * Requires a token with the role that the request needs, if there are tokens, and sets the principal that
 * the token stands for. Throws LabError `auth.credential` without a known token, OverloadError `limit.rate` after
 * too many unknown ones, `auth.role` if the role does not suffice, `auth.origin` for a request that another site may
 * have made a browser send.
 */
export function authGate(
  credentials: Credentials,
  budgets: CallerBudgets,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (bindingsOf(c).principal !== undefined) return next();
    const isOpen = credentials.tokens === null;
    if (isOpen && !hasCredential(c)) {
      c.set('principal', principalOf(budgets, addressOf(c, credentials.proxies), 'open'));
      return next();
    }
    const role = roleNeeded(c.req.method, c.req.path);
    const isForAll = role === null && !isOpen;
    if (isForAll && !(EXERCISE.test(c.req.path) && hasCredential(c))) return next();
    const presented = tokenDigestOf(c, credentials.sessions);
    const holder = presented === null ? null : holderWith(presented.digest, credentials, budgets);
    // Everyone may read an exercise. Who is known may see more.
    if (holder === null && isForAll) return next();
    if (holder === null && isOpen) {
      c.set('principal', principalOf(budgets, addressOf(c, credentials.proxies), 'open'));
      return next();
    }
    if (holder === null) {
      const refusal = new LabError('auth.credential', CREDENTIAL_DETAIL);
      throw presented === null
        ? refusal
        : budgets.failedSignIn(addressOf(c, credentials.proxies), refusal);
    }
    if (presented?.isCookie === true && !READING.has(c.req.method)) assertOwnOrigin(c);
    if (role !== null && !includesRole(holder.role, role)) {
      throw new LabError('auth.role', `this needs the role ${role}, the token has ${holder.role}`);
    }
    c.set('principal', holder.principal);
    const { outgoing } = bindingsOf(c);
    if (outgoing !== undefined) credentials.classroom?.watch(holder.principal.caller, outgoing);
    return next();
  };
}

/** Whether the request may have a token. Most requests to a server without tokens have none. */
function hasCredential(c: Context<ServerEnv>): boolean {
  return c.req.header('authorization') !== undefined || c.req.header('cookie') !== undefined;
}

interface Presented {
  readonly digest: string;
  readonly isCookie: boolean;
}

/** The digest of the token of a request, or of the token that its session stands for. */
function tokenDigestOf(c: Context<ServerEnv>, sessions: Sessions): Presented | null {
  const authorization = c.req.header('authorization');
  return presentedIn({ authorization, cookie: c.req.header('cookie') }, sessions);
}

/** Whose tokens are known. */
export type KnownTokens = Pick<Credentials, 'tokens' | 'sessions' | 'participants'>;

type CredentialHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;

function presentedIn(
  { authorization, cookie }: CredentialHeaders,
  sessions: Sessions,
): Presented | null {
  if (authorization !== undefined) {
    const token = BEARER.exec(authorization)?.[1];
    return token === undefined ? null : { digest: digestOfSecret(token), isCookie: false };
  }
  const secret = sessionSecretIn(cookie);
  const digest = secret === null ? null : sessions.tokenOf(secret);
  return digest === null ? null : { digest, isCookie: true };
}

/** The name of the caller whose token a request presents; null if it presents none that is known. */
export function callerNamed(
  headers: CredentialHeaders,
  { tokens, sessions, participants }: KnownTokens,
): string | null {
  const digest = presentedIn(headers, sessions)?.digest;
  if (digest === undefined) return null;
  return participants.participantWith(digest)?.id ?? tokens?.holderWith(digest)?.name ?? null;
}

interface KnownHolder {
  readonly role: Role;
  readonly principal: Principal;
}

function holderWith(
  tokenDigest: string,
  { tokens, participants }: Credentials,
  budgets: CallerBudgets,
): KnownHolder | null {
  const participant = participants.participantWith(tokenDigest);
  if (participant !== null) {
    const { id, election } = participant;
    const role = 'participant';
    const part = { owner: id, role, participant: { id, election, tokenDigest } } as const;
    return { role, principal: { ...principalOf(budgets, id, 'own'), ...part } };
  }
  const holder = tokens?.holderWith(tokenDigest) ?? null;
  if (holder === null) return null;
  const { name, role } = holder;
  const access = includesRole(role, 'instructor') ? 'all' : 'own';
  return { role, principal: { ...principalOf(budgets, name, access), owner: name, role } };
}

function principalOf(
  budgets: CallerBudgets,
  caller: string,
  access: Principal['access'],
): Principal {
  return {
    caller,
    owner: undefined,
    access,
    keyed: null,
    participant: null,
    role: null,
    waitMs: () => budgets.electionWaitMs(caller),
    charge: (ms) => budgets.chargeElectionTime(caller, ms),
  };
}

/**
 * The address of the client. Headers with another address than that of the connection are ignored, because any client can
 * send them, unless a trusted proxy does. Calls without a socket (tests) have one caller.
 */
function addressOf(c: Context<ServerEnv>, proxies: TrustedProxies): string {
  const { incoming } = bindingsOf(c);
  if (incoming === undefined) return 'local';
  const headers = { 'x-forwarded-for': c.req.header('x-forwarded-for') };
  return proxies.addressOf({ headers, socket: incoming.socket }) ?? 'local';
}

const CREDENTIAL_DETAIL = 'send a token that this server knows as Authorization: Bearer …';
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const OPEN: ReadonlySet<string> = new Set([
  ...['/', '/v1', '/healthz', '/readyz'],
  ...['/openapi.json', '/openapi-3.2.json', '/reference', '/docs', '/problems'],
]);
