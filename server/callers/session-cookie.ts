/**
 * @module
 * The cookie of a browser's session (RFC 6265). No script can read it, and browsers send it only with requests
 * of this server's own pages. The Origin check is a second guard, for browsers without SameSite: a request
 * with the cookie that can change something must come from a page of this server.
 */

import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';

import { LabError } from '../../src/errors.ts';

export const SESSION_COOKIE = 'usurp_session';

/** The secret of the session in a Cookie header. */
export function sessionSecretIn(header: string | undefined): string | null {
  return header === undefined ? null : (parse(header, SESSION_COOKIE)[SESSION_COOKIE] ?? null);
}

export function setSessionCookie(c: Context, secret: string, expiresMs: number): void {
  setCookie(c, SESSION_COOKIE, secret, { ...attributesFor(c), expires: new Date(expiresMs) });
}

export function removeSessionCookie(c: Context): void {
  deleteCookie(c, SESSION_COOKIE, attributesFor(c));
}

/**
 * Throws LabError `auth.origin` unless the request names the host that it was sent to as its origin. A page without
 * TLS is not accepted by a server with it, because others on the network can write one. A proxy may add TLS.
 */
export function assertOwnOrigin(c: Context): void {
  const origin = URL.parse(c.req.header('origin') ?? '');
  const { protocol, host } = new URL(c.req.url);
  const isSafe = origin?.protocol === 'https:' || origin?.protocol === protocol;
  if (isSafe && origin?.host === host) return;
  const detail =
    'a request with a session cookie needs the Origin of this server, which browsers send; programs send a token as Authorization: Bearer';
  throw new LabError('auth.origin', detail);
}

/** Methods that change nothing. */
export const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);

function attributesFor(c: Context) {
  const secure = new URL(c.req.url).protocol === 'https:';
  return { path: '/', httpOnly: true, sameSite: 'Strict', secure } as const;
}
