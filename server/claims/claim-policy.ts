/**
 * @module
 * The policies under which this server checks claims: a puzzle must be cheap enough to verify.
 */

import { policySchema } from '../../src/identity/policy.ts';
import { puzzleHashes } from '../../src/identity/puzzles/puzzle-function.ts';

/** Evaluations of a puzzle's primitive that one claim may cost: about 10 ms of a thread. */
const PUZZLE_HASHES_MAX = 2 ** 13;

export const affordablePolicySchema = policySchema.refine(
  ({ puzzle }) => puzzleHashes(puzzle) <= PUZZLE_HASHES_MAX,
  {
    path: ['puzzle'],
    message: `costs more than ${PUZZLE_HASHES_MAX} evaluations, too many for a shared server; verify it with: usurp verify`,
  },
);

/** The claim of `usurp mine --c1 8 --seed 1`, whose seed is public. */
export const CLAIM_EXAMPLE = {
  scheme: 'ed25519',
  publicKey: '182da74f38a18929c6bb6915a2a89c6990c64b84a01a712bfb7f5cf91c584cfa',
  nodeId: '21a1cdeb87a5489d1bb70521c5636be193b636c7cdc601baf6b15a8800d63343',
  solution: null,
  signature:
    'f65603577347a15d7790805d8da0334ff09ba2ee9220415f9ec1e3d7760d53842f0e0c1fb3a5207774d53421a75959cd14d3bc8c3c349326ba1176aefefaa907',
};
