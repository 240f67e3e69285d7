/**
 * @module
 * Vitest: the suites that take long, and the ordinary ones that grow by their environment.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/**/*.slow.test.ts',
      'test/mining/kernel/*.test.ts',
      'test/mining/strategies.test.ts',
      'test/mining/strategy-goals.test.ts',
      'test/mining/stockpile-odds.test.ts',
      'test/mining/resume.test.ts',
      'test/mining/many-identities.test.ts',
      'test/simulation/fault-matrix/*.test.ts',
      'test/simulation/fault-runs-protocols.test.ts',
      'test/simulation/replay.test.ts',
      'test/simulation/scenarios.test.ts',
      'test/adversary/unforgeable.test.ts',
      'test/experiment/attack-matrix.test.ts',
      'test/election/defences/honest-runs.test.ts',
    ],
    env: {
      KERNEL_CURSORS: '10000',
      KERNEL_ATTEMPTS_LOG2: '22',
      KERNEL_CONSECUTIVE_LOG2: '16',
      ATTACK_MATRIX_SHARE: '1',
      RESUME_CUTS: '8',
      IDENTITIES: '100000',
      PLAIN_ATTEMPTS_LOG2: '14',
      STOCKPILE_REPETITIONS: '400',
      FAULT_MATRIX_SEEDS: '2000',
      FAULT_RUNS: '2000',
      LIAR_SEEDS: '200',
      REPLAY_RUNS: '400',
      SCENARIO_SEEDS: '200',
      DEFENCE_RUNS: '200',
      FORGERY_RUNS: '1000',
    },
    testTimeout: 3_600_000,
    pool: 'threads',
  },
});
