/**
 * @module
 * The goal of several identities from one secret: the keys A + T, where T is one of the eight points of small order of
 * Ed25519 (Chalkias et al., Taming the Many EdDSAs, 2020). The secret of A signs for all of them under a verifier that
 * multiplies by the cofactor. The policy of the exercise does not check torsion. The secret is given, so that a search for
 * an arbitrary key does not solve it.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { z } from 'zod';
import { bytesToHex } from '../../../bytes.ts';
import type { Claim } from '../../../identity/claim.ts';
import type { Policy } from '../../../identity/policy.ts';
import type { Setting } from '../goal.ts';
import { defineGoal } from '../goal.ts';
import { admittedClaims, isAnyAdmitted, missingClaims } from './admitted-claims.ts';

const COFACTOR = 8n;

interface Task {
  readonly policy: Policy;
  readonly identities: number;
  /** The scalar of A, below the order of the prime subgroup. */
  readonly scalar: bigint;
}

export const SIBLING_KEYS = defineGoal({
  name: 'sibling-keys',
  summary: 'Submit claims whose keys differ by points of small order, so that one secret signs.',
  submission: 'claims',
  needs: [],
  parameters: {
    identities: z.int().min(2).max(Number(COFACTOR)).describe('Number of claims.'),
  },
  criteria: {
    admitted: { weight: 1, meaning: 'The policy admits enough claims with different keys.' },
    siblings: { weight: 2, meaning: 'The given secret signs for all keys.' },
  },
  task({ identities }, { policy, seed }: Setting): Task {
    return { identities, policy, scalar: ed25519.Point.Fn.create(BigInt(seed('scalar'))) };
  },
  given: ({ identities, scalar }) => {
    return { identities, scalar: bytesToHex(ed25519.Point.Fn.toBytes(scalar)) };
  },
  judge({ policy, identities, scalar }, { claims }) {
    const found = admittedClaims(claims, policy);
    const admitted = missingClaims(found, identities);
    return { admitted, siblings: admitted ?? missingFamily(found.admitted.map(familyOf), scalar) };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

function missingFamily(families: readonly string[], scalar: bigint): string | null {
  const own = ed25519.Point.BASE.multiply(scalar).multiplyUnsafe(COFACTOR).toHex();
  if (families.every((family) => family === own)) return null;
  const number = new Set(families).size;
  const from = number === 1 ? 'another secret than the given one' : `${number} secrets`;
  return `the keys come from ${from}: 8·A must be 8·scalar·B for all keys A`;
}

/** 8·A in hex, which siblings share; a text of its own for a key of another scheme. */
function familyOf({ scheme, publicKey }: Claim): string {
  if (scheme !== 'ed25519') return bytesToHex(publicKey);
  return ed25519.Point.fromBytes(publicKey).multiplyUnsafe(COFACTOR).toHex();
}
