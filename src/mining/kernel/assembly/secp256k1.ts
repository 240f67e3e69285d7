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
import { fillTail, isAligned, SHORT } from './formats';
import {
  COLUMN, CURVE, KEY_AT, KEY_KIND, MESSAGE, MESSAGES, PREFIX_STEP, QUAD, QUADS, SCRATCH, SIBLINGS,
  TABLE, UNUSED, WORK,
} from './layout';
import {
  freeze, quadDifference, quadMinusTwo, quadPlus, secpAligned, secpMessage, spread,
} from './quads';
import { centre, centreNext, pointNumber, prefix, prefixNext } from './search';
import { add } from './sha/sha-rounds';
import { hashKeys, testAlone, testIds } from './stages';

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
  const group = <usize>i & 1;
  if ((i & 2) == 0) {
    const m = MESSAGES + (<usize>i >> 2) * MESSAGE;
    if (group != 0) otherPrefix(m);
    hashKeys<Secp>(false, group, m, d1, a1, b1, d2, a2, b2, d3, a3, b3);
  } else {
    const attempt = attemptOf(8 * (g - 1) + 1, i >> 2, i & 1);
    testIds<Secp>(group, attempt, 2 * keysOfPoint(), d1, a1, b1, d2, a2, b2, d3, a3, b3);
  }
}

/** Makes the prefix 02 of a message 03. */
function otherPrefix(m: usize): void {
  const at = isAligned() ? m + load<u32>(KEY_AT) - 16 : m;
  v128.store(at, add(v128.load(at), v128.load(PREFIX_STEP)));
}

@inline function keysOfPoint(): u32 { return load<u32>(SIBLINGS) != 0 ? 6 : 1; }

/** The attempt of lane 0 of a message. Messages alternate between sums and differences. */
@inline function attemptOf(point: u32, message: u32, odd: u32): u32 {
  return pointNumber(point + (message & 1)) * keysOfPoint() + (message & ~1) + odd;
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
    message(m, x);
    freeze<Secp>(bx);
    message(m + 2 * MESSAGE, bx);
    quadMinusTwo(bbx, ZERO, x, bx);
    freeze<Secp>(bbx);
    message(m + 4 * MESSAGE, bbx);
  }
}

function message(m: usize, x: usize): void {
  if (isAligned()) {
    secpAligned(m + load<u32>(KEY_AT), x);
  } else {
    secpMessage(m, x);
    if (load<u32>(KEY_KIND) == SHORT) fillTail(m);
  }
}

/** Hashes the last quad, then the centre, which is in lane 0. No quad follows them. */
export function secpFinish(): void {
  for (let i = 0; i < 6; i++) hashGroup(i, 15, 8 * <u32>QUADS - 7);
  copy(KEYS, centre());
  mul<Secp>(KEYS + 2 * QUAD, KEYS, BETA);
  messages();
  for (let i = 0; i < 6; i += 2) hashGroup(i, 1, 0);
}

function hashGroup(message: i32, lanes: i32, point: u32): void {
  for (let odd = 0; odd < 2; odd++) {
    if (!wanted(message * 4 + odd)) continue;
    const m = MESSAGES + <usize>message * MESSAGE;
    if (odd != 0) otherPrefix(m);
    testAlone<Secp>(false, m, lanes, attemptOf(point, message, odd), 2 * keysOfPoint());
  }
}

/** Whether the running inverse at the end of a batch is right: one. */
export function secpSound(): bool {
  minus<Secp>(TEMPORARY, RUNNING, ONE);
  return isZero(TEMPORARY);
}
