/**
 * @module
 * A batch of 2·PAIRS + 1 points around a centre, for both curves. One inversion, of the product of all
 * denominators and of the step's Z, gives the next centre and the inverse of each denominator
 * (Montgomery). The product of the next batch is built during the search of this one, so all but about
 * 300 multiplications of a batch run beside the hash.
 */
import { Edwards } from './columns';
import {
  edwardsBegin, edwardsDenominators, edwardsDerive, edwardsFinish, edwardsNext, edwardsQuad,
  edwardsSound, RUNNING,
} from './ed25519';
import { canonical, copy, fromBytes, invert, isZero, mul } from './field';
import { CENTRE_X, CENTRE_Y, CURVE, QUAD, QUADS, SCRATCH } from './layout';
import {
  secpDenominators, secpDerive, secpFinish, secpNext, secpQuad, secpSound,
} from './secp256k1';
import { centre, centreNext, prefix, prefixNext, turn } from './search';

export const DONE = 0;
/** A denominator is zero: the host must search this batch without the kernel and seek the next. */
export const DEGENERATE = 1;
/** The running inverse is wrong: a bug or broken hardware. */
export const UNSOUND = 2;

const ONE: usize = CURVE + 4;
const PRODUCT: usize = SCRATCH + 5 * QUAD, INVERSE = PRODUCT + 4, STEP_INVERSE = PRODUCT + 8;
const OWN: usize = SCRATCH + 6 * QUAD; // denominators of a quad

/** Reads the host's centre and builds its prefix products. */
export function seekBatch<F>(): void {
  const c = centre();
  fromBytes(c, CENTRE_X);
  fromBytes(c + 4, CENTRE_Y);
  if (sizeof<F>() == sizeof<Edwards>()) {
    invert<F>(c + 8, c + 4);
    edwardsDerive(c);
  } else {
    secpDerive(c);
  }
  const s = prefix();
  copy(last(s), ONE);
  for (let g = <i32>QUADS - 1; g >= 0; g--) {
    const quad = s + <usize>g * QUAD;
    if (sizeof<F>() == sizeof<Edwards>()) edwardsDenominators(OWN, c, g);
    else secpDenominators(OWN, c, g);
    mul<F>(quad + 8, quad + 12, OWN + 12);
    mul<F>(quad + 4, quad + 8, OWN + 8);
    mul<F>(quad, quad + 4, OWN + 4);
    mul<F>(quad - QUAD + 12, quad, OWN);
  }
}

@inline function last(prefixes: usize): usize { return prefixes + (QUADS - 1) * QUAD + 12; }

/** Searches the batch around the current centre, and makes the next one current. */
export function searchBatch<F>(): i32 {
  const c = centre(), n = centreNext(), whole = prefix() - QUAD + 12;
  mul<F>(PRODUCT, whole, c + 12);
  canonical<F>(PRODUCT);
  if (isZero(PRODUCT)) return DEGENERATE;
  invert<F>(INVERSE, PRODUCT);
  mul<F>(STEP_INVERSE, INVERSE, whole);
  mul<F>(RUNNING, INVERSE, c + 12);
  copy(last(prefixNext()), ONE);
  if (sizeof<F>() == sizeof<Edwards>()) {
    copy(PRODUCT, RUNNING);
    mul<F>(RUNNING, PRODUCT, c + 8);
    edwardsNext(n, c, STEP_INVERSE);
    edwardsBegin();
    for (let g = 0; g < <i32>QUADS; g++) edwardsQuad(g);
    edwardsFinish();
    if (!edwardsSound()) return UNSOUND;
  } else {
    secpNext(n, c, STEP_INVERSE);
    for (let g = 0; g < <i32>QUADS; g++) secpQuad(g);
    secpFinish();
    if (!secpSound()) return UNSOUND;
  }
  turn();
  return DONE;
}
