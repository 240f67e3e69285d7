/**
 * @module
 * The hash of the tables: the finaliser of MurmurHash3 (A. Appleby, public domain), in which every bit of the
 * argument changes each bit of the result with a probability near one half.
 */

/** A 32-bit mix of a 32-bit integer. */
export function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
