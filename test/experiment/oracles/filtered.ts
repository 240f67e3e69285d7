/**
 * @module
 * The probability that adversaries lead which hash every ID and evaluate the puzzle of those alone that are above all
 * honest ones: the number of evaluations of each by dynamic programming over what is left of its budget, and the rule of
 * Gauss over the highest honest ID. Nothing is imported from the product.
 */

interface Filtering {
  readonly honest: number;
  readonly c1: number;
  /** Budget of each adversary, in hashes or in the time of a hash. */
  readonly budgets: readonly number[];
  /** What a key costs. Its puzzle costs 1 more if its ID is high enough. */
  readonly perKey: number;
  /** The adversaries that are judged as one, by index. Each is in at most one list. */
  readonly sides: readonly (readonly number[])[];
}

/** Points of the rule, which is exact for polynomials of degree 79. The integrand is one, of that degree for small budgets. */
const POINTS = pointsOf(40);

export function filteredOracle({ honest, c1, budgets, perKey, sides }: Filtering): number {
  const judged = sides.flat();
  const valid = 2 ** -c1;
  let sum = 0;
  for (const { at: share, weight } of POINTS) {
    const laws = budgets.map((budget) => validLaw(budget, { perKey, share, valid }));
    sum += weight * honest * (1 - share) ** (honest - 1) * judgedShare(laws, judged);
  }
  return sum;
}

/** The points and weights of Gauss from 0 to 1: the zeros of a Legendre polynomial, by Newton's method. */
function pointsOf(count: number): readonly { readonly at: number; readonly weight: number }[] {
  return Array.from({ length: count }, (_, index) => {
    let x = Math.cos((Math.PI * (index + 0.75)) / (count + 0.5));
    let slope = 0;
    for (let step = 0; step < 20; step += 1) {
      let [before, value] = [1, x];
      for (let degree = 2; degree <= count; degree += 1) {
        const next = ((2 * degree - 1) * x * value - (degree - 1) * before) / degree;
        [before, value] = [value, next];
      }
      slope = (count * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    return { at: (1 + x) / 2, weight: 1 / ((1 - x * x) * slope * slope) };
  });
}

interface Keys {
  readonly perKey: number;
  readonly share: number;
  readonly valid: number;
}

/** The last count stands for all larger ones. Several adversaries never reach it here. */
const VALID_MAX = 8;

/** P(v valid keys above), by v, from the smallest rest of a budget on. */
function validLaw(budget: number, { perKey, share, valid }: Keys): readonly number[] {
  const laws: (readonly number[])[] = [];
  for (let left = 0; left <= budget; left += 1) {
    const below = laws[left - perKey] ?? [1];
    const above = laws[left - perKey - 1] ?? [1];
    const law = Array.from(
      { length: Math.min(VALID_MAX, Math.max(below.length, above.length + 1)) },
      (_, count) =>
        (1 - share) * (below[count] ?? 0) +
        share *
          ((count === VALID_MAX - 1 ? 1 : 1 - valid) * (above[count] ?? 0) +
            valid * (above[count - 1] ?? 0)),
    );
    laws.push(left < perKey + 1 ? [1] : law);
  }
  return laws[budget] ?? [1];
}

/** E[the part of all valid keys that the judged adversaries have], 0 without any: each is the best as often. */
function judgedShare(laws: readonly (readonly number[])[], judged: readonly number[]): number {
  const walk = (at: number, chance: number, own: number, all: number): number => {
    const law = laws[at];
    if (law === undefined) return all === 0 ? 0 : (chance * own) / all;
    return law.reduce((sum, weight, count) => {
      const mine = judged.includes(at) ? own + count : own;
      return sum + walk(at + 1, chance * weight, mine, all + count);
    }, 0);
  };
  return walk(0, 1, 0, 0);
}
