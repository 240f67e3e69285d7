/**
 * @module
 * The static puzzle is bound to the epoch. The rank is not, so that keys can be made and sorted before.
 */

import { STRICT_POLICY } from '../policy.ts';
import { defineNamedPolicy, keysForBits } from './named-policy.ts';

export const saltedPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 12, salted: true },
  summary: 'the static puzzle is bound to the epoch, but the rank is not',
  weakness: {
    flaw: 'keys are stockpiled before the epoch opens and tested from the highest ID down',
    gain: 'in the epoch, one of the 2^c1 highest IDs of a stockpile',
    cost: '2^c1 tests in the epoch, however large the stockpile that was made before',
    attempts: (policy) => keysForBits(policy),
    refusedBy: 'static',
  },
  reference: 'SHA-256(challenge ‖ nodeId); compare a beacon in the rank key',
});
