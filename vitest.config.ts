/**
 * @module
 * Vitest: the suite that runs by default. Test files share their worker's modules, which saves a fifth
 * of the time; one that puts another module in the place of ours has a worker to itself.
 */

import { defineConfig } from 'vitest/config';

const MOCKING = ['test/experiment/sampled-mismatch.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // Tests start hundreds of worker threads; with compiled sources at hand each takes half the time.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile' },
    pool: 'threads',
    // One thread for each of two cores; by default one core is left idle.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts', 'test/mutants/**', ...MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: MOCKING } },
    ],
  },
});
