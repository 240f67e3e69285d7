/**
 * @module
 * SHA-256 of the last block for eight counters, in two groups of four lanes: all rounds after that of the
 * counter word, with the numbers of solution-layout.ts. AssemblyScript has no macros, so the rounds are
 * written out.
 *
 * A round is a chain of at least ten cycles, with nine cycles of work for four vector units (Zen 5). One
 * group leaves them waiting, two keep 3.8 of four busy. Measured in ns per group, concat and xor: one
 * group 229 and 205, two 209 and 187, three, which do not fit into the registers, 396 and 408. Words are
 * made one round ahead: making all of 15..32 first took 280 and 265. The last rounds are a loop, because
 * all rounds of two groups exceed the processor's cache of decoded instructions: 308 and 281. At
 * Binaryen's levels 0, 1, 2, 3: 277, 247, 208, 224 and 260, 225, 189, 205.
 */
import {
  add, choice, majority, schedule, small0, small1, sum0, sum1, xor,
} from '../sha/sha-rounds';
import {
  CHAIN_FIRST, CONSTANTS, COUNTING, DIGESTS, FIXED, GROUP, LIMIT_LANES, OPENING, TEMPLATE, WORDS,
} from './solution-layout';

/** The end of the constants: 62 of 64 rounds follow the counter word for v = 1, and 56 for v = 7. */
const END_CONCAT: usize = CONSTANTS + 63 * 16;
const END_XOR: usize = CONSTANTS + 57 * 16;

/** T1 of a round. `word` contains the constant of the round. */
@inline function t1(h: v128, word: v128, e: v128, f: v128, g: v128): v128 {
  return add(add(add(h, word), choice(e, f, g)), sum1(e));
}

/** T1 + T2 of a round. `x` is a ^ b and `y` is b ^ c. */
@inline function t2(t: v128, a: v128, b: v128, x: v128, y: v128): v128 {
  return add(add(t, majority(b, x, y)), sum0(a));
}

/** The sum of round constant and word of a group, `offset` bytes after the addresses. */
@inline function at(constants: usize, words: usize, offset: usize): v128 {
  return add(v128.load(constants + offset), v128.load(words + offset));
}

@inline function fixed(r: usize): v128 { return v128.load(FIXED + (r << 4)); }
@inline function word0(r: usize): v128 { return at(CONSTANTS, WORDS, r << 4); }
@inline function word1(r: usize): v128 { return at(CONSTANTS, WORDS + GROUP, r << 4); }

/** Makes word r of both groups, r ≥ 15, from the words before and the counter words. */
@inline function extend(r: usize, v0: v128, v1: v128): void {
  extendGroup(WORDS + (r << 4), r, v0);
  extendGroup(WORDS + GROUP + (r << 4), r, v1);
}

/** Up to word 30 only some of the four terms vary. The others are one constant. */
@inline function extendGroup(to: usize, r: usize, counterWord: v128): void {
  if (r > 30) {
    schedule(to - 256);
    return;
  }
  let sum = fixed(r);
  if (r == 15) sum = add(sum, small0(counterWord));
  if (r == 16) sum = add(sum, counterWord);
  if (r > 16) sum = add(sum, small1(v128.load(to - 32)));
  if (r > 21) sum = add(sum, v128.load(to - 112));
  if (r == 30) sum = add(sum, small0(v128.load(to - 240)));
  v128.store(to, sum);
}

/**
 * Hashes the block for the counters with the low words counter..counter+7. Returns a bit for each whose
 * hash has a first word within the limit. Stores the first two words, before the chain is added, at
 * DIGESTS.
 */
export function hashLanes(counter: u32, isConcat: bool): i32 {
  const v0 = xor(v128.load(TEMPLATE), add(v128.load(COUNTING), i32x4.splat(counter)));
  const v1 = xor(v128.load(TEMPLATE), add(v128.load(COUNTING), i32x4.splat(counter + 4)));
  let a0 = add(v0, v128.load(OPENING, 96)), e0 = add(v0, v128.load(OPENING, 112));
  let a1 = add(v1, v128.load(OPENING, 96)), e1 = add(v1, v128.load(OPENING, 112));
  let b0 = v128.load(OPENING), c0 = v128.load(OPENING, 16), d0 = v128.load(OPENING, 32);
  let f0 = v128.load(OPENING, 48), g0 = v128.load(OPENING, 64), h0 = v128.load(OPENING, 80);
  let b1 = b0, c1 = c0, d1 = d0, f1 = f0, g1 = g0, h1 = h0;
  let x0: v128, y0 = xor(b0, c0), x1: v128, y1 = y0, t: v128;
  t = t1(h0, fixed(1), e0, f0, g0); x0 = xor(a0, b0); d0 = add(d0, t); h0 = t2(t, a0, b0, x0, y0);
  t = t1(h1, fixed(1), e1, f1, g1); x1 = xor(a1, b1); d1 = add(d1, t); h1 = t2(t, a1, b1, x1, y1);
  t = t1(g0, fixed(2), d0, e0, f0); y0 = xor(h0, a0); c0 = add(c0, t); g0 = t2(t, h0, a0, y0, x0);
  t = t1(g1, fixed(2), d1, e1, f1); y1 = xor(h1, a1); c1 = add(c1, t); g1 = t2(t, h1, a1, y1, x1);
  t = t1(f0, fixed(3), c0, d0, e0); x0 = xor(g0, h0); b0 = add(b0, t); f0 = t2(t, g0, h0, x0, y0);
  t = t1(f1, fixed(3), c1, d1, e1); x1 = xor(g1, h1); b1 = add(b1, t); f1 = t2(t, g1, h1, x1, y1);
  t = t1(e0, fixed(4), b0, c0, d0); y0 = xor(f0, g0); a0 = add(a0, t); e0 = t2(t, f0, g0, y0, x0);
  t = t1(e1, fixed(4), b1, c1, d1); y1 = xor(f1, g1); a1 = add(a1, t); e1 = t2(t, f1, g1, y1, x1);
  t = t1(d0, fixed(5), a0, b0, c0); x0 = xor(e0, f0); h0 = add(h0, t); d0 = t2(t, e0, f0, x0, y0);
  t = t1(d1, fixed(5), a1, b1, c1); x1 = xor(e1, f1); h1 = add(h1, t); d1 = t2(t, e1, f1, x1, y1);
  t = t1(c0, fixed(6), h0, a0, b0); y0 = xor(d0, e0); g0 = add(g0, t); c0 = t2(t, d0, e0, y0, x0);
  t = t1(c1, fixed(6), h1, a1, b1); y1 = xor(d1, e1); g1 = add(g1, t); c1 = t2(t, d1, e1, y1, x1);
  t = t1(b0, fixed(7), g0, h0, a0); x0 = xor(c0, d0); f0 = add(f0, t); b0 = t2(t, c0, d0, x0, y0);
  t = t1(b1, fixed(7), g1, h1, a1); x1 = xor(c1, d1); f1 = add(f1, t); b1 = t2(t, c1, d1, x1, y1);
  t = t1(a0, fixed(8), f0, g0, h0); y0 = xor(b0, c0); e0 = add(e0, t); a0 = t2(t, b0, c0, y0, x0);
  t = t1(a1, fixed(8), f1, g1, h1); y1 = xor(b1, c1); e1 = add(e1, t); a1 = t2(t, b1, c1, y1, x1);
  t = t1(h0, fixed(9), e0, f0, g0); x0 = xor(a0, b0); d0 = add(d0, t); h0 = t2(t, a0, b0, x0, y0);
  t = t1(h1, fixed(9), e1, f1, g1); x1 = xor(a1, b1); d1 = add(d1, t); h1 = t2(t, a1, b1, x1, y1);
  t = t1(g0, fixed(10), d0, e0, f0); y0 = xor(h0, a0); c0 = add(c0, t); g0 = t2(t, h0, a0, y0, x0);
  t = t1(g1, fixed(10), d1, e1, f1); y1 = xor(h1, a1); c1 = add(c1, t); g1 = t2(t, h1, a1, y1, x1);
  t = t1(f0, fixed(11), c0, d0, e0); x0 = xor(g0, h0); b0 = add(b0, t); f0 = t2(t, g0, h0, x0, y0);
  t = t1(f1, fixed(11), c1, d1, e1); x1 = xor(g1, h1); b1 = add(b1, t); f1 = t2(t, g1, h1, x1, y1);
  t = t1(e0, fixed(12), b0, c0, d0); y0 = xor(f0, g0); a0 = add(a0, t); e0 = t2(t, f0, g0, y0, x0);
  t = t1(e1, fixed(12), b1, c1, d1); y1 = xor(f1, g1); a1 = add(a1, t); e1 = t2(t, f1, g1, y1, x1);
  t = t1(d0, fixed(13), a0, b0, c0); x0 = xor(e0, f0); h0 = add(h0, t); d0 = t2(t, e0, f0, x0, y0);
  t = t1(d1, fixed(13), a1, b1, c1); x1 = xor(e1, f1); h1 = add(h1, t); d1 = t2(t, e1, f1, x1, y1);
  extend(15, v0, v1);
  t = t1(c0, fixed(14), h0, a0, b0); y0 = xor(d0, e0); g0 = add(g0, t); c0 = t2(t, d0, e0, y0, x0);
  t = t1(c1, fixed(14), h1, a1, b1); y1 = xor(d1, e1); g1 = add(g1, t); c1 = t2(t, d1, e1, y1, x1);
  extend(16, v0, v1);
  t = t1(b0, word0(15), g0, h0, a0); x0 = xor(c0, d0); f0 = add(f0, t); b0 = t2(t, c0, d0, x0, y0);
  t = t1(b1, word1(15), g1, h1, a1); x1 = xor(c1, d1); f1 = add(f1, t); b1 = t2(t, c1, d1, x1, y1);
  extend(17, v0, v1);
  t = t1(a0, word0(16), f0, g0, h0); y0 = xor(b0, c0); e0 = add(e0, t); a0 = t2(t, b0, c0, y0, x0);
  t = t1(a1, word1(16), f1, g1, h1); y1 = xor(b1, c1); e1 = add(e1, t); a1 = t2(t, b1, c1, y1, x1);
  extend(18, v0, v1);
  t = t1(h0, word0(17), e0, f0, g0); x0 = xor(a0, b0); d0 = add(d0, t); h0 = t2(t, a0, b0, x0, y0);
  t = t1(h1, word1(17), e1, f1, g1); x1 = xor(a1, b1); d1 = add(d1, t); h1 = t2(t, a1, b1, x1, y1);
  extend(19, v0, v1);
  t = t1(g0, word0(18), d0, e0, f0); y0 = xor(h0, a0); c0 = add(c0, t); g0 = t2(t, h0, a0, y0, x0);
  t = t1(g1, word1(18), d1, e1, f1); y1 = xor(h1, a1); c1 = add(c1, t); g1 = t2(t, h1, a1, y1, x1);
  extend(20, v0, v1);
  t = t1(f0, word0(19), c0, d0, e0); x0 = xor(g0, h0); b0 = add(b0, t); f0 = t2(t, g0, h0, x0, y0);
  t = t1(f1, word1(19), c1, d1, e1); x1 = xor(g1, h1); b1 = add(b1, t); f1 = t2(t, g1, h1, x1, y1);
  extend(21, v0, v1);
  t = t1(e0, word0(20), b0, c0, d0); y0 = xor(f0, g0); a0 = add(a0, t); e0 = t2(t, f0, g0, y0, x0);
  t = t1(e1, word1(20), b1, c1, d1); y1 = xor(f1, g1); a1 = add(a1, t); e1 = t2(t, f1, g1, y1, x1);
  extend(22, v0, v1);
  t = t1(d0, word0(21), a0, b0, c0); x0 = xor(e0, f0); h0 = add(h0, t); d0 = t2(t, e0, f0, x0, y0);
  t = t1(d1, word1(21), a1, b1, c1); x1 = xor(e1, f1); h1 = add(h1, t); d1 = t2(t, e1, f1, x1, y1);
  extend(23, v0, v1);
  t = t1(c0, word0(22), h0, a0, b0); y0 = xor(d0, e0); g0 = add(g0, t); c0 = t2(t, d0, e0, y0, x0);
  t = t1(c1, word1(22), h1, a1, b1); y1 = xor(d1, e1); g1 = add(g1, t); c1 = t2(t, d1, e1, y1, x1);
  extend(24, v0, v1);
  t = t1(b0, word0(23), g0, h0, a0); x0 = xor(c0, d0); f0 = add(f0, t); b0 = t2(t, c0, d0, x0, y0);
  t = t1(b1, word1(23), g1, h1, a1); x1 = xor(c1, d1); f1 = add(f1, t); b1 = t2(t, c1, d1, x1, y1);
  extend(25, v0, v1);
  t = t1(a0, word0(24), f0, g0, h0); y0 = xor(b0, c0); e0 = add(e0, t); a0 = t2(t, b0, c0, y0, x0);
  t = t1(a1, word1(24), f1, g1, h1); y1 = xor(b1, c1); e1 = add(e1, t); a1 = t2(t, b1, c1, y1, x1);
  extend(26, v0, v1);
  t = t1(h0, word0(25), e0, f0, g0); x0 = xor(a0, b0); d0 = add(d0, t); h0 = t2(t, a0, b0, x0, y0);
  t = t1(h1, word1(25), e1, f1, g1); x1 = xor(a1, b1); d1 = add(d1, t); h1 = t2(t, a1, b1, x1, y1);
  extend(27, v0, v1);
  t = t1(g0, word0(26), d0, e0, f0); y0 = xor(h0, a0); c0 = add(c0, t); g0 = t2(t, h0, a0, y0, x0);
  t = t1(g1, word1(26), d1, e1, f1); y1 = xor(h1, a1); c1 = add(c1, t); g1 = t2(t, h1, a1, y1, x1);
  extend(28, v0, v1);
  t = t1(f0, word0(27), c0, d0, e0); x0 = xor(g0, h0); b0 = add(b0, t); f0 = t2(t, g0, h0, x0, y0);
  t = t1(f1, word1(27), c1, d1, e1); x1 = xor(g1, h1); b1 = add(b1, t); f1 = t2(t, g1, h1, x1, y1);
  extend(29, v0, v1);
  t = t1(e0, word0(28), b0, c0, d0); y0 = xor(f0, g0); a0 = add(a0, t); e0 = t2(t, f0, g0, y0, x0);
  t = t1(e1, word1(28), b1, c1, d1); y1 = xor(f1, g1); a1 = add(a1, t); e1 = t2(t, f1, g1, y1, x1);
  extend(30, v0, v1);
  t = t1(d0, word0(29), a0, b0, c0); x0 = xor(e0, f0); h0 = add(h0, t); d0 = t2(t, e0, f0, x0, y0);
  t = t1(d1, word1(29), a1, b1, c1); x1 = xor(e1, f1); h1 = add(h1, t); d1 = t2(t, e1, f1, x1, y1);
  extend(31, v0, v1);
  t = t1(c0, word0(30), h0, a0, b0); y0 = xor(d0, e0); g0 = add(g0, t); c0 = t2(t, d0, e0, y0, x0);
  t = t1(c1, word1(30), h1, a1, b1); y1 = xor(d1, e1); g1 = add(g1, t); c1 = t2(t, d1, e1, y1, x1);
  extend(32, v0, v1);
  t = t1(b0, word0(31), g0, h0, a0); x0 = xor(c0, d0); f0 = add(f0, t); b0 = t2(t, c0, d0, x0, y0);
  t = t1(b1, word1(31), g1, h1, a1); x1 = xor(c1, d1); f1 = add(f1, t); b1 = t2(t, c1, d1, x1, y1);
  extend(33, v0, v1);
  t = t1(a0, word0(32), f0, g0, h0); y0 = xor(b0, c0); e0 = add(e0, t); a0 = t2(t, b0, c0, y0, x0);
  t = t1(a1, word1(32), f1, g1, h1); y1 = xor(b1, c1); e1 = add(e1, t); a1 = t2(t, b1, c1, y1, x1);
  const end = isConcat ? END_CONCAT : END_XOR;
  let k: usize = CONSTANTS + 33 * 16, p: usize = WORDS + 33 * 16, q: usize = p + GROUP;
  while (true) {
    schedule(p - 240); schedule(q - 240);
    t = t1(h0, at(k, p, 0), e0, f0, g0); x0 = xor(a0, b0);
    d0 = add(d0, t); h0 = t2(t, a0, b0, x0, y0);
    t = t1(h1, at(k, q, 0), e1, f1, g1); x1 = xor(a1, b1);
    d1 = add(d1, t); h1 = t2(t, a1, b1, x1, y1);
    schedule(p - 224); schedule(q - 224);
    t = t1(g0, at(k, p, 16), d0, e0, f0); y0 = xor(h0, a0);
    c0 = add(c0, t); g0 = t2(t, h0, a0, y0, x0);
    t = t1(g1, at(k, q, 16), d1, e1, f1); y1 = xor(h1, a1);
    c1 = add(c1, t); g1 = t2(t, h1, a1, y1, x1);
    schedule(p - 208); schedule(q - 208);
    t = t1(f0, at(k, p, 32), c0, d0, e0); x0 = xor(g0, h0);
    b0 = add(b0, t); f0 = t2(t, g0, h0, x0, y0);
    t = t1(f1, at(k, q, 32), c1, d1, e1); x1 = xor(g1, h1);
    b1 = add(b1, t); f1 = t2(t, g1, h1, x1, y1);
    schedule(p - 192); schedule(q - 192);
    t = t1(e0, at(k, p, 48), b0, c0, d0); y0 = xor(f0, g0);
    a0 = add(a0, t); e0 = t2(t, f0, g0, y0, x0);
    t = t1(e1, at(k, q, 48), b1, c1, d1); y1 = xor(f1, g1);
    a1 = add(a1, t); e1 = t2(t, f1, g1, y1, x1);
    schedule(p - 176); schedule(q - 176);
    t = t1(d0, at(k, p, 64), a0, b0, c0); x0 = xor(e0, f0);
    h0 = add(h0, t); d0 = t2(t, e0, f0, x0, y0);
    t = t1(d1, at(k, q, 64), a1, b1, c1); x1 = xor(e1, f1);
    h1 = add(h1, t); d1 = t2(t, e1, f1, x1, y1);
    schedule(p - 160); schedule(q - 160);
    t = t1(c0, at(k, p, 80), h0, a0, b0); y0 = xor(d0, e0);
    g0 = add(g0, t); c0 = t2(t, d0, e0, y0, x0);
    t = t1(c1, at(k, q, 80), h1, a1, b1); y1 = xor(d1, e1);
    g1 = add(g1, t); c1 = t2(t, d1, e1, y1, x1);
    if (k + 6 * 16 == end) {
      a0 = c0; b0 = d0; a1 = c1; b1 = d1;
      break;
    }
    schedule(p - 144); schedule(q - 144);
    t = t1(b0, at(k, p, 96), g0, h0, a0); x0 = xor(c0, d0);
    f0 = add(f0, t); b0 = t2(t, c0, d0, x0, y0);
    t = t1(b1, at(k, q, 96), g1, h1, a1); x1 = xor(c1, d1);
    f1 = add(f1, t); b1 = t2(t, c1, d1, x1, y1);
    schedule(p - 128); schedule(q - 128);
    t = t1(a0, at(k, p, 112), f0, g0, h0); y0 = xor(b0, c0);
    e0 = add(e0, t); a0 = t2(t, b0, c0, y0, x0);
    t = t1(a1, at(k, q, 112), f1, g1, h1); y1 = xor(b1, c1);
    e1 = add(e1, t); a1 = t2(t, b1, c1, y1, x1);
    k += 8 * 16; p += 8 * 16; q += 8 * 16;
    if (k == end) break;
  }
  v128.store(DIGESTS, a0); v128.store(DIGESTS, b0, 16);
  v128.store(DIGESTS, a1, 32); v128.store(DIGESTS, b1, 48);
  const low0 = i32x4.le_u(add(a0, v128.load(CHAIN_FIRST)), v128.load(LIMIT_LANES));
  const low1 = i32x4.le_u(add(a1, v128.load(CHAIN_FIRST)), v128.load(LIMIT_LANES));
  return i32x4.bitmask(low0) | (i32x4.bitmask(low1) << 4);
}
