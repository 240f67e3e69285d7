/**
 * @module
 * This folder contains goals that claims of the student reach. The policy has the context of the student, so that a claim
 * counts for one instance only.
 * This file is the goal of breaking the dynamic puzzle in the form of S/Kademlia (Baumgart and Mies 2007): one Y with a
 * good SHA-256(Y) solves the puzzle of every ID as X = node ID xor Y.
 */

import { z } from 'zod';
import { bytesToHex } from '../../../bytes.ts';
import type { Claim } from '../../../identity/claim.ts';
import type { Policy } from '../../../identity/policy.ts';
import { CLAIMS_MAX } from '../../submission.ts';
import type { Setting } from '../goal.ts';
import { defineGoal } from '../goal.ts';
import { admittedClaims, isAnyAdmitted, missingClaims } from './admitted-claims.ts';

interface Task {
  readonly policy: Policy;
  readonly identities: number;
}

export const SHARED_SOLUTION = defineGoal({
  name: 'shared-solution',
  summary: 'Submit claims that solve the XOR puzzle with one Y for all of them.',
  submission: 'claims',
  needs: [],
  parameters: {
    identities: z.int().min(2).max(CLAIMS_MAX).describe('Number of claims.'),
  },
  criteria: {
    admitted: { weight: 1, meaning: 'The policy admits enough claims with different node IDs.' },
    shared: { weight: 2, meaning: 'All claims solve the puzzle with the same Y.' },
  },
  task: ({ identities }, { policy }: Setting): Task => ({ identities, policy }),
  given: ({ identities }) => ({ identities }),
  judge({ policy, identities }, { claims }) {
    const found = admittedClaims(claims, policy);
    const admitted = missingClaims(found, identities);
    const used = new Set(found.admitted.map(sharedOf)).size;
    if (admitted !== null || used === 1) return { admitted, shared: admitted };
    const shared = `the claims use ${used} different Y; Y = node ID xor X must be the same for all, so that one search pays for all`;
    return { admitted, shared };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

/** Y = node ID xor X, in hex. */
function sharedOf({ nodeId, solution }: Claim): string {
  return bytesToHex(nodeId.map((byte, index) => byte ^ (solution?.[index] ?? 0)));
}
