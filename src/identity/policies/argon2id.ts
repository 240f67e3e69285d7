/**
 * @module
 * A slow puzzle function in place of one hash: Argon2id, which needs memory.
 */

import { STRICT_POLICY } from '../policy.ts';
import { formatEvaluationCost } from '../puzzles/puzzle-function.ts';
import { defineNamedPolicy } from './named-policy.ts';

const ARGON2ID = { function: 'argon2id', passes: 1, kib: 1024, lanes: 1 } as const;

export const argon2idPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 4, puzzle: ARGON2ID },
  summary: `Argon2id; a check takes ${formatEvaluationCost(ARGON2ID)}`,
  weakness: null,
  reference: 'RFC 9106',
});
