/**
 * @module
 * The repair of a slow puzzle on a fast ID: the ID itself is the output of scrypt.
 */

import { STRICT_POLICY } from '../policy.ts';
import { formatEvaluationCost } from '../puzzles/puzzle-function.ts';
import { defineNamedPolicy } from './named-policy.ts';

const SCRYPT = { function: 'scrypt', logN: 10, r: 8, p: 1 } as const;

export const scryptIdPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 4, idRule: 'slow', puzzle: SCRYPT },
  summary: `IDs made by scrypt; a check takes ${formatEvaluationCost(SCRYPT)}, after all others`,
  weakness: null,
  reference: 'RFC 7914',
});
