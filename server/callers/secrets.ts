/**
 * @module
 * The secrets of callers: tokens, sessions and join codes. The server keeps digests of them. The digests need no
 * salt, because the secrets are random and too long to guess.
 */

import { createHash, randomBytes } from 'node:crypto';

/** A new token: 256 bits from the operating system. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A new join code, which people type: 80 bits in base 32 (RFC 4648, lower case), in groups of four. */
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
