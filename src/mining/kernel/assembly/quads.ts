/**
 * @module
 * Operations on four field elements: sums, differences, the last carry before the hash, and the words of
 * a message. Additions do not carry: the limbs of a sum are below 2^30.1, those of a difference
 * (a + BIAS - b) below 2^30.6.
 */
import { Edwards } from './columns';
import { canonical } from './field';
import { BIAS, BIAS_3 } from './layout';
import { add } from './sha/sha-rounds';

@inline function sub(a: v128, b: v128): v128 { return i32x4.sub(a, b); }

/** d = a + b. */
export function quadPlus(d: usize, a: usize, b: usize): void {
  for (let k: usize = 0; k < 144; k += 16) {
    v128.store(d + k, add(v128.load(a + k), v128.load(b + k)));
  }
}

/** d = a - b. a already contains a multiple of p. */
export function quadMinus(d: usize, biased: usize, b: usize): void {
  for (let k: usize = 0; k < 144; k += 16) {
    v128.store(d + k, sub(v128.load(biased + k), v128.load(b + k)));
  }
}

/** d = a - b. */
export function quadDifference(d: usize, a: usize, b: usize): void {
  for (let k: usize = 0; k < 144; k += 16) {
    v128.store(d + k, add(v128.load(a + k), sub(v128.load(BIAS + k), v128.load(b + k))));
  }
}

/** d = a - b - c, a below 2^29.1, b and c below 2^29.3: limbs below 2^31.1. */
export function quadMinusTwo(d: usize, a: usize, b: usize, c: usize): void {
  for (let k: usize = 0; k < 144; k += 16) {
    const less = sub(sub(v128.load(BIAS_3 + k), v128.load(b + k)), v128.load(c + k));
    v128.store(d + k, add(v128.load(a + k), less));
  }
}

/** Copies lane 0 to all four. */
export function spread(quad: usize): void {
  for (let k: usize = 0; k < 144; k += 16) v128.store(quad + k, i32x4.splat(load<u32>(quad + k)));
}

/**
 * Makes four elements canonical, in place. Their limbs must be below 2^32 - 2^19. One chain of carries
 * is enough unless the top limb is full after it, once in 2^20. Then `canonical` finishes the lanes.
 */
export function freeze<F>(q: usize): void {
  const bits = sizeof<F>() == sizeof<Edwards>() ? 23 : 24;
  const mask = i32x4.splat(0x1fffffff);
  const full = i32x4.splat((1 << bits) - 1);
  let top = v128.load(q, 128);
  const over = i32x4.shr_u(top, bits);
  let l = v128.load(q);
  if (sizeof<F>() == sizeof<Edwards>()) l = add(l, i32x4.mul(over, i32x4.splat(19)));
  else l = add(l, i32x4.mul(over, i32x4.splat(977)));
  v128.store(q, v128.and(l, mask));
  l = add(v128.load(q, 16), i32x4.shr_u(l, 29));
  if (sizeof<F>() != sizeof<Edwards>()) l = add(l, i32x4.shl(over, 3));
  v128.store(q, v128.and(l, mask), 16);
  l = add(v128.load(q, 32), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 32);
  l = add(v128.load(q, 48), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 48);
  l = add(v128.load(q, 64), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 64);
  l = add(v128.load(q, 80), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 80);
  l = add(v128.load(q, 96), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 96);
  l = add(v128.load(q, 112), i32x4.shr_u(l, 29));
  v128.store(q, v128.and(l, mask), 112);
  top = add(v128.and(top, full), i32x4.shr_u(l, 29));
  v128.store(q, top, 128);
  if (v128.any_true(i32x4.ge_u(top, full))) {
    for (let lane: usize = 0; lane < 16; lane += 4) canonical<F>(q + lane);
  }
}

@inline function join(low: v128, right: i32, high: v128, left: i32): v128 {
  return v128.or(i32x4.shr_u(low, right), i32x4.shl(high, left));
}

/** Words of the little-endian y of four Ed25519 keys, sign bits 0; `q` is frozen. */
export function edwardsMessage(m: usize, q: usize): void {
  const l1 = v128.load(q, 16), l2 = v128.load(q, 32), l3 = v128.load(q, 48), l4 = v128.load(q, 64);
  const l5 = v128.load(q, 80), l6 = v128.load(q, 96), l7 = v128.load(q, 112);
  v128.store(m, swapBytes(v128.or(v128.load(q), i32x4.shl(l1, 29))));
  v128.store(m, swapBytes(join(l1, 3, l2, 26)), 16);
  v128.store(m, swapBytes(join(l2, 6, l3, 23)), 32);
  v128.store(m, swapBytes(join(l3, 9, l4, 20)), 48);
  v128.store(m, swapBytes(join(l4, 12, l5, 17)), 64);
  v128.store(m, swapBytes(join(l5, 15, l6, 14)), 80);
  v128.store(m, swapBytes(join(l6, 18, l7, 11)), 96);
  v128.store(m, swapBytes(join(l7, 21, v128.load(q, 128), 8)), 112);
}

@inline function swapBytes(x: v128): v128 {
  return i8x16.shuffle(x, x, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
}

/** Words of four compressed secp256k1 keys with prefix 02; `q` is frozen. */
export function secpMessage(m: usize, q: usize): void {
  const l0 = v128.load(q), l1 = v128.load(q, 16), l2 = v128.load(q, 32), l3 = v128.load(q, 48);
  const l4 = v128.load(q, 64), l5 = v128.load(q, 80), l6 = v128.load(q, 96), l7 = v128.load(q, 112);
  v128.store(m, v128.or(v128.load(q, 128), i32x4.splat(0x02000000)));
  v128.store(m, join(l6, 26, l7, 3), 16);
  v128.store(m, join(l5, 23, l6, 6), 32);
  v128.store(m, join(l4, 20, l5, 9), 48);
  v128.store(m, join(l3, 17, l4, 12), 64);
  v128.store(m, join(l2, 14, l3, 15), 80);
  v128.store(m, join(l1, 11, l2, 18), 96);
  v128.store(m, join(l0, 8, l1, 21), 112);
  v128.store(m, v128.or(i32x4.shl(l0, 24), i32x4.splat(0x00800000)), 128);
}

/** Words of the big-endian x of four secp256k1 keys, and prefix 02 in the word before; `q` is frozen. */
export function secpAligned(m: usize, q: usize): void {
  const l0 = v128.load(q), l1 = v128.load(q, 16), l2 = v128.load(q, 32), l3 = v128.load(q, 48);
  const l4 = v128.load(q, 64), l5 = v128.load(q, 80), l6 = v128.load(q, 96), l7 = v128.load(q, 112);
  const before = v128.and(v128.load(m - 16), i32x4.splat(0xffffff00));
  v128.store(m - 16, v128.or(before, i32x4.splat(2)));
  v128.store(m, join(l7, 21, v128.load(q, 128), 8));
  v128.store(m, join(l6, 18, l7, 11), 16);
  v128.store(m, join(l5, 15, l6, 14), 32);
  v128.store(m, join(l4, 12, l5, 17), 48);
  v128.store(m, join(l3, 9, l4, 20), 64);
  v128.store(m, join(l2, 6, l3, 23), 80);
  v128.store(m, join(l1, 3, l2, 26), 96);
  v128.store(m, v128.or(l0, i32x4.shl(l1, 29)), 112);
}
