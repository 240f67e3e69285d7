/**
 * @module
 * The state of a search, for both curves: which of the two centres and prefix arrays belong to the
 * current batch, the number of the batch, and the hash of four keys without multiplications.
 */
import { keepDigests, passing } from './hits';
import { hashMultiplying } from './interleaved';
import {
  BANK, CENTRE, CENTRES, CURVE, DIGEST_WORDS, DIGESTS, EARLY, POINTS, PREFIX_BYTES, PREFIXES, QUAD,
  STATE, UNUSED, WORDS,
} from './layout';

let parity: usize = 0;
let batch: u32 = 0;

export function restart(): void { batch = 0; }
export function turn(): void { parity ^= 1; batch++; }
/** The centre of the current batch, and that of the next one. */
@inline export function centre(): usize { return CENTRES + parity * CENTRE; }
@inline export function centreNext(): usize { return CENTRES + (parity ^ 1) * CENTRE; }
/** Slot 0 of the prefix products of the current batch, and of the next. Slot -1 is the whole product. */
@inline export function prefix(): usize { return PREFIXES + QUAD + parity * PREFIX_BYTES; }
@inline export function prefixNext(): usize {
  return PREFIXES + QUAD + (parity ^ 1) * PREFIX_BYTES;
}
/** Number of a point, counted from the first batch of the call. */
@inline export function pointNumber(index: u32): u32 { return batch * POINTS + index; }

/**
 * Both hashes of the block at `m` if no quad follows, so that the multiplications have no use. `opened`
 * is that of `hashMultiplying`, with EARLY. Returns the lanes that pass.
 */
export function hashAlone<F>(opened: bool, m: usize, bank: usize): i32 {
  const d = UNUSED, a = CURVE;
  hashMultiplying<F>(opened, EARLY, WORDS, m, bank, d, a, a, d, a, a, d, a, a);
  keepDigests(0);
  hashMultiplying<F>(false, STATE, DIGEST_WORDS, DIGESTS, BANK, d, a, a, d, a, a, d, a, a);
  return passing(0);
}
