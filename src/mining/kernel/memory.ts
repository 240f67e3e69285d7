/**
 * @module
 * The memory of the WASM kernel for keys, as its host sees it: the exports, the parameters of a search, and the points of
 * its tables.
 */

import { concatBytes } from '../../bytes.ts';
import type { NodeIdRules } from '../../identity/ids/node-id.ts';
import { DEFAULT_RULES, idRuleOf, nodeIdBytesOf } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import type { StaticRules } from '../../identity/puzzles/puzzle.ts';
import { digestBytesOf } from '../../identity/puzzles/puzzle-function.ts';
import type { HeadWindow } from '../goal.ts';
import { WHOLE_WINDOW } from '../goal.ts';
import { PAIRS_PER_BATCH, POINTS_PER_BATCH } from './numbering.ts';
import type { AffinePoint } from './twin.ts';
import { consecutivePoints, pointOf } from './twin.ts';

/** What the kernel tests. */
export interface KernelTest {
  /** How node IDs are made and tested. By default those of the strict policy. */
  readonly rules?: KernelRules | undefined;
  /** Difficulty that a node ID must meet, 0..256 bits. */
  readonly c1: number;
  /** Bounds on the first 32 bits of the node ID. A shorter ID is continued with zeros. */
  readonly window?: HeadWindow | undefined;
}

/** The exports of assembly/index.ts. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  pairs(): number;
  parameters(): number;
  pointsIn(): number;
  hits(): number;
  ids(): number;
  prepare(scheme: number): void;
  format(): void;
  seek(): void;
  advance(batches: number): number;
  testIds(count: number, stride: number): void;
}

/** Bytes of a listed node ID. A shorter one is followed by others. */
export const LISTED_ID_BYTES = 32;
/** Node IDs that one call tests. The list of hits has room for all. */
export const TESTED_IDS_MAX = 32768;

/** Offsets from `parameters()`. assembly/layout.ts has the same. */
const ZEROS = 64;
const WINDOW = 72;
const SIBLINGS = 80;
const HITS_FOUND = 84;
const STATUS = 88;
const LISTS_IDS = 92;
const KEY_FORMAT = 96;
const ID_FORMAT = 108;
const PROBES = 120;
const IS_LATE = 128;
const IS_CUT = 132;
const KEY_BLOCK = 144;
const ID_BLOCK = 272;
const ID_MASK = 400;
/** Bytes of a word in all lanes. */
const LANES = 16;

/** Throws if the bytes are not this kernel. */
export function instantiate(bytes: Uint8Array): Exports {
  const module = new WebAssembly.Module(new Uint8Array(bytes));
  // The exports of assembly/index.ts. The next line checks that it is this kernel.
  const exports = new WebAssembly.Instance(module).exports as unknown as Exports;
  if (exports.pairs?.() !== PAIRS_PER_BATCH || exports.testIds === undefined) {
    throw new TypeError(`mining kernel: expected one for ${PAIRS_PER_BATCH} pairs a batch`);
  }
  return exports;
}

/** G, 2G, …, 1024G and the step 2049G. */
export function writePoints(exports: Exports, scheme: SchemeName): void {
  const table = consecutivePoints({ scheme }, 1n, PAIRS_PER_BATCH);
  const step = pointOf({ scheme }, BigInt(POINTS_PER_BATCH));
  [...table, step].forEach((point, index) => {
    if (point !== null) writePoint(exports, exports.pointsIn() + 64 * index, point);
  });
}

export function writePoint(exports: Exports, address: number, point: AffinePoint): void {
  const view = new DataView(exports.memory.buffer, address, 64);
  for (let i = 0; i < 4; i++) {
    view.setBigUint64(8 * i, BigInt.asUintN(64, point.x >> BigInt(64 * i)), true);
    view.setBigUint64(32 + 8 * i, BigInt.asUintN(64, point.y >> BigInt(64 * i)), true);
  }
}

/** Writes what a search tests, and reads it into the kernel's vectors. */
export function writeParameters(
  exports: Exports,
  options: KernelTest & { readonly scheme: SchemeName; readonly siblings: boolean },
): void {
  const { c1, rules = DEFAULT_RULES, window = WHOLE_WINDOW } = options;
  const view = parametersOf(exports);
  const write = (address: number, ...words: readonly number[]) => {
    for (const [index, word] of words.entries()) view.setUint32(address + 4 * index, word, true);
  };
  const { key, id, idMask, isIdLate, probe } = kernelFormat(rules, options.scheme);
  const probes = probe(c1);
  write(ZEROS, ...probes.map(({ zeros }) => zeros));
  write(WINDOW, window.low, window.high);
  write(SIBLINGS, options.siblings ? 1 : 0);
  write(KEY_FORMAT, ...formatOf(key));
  write(ID_FORMAT, ...formatOf(id));
  write(PROBES, ...probes.map(({ word }) => LANES * word));
  write(IS_LATE, isIdLate ? 1 : 0);
  write(IS_CUT, idMask.every((mask) => mask === 0xffffffff) ? 0 : 1);
  write(KEY_BLOCK, ...key.words);
  write(ID_BLOCK, ...id.words);
  write(ID_MASK, ...idMask);
  exports.format();
}

/** Says whether the next searches list the node IDs of their hits. */
export function writeListing(exports: Exports, listsIds: boolean): void {
  parametersOf(exports).setUint32(LISTS_IDS, listsIds ? 1 : 0, true);
}

/** Why the last search stopped. */
export function statusOf(exports: Exports): number {
  return parametersOf(exports).getUint32(STATUS, true);
}

/** The hits of the last call, as a view of the memory. */
export function hitsIn(exports: Exports): Uint32Array {
  const found = parametersOf(exports).getUint32(HITS_FOUND, true);
  return new Uint32Array(exports.memory.buffer, exports.hits(), found);
}

/** The node IDs in the memory: those of the hits, or those to test. */
export function idsIn(exports: Exports): Uint8Array {
  return new Uint8Array(exports.memory.buffer, exports.ids(), LISTED_ID_BYTES * TESTED_IDS_MAX);
}

function parametersOf(exports: Exports): DataView {
  return new DataView(exports.memory.buffer, exports.parameters());
}

function formatOf({ kind, word, blocks }: KernelMessage): readonly number[] {
  return [kind, LANES * word, blocks > 1 ? 1 : 0];
}

/**
 * The members of a policy that decide the node ID and the static puzzle. How the key kernel makes and tests node
 * IDs, from the rules of a policy: the padded blocks of its two hashes, with zeros where the key and the node ID
 * belong, and the bits that must be zero. assembly/layout.ts describes the fields.
 */
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

interface KernelFormat {
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
