/**
 * @module
 * Vitest: the edges of the product (its command line, threads, processes and fleets), every command of the
 * documents, every document of the catalogue, the API fuzzed from its own description, and the tests of
 * modules that take longest. Most of them wait for processes to start and to end, so that more files run
 * at the same time than there are cores. The longest files start first, so that all threads end together.
 */

import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

import { EDGES, LONGEST } from './test/edges.ts';
import { CACHED, NATIVE } from './test/native-modules.ts';

/** By default the order on a fresh clone is that of the sizes of the files. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
      return place < 0 ? LONGEST.length : place;
    };
    const others = await super.sort(files);
    return others.toSorted((left, right) => placeOf(left) - placeOf(right));
  }
}

export default defineConfig({
  test: {
    include: EDGES,
    exclude: ['test/**/*.slow.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A page that is loaded again takes more than the default of a second on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    env: { ...CACHED, FUZZ_EXAMPLES: '32' },
    globalSetup: 'test/temporary-folder.ts',
    pool: 'threads',
    isolate: false,
    experimental: NATIVE,
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
