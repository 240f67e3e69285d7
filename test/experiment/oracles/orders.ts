/**
 * @module
 * Probabilities by counting: every number of forged identities, and every order of all identities. Nothing here
 * uses a formula of the product, and nothing is imported from it.
 */

/** A small network and its adversaries, in the order of their names. */
export interface Instance {
  readonly honest: number;
  /** Bits of the puzzle: a key is valid with probability 2^-c1. */
  readonly c1: number;
  readonly adversaries: readonly {
    readonly attempts: number;
    readonly ordinary: number;
    /** The most identities that it registers. */
    readonly most: number;
  }[];
  /** The adversaries that are judged as one, by index. One such list is enough for the property. */
  readonly sides: readonly (readonly number[])[];
  readonly property: CountedProperty;
  readonly count: number;
}

export type CountedProperty =
  | 'adversary-leads'
  | 'top-captured'
  | 'successors-captured'
  | 'majority-captured'
  | 'majority-denied';

/** The owners of all ranks, the highest first: −1 for an honest node, else the index of an adversary. */
export type Order = readonly number[];
export const HONEST = -1;

/** The probability of the property. */
export function oracleOf(instance: Instance): number {
  const known = new Map<string, number>();
  let sum = 0;
  const extend = (counts: readonly number[], weight: number) => {
    const adversary = instance.adversaries[counts.length];
    if (adversary === undefined) {
      const key = counts.join();
      const share = known.get(key) ?? shareOfOrders(instance, counts);
      known.set(key, share);
      sum += weight * share;
      return;
    }
    for (const [valid, probability] of lawOf(adversary.attempts, 2 ** -instance.c1).entries()) {
      extend([...counts, Math.min(valid, adversary.most)], weight * probability);
    }
  };
  extend([], 1);
  return sum;
}

/** The law of the number of successes, one trial after the other. */
export function lawOf(trials: number, chance: number): readonly number[] {
  let law = [1];
  for (let trial = 0; trial < trials; trial += 1) {
    law = [...law, 0].map((same, at) => same * (1 - chance) + (law[at - 1] ?? 0) * chance);
  }
  return law;
}

/** The share of all orders with the property, if the adversaries register these numbers of forged identities. */
function shareOfOrders(instance: Instance, counts: readonly number[]): number {
  const theirs = instance.adversaries.flatMap(({ ordinary }, index) =>
    Array.from({ length: ordinary }, () => index),
  );
  let [all, good] = [0, 0];
  // Ordinary identities are made like the honest ones: their common number is the last one.
  const left = [...counts, theirs.length + instance.honest];
  const order: number[] = [];
  const extend = () => {
    if (left.every((count) => count === 0)) {
      all += 1;
      good += chanceOf(instance, ownersOf(order, counts.length, theirs));
      return;
    }
    for (const [kind, count] of left.entries()) {
      if (count === 0) continue;
      left[kind] = count - 1;
      order.push(kind);
      extend();
      order.pop();
      left[kind] = count;
    }
  };
  extend();
  return good / all;
}

/** The lowest of the identities that are made alike belong to the adversaries. */
function ownersOf(order: readonly number[], common: number, theirs: readonly number[]): Order {
  let below = order.filter((kind) => kind === common).length;
  return order.map((kind) => {
    if (kind !== common) return kind;
    below -= 1;
    return theirs[below] ?? HONEST;
  });
}

/** Whether an order has the property: 1 or 0, or the share of the victims for a property of a drawn one. */
export function chanceOf({ sides, property, count }: Instance, order: Order): number {
  const nodes = order.length;
  const own = (side: readonly number[]) => order.filter((owner) => side.includes(owner)).length;
  const holds = (owners: Order) =>
    owners.length === count && sides.some((side) => owners.every((each) => side.includes(each)));
  switch (property) {
    case 'adversary-leads':
      return sides.some((side) => side.includes(order[0] ?? HONEST)) ? 1 : 0;
    case 'top-captured':
      return holds(order.slice(0, count)) ? 1 : 0;
    case 'majority-captured':
      return sides.some((side) => own(side) > nodes / 2) ? 1 : 0;
    case 'majority-denied':
      return sides.some((side) => own(side) >= nodes / 2) ? 1 : 0;
    case 'successors-captured': {
      const victims = order.flatMap((owner, at) => (owner === HONEST ? [at] : []));
      const lost = victims.filter((at) => {
        const after = Array.from({ length: count }, (_, step) => at - step - 1);
        return nodes > count && holds(after.map((slot) => order.at(slot) ?? HONEST));
      });
      return lost.length / victims.length;
    }
    default:
      return property satisfies never;
  }
}
