/**
 * @module
 * Vitest as Stryker uses it. Stryker names the files, which share the modules of one thread.
 */

import { defineConfig } from 'vitest/config';

// biome-ignore lint/style/noDefaultExport: Vitest reads it.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    isolate: false,
    setupFiles: ['test/stryker/first-failure.js'],
  },
});
