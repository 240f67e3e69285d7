/**
 * @module
 * Keys are not checked: a lenient verifier accepts points of small order and encodings that are not canonical.
 */

import { STRICT_POLICY } from '../policy.ts';
import { checksWithout, defineNamedPolicy } from './named-policy.ts';

export const smallOrderPolicy = defineNamedPolicy({
  policy: { ...STRICT_POLICY, checks: checksWithout('encoding', 'smallOrder', 'torsion') },
  summary: 'keys are not checked, as in lenient verifiers',
  weakness: {
    flaw: 'anyone signs without a secret for the fourteen encodings of the eight points of small order',
    gain: 'fourteen identities without a secret',
    cost: 'no key: the fourteen are fixed, and their static puzzles meet at most 2 bits',
    attempts: () => 0,
    refusedBy: 'smallOrder',
  },
  reference: 'RFC 8032, section 5.1.7; Chalkias et al., Taming the Many EdDSAs (2020)',
});
