/**
 * @module
 * Vitest: the edges of the product (its command line, threads, processes and fleets), every command of the
 * documents, every document of the catalogue, the API fuzzed from its own description, and the tests of
 * modules that take longest. Most of them wait for processes to start and to end, so that more files run
 * at the same time than there are cores. Long computations start last, because they need no more than a core.
 */

import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

import { CACHED, NATIVE } from './test/native-modules.ts';
import { LONG, PROCESS } from './test/suites.ts';

class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith('.long.test.ts'));
    return sorted.toSorted((left, right) => isLong(left) - isLong(right));
  }
}

export default defineConfig({
  test: {
    include: [PROCESS, LONG],
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
    sequence: { sequencer: ProcessesFirst },
  },
});
