/**
 * @module
 * The node ID of one rank, without those of the others.
 */

import { describe, expect, it } from 'vitest';

import {
  createPopulation,
  nodeIdOfRank,
  POPULATION_KEYS_MAX,
} from '../../../src/experiment/runs/inhabitants.ts';
import { parseSeed } from '../../../src/random.ts';

describe('the node ID of one rank', () => {
  it.each([1, POPULATION_KEYS_MAX, POPULATION_KEYS_MAX + 1, 1000])(
    'is that of the whole population: %i nodes',
    (nodes) => {
      for (const seed of ['1', '2'].map(parseSeed)) {
        const { nodeIds } = createPopulation({ nodes, seed });
        for (const rank of [1, Math.ceil(nodes / 2), nodes]) {
          expect(nodeIdOfRank({ nodes, seed }, rank)).toBe(nodeIds[rank - 1]);
        }
      }
    },
  );
});
