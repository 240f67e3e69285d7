/**
 * @module
 * Bearer tokens: who has which role. Kept as digests alone; a presented one is compared with every
 * digest in the same time, whether and where it fits.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { LabError } from '../../src/errors.ts';

/** Each may do what those before it may: look; make, act and cancel; watch the server itself. */
export const ROLES = ['reader', 'user', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Whom a token stands for. */
export interface Holder {
  readonly name: string;
  readonly role: Role;
}

interface Entry {
  readonly holder: Holder;
  readonly digest: Buffer;
}

/** The tokens of one server. */
export class TokenSet {
  readonly #entries: readonly Entry[];

  constructor(tokens: readonly (Holder & { readonly token: string })[]) {
    this.#entries = tokens.map(({ name, role, token }) => ({
      holder: { name, role },
      digest: digestOf(token),
    }));
  }

  /** How many holders may make something. */
  get makers(): number {
    return this.#entries.filter(({ holder }) => includesRole(holder.role, 'user')).length;
  }

  /** Whom the token stands for; null for one that is not known. */
  holderOf(token: string): Holder | null {
    const digest = digestOf(token);
    let holder: Holder | null = null;
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.digest, digest)) holder = entry.holder;
    }
    return holder;
  }
}

/** Whether a role may do what another one may. */
export function includesRole(role: Role, asked: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(asked);
}

/** A new token: 256 bits from the operating system. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * The tokens of a file with one `role name token` a line; empty lines and those that begin with # say
 * nothing. Throws LabError `arguments` with file and line, and never with the token.
 */
export function parseTokens(text: string, file: string): TokenSet {
  const names = new Set<string>();
  const secrets = new Set<string>();
  const tokens = text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const where = `${file}:${index + 1}`;
    const [, roleText = '', name = '', token = ''] = LINE.exec(line) ?? [];
    const role = ROLES.find((each) => each === roleText);
    if (role === undefined) throw malformed(`${where}: ${FORM}`);
    if (names.has(name)) throw malformed(`${where}: the name ${name} is given twice`);
    // It would stand for one of them alone.
    if (secrets.has(token)) throw malformed(`${where}: ${name} has the token of another name`);
    names.add(name);
    secrets.add(token);
    return [{ role, name, token }];
  });
  if (tokens.length === 0) throw malformed(`${file} has no tokens; a line is ${FORM}`);
  return new TokenSet(tokens);
}

function malformed(detail: string): LabError {
  return new LabError('arguments', detail);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** RFC 6750's b64token, long enough that nobody guesses one. */
const LINE = /^\s*(\w+)\s+([a-z0-9._-]{1,64})\s+([A-Za-z0-9._~+/-]{16,256}=*)\s*$/;
const FORM = '`role name token`: reader, user or admin; a-z, 0-9, . _ -; at least 16 characters';
