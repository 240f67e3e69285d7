/**
 * @module
 * The probability that adversaries lead which hash every ID and evaluate the puzzle of those alone that are above all
 * honest ones: Simpson's rule over the highest honest ID, between the values at which one more key is paid for. Nothing
 * is imported from the product.
 */

interface Filtering {
  readonly honest: number;
  readonly c1: number;
  /** Budget of each adversary, in hashes or in the time of a hash. */
  readonly budgets: readonly number[];
  /** What a key costs. It costs 1 more with the probability that its ID is high enough. */
  readonly perKey: number;
  /** The adversaries that are judged as one, by index. Each is in at most one list. */
  readonly sides: readonly (readonly number[])[];
}

const PANELS = 400;

export function filteredOracle({ honest, c1, budgets, perKey, sides }: Filtering): number {
  const judged = new Set(sides.flat());
  const keys = (budget: number, share: number) => Math.floor(budget / (perKey + share) + 1e-12);
  const steps = budgets.flatMap((budget) =>
    Array.from({ length: budget + 1 }, (_, index) => budget / (index + 1) - perKey),
  );
  const ends = [0, ...steps.filter((share) => share > 0 && share < 1), 1].sort((a, b) => a - b);
  let sum = 0;
  for (const [index, to] of ends.slice(1).entries()) {
    const from = ends[index] ?? 0;
    if (to === from) continue;
    const counts = budgets.map((budget) => keys(budget, (from + to) / 2));
    const all = counts.reduce((total, count) => total + count, 0);
    const own = counts.reduce((total, count, at) => total + (judged.has(at) ? count : 0), 0);
    if (own === 0) continue;
    const value = (share: number) =>
      honest * (1 - share) ** (honest - 1) * (1 - (1 - share * 2 ** -c1) ** all) * (own / all);
    const width = (to - from) / PANELS;
    for (let panel = 0; panel < PANELS; panel += 1) {
      const left = from + panel * width;
      sum += (width / 6) * (value(left) + 4 * value(left + width / 2) + value(left + width));
    }
  }
  return sum;
}
