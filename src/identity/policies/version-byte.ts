/**
 * @module
 * The difficulty of Storj, which counts the bits of a constant, at a difficulty for a laptop.
 */

import { VERSION_BITS } from '../ids/storj.ts';
import { STRICT_POLICY } from '../policy.ts';
import { defineNamedPolicy, keysForBits } from './named-policy.ts';

export const versionBytePolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, idRule: 'storj', c1: 24 },
  summary: 'trailing zero bits of the ID, including a constant version byte',
  weakness: {
    flaw: 'eight of the bits are a constant: 24 cost 16 bits of work',
    gain: 'an identity of difficulty c1',
    cost: `2^(c1 − ${VERSION_BITS}) keys`,
    attempts: (policy) => keysForBits(policy, VERSION_BITS),
    refusedBy: 'nodeId',
  },
  reference: 'storj.io/common, package storj, NodeID.Difficulty',
});
