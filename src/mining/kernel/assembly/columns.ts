/**
 * @module
 * One field multiplication in eighteen slices. A slice is a few instructions that keep only a carry in
 * a register, so slices fit between SHA-256 rounds (interleaved.ts) or run in sequence (field.ts).
 * Elements have nine limbs of 29 bits. Column k is the sum of the products a_i * b_(k-i).
 *
 * Columns 9..16 are computed first and cut to 29 bits. They fold into columns 0..8, because 2^261 is
 * 1216 modulo 2^255 - 19, and 2^37 + 31264 modulo secp256k1's p. Bounds: nine products and a carry must
 * be below 2^64, so (bits of a) + (bits of b) <= 60.5. Limbs of results are below 2^29, except one of
 * the first three, which may reach 2^29 + 2^21 (never hash a product before `freeze`).
 *
 * A type names a field: i32 is Edwards, i64 is Secp. `sizeof` distinguishes them at compile time.
 */
import { HIGH } from './layout';

export type Edwards = i32;
export type Secp = i64;

export const MASK: u64 = 0x1fffffff;
@inline function l0(p: usize): u64 { return load<u32>(p); }
@inline function l1(p: usize): u64 { return load<u32>(p, 16); }
@inline function l2(p: usize): u64 { return load<u32>(p, 32); }
@inline function l3(p: usize): u64 { return load<u32>(p, 48); }
@inline function l4(p: usize): u64 { return load<u32>(p, 64); }
@inline function l5(p: usize): u64 { return load<u32>(p, 80); }
@inline function l6(p: usize): u64 { return load<u32>(p, 96); }
@inline function l7(p: usize): u64 { return load<u32>(p, 112); }
@inline function l8(p: usize): u64 { return load<u32>(p, 128); }

// The upper columns. Each takes the carry and returns the next one.
@inline export function column9(a: usize, b: usize): u64 {
  const t = l1(a) * l8(b) + l2(a) * l7(b) + l3(a) * l6(b) + l4(a) * l5(b) + l5(a) * l4(b)
    + l6(a) * l3(b) + l7(a) * l2(b) + l8(a) * l1(b);
  store<u64>(HIGH, t & MASK);
  return t >> 29;
}
@inline export function column10(a: usize, b: usize, carry: u64): u64 {
  const t = l2(a) * l8(b) + l3(a) * l7(b) + l4(a) * l6(b) + l5(a) * l5(b) + l6(a) * l4(b)
    + l7(a) * l3(b) + l8(a) * l2(b) + carry;
  store<u64>(HIGH, t & MASK, 8);
  return t >> 29;
}
@inline export function column11(a: usize, b: usize, carry: u64): u64 {
  const t = l3(a) * l8(b) + l4(a) * l7(b) + l5(a) * l6(b) + l6(a) * l5(b) + l7(a) * l4(b)
    + l8(a) * l3(b) + carry;
  store<u64>(HIGH, t & MASK, 16);
  return t >> 29;
}
@inline export function column12(a: usize, b: usize, carry: u64): u64 {
  const t = l4(a) * l8(b) + l5(a) * l7(b) + l6(a) * l6(b) + l7(a) * l5(b) + l8(a) * l4(b) + carry;
  store<u64>(HIGH, t & MASK, 24);
  return t >> 29;
}
@inline export function column13(a: usize, b: usize, carry: u64): u64 {
  const t = l5(a) * l8(b) + l6(a) * l7(b) + l7(a) * l6(b) + l8(a) * l5(b) + carry;
  store<u64>(HIGH, t & MASK, 32);
  return t >> 29;
}
@inline export function column14(a: usize, b: usize, carry: u64): u64 {
  const t = l6(a) * l8(b) + l7(a) * l7(b) + l8(a) * l6(b) + carry;
  store<u64>(HIGH, t & MASK, 40);
  return t >> 29;
}
@inline export function column15(a: usize, b: usize, carry: u64): u64 {
  const t = l7(a) * l8(b) + l8(a) * l7(b) + carry;
  store<u64>(HIGH, t & MASK, 48);
  return t >> 29;
}
@inline export function column16(a: usize, b: usize, carry: u64): u64 {
  const t = l8(a) * l8(b) + carry;
  store<u64>(HIGH, t & MASK, 56);
  return t >> 29;
}
/** Stores what is left above column 16. */
@inline export function column17(carry: u64): void { store<u64>(HIGH, carry, 64); }

// The lower columns, each with its share of the fold.
@inline export function column0<F>(d: usize, a: usize, b: usize): u64 {
  let t = l0(a) * l0(b);
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH) * 1216;
  else t += load<u64>(HIGH) * 31264;
  store<u32>(d, <u32>(t & MASK));
  return t >> 29;
}
@inline export function column1<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l1(b) + l1(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 8) * 1216;
  else t += load<u64>(HIGH, 8) * 31264 + (load<u64>(HIGH) << 8);
  store<u32>(d, <u32>(t & MASK), 16);
  return t >> 29;
}
@inline export function column2<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l2(b) + l1(a) * l1(b) + l2(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 16) * 1216;
  else t += load<u64>(HIGH, 16) * 31264 + (load<u64>(HIGH, 8) << 8);
  store<u32>(d, <u32>(t & MASK), 32);
  return t >> 29;
}
@inline export function column3<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l3(b) + l1(a) * l2(b) + l2(a) * l1(b) + l3(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 24) * 1216;
  else t += load<u64>(HIGH, 24) * 31264 + (load<u64>(HIGH, 16) << 8);
  store<u32>(d, <u32>(t & MASK), 48);
  return t >> 29;
}
@inline export function column4<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l4(b) + l1(a) * l3(b) + l2(a) * l2(b) + l3(a) * l1(b) + l4(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 32) * 1216;
  else t += load<u64>(HIGH, 32) * 31264 + (load<u64>(HIGH, 24) << 8);
  store<u32>(d, <u32>(t & MASK), 64);
  return t >> 29;
}
@inline export function column5<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l5(b) + l1(a) * l4(b) + l2(a) * l3(b) + l3(a) * l2(b) + l4(a) * l1(b)
    + l5(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 40) * 1216;
  else t += load<u64>(HIGH, 40) * 31264 + (load<u64>(HIGH, 32) << 8);
  store<u32>(d, <u32>(t & MASK), 80);
  return t >> 29;
}
@inline export function column6<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l6(b) + l1(a) * l5(b) + l2(a) * l4(b) + l3(a) * l3(b) + l4(a) * l2(b)
    + l5(a) * l1(b) + l6(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 48) * 1216;
  else t += load<u64>(HIGH, 48) * 31264 + (load<u64>(HIGH, 40) << 8);
  store<u32>(d, <u32>(t & MASK), 96);
  return t >> 29;
}
@inline export function column7<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l7(b) + l1(a) * l6(b) + l2(a) * l5(b) + l3(a) * l4(b) + l4(a) * l3(b)
    + l5(a) * l2(b) + l6(a) * l1(b) + l7(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 56) * 1216;
  else t += load<u64>(HIGH, 56) * 31264 + (load<u64>(HIGH, 48) << 8);
  store<u32>(d, <u32>(t & MASK), 112);
  return t >> 29;
}
@inline export function column8<F>(d: usize, a: usize, b: usize, carry: u64): u64 {
  let t = l0(a) * l8(b) + l1(a) * l7(b) + l2(a) * l6(b) + l3(a) * l5(b) + l4(a) * l4(b)
    + l5(a) * l3(b) + l6(a) * l2(b) + l7(a) * l1(b) + l8(a) * l0(b) + carry;
  if (sizeof<F>() == sizeof<Edwards>()) t += load<u64>(HIGH, 64) * 1216;
  else t += load<u64>(HIGH, 64) * 31264 + (load<u64>(HIGH, 56) << 8);
  store<u32>(d, <u32>(t & MASK), 128);
  return t >> 29;
}
/** Folds what is left above column 8 and carries twice. */
@inline export function fold<F>(d: usize, carry: u64): void {
  if (sizeof<F>() == sizeof<Edwards>()) {
    const t = l0(d) + carry * 1216;
    store<u32>(d, <u32>(t & MASK));
    store<u32>(d, <u32>(l1(d) + (t >> 29)), 16);
  } else {
    const top = carry + (load<u64>(HIGH, 64) << 8);
    const t = l0(d) + top * 31264;
    store<u32>(d, <u32>(t & MASK));
    const u = l1(d) + (t >> 29) + (top << 8);
    store<u32>(d, <u32>(u & MASK), 16);
    store<u32>(d, <u32>(l2(d) + (u >> 29)), 32);
  }
}
