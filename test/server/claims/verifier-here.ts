/**
 * @module
 * Checks of claims without threads.
 */

import type { Verifiers } from '../../../server/claims/verifiers.ts';
import { judge } from '../../../server/claims/verifiers.ts';

/** Verifiers that check on the calling thread. */
export const VERIFIER_HERE: Verifiers = {
  batches: 1,
  check: async (questions) => questions.map(judge),
  close: async () => undefined,
};
