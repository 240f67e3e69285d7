/**
 * @module
 * Answers the questions of claim-checks.ts with the gate itself, on the calling thread: a verifying thread,
 * or a test without threads.
 */

import type { Verdict } from '../../src/identity/admit.ts';
import { admit } from '../../src/identity/admit.ts';
import type { ClaimQuestion, Verifiers } from './claim-checks.ts';

/** The verdict on a question. */
export function judge({ claim, policy, all }: ClaimQuestion): Verdict {
  return admit(claim, policy, { all });
}

/** Verifiers that check on the calling thread. */
export const VERIFIER_HERE: Verifiers = {
  batches: 1,
  check: async (questions) => questions.map(judge),
  close: async () => undefined,
};
