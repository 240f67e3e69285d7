/**
 * @module
 * What falls when a node asks the driver to choose: a uniform integer from that node's own stream of
 * the seed, so that one node's choices do not depend on how often, or when, the others ask.
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

/** The lowest value, whoever asks. */
export const firstChoice: Choices = () => 0;
