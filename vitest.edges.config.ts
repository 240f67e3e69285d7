/**
 * @module
 * Vitest: the edges of the product, its command line, threads, processes and fleets, every command of the
 * README, every document of the catalogue, the API fuzzed from its own description, and some of the rooms' tests that take
 * longest. Much of it waits for processes to start and to end, so that more files than there are
 * cores run side by side.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/cli/**/*.test.ts',
      'test/runtime/**/*.test.ts',
      'test/readme.test.ts',
      'test/server/drain.test.ts',
      'test/threat-models/catalogue.test.ts',
      'test/mining/resume.test.ts',
      'test/adversary/unforgeable.test.ts',
      // Whole here, a slice of it in the default suite.
      'test/server/fuzz/fuzz.test.ts',
    ],
    exclude: ['test/**/*.slow.test.ts'],
    testTimeout: 120_000,
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile', FUZZ_EXAMPLES: '200' },
    pool: 'threads',
    isolate: false,
    maxWorkers: 3,
  },
});
