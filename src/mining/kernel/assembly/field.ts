/**
 * @module
 * Field arithmetic on lane-interleaved elements (layout.ts), without SIMD. It is used for work that is
 * done once in a batch, and by tests against BigInt. Addresses are those of elements (quad + 4*lane),
 * unless a function says quad. The destination of `mul` must not be one of its operands.
 */
import {
  column0, column1, column2, column3, column4, column5, column6, column7, column8, column9,
  column10, column11, column12, column13, column14, column15, column16, column17, fold, Edwards,
  MASK,
} from './columns';
import { BIAS, BIAS_3, PRIME, QUAD, SCRATCH } from './layout';

/** d = a * b. */
export function mul<F>(d: usize, a: usize, b: usize): void {
  let c = column9(a, b);
  c = column10(a, b, c);
  c = column11(a, b, c);
  c = column12(a, b, c);
  c = column13(a, b, c);
  c = column14(a, b, c);
  c = column15(a, b, c);
  column17(column16(a, b, c));
  c = column0<F>(d, a, b);
  c = column1<F>(d, a, b, c);
  c = column2<F>(d, a, b, c);
  c = column3<F>(d, a, b, c);
  c = column4<F>(d, a, b, c);
  c = column5<F>(d, a, b, c);
  c = column6<F>(d, a, b, c);
  c = column7<F>(d, a, b, c);
  fold<F>(d, column8<F>(d, a, b, c));
}

@inline export function limb(p: usize, k: usize): u32 { return load<u32>(p + (k << 4)); }
@inline export function setLimb(p: usize, k: usize, v: u32): void { store<u32>(p + (k << 4), v); }

export function copy(d: usize, a: usize): void {
  for (let k: usize = 0; k < 9; k++) setLimb(d, k, limb(a, k));
}

/** d = a small integer. */
export function setSmall(d: usize, value: u32): void {
  for (let k: usize = 1; k < 9; k++) setLimb(d, k, 0);
  setLimb(d, 0, value);
}

/** d = a + b. All limbs but the top one are below 2^29 again. */
export function plus<F>(d: usize, a: usize, b: usize): void {
  for (let k: usize = 0; k < 9; k++) setLimb(d, k, limb(a, k) + limb(b, k));
  canonical<F>(d);
}

/** d = a - b. */
export function minus<F>(d: usize, a: usize, b: usize): void {
  for (let k: usize = 0; k < 9; k++) setLimb(d, k, limb(a, k) + limb(BIAS, k) - limb(b, k));
  canonical<F>(d);
}

/** Carries, folds and subtracts p until the element is below p. Limbs may be any below 2^32. */
export function canonical<F>(d: usize): void {
  const top: u64 = sizeof<F>() == sizeof<Edwards>() ? 23 : 24;
  let pass = 0;
  do {
    const q = <u64>limb(d, 8) >> top;
    setLimb(d, 8, <u32>(<u64>limb(d, 8) & ((<u64>1 << top) - 1)));
    let c: u64 = sizeof<F>() == sizeof<Edwards>() ? q * 19 : q * 977;
    for (let k: usize = 0; k < 9; k++) {
      c += limb(d, k);
      if (sizeof<F>() != sizeof<Edwards>() && k == 1) c += q << 3;
      setLimb(d, k, <u32>(c & MASK));
      c >>= 29;
    }
  } while (++pass < 3 || limb(d, 8) >> <u32>top != 0);
  if (!belowPrime(d)) {
    for (let k: usize = 0, borrow: i64 = 0; k < 9; k++) {
      borrow += <i64>limb(d, k) - <i64>limb(PRIME, k);
      setLimb(d, k, <u32>(<u64>borrow & MASK));
      borrow >>= 29;
    }
  }
}

function belowPrime(d: usize): bool {
  for (let k: i32 = 8; k >= 0; k--) {
    if (limb(d, k) != limb(PRIME, k)) return limb(d, k) < limb(PRIME, k);
  }
  return false;
}

export function isZero(canonicalElement: usize): bool {
  let any: u32 = 0;
  for (let k: usize = 0; k < 9; k++) any |= limb(canonicalElement, k);
  return any == 0;
}

/** d = 32 little-endian bytes at `bytes`. */
export function fromBytes(d: usize, bytes: usize): void {
  for (let k: usize = 0; k < 9; k++) {
    const bit = 29 * <i32>k;
    const low = load<u64>(bytes + <usize>((bit >> 5) << 2)) >> (bit & 31);
    setLimb(d, k, <u32>(k < 8 ? low & MASK : low & 0xffffff));
  }
}

/** 32 little-endian bytes at `bytes` = a canonical element. */
export function toBytes(bytes: usize, a: usize): void {
  let window: u64 = 0;
  let bits: u64 = 0;
  for (let k: usize = 0; k < 9; k++) {
    window |= <u64>limb(a, k) << bits;
    bits += 29;
    if (bits >= 32) {
      store<u32>(bytes, <u32>window);
      bytes += 4;
      window >>= 32;
      bits -= 32;
    }
  }
}

const RUNNING: usize = SCRATCH; // lanes 0 and 1 alternate
const POWERS: usize = SCRATCH + QUAD; // lanes of three quads contain a^(2^n - 1)

/** d = a^(2^count) * b. Squarings alternate between the lanes of RUNNING. */
function squareTimes<F>(d: usize, a: usize, count: i32, b: usize): void {
  let from = a;
  let to = RUNNING;
  for (let i = 0; i < count; i++) {
    mul<F>(to, from, from);
    from = to;
    to = to == RUNNING ? RUNNING + 4 : RUNNING;
  }
  mul<F>(d, from, b);
}

/** d = 1 / a by Fermat, 0 for 0. The limbs of a are below 2^29 + 2^21. */
export function invert<F>(d: usize, a: usize): void {
  const x2 = POWERS, x3 = POWERS + 4, x5 = POWERS + 8, x10 = POWERS + 12;
  const x20 = POWERS + QUAD, x40 = x20 + 4, other = x20 + 8, x11 = x20 + 12;
  squareTimes<F>(x2, a, 1, a);
  squareTimes<F>(x3, x2, 1, a);
  squareTimes<F>(x5, x3, 2, x2);
  squareTimes<F>(x10, x5, 5, x5);
  squareTimes<F>(x20, x10, 10, x10);
  squareTimes<F>(x40, x20, 20, x20);
  if (sizeof<F>() == sizeof<Edwards>()) {
    // p - 2 = 2^255 - 21 = (2^250 - 1) * 2^5 + 11
    const x50 = other, x100 = x20, x200 = x40;
    squareTimes<F>(x50, x40, 10, x10);
    squareTimes<F>(x100, x50, 50, x50);
    squareTimes<F>(x200, x100, 100, x100);
    squareTimes<F>(x100, x200, 50, x50); // a^(2^250 - 1)
    squareTimes<F>(x11, a, 2, a); // a^5
    squareTimes<F>(x10, x11, 1, a); // a^11
    squareTimes<F>(d, x100, 5, x10);
  } else {
    // p - 2 in binary: 223 ones, 0, 22 ones, 0000, 1, 0, 11, 0, 1
    squareTimes<F>(x11, x10, 1, a);
    squareTimes<F>(other, x11, 11, x11); // x22
    squareTimes<F>(x11, x40, 3, x3); // x43; x80 and beyond follow
    squareTimes<F>(x10, x40, 40, x40); // x80
    squareTimes<F>(x5, x10, 80, x10); // x160
    squareTimes<F>(x10, x5, 43, x11); // x203
    squareTimes<F>(x5, x10, 20, x20); // x223
    squareTimes<F>(x10, x5, 23, other);
    squareTimes<F>(x5, x10, 5, a);
    squareTimes<F>(x10, x5, 3, x2);
    squareTimes<F>(d, x10, 2, a);
  }
}

/** Writes p and the two biases for the field. */
export function prepareField<F>(): void {
  for (let k: usize = 0; k < 9; k++) setLimb(PRIME, k, <u32>MASK);
  if (sizeof<F>() == sizeof<Edwards>()) {
    setLimb(PRIME, 0, <u32>MASK - 18);
    setLimb(PRIME, 8, 0x7fffff);
  } else {
    setLimb(PRIME, 0, <u32>MASK - 976);
    setLimb(PRIME, 1, <u32>MASK - 8);
    setLimb(PRIME, 8, 0xffffff);
  }
  for (let k: usize = 0; k < 9; k++) {
    // 2^261 - (2^261 mod p), a multiple of p, doubled and tripled
    let full: u32 = <u32>MASK;
    if (sizeof<F>() == sizeof<Edwards>()) full -= k == 0 ? 1215 : 0;
    else full -= k == 0 ? 31263 : k == 1 ? 256 : 0;
    v128.store(BIAS + (k << 4), i32x4.splat(full * 2));
    v128.store(BIAS_3 + (k << 4), i32x4.splat(full * 3));
  }
}
