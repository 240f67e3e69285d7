/**
 * @module
 * Vitest: the edges of the product (its command line, threads, processes and fleets), every command of the
 * documents, every document of the catalogue, the API fuzzed from its own description, and the tests of
 * modules that take longest. Most of them wait for processes to start and to end, so that more files run
 * at the same time than there are cores. Files that wait and files that compute take turns, because either kind alone leaves
 * a core idle or makes it wait.
 */

import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

import { CACHED, NATIVE } from './test/native-modules.ts';
import { LONG, PROCESS } from './test/suites.ts';

/** Goes through both kinds of files at the same pace, each from the file that takes longest down. */
class BothKinds extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith('.long.test.ts');
    return [sorted.filter(isLong), sorted.filter((file) => !isLong(file))]
      .flatMap((kind) => kind.map((file, index) => ({ file, place: index / kind.length })))
      .toSorted((left, right) => left.place - right.place)
      .map(({ file }) => file);
  }
}

export default defineConfig({
  test: {
    include: [PROCESS, LONG],
    // Far more than a test needs, also on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // A page that is loaded again takes more than the default of a second on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    env: { ...CACHED, FUZZ_EXAMPLES: '16' },
    globalSetup: ['test/temporary-folder.ts', 'test/mining/device/software-device.ts'],
    // A process copies its page tables and later its pages for each process that it starts. In one process with four threads
    // that takes up to a fifth of the time.
    pool: 'forks',
    isolate: false,
    experimental: NATIVE,
    maxWorkers: 4,
    sequence: { sequencer: BothKinds },
  },
});
