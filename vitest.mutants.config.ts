/**
 * @module
 * Vitest: the seeded bugs. A check must find each of them.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/mutants/*.test.ts'],
    testTimeout: 60_000,
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
  },
});
