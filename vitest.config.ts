/**
 * @module
 * Vitest: the default suite, of the modules and the server. Test files share the modules of their worker,
 * which saves a fifth of the time. A file that replaces a module of ours has a worker of its own.
 */

import { defineConfig } from 'vitest/config';

import { EDGES } from './test/edges.ts';
import { CACHED, NATIVE } from './test/native-modules.ts';

const MOCKING = [
  'test/experiment/runs/sampled-mismatch.test.ts',
  'test/experiment/sweep/chunk.test.ts',
];

/** Tests of other suites, and of packages that are installed below the tests. */
const UNTESTED = ['**/node_modules/**', 'test/**/*.slow.test.ts', 'test/mutants/**'];

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
          exclude: [...UNTESTED, ...EDGES, ...MOCKING],
          isolate: false,
          experimental: NATIVE,
        },
      },
      { extends: true, test: { name: 'alone', include: MOCKING } },
    ],
  },
});
