/**
 * @module
 * Keys outside the subgroup of prime order are accepted.
 */

import { STRICT_POLICY } from '../policy.ts';
import { checksWithout, defineNamedPolicy, keysForBits } from './named-policy.ts';

export const torsionPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, c1: 12, checks: checksWithout('torsion') },
  summary: 'keys outside the subgroup of prime order are accepted',
  weakness: {
    flaw: 'one secret signs for eight keys A + T, so it has eight IDs',
    gain: 'an admitted key A + T, for which the secret of A signs',
    cost: '2^c1 keys for an identity, of which seven in eight are A + T; no tests are saved',
    attempts: (policy) => keysForBits(policy),
    refusedBy: 'torsion',
  },
  reference: 'Chalkias et al., Taming the Many EdDSAs (2020); RFC 7748, section 7',
});
