/**
 * @module
 * Batches on y² = x³ + 7. A centre C and a table point (x_j, y_j) have x± = l±² - x - x_j
 * with l± = (y_j ∓ y) / (x_j - x). The sign of l- has no effect, because it is squared. Only x is
 * computed: negation and the endomorphism (x → beta·x, scalar times lambda) make six keys of it,
 * prefixes 02 and 03 of x, beta·x and beta²·x = -x - beta·x. A pair takes nine multiplications and
 * gives twelve candidates.
 *
 * A denominator is zero if C = ±jG or C = ±(step). Then batch.ts returns the batch to the host. The
 * quads of a centre: 0: x, y, -, Z = step x - x · 1: x in all lanes · 2: y in all lanes.
 */
import { Secp } from './columns';
import { copy, isZero, minus, mul } from './field';
import { keepDigests, passing, report } from './hits';
import { hashMultiplying } from './interleaved';
import {
  BANK, BANK_33, COLUMN, CURVE, DIGEST_WORDS, DIGESTS, MESSAGE, MESSAGES, PREFIX_STEP,
  QUAD, QUADS, SCRATCH, SIBLINGS, STATE, TABLE, UNUSED, WORDS, WORK,
} from './layout';
import { freeze, quadDifference, quadMinusTwo, quadPlus, secpMessage, spread } from './quads';
import { centre, centreNext, hashAlone, pointNumber, prefix, prefixNext } from './search';
import { add } from './sha-rounds';

const X = TABLE, Y = TABLE + COLUMN;
const ZERO: usize = WORK + 18 * QUAD; // never written
const BETA = CURVE, ONE = CURVE + 4, STEP_X = CURVE + 8, STEP_Y = CURVE + 12;
const TEMPORARY: usize = SCRATCH + 3 * QUAD;

const DENOMINATOR: usize = WORK, DENOMINATOR_NEXT: usize = WORK + QUAD;
const SUM: usize = WORK + 3 * QUAD, DIFFERENCE: usize = WORK + 4 * QUAD; // y_j + y, y_j - y
const INVERSE: usize = WORK + 5 * QUAD;
const RUNNING: usize = WORK + 6 * QUAD; // and lane 0 of the following quad
const SLOPE_PLUS: usize = WORK + 8 * QUAD, SLOPE_MINUS: usize = WORK + 9 * QUAD;
const SQUARE_PLUS: usize = WORK + 10 * QUAD, SQUARE_MINUS: usize = WORK + 11 * QUAD;
/** Six quads of x in the order of MESSAGES: x+, x-, beta x+, beta x-, beta² x+, beta² x-. */
const KEYS: usize = WORK + 12 * QUAD;

/** Stores a table point. Column 0 is x, column 1 is y. */
export function secpEntry(at: usize, x: usize, y: usize): void {
  copy(X + at, x);
  copy(Y + at, y);
}

/** Fills a centre whose x and y are set. */
export function secpDerive(c: usize): void {
  minus<Secp>(c + 12, STEP_X, c);
  copy(c + QUAD, c);
  spread(c + QUAD);
  copy(c + 2 * QUAD, c + 4);
  spread(c + 2 * QUAD);
}

/** The next centre, from the current one and the inverse of its Z. */
export function secpNext(to: usize, c: usize, inverse: usize): void {
  const slope = TEMPORARY, t = TEMPORARY + 4, u = TEMPORARY + 8;
  minus<Secp>(t, STEP_Y, c + 4);
  mul<Secp>(slope, t, inverse);
  mul<Secp>(t, slope, slope);
  minus<Secp>(u, t, c);
  minus<Secp>(to, u, STEP_X);
  minus<Secp>(t, c, to);
  mul<Secp>(u, slope, t);
  minus<Secp>(to + 4, u, c + 4);
  secpDerive(to);
}

/** The four denominators of quad g around centre c. */
export function secpDenominators(to: usize, c: usize, g: usize): void {
  quadDifference(to, X + g * QUAD, c + QUAD);
}

/**
 * Hash blocks 2n and 2n + 1 of 24 of the quad before g. Three multiplications run beside the first. The
 * three beside the second have no use, but cost less than a second copy of the hash without them, which
 * would not fit into the cache of decoded instructions (measured: 126 instead of 129 ns per candidate).
 */
function blocks(
  n: i32, g: i32, d1: usize, a1: usize, b1: usize, d2: usize, a2: usize, b2: usize,
  d3: usize, a3: usize, b3: usize,
): void {
  const i = 2 * n;
  if (g == 0 || !wanted(i)) {
    mul<Secp>(d1, a1, b1);
    mul<Secp>(d2, a2, b2);
    mul<Secp>(d3, a3, b3);
    return;
  }
  block(i, g, d1, a1, b1, d2, a2, b2, d3, a3, b3);
  if (wanted(i + 1)) {
    block(i + 1, g, UNUSED, BETA, ONE, UNUSED, BETA, ONE, UNUSED, BETA, ONE);
  }
}

/** Without siblings only x with prefix 02 is hashed. A message takes four blocks. */
@inline function wanted(i: i32): bool {
  return load<u32>(SIBLINGS) != 0 || (i < 8 && (i & 1) == 0);
}

/**
 * Block i of 24, one message after another: the first hashes of group 0 (prefix 02) and of group 1
 * (prefix 03), then their second hashes, which give the hits of the quad before g.
 */
function block(
  i: i32, g: i32, d1: usize, a1: usize, b1: usize, d2: usize, a2: usize, b2: usize,
  d3: usize, a3: usize, b3: usize,
): void {
  const group = <usize>i & 1, second = (i & 2) != 0;
  const m = second ? DIGESTS + group * MESSAGE : MESSAGES + (<usize>i >> 2) * MESSAGE;
  if (!second && group != 0) v128.store(m, add(v128.load(m), v128.load(PREFIX_STEP)));
  hashMultiplying<Secp>(
    false, STATE, second ? DIGEST_WORDS : WORDS, m, second ? BANK : BANK_33,
    d1, a1, b1, d2, a2, b2, d3, a3, b3,
  );
  if (!second) keepDigests(group);
  else finish(passing(group), 8 * (g - 1) + 1, 2, i >> 2, i & 1);
}

/** Reports lanes whose points are `stride` apart. Messages alternate between sums and differences. */
@inline function finish(mask: i32, point: u32, stride: u32, message: u32, odd: u32): void {
  if (mask == 0) return;
  const keys: u32 = load<u32>(SIBLINGS) != 0 ? 6 : 1;
  report(mask, pointNumber(point + (message & 1)) * keys + (message & ~1) + odd, stride * keys);
}

/** Computes the keys of quad g and hashes quad g-1. Also builds the next batch's prefix products from the end. */
export function secpQuad(g: i32): void {
  const at = <usize>g * QUAD, back = (QUADS - 1) * QUAD - at;
  const s = prefix() + at, next = prefixNext() + back;
  secpDenominators(DENOMINATOR, centre(), <usize>g);
  secpDenominators(DENOMINATOR_NEXT, centreNext(), QUADS - 1 - <usize>g);
  quadPlus(SUM, Y + at, centre() + 2 * QUAD);
  quadDifference(DIFFERENCE, Y + at, centre() + 2 * QUAD);
  const u = RUNNING, d = DENOMINATOR, e = DENOMINATOR_NEXT, v = INVERSE;
  const p = SLOPE_PLUS, q = SLOPE_MINUS;
  const pp = SQUARE_PLUS, qq = SQUARE_MINUS;
  const x = KEYS, y = KEYS + QUAD, z = KEYS + 2 * QUAD, w = KEYS + 3 * QUAD;
  blocks(0, g, v, u, s, u + 4, u, d, next + 8, next + 12, e + 12);
  blocks(1, g, v + 4, u + 4, s + 4, u + 8, u + 4, d + 4, next + 4, next + 8, e + 8);
  blocks(2, g, v + 8, u + 8, s + 8, u + 12, u + 8, d + 8, next, next + 4, e + 4);
  blocks(3, g, v + 12, u + 12, s + 12, u + QUAD, u + 12, d + 12, next - QUAD + 12, next, e);
  copy(u, u + QUAD);
  blocks(4, g, p, DIFFERENCE, v, p + 4, DIFFERENCE + 4, v + 4, p + 8, DIFFERENCE + 8, v + 8);
  blocks(5, g, p + 12, DIFFERENCE + 12, v + 12, q, SUM, v, q + 4, SUM + 4, v + 4);
  blocks(6, g, q + 8, SUM + 8, v + 8, q + 12, SUM + 12, v + 12, pp, p, p);
  blocks(7, g, pp + 4, p + 4, p + 4, pp + 8, p + 8, p + 8, pp + 12, p + 12, p + 12);
  quadMinusTwo(x, SQUARE_PLUS, X + at, centre() + QUAD);
  freeze<Secp>(x);
  blocks(8, g, qq, q, q, qq + 4, q + 4, q + 4, qq + 8, q + 8, q + 8);
  blocks(9, g, qq + 12, q + 12, q + 12, z, x, BETA, z + 4, x + 4, BETA);
  quadMinusTwo(y, SQUARE_MINUS, X + at, centre() + QUAD);
  freeze<Secp>(y);
  blocks(10, g, z + 8, x + 8, BETA, z + 12, x + 12, BETA, w, y, BETA);
  blocks(11, g, w + 4, y + 4, BETA, w + 8, y + 8, BETA, w + 12, y + 12, BETA);
  messages();
}

/** The six messages, from x and beta·x. */
function messages(): void {
  for (let side: usize = 0; side < 2; side++) {
    const m = MESSAGES + side * MESSAGE;
    const x = KEYS + side * QUAD, bx = x + 2 * QUAD, bbx = x + 4 * QUAD;
    secpMessage(m, x);
    freeze<Secp>(bx);
    secpMessage(m + 2 * MESSAGE, bx);
    quadMinusTwo(bbx, ZERO, x, bx);
    freeze<Secp>(bbx);
    secpMessage(m + 4 * MESSAGE, bbx);
  }
}

/** Hashes the last quad, then the centre, which is in lane 0. No quad follows them. */
export function secpFinish(): void {
  for (let i = 0; i < 6; i++) hashGroup(i, 15, 8 * <u32>QUADS - 7, 2);
  copy(KEYS, centre());
  mul<Secp>(KEYS + 2 * QUAD, KEYS, BETA);
  messages();
  for (let i = 0; i < 6; i += 2) hashGroup(i, 1, 0, 0);
}

function hashGroup(message: i32, lanes: i32, point: u32, stride: u32): void {
  for (let odd = 0; odd < 2; odd++) {
    if (!wanted(message * 4 + odd)) continue;
    const m = MESSAGES + <usize>message * MESSAGE;
    if (odd != 0) v128.store(m, add(v128.load(m), v128.load(PREFIX_STEP)));
    finish(hashAlone<Secp>(false, m, BANK_33) & lanes, point, stride, message, odd);
  }
}

/** Whether the running inverse at the end of a batch is right: one. */
export function secpSound(): bool {
  minus<Secp>(TEMPORARY, RUNNING, ONE);
  return isZero(TEMPORARY);
}
