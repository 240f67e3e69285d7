/**
 * @module
 * Checks of numeric parameters. A parameter out of its range is a bug of the caller: documents and
 * arguments are refused earlier, with their position and a remedy.
 */

/** Throws RangeError unless `value` is an integer in least..most. The default of `most` is 2^53−1. */
export function assertInteger(
  name: string,
  value: number,
  { least, most = Number.MAX_SAFE_INTEGER }: { readonly least: number; readonly most?: number },
): void {
  if (!(Number.isSafeInteger(value) && value >= least && value <= most)) {
    throw new RangeError(`"${name}" expected an integer in ${least}..${most}, got ${value}`);
  }
}

/** Throws RangeError unless `value` is a number of at least `least`. */
export function assertAtLeast(name: string, value: number, least: number): void {
  if (!(value >= least)) throw new RangeError(`"${name}" expected at least ${least}, got ${value}`);
}

/** Throws RangeError unless `value` is a number above 0. */
export function assertPositive(name: string, value: number): void {
  if (!(value > 0)) throw new RangeError(`"${name}" expected above 0, got ${value}`);
}
