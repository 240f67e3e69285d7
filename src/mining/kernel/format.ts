/**
 * @module
 * How the key kernel makes and tests node IDs, from the rules of a policy: the padded blocks of its two hashes, with
 * zeros where the key and the node ID belong, and the bits that must be zero. assembly/layout.ts describes the fields.
 */

import { concatBytes } from '../../bytes.ts';
import type { NodeIdRules } from '../../identity/ids/node-id.ts';
import { idRuleOf, nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { StaticRules } from '../../identity/puzzles/puzzle.ts';
import { digestBytesOf } from '../../identity/puzzles/puzzle-function.ts';

/** The members of a policy that decide the node ID and the static puzzle. */
export type KernelRules = NodeIdRules & StaticRules;

/** Numbers of assembly/formats.ts. */
const KINDS = { short: 0, long: 1, sha1: 2, none: 3 } as const;

/** A message of one block, or of two of which the second is constant. */
export interface KernelMessage {
  readonly kind: number;
  /** Index of the word at which the variable part begins. */
  readonly word: number;
  /** 16 words, then 16 of the constant block. */
  readonly words: readonly number[];
  /** Two if the constant block follows, 0 if nothing is hashed. */
  readonly blocks: 0 | 1 | 2;
}

export interface KernelFormat {
  readonly key: KernelMessage;
  readonly id: KernelMessage;
  /** Bits of the eight words of a digest that are the node ID, if it is made by the first hash. */
  readonly idMask: readonly number[];
  /** Whether the second hash is the node ID. */
  readonly isIdLate: boolean;
  /** The words of the last hash that are tested, and the bits that must be zero for c1. */
  probe(c1: number): readonly { readonly word: number; readonly zeros: number }[];
}

const BLOCK_BYTES = 64;
const WORD_BITS = 32;
const DIGEST_WORDS = 8;
/** The most zero bits that `probe` tests: two words, less the constant bits at the end of a Storj ID. */
export const PROBED_BITS = 2 * WORD_BITS;
const NOTHING: KernelMessage = {
  kind: KINDS.none,
  word: 0,
  words: new Array<number>(32).fill(0),
  blocks: 0,
};

/** Bytes of an encoded key. */
const KEY_BYTES: Readonly<Record<SchemeName, number>> = { ed25519: 32, secp256k1: 33 };

export function kernelFormat(rules: KernelRules, scheme: SchemeName): KernelFormat {
  const rule = idRuleOf(rules);
  const puzzle = rule.puzzle(rules);
  const digestBytes = digestBytesOf(rules.hash);
  const keyBytes = KEY_BYTES[scheme];
  const isIdLate = rule.hashes > 1;
  const idPrefix = isIdLate ? new Uint8Array() : puzzle.idPrefix(rules);
  const idBytes = isIdLate ? digestBytes : nodeIdBytesOf(rules);
  const isHashed = rule.hashes > 0;
  return {
    key: isHashed ? messageOf(rules, rule.keyPrefix(keyBytes), keyBytes) : NOTHING,
    id: isHashed ? messageOf(rules, idPrefix, idBytes) : NOTHING,
    idMask: Array.from({ length: DIGEST_WORDS }, (_, word) => highBits(8 * idBytes - 32 * word)),
    isIdLate,
    probe: (c1) =>
      puzzle.counts === 'leading'
        ? [0, 1].map((word) => ({ word, zeros: highBits(c1 - WORD_BITS * word) }))
        : [0, 1].map((back) => ({
            word: DIGEST_WORDS - 1 - back,
            zeros: trailingBits(c1 - WORD_BITS * back, back === 0 ? rule.constantBits : 0),
          })),
  };
}

/** A mask of the `count` highest bits of a word. All for a larger count, none for a negative one. */
function highBits(count: number): number {
  const free = WORD_BITS - Math.min(Math.max(count, 0), WORD_BITS);
  return 2 ** WORD_BITS - 2 ** free;
}

/** A mask of the `count` lowest bits of a word, without the lowest ones, which are constant. */
function trailingBits(count: number, constant: number): number {
  const end = Math.min(Math.max(count, constant), WORD_BITS);
  return 2 ** end - 2 ** constant;
}

/** The padded message of a prefix and a number of variable bytes (FIPS 180-4, section 5.1.1). */
function messageOf(
  { hash }: Pick<KernelRules, 'hash'>,
  prefix: Uint8Array,
  variableBytes: number,
): KernelMessage {
  const bytes = prefix.length + variableBytes;
  const end = Math.ceil((bytes + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const message = concatBytes(prefix, new Uint8Array(2 * BLOCK_BYTES - prefix.length));
  message[bytes] = 0x80;
  const view = new DataView(message.buffer, message.byteOffset);
  view.setUint32(end - 4, 8 * bytes);
  const words = Array.from({ length: 32 }, (_, word) => view.getUint32(4 * word));
  const hasConstantBlock = end > BLOCK_BYTES;
  const isShort = !hasConstantBlock && words.slice(9, 15).every((word) => word === 0);
  const sha256 = isShort && prefix.length === 0 ? KINDS.short : KINDS.long;
  return {
    kind: hash === 'sha1' ? KINDS.sha1 : sha256,
    // The first byte of a compressed key may end the word before.
    word: Math.ceil(prefix.length / 4),
    words,
    blocks: hasConstantBlock ? 2 : 1,
  };
}
