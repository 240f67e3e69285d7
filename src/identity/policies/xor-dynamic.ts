/**
 * @module
 * The dynamic puzzle as S/Kademlia published it. Its solutions can be shared by identities.
 */

import { STRICT_POLICY } from '../policy.ts';
import { S_KADEMLIA } from '../puzzles/puzzle.ts';
import { defineNamedPolicy, keysForBits } from './named-policy.ts';

export const xorDynamicPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 8, c2: 20, dynamic: 'xor' },
  summary: 'the dynamic puzzle as published: SHA-256(nodeId ⊕ X)',
  weakness: {
    flaw: 'one Y with a good SHA-256(Y) solves it for every ID as X = nodeId ⊕ Y',
    gain: 'one solution of the dynamic puzzle serves any number of identities',
    cost: '2^c1 keys for each identity, and 2^c2 tests of Y once; no test of Y if c2 ≤ c1',
    attempts: (policy) => keysForBits(policy),
    refusedBy: 'dynamic',
  },
  reference: S_KADEMLIA,
});
