/**
 * @module
 * Vitest: the suites that take long, and ordinary ones with more cases, by their environment variables.
 */

import { defineConfig } from 'vitest/config';

import { CACHED, NATIVE } from './test/native-modules.ts';
import { SLOW, testsThatRead } from './test/suites.ts';

/** How many cases the ordinary tests have here. Each of them states its default. */
export const MORE_CASES = {
  CASES: 'all',
  CLASS_VISITS: '10',
  PLAIN_CLAIMS: '1000000',
  PRIME_ORDER_POINTS: '20000',
  KERNEL_CURSORS: '10000',
  KERNEL_POLICY_CURSORS: '10000',
  KERNEL_ATTEMPTS_LOG2: '22',
  KERNEL_CONSECUTIVE_LOG2: '16',
  KERNEL_START_BATCHES: '4',
  ATTACK_MATRIX: 'whole',
  RESUME_CUTS: '8',
  THREADS: 'all',
  POOL_CPU_SECONDS: '2',
  TRUE_CLOCK: '1',
  DOCUMENTS: 'whole',
  STORE_KILLS: '1000',
  STORE_FLIPS: '4000',
  TABLE_FLIPS: '2000',
  SWEEP_KILLS: '50',
  OUTSIDE_RUNS: '100',
  IDENTITIES: '100000',
  PLAIN_ATTEMPTS_LOG2: '14',
  STOCKPILE_REPETITIONS: '400',
  FAULT_MATRIX_SEEDS: '2000',
  FAULT_RUNS: '2000',
  FAULT_LATENCIES: 'all',
  CHANCE_RUNS: '2000',
  REPLAY_RUNS: '400',
  SCENARIO_SEEDS: '200',
  MINED_RUNS: '400',
  SAMPLED_RUNS: '100000',
  DOCUMENT_TEXTS: '2000',
  DEFENCE_RUNS: '200',
  FORGERY_RUNS: '1000',
  MALFORMED_RUNS: '200',
  BEST_SEEDS: '400',
  BYZANTINE_SEEDS: '100',
  FUZZ_EXAMPLES: '200',
  TEXTS_STRIDE: '1',
  RECONNECTS: '500',
  SEQUENCES: '400',
  CHURN_DAYS: '10000',
  DEVICE_CASES: 'all',
};

export default defineConfig({
  test: {
    include: [SLOW, ...testsThatRead(Object.keys(MORE_CASES))],
    env: { ...CACHED, ...MORE_CASES },
    testTimeout: 3_600_000,
    globalSetup: ['test/temporary-folder.ts', 'test/mining/device/software-device.ts'],
    pool: 'threads',
    experimental: NATIVE,
  },
});
