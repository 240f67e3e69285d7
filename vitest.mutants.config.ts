/**
 * @module
 * Vitest: the seeded bugs, each of which a check must find.
 */

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/mutants/*.test.ts'],
    testTimeout: 60_000,
    pool: 'threads',
  },
});
