/**
 * @module
 * Sessions of browsers, which cannot send a header with an EventSource. A session stands for a token as long as
 * that token is known, so that a token that is replaced or revoked ends its sessions. Only digests are kept.
 */

import type { Context } from 'hono';
import { deleteCookie, setCookie } from 'hono/cookie';
import { parse } from 'hono/utils/cookie';

import { LabError } from '../../src/errors.ts';
import type { StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';
import { digestOfSecret, randomToken } from './tokens.ts';

export const SESSION_HOURS = 12;

/** Sessions of one token. The oldest is removed first. */
export const SESSIONS_PER_TOKEN_MAX = 16;

interface Session {
  /** Digest of the token that it stands for. */
  readonly tokenDigest: string;
  /** Wall-clock time in milliseconds. */
  readonly expiresMs: number;
}

export interface SessionLog {
  opened(digest: string, session: Session): void;
  closed(digest: string): void;
  /** All sessions in the order in which they were opened. */
  read(): (readonly [string, Session])[];
}

/** Keeps nothing. */
export const EPHEMERAL_SESSIONS: SessionLog = {
  opened: () => undefined,
  closed: () => undefined,
  read: () => [],
};

/** The sessions in a file. */
export function sessionLog({ path, database, write, read }: StoreFile): SessionLog {
  const insert = database.prepare(
    'INSERT INTO sessions (secret, token, expires, digest) VALUES (?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM sessions WHERE secret = ?');
  const select = database.prepare('SELECT * FROM sessions ORDER BY number');
  return {
    opened: (secret, { tokenDigest: token, expiresMs }) =>
      write(() => {
        const expires = Math.floor(expiresMs);
        insert.run(secret, token, expires, digestOf(secret, token, String(expires)));
      }),
    closed: (secret) => void write(() => remove.run(secret)),
    read: () =>
      read(() =>
        select.all().map((row) => {
          const [secret, token, expires] = [row.secret, row.token, row.expires].map(String);
          if (row.digest !== digestOf(String(secret), String(token), String(expires))) {
            throw damagedRow(path, `session ${row.number}`, 'sessions', { row: row.number });
          }
          return [String(secret), { tokenDigest: String(token), expiresMs: Number(expires) }];
        }),
      ),
  };
}

export class Sessions {
  readonly #log: SessionLog;
  readonly #wallMs: () => number;
  /** By the digest of the secret, the oldest first. */
  readonly #sessions = new Map<string, Session>();

  /** Reads the log. Throws LabError `file.unreadable`. */
  constructor(log: SessionLog = EPHEMERAL_SESSIONS, wallMs: () => number = Date.now) {
    this.#log = log;
    this.#wallMs = wallMs;
    for (const [digest, session] of log.read()) this.#sessions.set(digest, session);
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session for a token. Returns its secret, which is not kept. */
  open(tokenDigest: string): { readonly secret: string; readonly expiresMs: number } {
    const now = this.#wallMs();
    const own: string[] = [];
    for (const [digest, session] of this.#sessions) {
      if (session.expiresMs <= now) this.#remove(digest);
      else if (session.tokenDigest === tokenDigest) own.push(digest);
    }
    const [oldest] = own;
    if (own.length >= SESSIONS_PER_TOKEN_MAX && oldest !== undefined) this.#remove(oldest);
    const secret = randomToken();
    const session = { tokenDigest, expiresMs: now + SESSION_HOURS * 3_600_000 };
    const digest = digestOfSecret(secret);
    this.#log.opened(digest, session);
    this.#sessions.set(digest, session);
    return { secret, expiresMs: session.expiresMs };
  }

  /** The digest of the token that a session stands for; null if it is not known or has expired. */
  tokenOf(secret: string): string | null {
    const session = this.#sessions.get(digestOfSecret(secret));
    return session !== undefined && session.expiresMs > this.#wallMs() ? session.tokenDigest : null;
  }

  close(secret: string): void {
    const digest = digestOfSecret(secret);
    if (this.#sessions.has(digest)) this.#remove(digest);
  }

  #remove(digest: string): void {
    this.#log.closed(digest);
    this.#sessions.delete(digest);
  }
}

/**
 * The cookie of a browser's session (RFC 6265). No script can read it, and browsers send it only with requests of
 * this server's own pages. The Origin check is a second guard, for browsers without SameSite: a request with the
 * cookie that can change something must come from a page of this server.
 */
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
