/**
 * @module
 * Vitest: the default suite, of the modules and the server. Test files share the modules of their worker,
 * which saves a fifth of the time. A file that replaces a module of ours has a worker of its own. Files that
 * take long, although their text is short, run first, so that no thread waits for the last of them.
 */

import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

import { EDGES } from './test/edges.ts';

/** The longest first. */
const LONG = ['test/simulation/fault-matrix/fault-matrix.test.ts'];

const MOCKING = [
  'test/experiment/runs/sampled-mismatch.test.ts',
  'test/experiment/sweep/chunk.test.ts',
];

type Files = Parameters<BaseSequencer['sort']>[0];

/** By default vitest sorts by the durations of the last run, and on a fresh clone by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Files): Promise<Files> {
    const indexOf = ({ moduleId }: Files[number]) => {
      const index = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
      return index === -1 ? LONG.length : index;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => indexOf(one) - indexOf(other));
  }
}

/** Tests of other suites, and of packages that are installed below the tests. */
const UNTESTED = ['**/node_modules/**', 'test/**/*.slow.test.ts', 'test/mutants/**'];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // Tests start hundreds of worker threads. With a cache of compiled sources each takes half the time.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile' },
    pool: 'threads',
    // One thread for each of two cores. By default one core stays idle.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...UNTESTED, ...EDGES, ...MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: MOCKING } },
    ],
  },
});
