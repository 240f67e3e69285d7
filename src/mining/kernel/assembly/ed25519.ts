/**
 * @module
 * Batches on the Edwards curve -x² + y² = 1 + d·x²·y². With X = x², the sum and difference
 * of a centre C = (x, y) and a table point (x_j, y_j) have
 *
 *   y± = (y_j (1 - d X_j) ± k x_j) / (y D_j),  D_j = 1/y² - d X_j,  k = x (1 + d y²) / y,
 *
 * which follows from the addition law and the curve equation by cancelling 1 + d·X·X_j. Six
 * multiplications for a pair: k·x_j, three for the shared inversion, one for each y. No x is computed:
 * a y serves both signs, and the secret of a hit is chosen for its sign. No denominator is zero in the
 * subgroup of order L (d is no square, -1 is one, and y = 0 has order 4). The product is checked
 * nevertheless.
 *
 * The quads of a centre: 0: x, y, 1/y, Z · 1: 1/y² + BIAS in all lanes · 2: k · 3: AB, A·n, B·n, m ·
 * 4: B, A, n, where the next centre is (m/A, n/B) and Z = A·B·n.
 */
import { Edwards } from './columns';
import { copy, isZero, minus, mul, plus } from './field';
import { NONE } from './formats';
import { passingKeys, report } from './hits';
import {
  BIAS, COLUMN, CURVE, EARLY, KEY_AT, KEY_KIND, MESSAGE, MESSAGES, QUAD, QUADS, SCRATCH, SIBLINGS,
  SIGN_BIT, STATE, TABLE, WORK,
} from './layout';
import { edwardsMessage, freeze, quadDifference, quadMinus, quadPlus, spread } from './quads';
import { centre, centreNext, pointNumber, prefix, prefixNext } from './search';
import { add } from './sha/sha-rounds';
import { hashKeys, testAlone, testIds } from './stages';

const T1 = TABLE, T2 = TABLE + COLUMN, T3 = TABLE + 2 * COLUMN; // y(1 - dX), dX, x
const D = CURVE, ONE = CURVE + 4, STEP_X = CURVE + 8, STEP_Y = CURVE + 12;
const TEMPORARY: usize = SCRATCH + 3 * QUAD;

const DENOMINATOR: usize = WORK, DENOMINATOR_NEXT: usize = WORK + QUAD;
const PRODUCT: usize = WORK + 2 * QUAD; // k * x_j of the next quad
const SUM: usize = WORK + 3 * QUAD, DIFFERENCE: usize = WORK + 4 * QUAD; // numerators
const INVERSE: usize = WORK + 5 * QUAD;
export const RUNNING: usize = WORK + 6 * QUAD; // and lane 0 of the following quad
const Y_PLUS: usize = WORK + 8 * QUAD, Y_MINUS: usize = WORK + 9 * QUAD;

/** Writes lane `at` of the three columns of the table, for a point with these x and y. */
export function edwardsEntry(at: usize, x: usize, y: usize): void {
  const square = TEMPORARY, t = TEMPORARY + 4;
  mul<Edwards>(square, x, x);
  mul<Edwards>(t, square, D);
  copy(T2 + at, t);
  minus<Edwards>(square, ONE, t);
  mul<Edwards>(T1 + at, y, square);
  copy(T3 + at, x);
}

/** Fills a centre whose x, y and 1/y are set. */
export function edwardsDerive(c: usize): void {
  const x = c, y = c + 4, inverse = c + 8, t = TEMPORARY, u = TEMPORARY + 4, v = TEMPORARY + 8;
  mul<Edwards>(c + QUAD, inverse, inverse);
  spread(c + QUAD);
  quadPlus(c + QUAD, c + QUAD, BIAS);
  mul<Edwards>(t, y, y);
  mul<Edwards>(u, t, D);
  plus<Edwards>(t, u, ONE);
  mul<Edwards>(u, t, x);
  mul<Edwards>(c + 2 * QUAD, u, inverse);
  const m = c + 3 * QUAD + 12, b = c + 4 * QUAD, a = b + 4, n = b + 8;
  mul<Edwards>(t, x, STEP_X);
  mul<Edwards>(u, y, STEP_Y);
  plus<Edwards>(n, t, u);
  mul<Edwards>(v, t, u);
  mul<Edwards>(t, v, D);
  plus<Edwards>(a, ONE, t);
  minus<Edwards>(b, ONE, t);
  mul<Edwards>(t, x, STEP_Y);
  mul<Edwards>(u, y, STEP_X);
  plus<Edwards>(m, t, u);
  mul<Edwards>(c + 3 * QUAD, a, b);
  mul<Edwards>(c + 3 * QUAD + 4, a, n);
  mul<Edwards>(c + 3 * QUAD + 8, b, n);
  mul<Edwards>(c + 12, c + 3 * QUAD, n);
}

/** The next centre, from the current one and the inverse of its Z. */
export function edwardsNext(to: usize, c: usize, inverse: usize): void {
  const products = c + 3 * QUAD, t = TEMPORARY;
  mul<Edwards>(t, products + 12, inverse);
  mul<Edwards>(to, t, products + 8);
  mul<Edwards>(t, c + 4 * QUAD + 8, inverse);
  mul<Edwards>(to + 4, t, products + 4);
  mul<Edwards>(t, c + 4 * QUAD, inverse);
  mul<Edwards>(to + 8, t, products);
  edwardsDerive(to);
}

/** The four denominators of quad g around centre c. */
export function edwardsDenominators(to: usize, c: usize, g: usize): void {
  quadMinus(to, c + QUAD, T2 + g * QUAD);
}

/** k * x_j of quad 0, which has no earlier quad that computes it. */
export function edwardsBegin(): void {
  for (let l: usize = 0; l < 16; l += 4) mul<Edwards>(PRODUCT + l, centre() + 2 * QUAD, T3 + l);
}

/**
 * Hash block i of 8 of the quad before g, with three multiplications. Group 0 contains the sums, group 1
 * the differences. The order is: first hashes of both with sign 0, their second hashes, the same with
 * sign 1. If there is nothing to hash, only multiplies.
 */
function block(
  i: i32, g: i32, d0: usize, a0: usize, b0: usize, d1: usize, a1: usize, b1: usize,
  d2: usize, a2: usize, b2: usize,
): void {
  const sign: u32 = i >> 2;
  if (g == 0 || sign > load<u32>(SIBLINGS) || load<u32>(KEY_KIND) == NONE) {
    mul<Edwards>(d0, a0, b0);
    mul<Edwards>(d1, a1, b1);
    mul<Edwards>(d2, a2, b2);
    return;
  }
  const group = <usize>i & 1;
  if ((i & 2) == 0) {
    const m = MESSAGES + group * MESSAGE;
    if (sign != 0) otherSign(EARLY + (group << 7), m);
    hashKeys<Edwards>(sign != 0, group, m, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  } else {
    const keys = 1 + load<u32>(SIBLINGS);
    const point = pointNumber(8 * <u32>(g - 1) + 1 + <u32>group);
    testIds<Edwards>(group, point * keys + sign, 2 * keys, d0, a0, b0, d1, a1, b1, d2, a2, b2);
  }
}

/** The sign is the highest bit of the last byte, so it adds 0x80 to T1, a and e in round 7 of a short block. */
function otherSign(early: usize, m: usize): void {
  const bit = v128.load(SIGN_BIT), last = m + load<u32>(KEY_AT);
  v128.store(last, add(v128.load(last, 112), bit), 112);
  v128.store(early, add(v128.load(early), bit));
  v128.store(early, add(v128.load(early, 64), bit), 64);
}

/** Computes the y of quad g and hashes quad g-1. Also builds the next batch's prefix products from the end. */
export function edwardsQuad(g: i32): void {
  const at = <usize>g * QUAD, back = (QUADS - 1) * QUAD - at;
  const k = centre() + 2 * QUAD, s = prefix() + at, next = prefixNext() + back, x = T3 + at + QUAD;
  edwardsDenominators(DENOMINATOR, centre(), <usize>g);
  edwardsDenominators(DENOMINATOR_NEXT, centreNext(), QUADS - 1 - <usize>g);
  quadPlus(SUM, T1 + at, PRODUCT);
  quadDifference(DIFFERENCE, T1 + at, PRODUCT);
  const u = RUNNING, d = DENOMINATOR, e = DENOMINATOR_NEXT, v = INVERSE, p = Y_PLUS, q = Y_MINUS;
  block(0, g, v, u, s, u + 4, u, d, next + 8, next + 12, e + 12);
  block(1, g, v + 4, u + 4, s + 4, u + 8, u + 4, d + 4, next + 4, next + 8, e + 8);
  block(2, g, v + 8, u + 8, s + 8, u + 12, u + 8, d + 8, next, next + 4, e + 4);
  block(3, g, v + 12, u + 12, s + 12, u + QUAD, u + 12, d + 12, next - QUAD + 12, next, e);
  block(4, g, p, SUM, v, p + 4, SUM + 4, v + 4, p + 8, SUM + 8, v + 8);
  block(5, g, p + 12, SUM + 12, v + 12, q, DIFFERENCE, v, q + 4, DIFFERENCE + 4, v + 4);
  block(6, g, q + 8, DIFFERENCE + 8, v + 8, q + 12, DIFFERENCE + 12, v + 12, PRODUCT, k, x);
  block(7, g, PRODUCT + 4, k, x + 4, PRODUCT + 8, k, x + 8, PRODUCT + 12, k, x + 12);
  copy(u, u + QUAD);
  keep(0, p, 15, pointNumber(8 * <u32>g + 1));
  keep(1, q, 15, pointNumber(8 * <u32>g + 2));
}

/** Writes the messages of four keys, or tests the keys if they are the node IDs. Those are two points apart. */
function keep(group: usize, y: usize, lanes: i32, point: u32): void {
  freeze<Edwards>(y);
  if (load<u32>(KEY_KIND) != NONE) {
    edwardsMessage(MESSAGES + group * MESSAGE + load<u32>(KEY_AT), y);
    return;
  }
  const keys = 1 + load<u32>(SIBLINGS);
  edwardsMessage(STATE, y);
  report(passingKeys() & lanes, point * keys, 2 * keys);
}

/** Hashes the last quad, then the centre, which is in lane 0. No quad follows them. */
export function edwardsFinish(): void {
  hashGroup(0, 15, pointNumber(8 * <u32>QUADS - 7));
  hashGroup(1, 15, pointNumber(8 * <u32>QUADS - 6));
  copy(Y_PLUS, centre() + 4);
  keep(0, Y_PLUS, 1, pointNumber(0));
  hashGroup(0, 1, pointNumber(0));
}

function hashGroup(group: usize, lanes: i32, point: u32): void {
  if (load<u32>(KEY_KIND) == NONE) return;
  const m = MESSAGES + group * MESSAGE, keys = 1 + load<u32>(SIBLINGS);
  testAlone<Edwards>(false, m, lanes, point * keys, 2 * keys);
  if (keys == 1) return;
  otherSign(EARLY, m);
  testAlone<Edwards>(true, m, lanes, point * keys + 1, 2 * keys);
}

/** Whether the running inverse at the end of a batch is right: 1/y of its centre. */
export function edwardsSound(): bool {
  minus<Edwards>(TEMPORARY, RUNNING, centre() + 8);
  return isZero(TEMPORARY);
}
