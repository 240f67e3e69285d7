/**
 * @module
 * Roles and tokens (RFC 6750). Reading requires the role of a reader, any other request that of a
 * student, the metrics that of an operator. Paths with no data of callers (health, documents, error codes) are open.
 */

import type { MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import type { RequestContext, ServerEnv } from '../request/env.ts';
import { bindingsOf } from '../request/env.ts';
import type { Principal } from '../request/principal.ts';
import type { CallerBudgets } from './caller-budgets.ts';
import type { Role, TokenSet } from './tokens.ts';
import { includesRole } from './tokens.ts';

/** The role that a request requires; null if the path is open to everyone. */
export function roleNeeded(method: string, path: string): Role | null {
  if (OPEN.has(path) || path.startsWith('/problems/')) return null;
  if (path === '/metrics') return 'operator';
  return READING.has(method) ? 'reader' : 'student';
}

/** Sets the principal of a request whose token is not known yet: it owns nothing. */
export function identify(budgets: CallerBudgets): MiddlewareHandler<ServerEnv> {
  return (c, next) => {
    const principal = bindingsOf(c).principal ?? principalOf(budgets, addressOf(c), 'own');
    c.set('principal', principal);
    return next();
  };
}

/**
 * Requires a token with the role that the request needs, if there are tokens, and sets the principal that
 * the token stands for. Throws LabError `auth.credential` without a known token, `auth.role` if its role
 * does not suffice.
 */
export function authGate(
  tokens: TokenSet | null,
  budgets: CallerBudgets,
): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (bindingsOf(c).principal !== undefined) return next();
    if (tokens === null) {
      c.set('principal', principalOf(budgets, addressOf(c), 'open'));
      return next();
    }
    const role = roleNeeded(c.req.method, c.req.path);
    if (role === null) return next();
    const token = BEARER.exec(c.req.header('authorization') ?? '')?.[1];
    const holder = token === undefined ? null : tokens.holderOf(token);
    if (holder === null) throw new LabError('auth.credential', CREDENTIAL_DETAIL);
    const { name } = holder;
    if (!includesRole(holder.role, role)) {
      throw new LabError('auth.role', `this needs the role ${role}, the token has ${holder.role}`);
    }
    const access = includesRole(holder.role, 'instructor') ? 'all' : 'own';
    c.set('principal', { ...principalOf(budgets, name, access), owner: name });
    return next();
  };
}

function principalOf(
  budgets: CallerBudgets,
  caller: string,
  access: Principal['access'],
): Principal {
  return {
    ...{ caller, owner: undefined, access, keyed: null },
    waitMs: () => budgets.electionWaitMs(caller),
    charge: (ms) => budgets.chargeElectionTime(caller, ms),
  };
}

/**
 * The address of the connection. Headers with another address are ignored, because any client can send
 * them. Calls without a socket (tests) have one caller.
 */
function addressOf(c: RequestContext): string {
  return bindingsOf(c).incoming?.socket.remoteAddress ?? 'local';
}

const CREDENTIAL_DETAIL = 'send a token that this server knows as Authorization: Bearer …';
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const OPEN: ReadonlySet<string> = new Set([
  ...['/', '/healthz', '/readyz'],
  ...['/openapi.json', '/openapi-3.2.json', '/reference'],
]);
