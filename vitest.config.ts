/**
 * @module
 * Vitest: the suite that runs by default.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.slow.test.ts'],
    testTimeout: 60_000,
    // Tests start hundreds of worker threads; with compiled sources at hand each takes half the time.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile' },
    pool: 'threads',
    // One thread for each of two cores; by default one core is left idle.
    maxWorkers: 2,
  },
});
