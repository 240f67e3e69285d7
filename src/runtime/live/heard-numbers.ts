/**
 * @module
 * Which messages of earlier lives a node refuses as replays (L3). Its machine loses in a crash which numbers have counted.
 * The highest one of each sender is therefore on disk: after a restart only higher ones are new. Messages that were under
 * way at the crash are lost.
 */

import type { SealedMessage } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';

/** By rank, the highest number that has counted. */
export type Highest = Readonly<Record<string, number>>;

/** The number of a message, and whose number it is. */
export interface Numbered {
  readonly by: Rank;
  readonly number: number;
}

/** The number that a message states; null without one. */
export function numberedIn(from: Rank, { seal }: SealedMessage): Numbered | null {
  const { by = from, number } = Object(seal) as Partial<Numbered>; // A seal comes from outside: both can be anything.
  if (typeof by !== 'string' || typeof number !== 'number') return null;
  return Number.isSafeInteger(number) ? { by, number } : null;
}

export class HeardNumbers {
  readonly #before: ReadonlyMap<string, number>;
  readonly #highest = new Map<string, number>();

  /** `before` is of the earlier lives. */
  constructor(before: Highest) {
    this.#before = new Map(Object.entries(before));
  }

  /** Whether a number is not above all that the sender has used in an earlier life of this node. */
  isOld({ by, number }: Numbered): boolean {
    return number <= (this.#before.get(String(by)) ?? 0);
  }

  /** Notes a number that has counted. Returns whether it is the highest of its sender. */
  note({ by, number }: Numbered): boolean {
    if (number <= (this.#highest.get(String(by)) ?? 0)) return false;
    this.#highest.set(String(by), number);
    return true;
  }
}
