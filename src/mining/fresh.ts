/**
 * @module
 * The reference strategy: a new key for every candidate, as an honest newcomer or a naive forger
 * would make it. The secret of attempt i is SHA-256("usurp/fresh/v1" 0x00 ‖ scheme 0x00 ‖ seed 0x00
 * ‖ u64be(i)), so a candidate can be made again from its number. Slow on purpose: the yardstick that
 * other strategies are measured against.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, u64be, utf8ToBytes } from '../bytes.ts';
import { nodeIdOf } from '../identity/ids/node-id.ts';
import type { Secret } from '../identity/keys/scheme.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import type { AttemptCost } from './ledger.ts';
import { attemptHashes } from './policy-cost.ts';
import { scanNodeIds } from './sieve.ts';
import type { Candidate, Searcher, SearchSpec, Strategy } from './strategy.ts';

/**
 * Point additions of one fixed-base multiplication with 8-bit windows, as noble precomputes them: 32
 * windows of a 256-bit scalar and one for the carry.
 */
const GROUP_OPERATIONS_PER_KEY = 33;

export const freshStrategy = {
  name: 'fresh',
  cost: freshCost,
  step: () => 8,
  searcher(spec: SearchSpec): Searcher {
    const candidate = (attempt: number) => freshCandidate(spec, attempt);
    return {
      candidate,
      scan: (order) => scanNodeIds(spec, order, (attempt) => candidate(attempt).nodeId),
    };
  },
} satisfies Strategy;

function freshCost(policy: Policy): AttemptCost {
  return { hashes: attemptHashes(policy), groupOperations: GROUP_OPERATIONS_PER_KEY };
}

function freshCandidate(spec: SearchSpec, attempt: number): Candidate {
  const secret = freshSecret(spec, attempt);
  const publicKey = schemeOf(spec.scheme).publicKeyOf(secret);
  return { secret, publicKey, nodeId: nodeIdOf(publicKey, spec.policy) };
}

function freshSecret(spec: SearchSpec, attempt: number): Secret {
  const label = utf8ToBytes(['usurp/fresh/v1', spec.scheme, spec.seed, ''].join('\0'));
  let bytes = sha256(concatBytes(label, u64be(attempt)));
  // One SHA-256 output in 2^128 is no secp256k1 scalar; hashing again gives the next.
  while (!schemeOf(spec.scheme).isSeed(bytes)) bytes = sha256(bytes);
  return { form: 'seed', bytes };
}
