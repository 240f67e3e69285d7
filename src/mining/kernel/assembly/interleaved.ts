/**
 * @module
 * SHA-256 rounds in SIMD, and between them field multiplications in scalar registers: two slices of
 * columns.ts every two rounds, three multiplications in a block. The vector units limit the hash, so the
 * multiplications cost almost nothing, if the compiler keeps the order. Use an optimiser level that
 * does. Measured at Binaryen's levels 0, 1, 2, 3, in ns per candidate: Ed25519 124, 123, 126, 138;
 * secp256k1 129, 127, 127, 142. A multiplication alone takes 19 ns. Here all three add 2 ns to the 235
 * of a block.
 */
import {
  column0, column1, column2, column3, column4, column5, column6, column7, column8, column9,
  column10, column11, column12, column13, column14, column15, column16, column17, fold,
} from './columns';
import { INITIAL, OPENED, ROUND_CONSTANTS, STATE } from './layout';
import { longEight, middle, openBlock } from './sha/sha-blocks';
import { add, choice, majority, schedule, small1, sum0, sum1, xor } from './sha/sha-rounds';

/** Instead of a bank: the block is long. */
export const LONG_BANK: usize = 0;

/**
 * Hashes a block, and computes out1 = p1 * q1, out2 = p2 * q2 and out3 = p3 * q3 during its last 48
 * rounds. `from` contains the state after round 7 of a short block if `opened`, else receives it. A long
 * block is opened if its first eight words are constants. It is one function, so that the hot code is
 * contiguous. The code nearly fills the processor's cache of decoded instructions (about 6 000 on Zen 5;
 * a larger benchmark fell from 6.3 to 3.5 instructions per cycle).
 */
export function hashMultiplying<F>(
  opened: bool, from: usize, words: usize, m: usize, bank: usize, out1: usize, p1: usize,
  q1: usize, out2: usize, p2: usize, q2: usize, out3: usize, p3: usize, q3: usize,
): void {
  if (bank == LONG_BANK) {
    openLong(opened, m);
  } else {
    if (!opened) openBlock(from, words, m, bank);
    middle(from, words, m, bank);
  }
  close<F>(words, out1, p1, q1, out2, p2, q2, out3, p3, q3);
}

/** Rounds 0..15 of a long block, and its words 16..31. */
function openLong(opened: bool, m: usize): void {
  if (opened) {
    for (let at: usize = 0; at < 112; at += 16) {
      const sum = add(v128.load(OPENED + 128 + at), v128.load(m + at, 144));
      v128.store(m + at, add(sum, small1(v128.load(m + at, 224))), 256);
    }
    schedule(m + 112);
    longEight(OPENED, STATE, ROUND_CONSTANTS + 128, m + 128);
  } else {
    longEight(INITIAL, STATE, ROUND_CONSTANTS, m);
    longEight(STATE, STATE, ROUND_CONSTANTS + 128, m + 128);
  }
}

/** Rounds 16..63. The caller adds the initial state. */
@inline function close<F>(
  words: usize, out1: usize, p1: usize, q1: usize, out2: usize, p2: usize, q2: usize,
  out3: usize, p3: usize, q3: usize,
): void {
  let a = v128.load(STATE), b = v128.load(STATE, 16), c = v128.load(STATE, 32);
  let d = v128.load(STATE, 48), e = v128.load(STATE, 64), f = v128.load(STATE, 80);
  let g = v128.load(STATE, 96), h = v128.load(STATE, 112);
  let x: v128, y = xor(b, c), u: v128, s: v128;
  let carry: u64, out = out1, p = p1, q = q1;
  let k: usize = ROUND_CONSTANTS + 256, w = words + 256, v = words + 240;
  for (; k < ROUND_CONSTANTS + 1024; k += 256, w += 256, v += 176) {
    schedule(v); schedule(v + 16); carry = column9(p, q); carry = column10(p, q, carry);
    x = xor(a, b); u = add(add(h, add(v128.load(k), v128.load(w))), choice(e, f, g)); s = sum1(e);
    d = add(add(d, u), s); h = add(add(add(u, majority(b, x, y)), s), sum0(a));
    u = add(add(g, add(v128.load(k, 16), v128.load(w, 16))), choice(d, e, f)); s = sum1(d);
    y = xor(h, a); c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
    schedule(v + 32); carry = column11(p, q, carry); carry = column12(p, q, carry);
    u = add(add(f, add(v128.load(k, 32), v128.load(w, 32))), choice(c, d, e)); s = sum1(c);
    x = xor(g, h); b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
    u = add(add(e, add(v128.load(k, 48), v128.load(w, 48))), choice(b, c, d)); s = sum1(b);
    y = xor(f, g); a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
    schedule(v + 48); carry = column13(p, q, carry); carry = column14(p, q, carry);
    u = add(add(d, add(v128.load(k, 64), v128.load(w, 64))), choice(a, b, c)); s = sum1(a);
    x = xor(e, f); h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
    u = add(add(c, add(v128.load(k, 80), v128.load(w, 80))), choice(h, a, b)); s = sum1(h);
    y = xor(d, e); g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
    schedule(v + 64); schedule(v + 80);
    carry = column15(p, q, carry); column17(column16(p, q, carry));
    carry = column0<F>(out, p, q); carry = column1<F>(out, p, q, carry);
    u = add(add(b, add(v128.load(k, 96), v128.load(w, 96))), choice(g, h, a)); s = sum1(g);
    x = xor(c, d); f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
    u = add(add(a, add(v128.load(k, 112), v128.load(w, 112))), choice(f, g, h)); s = sum1(f);
    y = xor(b, c); e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
    schedule(v + 96); carry = column2<F>(out, p, q, carry); carry = column3<F>(out, p, q, carry);
    u = add(add(h, add(v128.load(k, 128), v128.load(w, 128))), choice(e, f, g)); s = sum1(e);
    x = xor(a, b); d = add(add(d, u), s); h = add(add(add(u, majority(b, x, y)), s), sum0(a));
    u = add(add(g, add(v128.load(k, 144), v128.load(w, 144))), choice(d, e, f)); s = sum1(d);
    y = xor(h, a); c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
    schedule(v + 112); schedule(v + 128); carry = column4<F>(out, p, q, carry);
    carry = column5<F>(out, p, q, carry);
    u = add(add(f, add(v128.load(k, 160), v128.load(w, 160))), choice(c, d, e)); s = sum1(c);
    x = xor(g, h); b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
    u = add(add(e, add(v128.load(k, 176), v128.load(w, 176))), choice(b, c, d)); s = sum1(b);
    y = xor(f, g); a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
    schedule(v + 144); carry = column6<F>(out, p, q, carry); carry = column7<F>(out, p, q, carry);
    u = add(add(d, add(v128.load(k, 192), v128.load(w, 192))), choice(a, b, c)); s = sum1(a);
    x = xor(e, f); h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
    u = add(add(c, add(v128.load(k, 208), v128.load(w, 208))), choice(h, a, b)); s = sum1(h);
    y = xor(d, e); g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
    schedule(v + 160); carry = column8<F>(out, p, q, carry); fold<F>(out, carry);
    u = add(add(b, add(v128.load(k, 224), v128.load(w, 224))), choice(g, h, a)); s = sum1(g);
    x = xor(c, d); f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
    u = add(add(a, add(v128.load(k, 240), v128.load(w, 240))), choice(f, g, h)); s = sum1(f);
    y = xor(b, c); e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
    out = out2; p = p2; q = q2;
    out2 = out3; p2 = p3; q2 = q3;
  }
  v128.store(STATE, a); v128.store(STATE, b, 16); v128.store(STATE, c, 32);
  v128.store(STATE, d, 48); v128.store(STATE, e, 64); v128.store(STATE, f, 80);
  v128.store(STATE, g, 96); v128.store(STATE, h, 112);
}
