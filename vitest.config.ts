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
    // Each test file is alone in its process only where it must be; threads keep the start short.
    pool: 'threads',
  },
});
