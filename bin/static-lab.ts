/**
 * @module
 * `npm run build:static` makes build/static: the API and its threads for browsers, which `usurp lab` puts beside the pages.
 * server/static/platform and unenv stand for Node there.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineEnv } from 'unenv';

import { recordSources } from './build-record.ts';
import { bundle, ENTRIES, isOwn, licencesOf, ROOT } from './bundler.ts';

const OUTPUT = join(ROOT, 'build', 'static');
/** The threads that the API starts there. */
const THREADS = /^(src-runtime-threads|server-(jobs-operations|elections|claims))-/;
/** The global values of Node, and their names in the module that has them. */
const GLOBALS = {
  ...{ Buffer: 'Buffer', process: 'process', setImmediate: 'soon', clearImmediate: 'notSoon' },
  ...{ SharedArrayBuffer: 'sharedBuffer', Atomics: 'atomics' },
};
/** Smaller parts are joined with others, because the package may have few files. */
const PART_BYTES_MIN = 1_000_000;
const platform = (name: string) => join(ROOT, 'server', 'static', 'platform', `${name}.ts`);

const startedMs = Date.now();
const { env } = defineEnv({ npmShims: true, resolve: true });
const threads = Object.entries(ENTRIES).filter(([name]) => THREADS.test(name));
const modules = await bundle({
  output: join(OUTPUT, 'thread'),
  entries: { ...Object.fromEntries(threads), 'lab-thread': 'server/static/lab-thread.ts' },
  splitting: {
    groups: [{ name: 'part', entriesAware: true, entriesAwareMergeThreshold: PART_BYTES_MIN }],
  },
  browser: {
    modules: {
      ...env.alias,
      'node:crypto': platform('crypto'),
      'node:fs': platform('files'),
      'node:fs/promises': platform('files'),
      'node:net': platform('net'),
      'node:worker_threads': platform('worker-threads'),
    },
    globals: Object.fromEntries(
      Object.entries(GLOBALS).map(([name, own]) => [name, [platform('globals'), own]]),
    ),
  },
});
writeFileSync(join(OUTPUT, 'thread', 'LICENSES.txt'), licencesOf(modules));
recordSources(OUTPUT, modules.filter(isOwn), startedMs);
