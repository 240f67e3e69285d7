/**
 * @module
 * Vitest: the seeded bugs. A check must find each of them.
 */

import { defineConfig } from 'vitest/config';

import { CACHED, NATIVE } from './test/native-modules.ts';

export default defineConfig({
  test: {
    include: ['test/mutants/*.test.ts'],
    testTimeout: 60_000,
    env: CACHED,
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    experimental: NATIVE,
  },
});
