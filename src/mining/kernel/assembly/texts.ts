/**
 * @module
 * The exports of the text kernel: SHA-256 (FIPS 180-4) of many short texts that differ in one part, in four lanes.
 * The texts are decimal numbers, made from a counter (`numbers`) or from the last digests (`decimals`). `hash`
 * hashes BEFORE ‖ text ‖ AFTER for each. The host (text-kernel.ts) writes the bytes around the texts.
 */
import {
  add, choice, H, K, majority, schedule, sum0, sum1, xor,
} from './sha/sha-rounds';

/** Texts of one call. */
const COUNT_MAX: u32 = 4096;
/** A text ends at the end of its slot. A number of 256 bits has 78 digits. */
const SLOT: usize = 80;
const HEX: usize = 64;
const AROUND_MAX: usize = 1024;
const MESSAGE_MAX: usize = 2304;

// Addresses from here on; the host asks for those that it uses.
const WORDS: usize = 4096; // 64 words in four lanes
const STATE: usize = WORDS + 64 * 16; // eight words in four lanes
const MESSAGES: usize = STATE + 8 * 16;
const LIMBS: usize = MESSAGES + 4 * MESSAGE_MAX;
const BEFORE: usize = LIMBS + 32;
const AFTER: usize = BEFORE + AROUND_MAX;
const LENGTHS: usize = AFTER + AROUND_MAX;
const DIGESTS: usize = LENGTHS + 4 * COUNT_MAX;
const TEXTS: usize = DIGESTS + 32 * COUNT_MAX;
const HEXES: usize = TEXTS + SLOT * COUNT_MAX;

export function countMax(): u32 { return COUNT_MAX; }
export function before(): usize { return BEFORE; }
export function after(): usize { return AFTER; }
export function lengths(): usize { return LENGTHS; }
export function digests(): usize { return DIGESTS; }
export function texts(): usize { return TEXTS; }
export function hexes(): usize { return HEXES; }

/** The texts become from, from + 1, …, below 2^53. */
export function numbers(from: f64, count: u32): void {
  const first = <u64>from;
  for (let i: u32 = 0; i < count; i++) {
    const end = TEXTS + SLOT * (i + 1);
    let at = end;
    let rest = first + i;
    do {
      at--;
      store<u8>(at, <u8>(48 + rest % 10));
      rest /= 10;
    } while (rest != 0);
    setLength(i, <u32>(end - at));
  }
}

/** The texts become the last digests, as big-endian numbers. */
export function decimals(count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    memory.copy(LIMBS, DIGESTS + 32 * i, 32);
    setLength(i, writeDecimal(TEXTS + SLOT * (i + 1)));
  }
}

/** Writes the number in LIMBS so that it ends at `end`, and returns its length. Clears LIMBS. */
function writeDecimal(end: usize): u32 {
  let at = end;
  let most = min(28, firstLimb(0));
  do {
    let group = divideLimbs(most);
    const least = at - 9;
    most = firstLimb(most);
    do {
      at--;
      store<u8>(at, <u8>(48 + group % 10));
      group /= 10;
    } while (most < 32 ? at > least : group != 0);
  } while (most < 32);
  return <u32>(end - at);
}

/** Offset of the first limb from `most` on that is not 0. 32 if there is none. */
function firstLimb(most: usize): usize {
  while (most < 32 && load<u32>(LIMBS + most) == 0) most += 4;
  return most;
}

/** Divides the number in LIMBS by 10^9 and returns the remainder. The limbs before `most` are 0. */
function divideLimbs(most: usize): u32 {
  let rest: u64 = 0;
  for (let limb = most; limb < 32; limb += 4) {
    const value = (rest << 32) | <u64>load<u32>(LIMBS + limb);
    const quotient = value / 1000000000;
    rest = value - quotient * 1000000000;
    store<u32>(LIMBS + limb, <u32>quotient);
  }
  return <u32>rest;
}

/** Writes the last digests in hexadecimal digits. */
export function writeHexes(count: u32): void {
  for (let at: usize = 0; at < 8 * <usize>count; at++) {
    const word = load<u32>(DIGESTS + (at << 2));
    for (let digit = 0; digit < 8; digit++) {
      const value = (word >> (28 - 4 * digit)) & 15;
      store<u8>(HEXES + (at << 3) + digit, <u8>(value < 10 ? 48 + value : 87 + value));
    }
  }
}

/** Hashes every text with these numbers of bytes around it. */
export function hash(bytesBefore: u32, bytesAfter: u32, count: u32): void {
  for (let lane: usize = 0; lane < 4; lane++) {
    memory.copy(MESSAGES + lane * MESSAGE_MAX, BEFORE, bytesBefore);
  }
  for (let i: u32 = 0; i < count; i += 4) hashFour(i, min(4, count - i), bytesBefore, bytesAfter);
}

/** Hashes the texts from `first` on. Lanes beyond `used` repeat the last text. */
function hashFour(first: u32, used: u32, bytesBefore: u32, bytesAfter: u32): void {
  let most: u32 = 0;
  for (let lane: u32 = 0; lane < 4; lane++) {
    const blocks = compose(lane, first + min(lane, used - 1), bytesBefore, bytesAfter);
    most = max(most, blocks);
  }
  for (let i = 0; i < 8; i++) v128.store(STATE + (<usize>i << 4), i32x4.splat(H[i]));
  for (let block: u32 = 0; block < most; block++) {
    readWords(MESSAGES + (block << 6));
    compress();
    for (let lane: u32 = 0; lane < used; lane++) {
      const length = bytesBefore + lengthOf(first + lane) + bytesAfter;
      if (blocksOf(length) == block + 1) writeDigest(lane, first + lane);
    }
  }
}

function blocksOf(length: u32): u32 { return (length + 72) >> 6; }

@inline function lengthOf(i: u32): u32 { return load<u32>(LENGTHS + (<usize>i << 2)); }
@inline function setLength(i: u32, length: u32): void { store<u32>(LENGTHS + (<usize>i << 2), length); }

/** Writes the padded message of a text into a lane. Returns the number of its blocks. */
function compose(lane: u32, text: u32, bytesBefore: u32, bytesAfter: u32): u32 {
  const length = lengthOf(text);
  const start = MESSAGES + <usize>lane * MESSAGE_MAX;
  let at = start + bytesBefore;
  memory.copy(at, TEXTS + SLOT * (text + 1) - length, length);
  at += length;
  memory.copy(at, AFTER, bytesAfter);
  at += bytesAfter;
  const total = <u32>(at - start);
  const blocks = blocksOf(total);
  const end = start + (blocks << 6);
  memory.fill(at, 0, end - at);
  store<u8>(at, 0x80);
  store<u32>(end - 4, bswap<u32>(total << 3));
  return blocks;
}

/** Reads a block of each lane into words 0..15, big-endian. */
function readWords(block: usize): void {
  for (let at: usize = 0; at < 64; at += 16) {
    const l0 = swapped(block + at), l1 = swapped(block + at + MESSAGE_MAX);
    const l2 = swapped(block + at + 2 * MESSAGE_MAX), l3 = swapped(block + at + 3 * MESSAGE_MAX);
    const low0 = v128.shuffle<i32>(l0, l1, 0, 4, 1, 5), high0 = v128.shuffle<i32>(l0, l1, 2, 6, 3, 7);
    const low1 = v128.shuffle<i32>(l2, l3, 0, 4, 1, 5), high1 = v128.shuffle<i32>(l2, l3, 2, 6, 3, 7);
    const to = WORDS + (at << 2);
    v128.store(to, v128.shuffle<i64>(low0, low1, 0, 2));
    v128.store(to, v128.shuffle<i64>(low0, low1, 1, 3), 16);
    v128.store(to, v128.shuffle<i64>(high0, high1, 0, 2), 32);
    v128.store(to, v128.shuffle<i64>(high0, high1, 1, 3), 48);
  }
}

@inline function swapped(at: usize): v128 {
  const bytes = v128.load(at);
  return v128.shuffle<i8>(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** The sum of word and constant t + r. */
@inline function word(t: usize, r: usize): v128 {
  const constant = v128.load_splat<u32>(changetype<usize>(K) + ((t + r) << 2));
  return add(v128.load(WORDS + ((t + r) << 4)), constant);
}

@inline function t1(h: v128, w: v128, e: v128, f: v128, g: v128): v128 {
  return add(add(add(h, w), choice(e, f, g)), sum1(e));
}

/** `x` is a ^ b and `y` is b ^ c. */
@inline function t2(t: v128, a: v128, b: v128, x: v128, y: v128): v128 {
  return add(add(t, majority(b, x, y)), sum0(a));
}

/** Adds the block in WORDS to STATE. */
function compress(): void {
  for (let t: usize = 0; t < 48; t++) schedule(WORDS + (t << 4));
  let a = v128.load(STATE), b = v128.load(STATE, 16), c = v128.load(STATE, 32), d = v128.load(STATE, 48);
  let e = v128.load(STATE, 64), f = v128.load(STATE, 80), g = v128.load(STATE, 96), h = v128.load(STATE, 112);
  let x: v128, y = xor(b, c), t: v128;
  for (let r: usize = 0; r < 64; r += 8) {
    t = t1(h, word(r, 0), e, f, g); x = xor(a, b); d = add(d, t); h = t2(t, a, b, x, y);
    t = t1(g, word(r, 1), d, e, f); y = xor(h, a); c = add(c, t); g = t2(t, h, a, y, x);
    t = t1(f, word(r, 2), c, d, e); x = xor(g, h); b = add(b, t); f = t2(t, g, h, x, y);
    t = t1(e, word(r, 3), b, c, d); y = xor(f, g); a = add(a, t); e = t2(t, f, g, y, x);
    t = t1(d, word(r, 4), a, b, c); x = xor(e, f); h = add(h, t); d = t2(t, e, f, x, y);
    t = t1(c, word(r, 5), h, a, b); y = xor(d, e); g = add(g, t); c = t2(t, d, e, y, x);
    t = t1(b, word(r, 6), g, h, a); x = xor(c, d); f = add(f, t); b = t2(t, c, d, x, y);
    t = t1(a, word(r, 7), f, g, h); y = xor(b, c); e = add(e, t); a = t2(t, b, c, y, x);
  }
  accumulate(0, a); accumulate(16, b); accumulate(32, c); accumulate(48, d);
  accumulate(64, e); accumulate(80, f); accumulate(96, g); accumulate(112, h);
}

@inline function accumulate(offset: usize, value: v128): void {
  v128.store(STATE + offset, add(v128.load(STATE + offset), value));
}

function writeDigest(lane: u32, text: u32): void {
  const to = DIGESTS + 32 * <usize>text;
  for (let i: usize = 0; i < 8; i++) {
    store<u32>(to + (i << 2), load<u32>(STATE + (i << 4) + (<usize>lane << 2)));
  }
}
