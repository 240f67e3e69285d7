/**
 * @module
 * Node IDs that are cut short, so that two keys can have the same one.
 */

import { STRICT_POLICY } from '../policy.ts';
import { defineNamedPolicy, keysForPair } from './named-policy.ts';

export const truncatedIdPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, idBits: 32, c1: 8 },
  summary: 'node IDs cut to 32 bits',
  weakness: {
    flaw: 'two admitted keys with one ID take 2^20.3 tests, an admitted key with a given ID 2^32',
    gain: 'two admitted keys with one ID',
    cost: '√(π/2 · 2^(b + c1)) keys for IDs of b bits',
    attempts: (policy) => keysForPair(policy, policy.idBits),
    refusedBy: 'nodeId',
  },
  reference: 'the birthday bound; RFC 4270, section 2',
});
