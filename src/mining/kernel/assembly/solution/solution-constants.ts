/**
 * @module
 * What all lanes of a search share, computed once in each call, without SIMD: the hash of the blocks
 * before the last, the rounds before the counter word, and the part of each schedule word that does not
 * depend on it. FIPS 180-4, section 6.2.2.
 */
import { H, K, rotated, scalar0, scalar1 } from '../sha/sha-rounds';
import {
  BLOCK, CHAIN, CHAIN_FIRST, CONSTANTS, COUNTING, FIXED, LIMIT_HIGH, LIMIT_LANES, OPENING,
  SCALAR_STATE, SCALAR_WORDS, TEMPLATE,
} from './solution-layout';

@inline function chain(i: i32): u32 { return load<u32>(CHAIN + (<usize>i << 2)); }
@inline function state(i: i32): u32 { return load<u32>(SCALAR_STATE + (<usize>i << 2)); }
@inline function word(t: i32): u32 { return load<u32>(SCALAR_WORDS + (<usize>t << 2)); }

@inline function setWord(t: i32, value: u32): void {
  store<u32>(SCALAR_WORDS + (<usize>t << 2), value);
}

/** Starts the hash of a new message. */
export function beginChain(): void {
  for (let i = 0; i < 8; i++) store<u32>(CHAIN + (<usize>i << 2), H[i]);
}

/** Adds BLOCK to the hash. */
export function absorbBlock(): void {
  readBlock();
  for (let t = 16; t < 64; t++) {
    setWord(t, word(t - 16) + scalar0(word(t - 15)) + word(t - 7) + scalar1(word(t - 2)));
  }
  rounds(64);
  for (let i = 0; i < 8; i++) store<u32>(CHAIN + (<usize>i << 2), chain(i) + state(i));
}

/** Makes the constants of searches in BLOCK with word v, 1 to 7, as the counter's low word. */
export function prepareBlock(v: i32): void {
  readBlock();
  rounds(v);
  fixWords(v);
  for (let r = 1; r < 31; r++) {
    splat(FIXED + (<usize>r << 4), r < 15 ? word(v + r) + K[v + r] : word(v + r));
  }
  for (let r = 0; v + r < 64; r++) splat(CONSTANTS + (<usize>r << 4), K[v + r]);
  splatOpening(K[v]);
  v128.store(COUNTING, i32x4(0, 1, 2, 3));
  splat(TEMPLATE, word(v));
  splat(CHAIN_FIRST, chain(0));
  splat(LIMIT_LANES, load<u32>(LIMIT_HIGH));
}

function splat(at: usize, value: u32): void { v128.store(at, i32x4.splat(value)); }

function readBlock(): void {
  memory.copy(SCALAR_STATE, CHAIN, 32);
  memory.copy(SCALAR_WORDS, BLOCK, 64);
}

/** Rounds 0..end-1 on the scalar state. */
function rounds(end: i32): void {
  for (let t = 0; t < end; t++) {
    const first = t1() + K[t] + word(t);
    const second = t2();
    memory.copy(SCALAR_STATE + 4, SCALAR_STATE, 28);
    store<u32>(SCALAR_STATE, first + second);
    store<u32>(SCALAR_STATE, state(4) + first, 16);
  }
}

/** T1 without the word and the constant of the round. */
function t1(): u32 {
  const e = state(4);
  const sum = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
  return state(7) + sum + (state(6) ^ (e & (state(5) ^ state(6))));
}

function t2(): u32 {
  const a = state(0), b = state(1);
  const sum = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
  return sum + (b ^ ((a ^ b) & (b ^ state(2))));
}

/** Words 16..v+30 without the terms that depend on word v, which are word v and words v + 15 and later. */
function fixWords(v: i32): void {
  for (let t = 16; t <= v + 30; t++) {
    let sum: u32 = 0;
    if (isFixed(t - 16, v)) sum += word(t - 16);
    if (isFixed(t - 15, v)) sum += scalar0(word(t - 15));
    if (isFixed(t - 7, v)) sum += word(t - 7);
    if (isFixed(t - 2, v)) sum += scalar1(word(t - 2));
    setWord(t, sum);
  }
}

function isFixed(t: i32, v: i32): bool { return t < v + 15 && t != v; }

/** The state after round v. a and e are without the counter word. */
function splatOpening(constant: u32): void {
  const first = t1() + constant;
  splat(OPENING, state(0));
  splat(OPENING + 16, state(1));
  splat(OPENING + 32, state(2));
  splat(OPENING + 48, state(4));
  splat(OPENING + 64, state(5));
  splat(OPENING + 80, state(6));
  splat(OPENING + 96, first + t2());
  splat(OPENING + 112, state(3) + first);
}
