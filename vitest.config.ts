/**
 * @module
 * Vitest: the default suite, of the modules and the server. Test files share the modules of their worker,
 * which saves a fifth of the time. A file that replaces a module of ours has a worker of its own.
 */

import { defineConfig } from 'vitest/config';

import { CACHED, NATIVE } from './test/native-modules.ts';
import { LONG, MOCKED, PROCESS, SLOW } from './test/suites.ts';

/** Tests of other suites, and of packages that are installed below the tests. */
const UNTESTED = ['**/node_modules/**', PROCESS, LONG, SLOW, 'test/mutants/**'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // Threads start slowly on a busy machine. By default a condition is awaited for a second.
    expect: { poll: { timeout: 20_000 } },
    env: CACHED,
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    // One thread for each of two cores. By default one core stays idle.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...UNTESTED, MOCKED],
          isolate: false,
          experimental: NATIVE,
        },
      },
      { extends: true, test: { name: 'alone', include: [MOCKED] } },
    ],
  },
});
