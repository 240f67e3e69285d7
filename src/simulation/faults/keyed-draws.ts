/**
 * @module
 * Independent draws: a number in [0, 1) for each purpose and each message, which is identified by its link
 * and its sequence number on that link. A fault that adds or removes a message would shift a stream of
 * draws, and does not change these. Therefore two runs differ only where their schedules differ. The
 * mixing function is the finalizer of MurmurHash3 (A. Appleby), which is fast and is not cryptographic.
 */

import type { Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

/** The draw for `purpose` of message number `count` from one rank to another. */
export type KeyedDraws = (purpose: number, from: number, to: number, count: number) => number;

export function createKeyedDraws(seed: Seed, label: string): KeyedDraws {
  const random = createRandom(seed, label);
  const [first = 0, second = 0, third = 0] = [1, 2, 3].map(() => random.below(2 ** 32));
  return (purpose, from, to, count) => {
    const link = mix(mix(first ^ from) ^ Math.imul(to, 0x9e3779b1));
    const high = mix(mix(link ^ count) ^ second ^ Math.imul(purpose, 0x85ebca77));
    const low = mix(high ^ third);
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  };
}

function mix(word: number): number {
  let mixed = word ^ (word >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
