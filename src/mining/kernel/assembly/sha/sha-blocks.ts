/**
 * @module
 * SHA-256 of one block in four lanes. Three parts pass the state on in memory: `openBlock` (rounds 0..7,
 * which the two signs of an Ed25519 key share) and `middle` (8..15) here, `close` (16..63) in
 * interleaved.ts. They know that words 9..14 of a *short* block are zero and that word 15 is a constant.
 * `longEight` replaces the first two for any other block, and `ending` is a whole block of constants.
 *
 * AssemblyScript has no macros, and a loop over rounds would have to move eight
 * variables in each round, so the rounds are written out.
 *
 * Their order makes them fast. A round is a chain of at least ten cycles (vector instructions have a
 * latency of two on Zen 5), but only nine cycles of work for four vector units. A schedule word has
 * five. So words are not computed in the round that needs them, but distributed evenly: the first
 * fifteen over rounds 0..15, the others eleven to sixteen rounds ahead. Measured in ns per block: 270
 * with each word in its own round, 247 distributed, 235 with separate chains for `d` and `h`. `words` is
 * the address of a block's words 15..63, less 240. Keys and digests have separate ones, because words
 * 16..21 serve both signs.
 */
import { INITIAL, ROUND_CONSTANTS, STATE } from '../layout';
import {
  add, choice, majority, schedule, small0, small1, sum0, sum1, xor,
} from './sha-rounds';

/** Rounds 0..7 of the block at `m`, and words 16..21. Stores the state at `to`. */
@inline export function openBlock(to: usize, words: usize, m: usize, bank: usize): void {
  const w0 = v128.load(m);
  let a = v128.load(INITIAL), b = v128.load(INITIAL, 16), c = v128.load(INITIAL, 32);
  let e = v128.load(INITIAL, 64), f = v128.load(INITIAL, 80), g = v128.load(INITIAL, 96);
  let h = add(w0, v128.load(INITIAL, 128)), d = add(w0, v128.load(INITIAL, 144));
  let x = xor(a, b), y: v128, u: v128, s: v128, w: v128;
  y = xor(h, a); s = sum1(d);
  u = add(add(g, add(v128.load(ROUND_CONSTANTS + 16), v128.load(m, 16))), choice(d, e, f));
  c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
  v128.store(words, add(small0(v128.load(m, 16)), v128.load(m)), 256);
  x = xor(g, h); s = sum1(c);
  u = add(add(f, add(v128.load(ROUND_CONSTANTS + 32), v128.load(m, 32))), choice(c, d, e));
  b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
  w = add(small0(v128.load(m, 32)), v128.load(m, 16));
  v128.store(words, add(w, v128.load(bank, 128)), 272);
  y = xor(f, g); s = sum1(b);
  u = add(add(e, add(v128.load(ROUND_CONSTANTS + 48), v128.load(m, 48))), choice(b, c, d));
  a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
  w = add(small0(v128.load(m, 48)), v128.load(m, 32));
  v128.store(words, add(w, small1(v128.load(words, 256))), 288);
  x = xor(e, f); s = sum1(a);
  u = add(add(d, add(v128.load(ROUND_CONSTANTS + 64), v128.load(m, 64))), choice(a, b, c));
  h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
  w = add(small0(v128.load(m, 64)), v128.load(m, 48));
  v128.store(words, add(w, small1(v128.load(words, 272))), 304);
  y = xor(d, e); s = sum1(h);
  u = add(add(c, add(v128.load(ROUND_CONSTANTS + 80), v128.load(m, 80))), choice(h, a, b));
  g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
  w = add(small0(v128.load(m, 80)), v128.load(m, 64));
  v128.store(words, add(w, small1(v128.load(words, 288))), 320);
  x = xor(c, d); s = sum1(g);
  u = add(add(b, add(v128.load(ROUND_CONSTANTS + 96), v128.load(m, 96))), choice(g, h, a));
  f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
  w = add(small0(v128.load(m, 96)), v128.load(m, 80));
  v128.store(words, add(w, small1(v128.load(words, 304))), 336);
  y = xor(b, c); s = sum1(f);
  u = add(add(a, add(v128.load(ROUND_CONSTANTS + 112), v128.load(m, 112))), choice(f, g, h));
  e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
  v128.store(to, a); v128.store(to, b, 16); v128.store(to, c, 32);
  v128.store(to, d, 48); v128.store(to, e, 64); v128.store(to, f, 80);
  v128.store(to, g, 96); v128.store(to, h, 112);
}

/** Rounds 8..15, from the state at `from`, and words 22..30. */
@inline export function middle(from: usize, words: usize, m: usize, bank: usize): void {
  let a = v128.load(from), b = v128.load(from, 16), c = v128.load(from, 32);
  let d = v128.load(from, 48), e = v128.load(from, 64), f = v128.load(from, 80);
  let g = v128.load(from, 96), h = v128.load(from, 112);
  let x: v128, y = xor(b, c), u: v128, s: v128;
  let w: v128;
  x = xor(a, b); u = add(add(h, v128.load(m, 160)), choice(e, f, g)); s = sum1(e);
  d = add(add(d, u), s); h = add(add(add(u, majority(b, x, y)), s), sum0(a));
  w = add(small0(v128.load(m, 112)), v128.load(m, 96));
  v128.store(words, add(w, add(small1(v128.load(words, 320)), v128.load(bank, 144))), 352);
  w = add(v128.load(m, 144), v128.load(m, 112));
  v128.store(words, add(w, add(small1(v128.load(words, 336)), v128.load(words, 256))), 368);
  y = xor(h, a); u = add(add(g, v128.load(bank, 16)), choice(d, e, f)); s = sum1(d);
  c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
  w = v128.load(m, 128);
  v128.store(words, add(w, add(small1(v128.load(words, 352)), v128.load(words, 272))), 384);
  x = xor(g, h); u = add(add(f, v128.load(bank, 32)), choice(c, d, e)); s = sum1(c);
  b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
  v128.store(words, add(small1(v128.load(words, 368)), v128.load(words, 288)), 400);
  y = xor(f, g); u = add(add(e, v128.load(bank, 48)), choice(b, c, d)); s = sum1(b);
  a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
  v128.store(words, add(small1(v128.load(words, 384)), v128.load(words, 304)), 416);
  x = xor(e, f); u = add(add(d, v128.load(bank, 64)), choice(a, b, c)); s = sum1(a);
  h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
  v128.store(words, add(small1(v128.load(words, 400)), v128.load(words, 320)), 432);
  y = xor(d, e); u = add(add(c, v128.load(bank, 80)), choice(h, a, b)); s = sum1(h);
  g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
  v128.store(words, add(small1(v128.load(words, 416)), v128.load(words, 336)), 448);
  x = xor(c, d); u = add(add(b, v128.load(bank, 96)), choice(g, h, a)); s = sum1(g);
  f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
  v128.store(words, add(small1(v128.load(words, 432)), v128.load(words, 352)), 464);
  y = xor(b, c); u = add(add(a, v128.load(bank, 112)), choice(f, g, h)); s = sum1(f);
  e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
  w = v128.load(bank, 160);
  v128.store(words, add(w, add(small1(v128.load(words, 448)), v128.load(words, 368))), 480);
  v128.store(STATE, a); v128.store(STATE, b, 16); v128.store(STATE, c, 32);
  v128.store(STATE, d, 48); v128.store(STATE, e, 64); v128.store(STATE, f, 80);
  v128.store(STATE, g, 96); v128.store(STATE, h, 112);
}

/** Eight rounds from the state at `from` to that at `to`, with words at `w` and constants at `k`; eight later words. */
export function longEight(from: usize, to: usize, k: usize, w: usize): void {
  let a = v128.load(from), b = v128.load(from, 16), c = v128.load(from, 32);
  let d = v128.load(from, 48), e = v128.load(from, 64), f = v128.load(from, 80);
  let g = v128.load(from, 96), h = v128.load(from, 112);
  let x: v128, y = xor(b, c), u: v128, s: v128;
  schedule(w);
  u = add(add(h, add(v128.load(k), v128.load(w))), choice(e, f, g)); s = sum1(e);
  x = xor(a, b); d = add(add(d, u), s); h = add(add(add(u, majority(b, x, y)), s), sum0(a));
  schedule(w + 16);
  u = add(add(g, add(v128.load(k, 16), v128.load(w, 16))), choice(d, e, f)); s = sum1(d);
  y = xor(h, a); c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
  schedule(w + 32);
  u = add(add(f, add(v128.load(k, 32), v128.load(w, 32))), choice(c, d, e)); s = sum1(c);
  x = xor(g, h); b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
  schedule(w + 48);
  u = add(add(e, add(v128.load(k, 48), v128.load(w, 48))), choice(b, c, d)); s = sum1(b);
  y = xor(f, g); a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
  schedule(w + 64);
  u = add(add(d, add(v128.load(k, 64), v128.load(w, 64))), choice(a, b, c)); s = sum1(a);
  x = xor(e, f); h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
  schedule(w + 80);
  u = add(add(c, add(v128.load(k, 80), v128.load(w, 80))), choice(h, a, b)); s = sum1(h);
  y = xor(d, e); g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
  schedule(w + 96);
  u = add(add(b, add(v128.load(k, 96), v128.load(w, 96))), choice(g, h, a)); s = sum1(g);
  x = xor(c, d); f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
  schedule(w + 112);
  u = add(add(a, add(v128.load(k, 112), v128.load(w, 112))), choice(f, g, h)); s = sum1(f);
  y = xor(b, c); e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
  v128.store(to, a); v128.store(to, b, 16); v128.store(to, c, 32);
  v128.store(to, d, 48); v128.store(to, e, 64); v128.store(to, f, 80);
  v128.store(to, g, 96); v128.store(to, h, 112);
}

/**
 * Hashes one more block, the same in all lanes. `k` has the sums of its words and the round constants.
 * STATE contains the state before and after, both without the addition of INITIAL, which the caller makes.
 */
export function ending(k: usize): void {
  let a = link(0), b = link(16), c = link(32), d = link(48);
  let e = link(64), f = link(80), g = link(96), h = link(112);
  let x: v128, y = xor(b, c), u: v128, s: v128;
  for (const end = k + 1024; k < end; k += 128) {
    u = add(add(h, v128.load(k)), choice(e, f, g)); s = sum1(e);
    x = xor(a, b); d = add(add(d, u), s); h = add(add(add(u, majority(b, x, y)), s), sum0(a));
    u = add(add(g, v128.load(k, 16)), choice(d, e, f)); s = sum1(d);
    y = xor(h, a); c = add(add(c, u), s); g = add(add(add(u, majority(a, y, x)), s), sum0(h));
    u = add(add(f, v128.load(k, 32)), choice(c, d, e)); s = sum1(c);
    x = xor(g, h); b = add(add(b, u), s); f = add(add(add(u, majority(h, x, y)), s), sum0(g));
    u = add(add(e, v128.load(k, 48)), choice(b, c, d)); s = sum1(b);
    y = xor(f, g); a = add(add(a, u), s); e = add(add(add(u, majority(g, y, x)), s), sum0(f));
    u = add(add(d, v128.load(k, 64)), choice(a, b, c)); s = sum1(a);
    x = xor(e, f); h = add(add(h, u), s); d = add(add(add(u, majority(f, x, y)), s), sum0(e));
    u = add(add(c, v128.load(k, 80)), choice(h, a, b)); s = sum1(h);
    y = xor(d, e); g = add(add(g, u), s); c = add(add(add(u, majority(e, y, x)), s), sum0(d));
    u = add(add(b, v128.load(k, 96)), choice(g, h, a)); s = sum1(g);
    x = xor(c, d); f = add(add(f, u), s); b = add(add(add(u, majority(d, x, y)), s), sum0(c));
    u = add(add(a, v128.load(k, 112)), choice(f, g, h)); s = sum1(f);
    y = xor(b, c); e = add(add(e, u), s); a = add(add(add(u, majority(c, y, x)), s), sum0(b));
  }
  advanceBy(0, a); advanceBy(16, b); advanceBy(32, c); advanceBy(48, d);
  advanceBy(64, e); advanceBy(80, f); advanceBy(96, g); advanceBy(112, h);
}

@inline function link(at: usize): v128 { return add(v128.load(STATE + at), v128.load(INITIAL + at)); }
@inline function advanceBy(at: usize, x: v128): void {
  v128.store(STATE + at, add(x, v128.load(STATE + at)));
}
