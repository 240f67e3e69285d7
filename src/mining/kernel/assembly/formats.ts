/**
 * @module
 * How node IDs are made and tested: the two hashes of a candidate. The host writes both blocks without
 * the key and the node ID, and their positions (layout.ts). Here they become vectors.
 *
 * A block in memory has sixteen words, and a long or SHA-1 block its whole schedule after them. A short
 * block has W0..W8, s0(W8), K8 + W8 instead, and a *bank* of constants for the words that are the same
 * in all of its messages.
 */
import {
  DIGEST_WORDS, DIGESTS, ENDINGS, ID_AT, ID_BANK, ID_BLOCK, ID_KIND, ID_MASK, INITIAL, KEY_AT,
  KEY_BANK, KEY_BLOCK, KEY_KIND, MASK_LANES, MESSAGE, MESSAGES, OPENED, PREFIX_STEP,
  ROUND_CONSTANTS, SCHEDULE, SIGN_BIT, WORDS,
} from './layout';
import { prepareSha1 } from './sha/sha1';
import { longEight } from './sha/sha-blocks';
import { H, K, rotated, scalar0, scalar1, small0 } from './sha/sha-rounds';

/** SHA-256 of a block whose words 9..14 are zero. */
export const SHORT: u32 = 0;
/** SHA-256 of any block. */
export const LONG: u32 = 1;
export const SHA1: u32 = 2;
/** Nothing is hashed: the key is the node ID. */
export const NONE: u32 = 3;

/** The address of word 8. A block that begins with eight constant words is opened in advance. */
const HALF: u32 = 128;

/** Reads the host's format into vectors. */
export function prepareFormat(): void {
  const kind = load<u32>(KEY_KIND), idKind = load<u32>(ID_KIND);
  v128.store(SIGN_BIT, i32x4.splat(0x80));
  v128.store(PREFIX_STEP, i32x4.splat(isAligned() ? 1 : 0x01000000));
  prepareInitial(kind);
  for (let i: usize = 0; i < 6; i++) fillBlock(MESSAGES + i * MESSAGE, KEY_BLOCK, kind);
  for (let i: usize = 0; i < 3; i++) fillBlock(DIGESTS + i * MESSAGE, ID_BLOCK, idKind);
  fillBank(KEY_BANK, load<u32>(KEY_BLOCK, 60));
  fillBank(ID_BANK, load<u32>(ID_BLOCK, 60));
  v128.store(WORDS, i32x4.splat(load<u32>(KEY_BLOCK, 60)), 240);
  v128.store(WORDS + SCHEDULE, i32x4.splat(load<u32>(KEY_BLOCK, 60)), 240);
  v128.store(DIGEST_WORDS, i32x4.splat(load<u32>(ID_BLOCK, 60)), 240);
  fillEnding(ENDINGS, KEY_BLOCK + 64);
  fillEnding(ENDINGS + 1024, ID_BLOCK + 64);
  for (let i: usize = 0; i < 8; i++) {
    const padding = load<u32>(ID_BLOCK + (load<u32>(ID_AT) >> 2) + (i << 2));
    v128.store(MASK_LANES + (i << 4), i32x4.splat(load<u32>(ID_MASK + (i << 2))));
    v128.store(MASK_LANES + (i << 4), i32x4.splat(padding), 128);
  }
  if (isIdOpened()) openIds();
}

/** The part of all blocks of node IDs that only depends on their eight constant words. */
function openIds(): void {
  longEight(INITIAL, OPENED, ROUND_CONSTANTS, DIGESTS);
  for (let at: usize = 0; at < 112; at += 16) {
    const sum = i32x4.add(v128.load(DIGESTS + at), small0(v128.load(DIGESTS + at, 16)));
    v128.store(OPENED + at, sum, 128);
  }
}

/** Whether the block of a node ID begins with eight constant words. */
export function isIdOpened(): bool {
  return load<u32>(ID_KIND) == LONG && load<u32>(ID_AT) == HALF;
}

/** Whether the x of a secp256k1 key begins with a word, after its prefix byte. */
export function isAligned(): bool { return load<u32>(KEY_AT) != 0; }

/** Round 0 of a short block starts from constants: a = W0 + FIRST_A, e = W0 + FIRST_E. */
function prepareInitial(kind: u32): void {
  for (let t = 0; t < 64; t++) v128.store(ROUND_CONSTANTS + (t << 4), i32x4.splat(K[t]));
  for (let i = 0; i < 8; i++) {
    v128.store(INITIAL + (i << 4), i32x4.splat(kind == NONE || kind == SHA1 ? 0 : H[i]));
  }
  if (kind == SHA1) prepareSha1();
  const e = H[4];
  const t1 = H[7] + K[0] + (H[6] ^ (e & (H[5] ^ H[6])))
    + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25));
  const a = H[0];
  const t2 = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22))
    + (H[1] ^ ((a ^ H[1]) & (H[1] ^ H[2])));
  v128.store(INITIAL + 128, i32x4.splat(t1 + t2));
  v128.store(INITIAL + 144, i32x4.splat(H[3] + t1));
}

function fillBlock(to: usize, block: usize, kind: u32): void {
  for (let t: usize = 0; t < 16; t++) {
    v128.store(to + (t << 4), i32x4.splat(load<u32>(block + (t << 2))));
  }
  if (kind == SHORT) fillTail(to);
}

/** The two words that are derived from word 8 of a short block. */
export function fillTail(to: usize): void {
  const w8 = v128.load(to, 128);
  v128.store(to, small0(w8), 144);
  v128.store(to, i32x4.add(w8, v128.load(ROUND_CONSTANTS, 128)), 160);
}

function fillBank(bank: usize, bits: u32): void {
  for (let t = 9; t < 15; t++) v128.store(bank + ((t - 8) << 4), i32x4.splat(K[t]));
  v128.store(bank + (7 << 4), i32x4.splat(K[15] + bits));
  v128.store(bank + (8 << 4), i32x4.splat(scalar1(bits)));
  v128.store(bank + (9 << 4), i32x4.splat(bits));
  v128.store(bank + (10 << 4), i32x4.splat(scalar0(bits)));
}

/** The sums of round constants and words of a constant block. Each word replaces itself at the end. */
function fillEnding(to: usize, block: usize): void {
  for (let t: usize = 0; t < 64; t++) {
    const at = to + (t << 4);
    const word = t < 16
      ? load<u32>(block + (t << 2))
      : scalar1(load<u32>(at - 32)) + load<u32>(at - 112) + scalar0(load<u32>(at - 240))
        + load<u32>(at - 256);
    store<u32>(at, word);
  }
  for (let t = 0; t < 64; t++) {
    const at = to + (<usize>t << 4);
    v128.store(at, i32x4.splat(K[t] + load<u32>(at)));
  }
}
