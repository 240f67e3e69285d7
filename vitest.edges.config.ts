/**
 * @module
 * Vitest: the edges of the product (its command line, threads, processes and fleets), every command of the
 * documents, every document of the catalogue, the API fuzzed from its own description, and the tests of
 * modules that take longest. Most of them wait for processes to start and to end, so that more files run
 * at the same time than there are cores.
 */

import { defineConfig } from 'vitest/config';

import { EDGES } from './test/edges.ts';

export default defineConfig({
  test: {
    include: EDGES,
    exclude: ['test/**/*.slow.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile', FUZZ_EXAMPLES: '200' },
    pool: 'threads',
    isolate: false,
    maxWorkers: 3,
  },
});
