/**
 * @module
 * Draws that stand on their own: a share in [0, 1) for each purpose and each message, named by its
 * link and its number on that link. A stream would be shifted by every fault that adds or removes a
 * message; these are not, so that two runs differ only where their schedules do. The mixing is the
 * finaliser of MurmurHash3 (A. Appleby): quick, even, and no secret.
 */

import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

/** The draw for `purpose` of message `count` from one rank to another. */
export type KeyedDraws = (purpose: number, from: number, to: number, count: number) => number;

export function createKeyedDraws(seed: Seed, label: string): KeyedDraws {
  const random = createRandom(seed, label);
  const [first, second, third] = [1, 2, 3].map(() => random.below(2 ** 32));
  return (purpose, from, to, count) => {
    const link = mix(mix((first ?? 0) ^ from) ^ Math.imul(to, 0x9e3779b1));
    const high = mix(mix(link ^ count) ^ (second ?? 0) ^ Math.imul(purpose, 0x85ebca77));
    const low = mix(high ^ (third ?? 0));
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  };
}

function mix(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
