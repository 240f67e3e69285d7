/**
 * @module
 * Vitest: the suite that runs by default, of the rooms and the server. Test files share their worker's modules, which saves a fifth
 * of the time; one that puts another module in the place of ours has a worker to itself. Files that take
 * long, and are short to read, come first, so that no thread waits at the end for the last of them.
 */

import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

import { EDGES } from './test/edges.ts';

/** The longest first. */
const LONG = ['test/simulation/fault-matrix/fault-matrix.test.ts'];

const MOCKING = ['test/experiment/runs/sampled-mismatch.test.ts'];

type Files = Parameters<BaseSequencer['sort']>[0];

/** Vitest by itself sorts by how long files took before, and on a fresh clone by their size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Files): Promise<Files> {
    const placeOf = ({ moduleId }: Files[number]) => {
      const place = LONG.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    testTimeout: 60_000,
    // Tests start hundreds of worker threads; with compiled sources at hand each takes half the time.
    env: { NODE_COMPILE_CACHE: 'node_modules/.cache/node-compile' },
    pool: 'threads',
    // One thread for each of two cores; by default one core is left idle.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts', 'test/mutants/**', ...EDGES, ...MOCKING],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: MOCKING } },
    ],
  },
});
