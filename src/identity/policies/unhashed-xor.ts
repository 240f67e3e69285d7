/**
 * @module
 * The dynamic puzzle without its hash, as perlin-network/noise had it in 2019 (skademlia/puzzle.go, commit e555e3b): the
 * nonce X met c2 bits if BLAKE2b(nodeId) ⊕ X began with c2 zero bits. Here the node ID takes the place of its digest. It
 * makes no difference, because anyone knows both.
 */

import { STRICT_POLICY } from '../policy.ts';
import { DYNAMIC_PUZZLES } from '../puzzles/dynamic.ts';
import { defineNamedPolicy, keysForBits } from './named-policy.ts';

export const unhashedXorPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 8, c2: 64, dynamic: 'unhashed' },
  summary: 'the dynamic puzzle without its hash: nodeId ⊕ X',
  weakness: {
    flaw: 'X = nodeId leaves only zeros, so any difficulty costs nothing',
    gain: 'a solution of any difficulty c2',
    cost: '2^c1 keys, and no work for c2',
    attempts: (policy) => keysForBits(policy),
    refusedBy: 'dynamic',
  },
  reference: DYNAMIC_PUZZLES.unhashed.source,
});
