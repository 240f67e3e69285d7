/**
 * @module
 * This folder derives node IDs from public keys, and rank keys from node IDs. This file makes a node ID by
 * the rule of a policy. `hash`, the default: the hash of the public key's bytes, as
 * S/Kademlia (Baumgart and Mies 2007) derives them, with SHA-256 in place of SHA-1 and cut to
 * `idBits`; `storj` and `yggdrasil` as those networks do. An ID is compared as an unsigned big-endian
 * integer and printed as lower-case hex. Uncut, keys of the two schemes differ in length, so their IDs
 * never collide.
 */

import { LabError } from '../../errors.ts';
import type { HashName } from '../puzzles/puzzle-function.ts';
import { digestBytesOf, digestOf, formatHash } from '../puzzles/puzzle-function.ts';
import { spkiOf, storjIdOfSpki } from './storj.ts';
import { YGGDRASIL_ID_BYTES } from './yggdrasil.ts';

/** Every rule, the default first. */
export const ID_RULES = ['hash', 'storj', 'yggdrasil'] as const;
export type IdRule = (typeof ID_RULES)[number];

/** Bytes of a node ID under the default rule. */
export const NODE_ID_BYTES = 32;

/** Bits that an ID of the `hash` rule may be cut to, in whole bytes. */
export const ID_BITS_MIN = 16;
export const ID_BITS_MAX = 256;

/** What decides a node ID; a policy has these members. */
export interface NodeIdRules {
  readonly idRule: IdRule;
  readonly hash: HashName;
  readonly idBits: number;
}

export const DEFAULT_NODE_ID_RULES: NodeIdRules = {
  idRule: 'hash',
  hash: 'sha256',
  idBits: ID_BITS_MAX,
};

/**
 * The node ID of a public key, in whatever spelling the key is presented. Throws LabError `arguments`
 * for a key that `unsuitedKey` finds unsuited to the rule; the `hash` rule takes any bytes.
 */
export function nodeIdOf(
  publicKey: Uint8Array,
  rules: NodeIdRules = DEFAULT_NODE_ID_RULES,
): Uint8Array {
  switch (rules.idRule) {
    case 'hash': {
      const digest = digestOf(rules.hash, publicKey);
      return digest.slice(0, nodeIdBytesOf(rules));
    }
    case 'storj': {
      const spki = spkiOf(publicKey);
      if (spki === null) throw unsuited(publicKey, rules);
      return storjIdOfSpki(spki);
    }
    case 'yggdrasil':
      if (publicKey.length !== YGGDRASIL_ID_BYTES) throw unsuited(publicKey, rules);
      return publicKey.slice();
    default:
      return unknownIdRule(rules.idRule);
  }
}

/** Bytes of the node IDs of a policy. */
export function nodeIdBytesOf({ idRule, hash, idBits }: NodeIdRules): number {
  return idRule === 'hash' ? Math.min(idBits / 8, digestBytesOf(hash)) : NODE_ID_BYTES;
}

/** Why the rule makes no ID of this key, or null where it does. */
export function unsuitedKey(publicKey: Uint8Array, { idRule }: NodeIdRules): string | null {
  const { length } = publicKey;
  switch (idRule) {
    case 'hash':
      return null;
    case 'storj':
      return spkiOf(publicKey) === null
        ? `the storj rule takes keys of 32, 33 or 65 bytes, this one has ${length}`
        : null;
    case 'yggdrasil':
      return length === YGGDRASIL_ID_BYTES
        ? null
        : `the yggdrasil rule takes Ed25519 keys alone, which have 32 bytes, this one has ${length}`;
    default:
      return unknownIdRule(idRule);
  }
}

/** What a node ID of a policy is, in words: `SHA-256 of the public key`. */
export function formatNodeIdRule(rules: NodeIdRules): string {
  switch (rules.idRule) {
    case 'hash': {
      const whole = `${formatHash(rules.hash)} of the public key`;
      const bytes = nodeIdBytesOf(rules);
      return bytes < digestBytesOf(rules.hash) ? `the first ${8 * bytes} bits of ${whole}` : whole;
    }
    case 'storj':
      return 'the double SHA-256 of the SubjectPublicKeyInfo, version byte last,';
    case 'yggdrasil':
      return 'the public key itself';
    default:
      return unknownIdRule(rules.idRule);
  }
}

/** For the end of an exhaustive switch over the rules. */
export function unknownIdRule(rule: never): never {
  throw new TypeError(`"idRule" expected one of ${ID_RULES.join(', ')}, got ${String(rule)}`);
}

function unsuited(publicKey: Uint8Array, rules: NodeIdRules): LabError {
  return new LabError('arguments', unsuitedKey(publicKey, rules) ?? 'the key suits the rule');
}
