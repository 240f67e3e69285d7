/**
 * @module
 * The checks that kill the mutants, by name. A check is a small piece of the suite's own argument: it
 * answers null when what it looks at is as it should be, and else says what it found.
 */

import { BULLY_CHECKS } from './bully-checks.ts';
import { CANDIDACY_CHECKS } from './candidacy-checks.ts';
import { CHURN_CHECKS } from './churn-checks.ts';
import { DETECTOR_CHECKS } from './detector-checks.ts';
import { LEASE_CHECKS } from './lease-checks.ts';
import { QUORUM_CHECKS } from './quorum-checks.ts';
import { RECORD_CHECKS } from './record-checks.ts';
import { REDUCTION_CHECKS } from './reduction-checks.ts';
import { RING_CHECKS } from './ring-checks.ts';
import { SIMULATOR_CHECKS } from './simulator-checks.ts';

export const CHECKS = {
  ...BULLY_CHECKS,
  ...RING_CHECKS,
  ...QUORUM_CHECKS,
  ...LEASE_CHECKS,
  ...DETECTOR_CHECKS,
  ...SIMULATOR_CHECKS,
  ...RECORD_CHECKS,
  ...CANDIDACY_CHECKS,
  ...REDUCTION_CHECKS,
  ...CHURN_CHECKS,
};

export type CheckName = keyof typeof CHECKS;
