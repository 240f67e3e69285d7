/**
 * @module
 * SHA-1 (FIPS 180-4) of one block in four 32-bit lanes, with three field multiplications as in
 * interleaved.ts: one in each of the first three phases of twenty rounds. Words 16..79 follow the
 * sixteen words of the message, each computed sixteen rounds ahead.
 */
import {
  column0, column1, column2, column3, column4, column5, column6, column7, column8, column9,
  column10, column11, column12, column13, column14, column15, column16, column17, fold,
} from '../columns';
import { INITIAL, SHA1_CONSTANTS, STATE } from '../layout';
import { add, choice, xor } from './sha-rounds';

/** The phases, distinguished by `sizeof` at compile time. */
type Choice = i8;
type Parity = i16;
type Majority = i32;
type Last = i64;

/** Initial state and round constants. */
// prettier-ignore
const H1: StaticArray<u32> = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
// prettier-ignore
const K1: StaticArray<u32> = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/** Writes the constants of all lanes. */
export function prepareSha1(): void {
  for (let i = 0; i < 5; i++) v128.store(INITIAL + (i << 4), i32x4.splat(H1[i]));
  for (let i = 0; i < 4; i++) v128.store(SHA1_CONSTANTS + (i << 4), i32x4.splat(K1[i]));
}

/** Hashes the block at `m`. STATE receives the state, to which the caller adds the initial one. */
export function sha1Multiplying<F>(
  m: usize, out1: usize, p1: usize, q1: usize, out2: usize, p2: usize, q2: usize,
  out3: usize, p3: usize, q3: usize,
): void {
  for (let at: usize = 0; at < 80; at += 16) v128.store(STATE + at, v128.load(INITIAL + at));
  phase<Choice, F>(m, SHA1_CONSTANTS, out1, p1, q1);
  phase<Parity, F>(m + 320, SHA1_CONSTANTS + 16, out2, p2, q2);
  phase<Majority, F>(m + 640, SHA1_CONSTANTS + 32, out3, p3, q3);
  lastPhase(m + 960);
}

@inline function rotl1(x: v128): v128 { return v128.or(i32x4.shl(x, 1), i32x4.shr_u(x, 31)); }
@inline function rotl5(x: v128): v128 { return v128.or(i32x4.shl(x, 5), i32x4.shr_u(x, 27)); }
@inline function rotl30(x: v128): v128 { return v128.or(i32x4.shl(x, 30), i32x4.shr_u(x, 2)); }

/** Computes the schedule word that is sixteen words after address `at`. */
@inline function later(at: usize): void {
  const near = xor(v128.load(at, 208), v128.load(at, 128));
  v128.store(at, rotl1(xor(near, xor(v128.load(at, 32), v128.load(at)))), 256);
}

@inline function mix<P>(b: v128, c: v128, d: v128): v128 {
  if (sizeof<P>() == sizeof<Choice>()) return choice(b, c, d);
  if (sizeof<P>() == sizeof<Majority>()) return xor(b, v128.and(xor(b, c), xor(b, d)));
  return xor(xor(b, c), d);
}

/** What a round adds to e besides a, which is known last. */
@inline function term<P>(w: v128, k: v128, b: v128, c: v128, d: v128, e: v128): v128 {
  return add(add(e, add(w, k)), mix<P>(b, c, d));
}

/** Twenty rounds with words at `w` and the constant at `constant`, and out = p * q. */
@inline function phase<P, F>(w: usize, constant: usize, out: usize, p: usize, q: usize): void {
  const k = v128.load(constant);
  let a = v128.load(STATE), b = v128.load(STATE, 16), c = v128.load(STATE, 32);
  let d = v128.load(STATE, 48), e = v128.load(STATE, 64);
  let carry: u64;
  later(w); carry = column9(p, q);
  e = add(term<P>(v128.load(w), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  later(w + 16); carry = column10(p, q, carry);
  d = add(term<P>(v128.load(w, 16), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  later(w + 32); carry = column11(p, q, carry);
  c = add(term<P>(v128.load(w, 32), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  later(w + 48); carry = column12(p, q, carry);
  b = add(term<P>(v128.load(w, 48), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  later(w + 64); carry = column13(p, q, carry);
  a = add(term<P>(v128.load(w, 64), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  later(w + 80); carry = column14(p, q, carry);
  e = add(term<P>(v128.load(w, 80), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  later(w + 96); carry = column15(p, q, carry);
  d = add(term<P>(v128.load(w, 96), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  later(w + 112); carry = column16(p, q, carry);
  c = add(term<P>(v128.load(w, 112), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  later(w + 128); column17(carry);
  b = add(term<P>(v128.load(w, 128), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  later(w + 144); carry = column0<F>(out, p, q);
  a = add(term<P>(v128.load(w, 144), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  later(w + 160); carry = column1<F>(out, p, q, carry);
  e = add(term<P>(v128.load(w, 160), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  later(w + 176); carry = column2<F>(out, p, q, carry);
  d = add(term<P>(v128.load(w, 176), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  later(w + 192); carry = column3<F>(out, p, q, carry);
  c = add(term<P>(v128.load(w, 192), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  later(w + 208); carry = column4<F>(out, p, q, carry);
  b = add(term<P>(v128.load(w, 208), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  later(w + 224); carry = column5<F>(out, p, q, carry);
  a = add(term<P>(v128.load(w, 224), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  later(w + 240); carry = column6<F>(out, p, q, carry);
  e = add(term<P>(v128.load(w, 240), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  later(w + 256); carry = column7<F>(out, p, q, carry);
  d = add(term<P>(v128.load(w, 256), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  later(w + 272); carry = column8<F>(out, p, q, carry);
  c = add(term<P>(v128.load(w, 272), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  later(w + 288); fold<F>(out, carry);
  b = add(term<P>(v128.load(w, 288), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  later(w + 304);
  a = add(term<P>(v128.load(w, 304), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  store5(a, b, c, d, e);
}

/** The last twenty rounds. Only four words are left to compute. */
@inline function lastPhase(w: usize): void {
  const k = v128.load(SHA1_CONSTANTS, 48);
  let a = v128.load(STATE), b = v128.load(STATE, 16), c = v128.load(STATE, 32);
  let d = v128.load(STATE, 48), e = v128.load(STATE, 64);
  later(w);
  e = add(term<Last>(v128.load(w), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  later(w + 16);
  d = add(term<Last>(v128.load(w, 16), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  later(w + 32);
  c = add(term<Last>(v128.load(w, 32), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  later(w + 48);
  b = add(term<Last>(v128.load(w, 48), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  a = add(term<Last>(v128.load(w, 64), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  e = add(term<Last>(v128.load(w, 80), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  d = add(term<Last>(v128.load(w, 96), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  c = add(term<Last>(v128.load(w, 112), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  b = add(term<Last>(v128.load(w, 128), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  a = add(term<Last>(v128.load(w, 144), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  e = add(term<Last>(v128.load(w, 160), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  d = add(term<Last>(v128.load(w, 176), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  c = add(term<Last>(v128.load(w, 192), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  b = add(term<Last>(v128.load(w, 208), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  a = add(term<Last>(v128.load(w, 224), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  e = add(term<Last>(v128.load(w, 240), k, b, c, d, e), rotl5(a)); b = rotl30(b);
  d = add(term<Last>(v128.load(w, 256), k, a, b, c, d), rotl5(e)); a = rotl30(a);
  c = add(term<Last>(v128.load(w, 272), k, e, a, b, c), rotl5(d)); e = rotl30(e);
  b = add(term<Last>(v128.load(w, 288), k, d, e, a, b), rotl5(c)); d = rotl30(d);
  a = add(term<Last>(v128.load(w, 304), k, c, d, e, a), rotl5(b)); c = rotl30(c);
  store5(a, b, c, d, e);
}

@inline function store5(a: v128, b: v128, c: v128, d: v128, e: v128): void {
  v128.store(STATE, a); v128.store(STATE, b, 16); v128.store(STATE, c, 32);
  v128.store(STATE, d, 48); v128.store(STATE, e, 64);
}
