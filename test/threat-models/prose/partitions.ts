/**
 * @module
 * Derivations for the documents about partitions.
 */

import type { Facts } from './fact.ts';
import { changed, fact, measured } from './fact.ts';

export const PARTITIONS: Facts = {
  'partition-raft': [
    fact('halves@100-300, in 46 % of 1 000 runs', (model) => {
      const later = changed(model, 'faults.partition=halves@100-300');
      return [100, 300, measured(later, 1000), 1000];
    }),
  ],
};
