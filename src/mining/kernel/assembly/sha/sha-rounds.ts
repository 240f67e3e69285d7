/**
 * @module
 * SHA-256 (FIPS 180-4) in four 32-bit lanes: the round functions, which are inlined, and the constants.
 */
// prettier-ignore
export const K: StaticArray<u32> = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];
// prettier-ignore
export const H: StaticArray<u32> = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

@inline export function add(a: v128, b: v128): v128 { return i32x4.add(a, b); }
@inline export function xor(a: v128, b: v128): v128 { return v128.xor(a, b); }

/** The rotations by 6, 11 and 25. */
@inline export function sum1(e: v128): v128 {
  const r6 = v128.or(i32x4.shr_u(e, 6), i32x4.shl(e, 26));
  const r11 = v128.or(i32x4.shr_u(e, 11), i32x4.shl(e, 21));
  const r25 = v128.or(i32x4.shr_u(e, 25), i32x4.shl(e, 7));
  return v128.xor(v128.xor(r6, r11), r25);
}

/** The rotations by 2, 13 and 22. */
@inline export function sum0(a: v128): v128 {
  const r2 = v128.or(i32x4.shr_u(a, 2), i32x4.shl(a, 30));
  const r13 = v128.or(i32x4.shr_u(a, 13), i32x4.shl(a, 19));
  const r22 = v128.or(i32x4.shr_u(a, 22), i32x4.shl(a, 10));
  return v128.xor(v128.xor(r2, r13), r22);
}

/** Schedule function of W[t-15]: rotations by 7 and 18, shift by 3. */
@inline export function small0(w: v128): v128 {
  const r7 = v128.or(i32x4.shr_u(w, 7), i32x4.shl(w, 25));
  const r18 = v128.or(i32x4.shr_u(w, 18), i32x4.shl(w, 14));
  return v128.xor(v128.xor(r7, r18), i32x4.shr_u(w, 3));
}

/** Schedule function of W[t-2]: rotations by 17 and 19, shift by 10. */
@inline export function small1(w: v128): v128 {
  const r17 = v128.or(i32x4.shr_u(w, 17), i32x4.shl(w, 15));
  const r19 = v128.or(i32x4.shr_u(w, 19), i32x4.shl(w, 13));
  return v128.xor(v128.xor(r17, r19), i32x4.shr_u(w, 10));
}

/** The bits of f where e is 1, those of g where e is 0. */
@inline export function choice(e: v128, f: v128, g: v128): v128 {
  return v128.xor(g, v128.and(e, v128.xor(f, g)));
}

/** Majority of a, b and c. `x` is a ^ b, and `y` is b ^ c, which is the `x` of the round before. */
@inline export function majority(b: v128, x: v128, y: v128): v128 {
  return v128.xor(b, v128.and(x, y));
}

/** Computes the schedule word that is sixteen words after address `at`. */
@inline export function schedule(at: usize): void {
  const old = add(v128.load(at), v128.load(at, 144));
  v128.store(at, add(add(old, small0(v128.load(at, 16))), small1(v128.load(at, 224))), 256);
}

export function rotated(x: u32, right: i32): u32 { return (x >> right) | (x << (32 - right)); }
export function scalar0(x: u32): u32 { return rotated(x, 7) ^ rotated(x, 18) ^ (x >> 3); }
export function scalar1(x: u32): u32 { return rotated(x, 17) ^ rotated(x, 19) ^ (x >> 10); }
