/**
 * @module
 * The keys of an election's nodes, in two forms that give the same outcomes. Real keys sign with the
 * scheme of their identity. Symbolic keys are for large runs and for checkers (D. Dolev, A. Yao, "On the
 * security of public key protocols", IEEE Trans. Information Theory 29(2), 1983): a signature is a code
 * under a secret that only the signer has, so that a node can send only what its own keys can sign, or
 * what it has received.
 */

import { bytesToHex, hexToBytes } from '../bytes.ts';
import type { Authentication, Keys } from '../election/authentication/authenticated.ts';
import type { Rank } from '../election/machine.ts';
import type { PlainVerifier, SchemeName, Secret } from '../identity/keys/scheme.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import { SIGNATURE_BYTES } from '../identity/keys/signature-scheme.ts';
import { messageBytes } from '../identity/message.ts';
import type { Seed } from '../random.ts';
import { createRandom } from '../random.ts';

/** An admitted node's keys. */
export interface HeldKey {
  readonly scheme: SchemeName;
  readonly secret: Secret;
  readonly publicKey: Uint8Array;
}

/** Codes that are kept for each signer, about 300 bytes each. */
const RECENT_CODES_MAX = 256;

/** The 128 bits that a symbolic signer mixes into its codes. */
type SymbolicSecret = readonly [number, number, number, number];

interface SymbolicSigner {
  readonly secret: SymbolicSecret;
  /** Codes by text: most are needed twice, by the signer and soon after by the verifier. */
  readonly recent: Map<string, string>;
}

/** Keys of the admitted `ranks`; a signature in the name of any other never verifies. */
export function symbolicKeys(seed: Seed, ranks: readonly Rank[]): (rank: Rank) => Keys {
  const admitted = new Set(ranks);
  const signers = new Map<Rank, SymbolicSigner>();
  const signerOf = (rank: Rank) => {
    const known = signers.get(rank);
    if (known !== undefined) return known;
    if (!admitted.has(rank)) return null;
    const signer = { secret: secretOf(seed, rank), recent: new Map<string, string>() };
    signers.set(rank, signer);
    return signer;
  };
  const codeOf = (rank: Rank, text: string) => {
    const signer = signerOf(rank);
    if (signer === null) return null;
    const { secret, recent } = signer;
    const known = recent.get(text);
    if (known !== undefined) return known;
    const code = symbolicCode(secret, text);
    if (recent.size >= RECENT_CODES_MAX) recent.clear();
    recent.set(text, code);
    return code;
  };
  return (rank) => ({
    sign: (text) => codeOf(rank, text) ?? refuseSigner(rank),
    verify: (signer, text, signature) => codeOf(signer, text) === signature,
  });
}

function secretOf(seed: Seed, rank: Rank): SymbolicSecret {
  const random = createRandom(seed, 'symbolic-key', rank);
  const word = () => random.below(2 ** 32) | 0;
  return [word(), word(), word(), word()];
}

/**
 * The code of a text in 32 hex digits: after MurmurHash3_x86_128 (A. Appleby) over its UTF-16 units, with the
 * secret as the first state. It is not cryptographic, and need not be: no attack on it is modelled, but two
 * texts must not share a code.
 */
export function symbolicCode(secret: SymbolicSecret, text: string): string {
  let one = secret[0];
  let two = secret[1];
  let three = secret[2];
  let four = secret[3];
  const { length } = text;
  for (let index = 0; index < length; index += UNITS_PER_BLOCK) {
    // A read past the end of a string is slow, so that only the last block is read with care.
    const word = index + UNITS_PER_BLOCK <= length ? wordAt : lastWordAt;
    one = mixed(one, scrambled(word(text, index), C1, 15, C2), 19, two, N1);
    two = mixed(two, scrambled(word(text, index + 2), C2, 16, C3), 17, three, N2);
    three = mixed(three, scrambled(word(text, index + 4), C3, 17, C4), 15, four, N3);
    four = mixed(four, scrambled(word(text, index + 6), C4, 18, C1), 13, one, N4);
  }
  const sum = ((one ^ length) + (two ^ length) + (three ^ length) + (four ^ length)) | 0;
  one = finalised(sum);
  two = finalised(((two ^ length) + sum) | 0);
  three = finalised(((three ^ length) + sum) | 0);
  four = finalised(((four ^ length) + sum) | 0);
  const all = (one + two + three + four) | 0;
  return hex(all) + hex((two + all) | 0) + hex((three + all) | 0) + hex((four + all) | 0);
}

/** Two bytes each, sixteen bytes in a block. */
const UNITS_PER_BLOCK = 8;
/** The constants of MurmurHash3_x86_128, as integers of 32 bits with a sign. */
const C1 = 0x239b961b;
const C2 = 0xab0e9789 | 0;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93 | 0;
const N1 = 0x561ccd1b;
const N2 = 0x0bcaa747;
const N3 = 0x96cd1c35 | 0;
const N4 = 0x32ac3b17;

function wordAt(text: string, index: number): number {
  return text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16);
}

/** The same with 0 for units past the end. */
function lastWordAt(text: string, index: number): number {
  const low = index < text.length ? text.charCodeAt(index) : 0;
  return index + 1 < text.length ? wordAt(text, index) : low;
}

function scrambled(word: number, before: number, bits: number, after: number): number {
  return Math.imul(rotated(Math.imul(word, before), bits), after);
}

function mixed(part: number, word: number, bits: number, next: number, added: number): number {
  return (Math.imul((rotated(part ^ word, bits) + next) | 0, 5) + added) | 0;
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function finalised(word: number): number {
  const first = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return second ^ (second >>> 16);
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => bytesToHex(Uint8Array.of(byte)));

function hex(word: number): string {
  const high = `${HEX_BYTES[word >>> 24]}${HEX_BYTES[(word >>> 16) & 255]}`;
  return `${high}${HEX_BYTES[(word >>> 8) & 255]}${HEX_BYTES[word & 255]}`;
}

/** Keys of identities that were admitted, by rank. */
export function realKeys(
  held: ReadonlyMap<Rank, HeldKey>,
  plain: PlainVerifier | null = null,
): (rank: Rank) => Keys {
  return (rank) => ({
    sign(text) {
      const key = held.get(rank) ?? refuseSigner(rank);
      const { sign } = schemeOf(key.scheme);
      return bytesToHex(sign(key.secret, messageBytes(text), key.publicKey));
    },
    verify(signer, text, signature) {
      const key = held.get(signer);
      if (key === undefined || !SIGNATURE_FORM.test(signature)) return false;
      const bytes = hexToBytes(signature);
      const rules = { strict: true, lowS: true };
      return schemeOf(key.scheme).verify(key.publicKey, messageBytes(text), bytes, rules, plain);
    },
  });
}

const SIGNATURE_FORM = new RegExp(`^[0-9a-f]{${2 * SIGNATURE_BYTES}}$`);

function refuseSigner(rank: Rank): never {
  throw new RangeError(`"rank" expected one that was admitted, got ${rank}`);
}

/** Keys that sign for these nodes and verify the signatures of all. */
export function confined(
  authentication: Authentication,
  accomplices: readonly Rank[],
): Authentication {
  return {
    ...authentication,
    keysOf(rank) {
      const { sign, verify } = authentication.keysOf(rank);
      return {
        verify,
        sign(text) {
          if (accomplices.includes(rank)) return sign(text);
          throw new RangeError(`"rank" expected an accomplice, got ${rank}`);
        },
      };
    },
  };
}
