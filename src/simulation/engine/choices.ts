/**
 * @module
 * The answer to `choose`: a uniform integer from a stream of the seed that belongs to the node. Therefore the
 * choices of one node do not depend on those of the others.
 */

import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';

/** Draws from 0..below−1 for the node of that rank. */
export type Choices = (rank: number, below: number) => number;

export function createChoices(seed: Seed): Choices {
  const streams = new Map<number, Random>();
  return (rank, below) => {
    let stream = streams.get(rank);
    if (stream === undefined) {
      stream = createRandom(seed, 'choice', rank);
      streams.set(rank, stream);
    }
    return stream.below(below);
  };
}
