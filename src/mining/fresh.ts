/**
 * @module
 * The reference strategy: a new key for every candidate, as an honest newcomer or a naive forger makes it. The
 * secret of attempt i is SHA-256("usurp/fresh/v1" 0x00 ‖ scheme 0x00 ‖ seed 0x00 ‖ u64be(i)), so its number is
 * enough to make a candidate again. It is slow: other strategies are compared with it.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, u64be, utf8ToBytes } from '../bytes.ts';
import { nodeIdOf } from '../identity/ids/node-id.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import { attemptHashes } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Candidate, Searcher, SearchSpec, Strategy } from './strategy.ts';

/**
 * Point additions of a multiplication with a fixed base and 8-bit windows, as noble precomputes them: 32 windows
 * of a 256-bit scalar and one for the carry.
 */
const GROUP_OPERATIONS_PER_KEY = 33;

export const freshStrategy = {
  name: 'fresh',
  summary: 'a new key for every candidate; 33 point additions',
  cost: (policy: Policy) => ({
    hashes: attemptHashes(policy),
    groupOperations: GROUP_OPERATIONS_PER_KEY,
  }),
  step: () => 8,
  searcher(spec: SearchSpec): Searcher {
    const candidate = (attempt: number) => freshCandidate(spec, attempt);
    return {
      candidate,
      scan: (order) => scanNodeIds(spec, order, (attempt) => candidate(attempt).nodeId),
    };
  },
} satisfies Strategy<'fresh'>;

function freshCandidate({ scheme: name, seed, policy }: SearchSpec, attempt: number): Candidate {
  const scheme = schemeOf(name);
  const label = utf8ToBytes(['usurp/fresh/v1', name, seed, ''].join('\0'));
  let bytes = sha256(concatBytes(label, u64be(attempt)));
  // One SHA-256 output in 2^128 is no secp256k1 scalar. Then it is hashed again.
  while (!scheme.isSeed(bytes)) bytes = sha256(bytes);
  const secret = { form: 'seed', bytes } as const;
  const publicKey = scheme.publicKeyOf(secret);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, policy) };
}
