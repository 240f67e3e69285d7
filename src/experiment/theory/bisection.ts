/**
 * @module
 * Search by bisection.
 */

/** The first integer of a range from which on a condition holds, or `to`. It holds above each value at which it holds. */
export function firstInteger(
  holds: (value: number) => boolean,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
