/**
 * @module
 * The difficulty that each side implies: the fewest bits that limit an adversary of N attempts to ε, by the
 * inverse of the closed form, and the most bits that honest nodes can afford.
 */

import { z } from 'zod';

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { HONEST_MAX } from '../document/limits.ts';
import { firstInteger } from '../theory/bisection.ts';
import type { Forging } from '../theory/closed-forms.ts';
import { affordableBits, slowestQuantile } from '../theory/waiting.ts';

/** A difficulty in real bits, and in the whole bits that a policy can require. */
export const difficultySchema = z.object({ realBits: z.number(), wholeBits: z.int() });

export type Difficulty = Readonly<z.output<typeof difficultySchema>>;

/** An adversary, the number of honest nodes, and the allowed probability of an event. */
export interface Holding {
  /** The probability of the event. It rises with the attempts and falls with bits and honest nodes. */
  readonly probabilityOf: (forging: Forging) => number;
  readonly honest: number;
  readonly attempts: number;
  readonly epsilon: number;
}

/** The rate of an honest node, and the time within which it must find an identity with a probability. */
export interface Bearing {
  readonly rate: number;
  readonly joinTime: number;
  readonly joinQuantile: number;
}

/** The fewest bits at which the probability is at most ε. */
export function neededDifficulty({
  probabilityOf,
  honest,
  attempts,
  epsilon,
}: Holding): Difficulty {
  const holds = (bits: number) =>
    probabilityOf({ honest, attempts, difficultyBits: bits }) <= epsilon;
  const realBits = least(holds, { from: 0, to: PUZZLE_BITS_MAX });
  // The bisection can end slightly above a whole number that is itself the answer.
  const below = Math.floor(realBits);
  return { realBits, wholeBits: holds(below) ? below : Math.ceil(realBits) };
}

/** The most affordable bits. Null if there is no time for a single attempt. */
export function bearableDifficulty(bearing: Bearing): Difficulty | null {
  const { rate, joinTime, joinQuantile } = bearing;
  const attempts = rate * joinTime;
  if (attempts < 1) return null;
  const waiting = { nodes: 1, quantile: joinQuantile };
  const realBits = Math.min(PUZZLE_BITS_MAX, affordableBits(attempts, waiting));
  const above = Math.ceil(realBits);
  const isBorne = slowestQuantile(2 ** -above, waiting) <= attempts;
  return { realBits, wholeBits: isBorne ? above : Math.floor(realBits) };
}

/** The most attempts for which a difficulty limits an adversary to ε. */
export function attemptsHeld(holding: Omit<Holding, 'attempts'>, difficultyBits: number): number {
  const { probabilityOf, honest, epsilon } = holding;
  const exceeds = (doublings: number) =>
    probabilityOf({ honest, attempts: 2 ** doublings, difficultyBits }) > epsilon;
  return 2 ** least(exceeds, { from: -ATTEMPTS_BITS, to: ATTEMPTS_BITS + PUZZLE_BITS_MAX });
}

/** The fewest honest nodes with which a difficulty limits the adversary to ε. Null above the limit. */
export function nodesNeeded(
  { probabilityOf, attempts, epsilon }: Omit<Holding, 'honest'>,
  difficultyBits: number,
): number | null {
  const holds = (honest: number) => probabilityOf({ honest, attempts, difficultyBits }) <= epsilon;
  if (!holds(HONEST_MAX)) return null;
  return firstInteger(holds, { from: 1, to: HONEST_MAX });
}

const ATTEMPTS_BITS = 64;

/** Steps that reduce a range of some hundred bits to the last digits of a double. */
const HALVINGS = 60;

/** The least value in the range that is `good`, if all values above a good one are good too. */
function least(
  good: (value: number) => boolean,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  if (good(from)) return from;
  let [low, high] = [from, to];
  for (let step = 0; step < HALVINGS; step += 1) {
    const middle = (low + high) / 2;
    if (good(middle)) high = middle;
    else low = middle;
  }
  return high;
}
