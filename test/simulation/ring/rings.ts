/**
 * @module
 * All rings of a size, exact means, and what a count on a ring must be by the paper's own argument.
 */

import type { ProtocolName } from '../../../src/election/registry.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import type { ElectionOutcome } from '../../../src/simulation/run/simulate.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';

/** A seed for runs whose outcome depends on none. */
export const SEED: Seed = parseSeed('1');

/** Every ring of ranks 1..n up to rotation, (n−1)! of them, each clockwise from rank n. */
export function allRings(nodes: number): number[][] {
  const others = Array.from({ length: nodes - 1 }, (_, index) => index + 1);
  return permutations(others).map((order) => [nodes, ...order]);
}

/** Every non-empty subset of ranks 1..n. */
export function allStartSets(nodes: number): number[][] {
  return Array.from({ length: 2 ** nodes - 1 }, (_, index) =>
    Array.from({ length: nodes }, (_, bit) => bit + 1).filter(
      (rank) => ((index + 1) >> (rank - 1)) & 1,
    ),
  );
}

/**
 * Hops of each rank's PROBE (index rank − 1): the clockwise distance to the next higher rank, n for
 * the highest (Chang and Roberts 1979, section 3).
 */
export function probeHops(ring: readonly number[]): number[] {
  const hops = ring.map(() => 0);
  for (const [position, rank] of ring.entries()) {
    let distance = 1;
    while (distance < ring.length && (ring[(position + distance) % ring.length] ?? 0) < rank) {
      distance += 1;
    }
    hops[rank - 1] = distance;
  }
  return hops;
}

export function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** How often each number occurs. */
export function distribution(numbers: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const number of numbers) counts[number] = (counts[number] ?? 0) + 1;
  return counts;
}

/** The mean as a fraction in lowest terms, such as `25/3`. */
export function exactMean(numbers: readonly number[]): string {
  const numerator = sum(numbers);
  const divisor = greatestCommonDivisor(numerator, numbers.length);
  const denominator = numbers.length / divisor;
  return denominator === 1 ? `${numerator / divisor}` : `${numerator / divisor}/${denominator}`;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item) =>
    permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
  );
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

/** The election of a protocol on a ring, which all or the given nodes start. */
export function elect(
  protocol: ProtocolName,
  ring: readonly number[],
  initiators?: readonly number[],
): ElectionOutcome {
  return simulateElection({ protocol, nodes: ring.length, ring, initiators, seed: SEED });
}
