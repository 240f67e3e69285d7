/**
 * @module
 * The check of a parameter that must be a whole number. A parameter out of its range is a bug of the
 * caller: documents and arguments were refused before, with a place and a remedy.
 */

/** Throws RangeError unless `value` is an integer in least..most, 2^53−1 where no most is given. */
export function assertInteger(
  name: string,
  value: number,
  { least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number },
): void {
  if (!(Number.isSafeInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`"${name}" expected an integer in ${least}..${most}, got ${value}`);
  }
}
