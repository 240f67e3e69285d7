/**
 * @module
 * The probability that adversaries have the highest ranks, or the next ones after a victim, which hash every ID and
 * evaluate the puzzle of those alone that are in that place: the number of evaluations of each by dynamic programming over what is left of its budget, and the rule of
 * Gauss over the highest honest ID. Nothing is imported from the product.
 */

interface Filtering {
  /** Honest nodes that limit the place: its share of all IDs is the smallest of this many uniform values, or 1. */
  readonly honest: number;
  readonly count: number;
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

export function filteredOracle({ honest, count, c1, budgets, perKey, sides }: Filtering): number {
  const valid = 2 ** -c1;
  const chanceAt = (share: number) => {
    const laws = budgets.map((budget) => validLaw(budget, { perKey, share, valid }));
    return sides.reduce((sum, side) => sum + judgedShare(laws, side, count), 0);
  };
  if (honest === 0) return chanceAt(1);
  let sum = 0;
  for (const { at: share, weight } of POINTS) {
    sum += weight * honest * (1 - share) ** (honest - 1) * chanceAt(share);
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
const VALID_MAX = 40;

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

/** P(the `wanted` best keys of all valid ones belong to a side): keys are drawn without replacement. */
function judgedShare(
  laws: readonly (readonly number[])[],
  judged: readonly number[],
  wanted: number,
): number {
  const walk = (at: number, chance: number, own: number, all: number): number => {
    const law = laws[at];
    if (law === undefined) {
      let part = chance;
      for (let taken = 0; taken < wanted; taken += 1) {
        part *= own <= taken ? 0 : (own - taken) / (all - taken);
      }
      return part;
    }
    return law.reduce((sum, weight, count) => {
      const mine = judged.includes(at) ? own + count : own;
      return sum + walk(at + 1, chance * weight, mine, all + count);
    }, 0);
  };
  return walk(0, 1, 0, 0);
}
