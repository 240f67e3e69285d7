/**
 * @module
 * A slow puzzle function in place of one hash: scrypt, which needs memory.
 */

import { STRICT_POLICY } from '../policy.ts';
import { formatEvaluationCost } from '../puzzles/puzzle-function.ts';
import { defineNamedPolicy } from './named-policy.ts';

const SCRYPT = { function: 'scrypt', logN: 10, r: 8, p: 1 } as const;

export const scryptPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 4, puzzle: SCRYPT },
  summary: `scrypt; a check takes ${formatEvaluationCost(SCRYPT)}`,
  weakness: null,
  reference: 'RFC 7914',
});
