/**
 * @module
 * The rule of the Yggdrasil network. Its nodes verify signatures with crypto/ed25519 of Go and check nothing else of a key
 * (ironwood, network/crypto.go), so that keys of small order, torsion siblings and encodings that are not canonical pass.
 * Go verifies without the cofactor and this policy with it. Claims of `usurp claim --small-order` are valid under both.
 */

import { NODE_ID_BYTES } from '../ids/node-id.ts';
import { STRICT_POLICY } from '../policy.ts';
import { checksWithout, defineNamedPolicy } from './named-policy.ts';

export const yggdrasilPolicy = defineNamedPolicy({
  policy: {
    ...STRICT_POLICY,
    idRule: 'yggdrasil',
    checks: checksWithout('encoding', 'smallOrder', 'torsion'),
  },
  summary: `the Yggdrasil network: the ID is the key of ${NODE_ID_BYTES} bytes, the smallest ID is root`,
  weakness: {
    flaw: 'only signatures are verified, and anyone signs for the smallest key of all: zero bytes, of order four',
    gain: 'the smallest ID, which is root',
    cost: 'no key, and four nonces on average for a signature; without that key, the longest search wins',
    attempts: () => 0,
    refusedBy: 'nodeId',
  },
  reference: 'yggdrasil-go, src/address; ironwood, network/crypto.go and network/router.go',
});
