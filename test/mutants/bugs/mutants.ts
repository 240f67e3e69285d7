/**
 * @module
 * All seeded bugs. To find the functions and nodes of a source that changed, run
 * `npx vitest run test/tidy.test.ts -t 'seeded bugs'`: a message lists what a mutant can name.
 */

import { BULLY_MUTANTS } from './bully-mutants.ts';
import { CANDIDACY_MUTANTS } from './candidacy-mutants.ts';
import { CHURN_MUTANTS } from './churn-mutants.ts';
import { DETECTOR_MUTANTS } from './detector-mutants.ts';
import { LEASE_MUTANTS } from './lease-mutants.ts';
import { QUORUM_MUTANTS } from './quorum-mutants.ts';
import { REDUCTION_MUTANTS } from './reduction-mutants.ts';
import { RING_MUTANTS } from './ring-mutants.ts';
import { SIMULATOR_MUTANTS } from './simulator-mutants.ts';

/** Each bug with the check that must find it. */
export const MUTANTS = [
  ...BULLY_MUTANTS,
  ...RING_MUTANTS,
  ...QUORUM_MUTANTS,
  ...LEASE_MUTANTS,
  ...DETECTOR_MUTANTS,
  ...SIMULATOR_MUTANTS,
  ...CANDIDACY_MUTANTS,
  ...REDUCTION_MUTANTS,
  ...CHURN_MUTANTS,
];
