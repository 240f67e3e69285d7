/**
 * @module
 * Puzzles of hardness 1 that are solved in fact, for small networks.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { u64be } from '../../bytes.ts';
import { challengeOf, dynamicBits } from '../../identity/puzzles/puzzle.ts';
import type { Seed } from '../../random.ts';

/**
 * Solves dynamic puzzles of these bits, each for another node ID. The work is in puzzles of hardness 1: the attempts
 * divided by their mean, 2^bits.
 */
export function minedWork(bits: number, seed: Seed): (puzzles: number) => number {
  const challenge = challengeOf({ epoch: 0, context: `churn ${seed}` });
  let solved = 0;
  return (puzzles) => {
    let attempts = 0;
    for (let puzzle = 0; puzzle < puzzles; puzzle += 1) {
      const nodeId = sha256(u64be(solved));
      const bitsOf = (x: number) =>
        dynamicBits({ form: 'concat', challenge, nodeId, solution: u64be(x) });
      let x = 0;
      while (bitsOf(x) < bits) x += 1;
      attempts += x + 1;
      solved += 1;
    }
    return attempts / 2 ** bits;
  };
}
