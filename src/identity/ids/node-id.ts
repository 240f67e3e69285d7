/**
 * @module
 * This folder derives node IDs from public keys, and rank keys from node IDs. This file makes a node ID by
 * the rule of a policy. An ID is compared as an unsigned big-endian integer and printed as lower-case hex.
 */

import { bytesToHex, leadingZeroBits } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import type { StaticRules } from '../puzzles/puzzle.ts';
import { definePuzzle, S_KADEMLIA, saltedPuzzle, staticPuzzle } from '../puzzles/puzzle.ts';
import {
  digestBytesOf,
  digestOf,
  evaluatePuzzle,
  formatEvaluation,
  formatHash,
} from '../puzzles/puzzle-function.ts';
import type { IdRuleDefinition, NodeIdFormat } from './id-rule.ts';
import { defineIdRule } from './id-rule.ts';
import { storjRule } from './storj.ts';

/**
 * Bytes of an ID, which is an Ed25519 key. Node IDs as the Yggdrasil network makes them: the node ID is the raw
 * Ed25519 public key, its strength is the number of leading zero bits, and the smallest key is elected root of the
 * spanning tree (yggdrasil-go, src/address; ironwood, network). There is no hash between the search for a key and
 * its rank.
 */
export const YGGDRASIL_ID_BYTES = 32;

const KEY_BITS = 256n;
const ADDRESS_BITS = 128n;
const PREFIX = 0x02n;
const SOURCE = 'yggdrasil-go, src/address; ironwood, network';

const yggdrasilPuzzle = definePuzzle({
  kind: 'static',
  name: 'yggdrasil',
  formula: 'public key',
  source: SOURCE,
  evaluations: 0,
  freeBits: 0,
  isAmortisable: false,
  idPrefix: () => new Uint8Array(),
  counts: 'leading',
  bits: leadingZeroBits,
  measures: () => 'the key begins with',
});

const yggdrasilRule = defineIdRule({
  name: 'yggdrasil',
  formula: () => 'the public key itself',
  source: SOURCE,
  isSlow: false,
  isConfigurable: false,
  scheme: 'ed25519',
  isKey: true,
  idBytes: () => YGGDRASIL_ID_BYTES,
  constantBits: 0,
  hashes: 0,
  keyPrefix: () => new Uint8Array(),
  unsuited: (bytes) =>
    bytes === YGGDRASIL_ID_BYTES
      ? null
      : `the yggdrasil rule takes Ed25519 keys only, which have 32 bytes, this one has ${bytes}`,
  nodeId: (publicKey) => publicKey.slice(),
  puzzle: () => yggdrasilPuzzle,
  ranks: 'smallest',
});

/**
 * The IPv6 address of a key, as RFC 5952 writes it: the byte 02, the number of leading zero bits as one byte,
 * then the complement of the key after its first one bit, cut to 128 bits.
 */
export function yggdrasilAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== YGGDRASIL_ID_BYTES) {
    throw new RangeError(
      `"publicKey" expected ${YGGDRASIL_ID_BYTES} bytes, got ${publicKey.length}`,
    );
  }
  const strength = BigInt(leadingZeroBits(publicKey));
  const complement = (1n << KEY_BITS) - 1n - BigInt(`0x${bytesToHex(publicKey)}`);
  const tail =
    BigInt.asUintN(256, complement << (strength + 1n)) >> (KEY_BITS - ADDRESS_BITS + 16n);
  // The count 256, of the key that is zero, overflows to 0, as in Yggdrasil.
  const head = (PREFIX << 8n) | BigInt.asUintN(8, strength);
  const digits = ((head << (ADDRESS_BITS - 16n)) | tail).toString(16).padStart(32, '0');
  const groups = digits.match(/.{4}/g) ?? [];
  // The host of a URL is serialised by RFC 5952.
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}

/** The same puzzle with a hash as its function. */
function hashed(rules: StaticRules): StaticRules {
  return { ...rules, puzzle: { function: 'hash' } };
}

function withHash<P extends typeof staticPuzzle | typeof saltedPuzzle>(puzzle: P): P {
  return {
    ...puzzle,
    bits: (nodeId, rules) => puzzle.bits(nodeId, hashed(rules)),
    measures: (rules) => puzzle.measures(hashed(rules)),
  };
}

const PLAIN = withHash(staticPuzzle);
const SALTED = withHash(saltedPuzzle);

function bytesOf({ hash, idBits }: NodeIdFormat): number {
  return Math.min(idBits / 8, digestBytesOf(hash));
}

/**
 * Node IDs that are the output of the policy's slow puzzle function over the public key. The static puzzle is one
 * hash of such an ID. Where the ID is a fast hash, an adversary that needs one high ID drops all others before their
 * slow puzzle. Here it learns no ID without an evaluation. A verifier evaluates the function last, for claims that
 * have met the puzzle and are signed, so that a false claim costs its sender 2^c1 hashes.
 */
const slowRule = defineIdRule({
  name: 'slow',
  formula: (format) =>
    `the first ${8 * bytesOf(format)} bits of ${formatEvaluation(format, 'public key')}`,
  source: 'usurp: the puzzle of S/Kademlia, section 4.1, before the ID instead of after it',
  isConfigurable: true,
  isSlow: true,
  scheme: null,
  isKey: false,
  idBytes: bytesOf,
  constantBits: 0,
  hashes: 1,
  keyPrefix: () => new Uint8Array(),
  unsuited: () => null,
  nodeId: (publicKey, format) => evaluatePuzzle(format, publicKey).slice(0, bytesOf(format)),
  puzzle: ({ salted }) => (salted ? SALTED : PLAIN),
  ranks: 'node-id',
});

/** Bytes of a node ID under the default rule. */
export const NODE_ID_BYTES = 32;

/** Bits that an ID of the rule `hash` may be cut to, in whole bytes. The largest number cuts nothing. */
export const ID_BITS_MIN = 16;
export const ID_BITS_MAX = 256;

/**
 * The hash of the public key's bytes, as S/Kademlia derives it. Uncut, keys of the two schemes differ in
 * length, so their IDs never collide.
 */
const hashRule = defineIdRule({
  name: 'hash',
  formula(format) {
    const whole = `${formatHash(format.hash)} of the public key`;
    const bytes = cutBytes(format);
    return bytes < digestBytesOf(format.hash) ? `the first ${8 * bytes} bits of ${whole}` : whole;
  },
  source: S_KADEMLIA,
  isSlow: false,
  isConfigurable: true,
  scheme: null,
  isKey: false,
  idBytes: cutBytes,
  constantBits: 0,
  hashes: 1,
  keyPrefix: () => new Uint8Array(),
  unsuited: () => null,
  nodeId: (publicKey, format) => digestOf(format.hash, publicKey).slice(0, cutBytes(format)),
  puzzle: ({ salted }) => (salted ? saltedPuzzle : staticPuzzle),
  ranks: 'node-id',
});

/** The default first. */
const LISTED = {
  hash: hashRule,
  slow: slowRule,
  storj: storjRule,
  yggdrasil: yggdrasilRule,
} as const;

export type IdRule = keyof typeof LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const ID_RULES = Object.keys(LISTED) as readonly IdRule[];

/** The members of a policy that decide a node ID. */
export interface NodeIdRules extends NodeIdFormat {
  readonly idRule: IdRule;
}

/** What decides a node ID and its static puzzle if no policy is given. */
export const DEFAULT_RULES: NodeIdRules & StaticRules = {
  idRule: 'hash',
  hash: 'sha256',
  idBits: ID_BITS_MAX,
  puzzle: { function: 'hash' },
  salted: false,
  epoch: 0,
  context: 'usurp',
};

export function idRuleOf({ idRule }: Pick<NodeIdRules, 'idRule'>): IdRuleDefinition {
  return LISTED[idRule];
}

/** The node ID of a public key. Throws LabError `arguments` if the rule makes no ID of such a key. */
export function nodeIdOf(publicKey: Uint8Array, rules: NodeIdRules = DEFAULT_RULES): Uint8Array {
  const { unsuited, nodeId } = idRuleOf(rules);
  const reason = unsuited(publicKey.length);
  if (reason !== null) throw new LabError('arguments', reason);
  return nodeId(publicKey, rules);
}

/** Bytes of the node IDs of a policy. */
export function nodeIdBytesOf(rules: NodeIdRules): number {
  return idRuleOf(rules).idBytes(rules);
}

/** The difficulty of the static puzzle that a node ID meets, 0..256 bits. */
export function staticBits(
  nodeId: Uint8Array,
  rules: NodeIdRules & StaticRules = DEFAULT_RULES,
): number {
  return idRuleOf(rules).puzzle(rules).bits(nodeId, rules);
}

function cutBytes({ hash, idBits }: NodeIdFormat): number {
  return Math.min(idBits / 8, digestBytesOf(hash));
}
