/**
 * @module
 * A slow puzzle function in place of one hash: many hashes.
 */

import { STRICT_POLICY } from '../policy.ts';
import { formatEvaluationCost } from '../puzzles/puzzle-function.ts';
import { defineNamedPolicy } from './named-policy.ts';

const ITERATED = { function: 'iterated', iterations: 1000 } as const;

export const iteratedPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 8, puzzle: ITERATED },
  summary: `the hash, iterated a thousand times; a check takes ${formatEvaluationCost(ITERATED)}`,
  weakness: null,
  reference: 'Kelsey et al., Secure Applications of Low-Entropy Keys (1997)',
});
