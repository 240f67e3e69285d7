/**
 * @module
 * The state of a search, for both curves: which of the two centres and prefix arrays belong to the
 * current batch, and the number of the batch.
 */
import { CENTRE, CENTRES, POINTS, PREFIX_BYTES, PREFIXES, QUAD } from './layout';

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
