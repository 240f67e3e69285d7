/**
 * @module
 * Bearer tokens and their roles. Only digests are kept. A presented token is compared with every digest,
 * so that the time does not depend on which one matches.
 */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import { LabError } from '../../src/errors.ts';
import type { Role } from '../request/principal.ts';
import { HELD_ROLES, includesRole } from '../request/principal.ts';

/** The holder of a token. */
export interface Holder {
  readonly name: string;
  readonly role: Role;
}

/** The callers who have tokens. */
export interface TokenHolders {
  /** Number of holders that may create something. */
  readonly makers: number;
  /** The names of all holders. */
  readonly names: readonly string[];
  /** The holder of a token, by its digest; null if the token is not known. */
  holderWith(tokenDigest: string): Holder | null;
}

interface Entry {
  readonly holder: Holder;
  readonly digest: Buffer;
}

export class TokenSet implements TokenHolders {
  readonly #entries: readonly Entry[];

  constructor(tokens: readonly (Holder & { readonly token: string })[]) {
    this.#entries = tokens.map(({ name, role, token }) => ({
      holder: { name, role },
      digest: Buffer.from(digestOfSecret(token), 'hex'),
    }));
  }

  get makers(): number {
    return this.#entries.filter(({ holder }) => includesRole(holder.role, 'student')).length;
  }

  get names(): readonly string[] {
    return this.#entries.map(({ holder }) => holder.name);
  }

  /** The holder of a token; null if the token is not known. */
  holderOf(token: string): Holder | null {
    return this.holderWith(digestOfSecret(token));
  }

  holderWith(tokenDigest: string): Holder | null {
    const digest = Buffer.from(tokenDigest, 'hex');
    let holder: Holder | null = null;
    for (const entry of this.#entries) {
      if (timingSafeEqual(entry.digest, digest)) holder = entry.holder;
    }
    return holder;
  }
}

/**
 * Parses a file with one `role name token` on each line. Empty lines and lines that begin with # are
 * ignored. Throws LabError `arguments` with file and line, and never with the token.
 */
export function parseTokens(text: string, file: string): TokenSet {
  const names = new Set<string>();
  const secrets = new Set<string>();
  const tokens = text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const where = `${file}:${index + 1}`;
    const [, roleText = '', name = '', token = ''] = LINE.exec(line) ?? [];
    const role = HELD_ROLES.find((each) => each === roleText);
    if (role === undefined) throw malformed(`${where}: ${FORM}`);
    if (names.has(name)) throw malformed(`${where}: the name ${name} is given twice`);
    // It would identify only one of them.
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

/** RFC 6750's b64token, long enough that it cannot be guessed. */
const LINE = /^\s*(\w+)\s+([a-z0-9._-]{1,64})\s+([A-Za-z0-9._~+/-]{16,256}=*)\s*$/;
const FORM =
  '`role name token`: reader, student, instructor or operator; a-z, 0-9, . _ -; at least 16 characters';

/**
 * A new token: 256 bits from the operating system. The secrets of callers: tokens, sessions and codes. The
 * server keeps digests of them. The digests need no salt, because the secrets are random and too long to guess.
 */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A new join code or class code, which people type: 80 bits in base 32 (RFC 4648, lower case), in groups of four. */
export function randomCode(): string {
  const letters = Array.from(randomBytes(CODE_LETTERS), (byte) => ALPHABET.charAt(byte & 31));
  return letters.join('').replaceAll(/.{4}(?=.)/g, '$&-');
}

/** The text of a code as it is compared: people may type capitals, and leave out the hyphens or add spaces. */
export function normalCode(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '');
}

/** SHA-256 of a secret, in hex. */
export function digestOfSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

const CODE_LETTERS = 16;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
