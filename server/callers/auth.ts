/**
 * @module
 * Who may do what, where tokens are demanded (RFC 6750): looking needs the role of a reader, anything
 * else under /v1 that of a user, the metrics that of an admin. What tells nothing of anybody (health, the
 * documents, the meaning of error codes) is open to all.
 */

import type { MiddlewareHandler } from 'hono';

import { LabError } from '../../src/errors.ts';
import type { ServerEnv } from '../request/env.ts';
import type { Role, TokenSet } from './tokens.ts';
import { includesRole } from './tokens.ts';

/** The role that a request needs; null where everybody is answered. */
export function roleNeeded(method: string, path: string): Role | null {
  if (OPEN.has(path) || path.startsWith('/problems/')) return null;
  if (path === '/metrics') return 'admin';
  return LOOKING.has(method) ? 'reader' : 'user';
}

/**
 * Demands a token that has the role needed, where there are tokens. Throws LabError `auth.credential`
 * without a known token, `auth.role` where it does not suffice.
 */
export function authGate(tokens: TokenSet | null): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    if (tokens === null) return next();
    const role = roleNeeded(c.req.method, c.req.path);
    if (role === null) return next();
    const token = BEARER.exec(c.req.header('authorization') ?? '')?.[1];
    const holder = token === undefined ? null : tokens.holderOf(token);
    if (holder === null) throw new LabError('auth.credential', CREDENTIAL_DETAIL);
    if (!includesRole(holder.role, role)) {
      throw new LabError('auth.role', `this needs the role ${role}, the token has ${holder.role}`);
    }
    c.set('holder', holder.name);
    c.set('isAdmin', holder.role === 'admin');
    return next();
  };
}

const CREDENTIAL_DETAIL = 'send a token that this server knows as Authorization: Bearer …';
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const LOOKING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const OPEN: ReadonlySet<string> = new Set([
  ...['/', '/healthz', '/readyz'],
  ...['/openapi.json', '/openapi-3.2.json', '/reference'],
]);
