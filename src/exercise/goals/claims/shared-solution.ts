/**
 * @module
 * This folder contains goals that claims of the student reach. The policy has the context of the student, so that a claim
 * counts for one instance only.
 * This file is the goal of breaking the dynamic puzzle in the form of S/Kademlia (Baumgart and Mies 2007): one Y with a
 * good SHA-256(Y) solves the puzzle of every ID as X = node ID xor Y. Y begins with digits of the instance: no student can
 * use the Y of another one, and `usurp mine`, whose Y follows from its seed, does not find one.
 */

import { z } from 'zod';
import { bytesToHex } from '../../../bytes.ts';
import type { Claim } from '../../../identity/claim.ts';
import type { Policy } from '../../../identity/policy.ts';
import { createRandom } from '../../../random.ts';
import { CLAIMS_MAX } from '../../submission.ts';
import type { Setting } from '../goal.ts';
import { defineGoal } from '../goal.ts';
import { admittedClaims, isAnyAdmitted, missingClaims } from './admitted-claims.ts';

interface Task {
  readonly policy: Policy;
  readonly identities: number;
  /** The first bytes of Y, in hex. */
  readonly prefix: string;
}

const PREFIX_BYTES = 4;

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
    shared: {
      weight: 2,
      meaning: 'All claims solve the puzzle with the same Y, which begins with your bytes.',
    },
  },
  task({ identities }, { policy, seed }: Setting): Task {
    const first = createRandom(seed('y')).below(2 ** (8 * PREFIX_BYTES));
    return { identities, policy, prefix: first.toString(16).padStart(2 * PREFIX_BYTES, '0') };
  },
  given: ({ identities, prefix }) => ({ identities, prefix }),
  judge({ policy, identities, prefix }, { claims }) {
    const found = admittedClaims(claims, policy);
    const admitted = missingClaims(found, identities);
    return { admitted, shared: admitted ?? missingShare(found.admitted.map(sharedOf), prefix) };
  },
  isOf: ({ policy }, { claims }) => isAnyAdmitted(claims, policy),
  isOfOne: true,
});

function missingShare(values: readonly string[], prefix: string): string | null {
  const used = new Set(values).size;
  if (used !== 1) {
    return `the claims use ${used} different Y; Y = node ID xor X must be the same for all, so that one search pays for all`;
  }
  return values[0]?.startsWith(prefix) === true ? null : `Y must begin with the bytes ${prefix}`;
}

/** Y = node ID xor X, in hex. */
function sharedOf({ nodeId, solution }: Claim): string {
  return bytesToHex(nodeId.map((byte, index) => byte ^ (solution?.[index] ?? 0)));
}
