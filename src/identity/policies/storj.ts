/**
 * @module
 * The rule of the Storj network for storage nodes. The ID of 32 zero bytes shows no work: NodeID.Difficulty reports an
 * error for it, and a key that has it takes 2^248 tests.
 */

import { STORJ_DIFFICULTY_MIN, VERSION_BITS } from '../ids/storj.ts';
import { STRICT_POLICY } from '../policy.ts';
import { defineNamedPolicy, keysForBits } from './named-policy.ts';

export const storjPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, idRule: 'storj', c1: STORJ_DIFFICULTY_MIN },
  summary: `the Storj network: double SHA-256 of the SPKI, difficulty ${STORJ_DIFFICULTY_MIN}`,
  weakness: {
    flaw: 'the version byte counts: 36 bits are 28 bits of work',
    gain: 'an identity of difficulty c1',
    cost: `2^(c1 − ${VERSION_BITS}) keys; two admitted keys with one ID take 2^138.3, a key with the ID zero 2^248`,
    attempts: (policy) => keysForBits(policy, VERSION_BITS),
    refusedBy: 'nodeId',
  },
  reference: 'storj.io/common, packages storj and identity',
});
