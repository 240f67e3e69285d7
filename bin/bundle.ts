/**
 * @module
 * `npm run build:bundle` joins the modules of the command line into few files in build/cli, because loading
 * 400 modules takes most of the time of a short command (docs/decisions/start.md). bin/usurp.js runs them only
 * while they are fresh: build/cli/sources.json lists each source with its size and the time of its last change.
 * A thread runs a bundled entry, also one of the server. Every other `import.meta.url` in the bundle is the URL of
 * the source, so that files are found where they are. Another folder may be the first argument.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { OutputBundle } from 'rolldown';
import { rolldown } from 'rolldown';

import { threadName } from '../src/runtime/load/builds.ts';
import { recordSources } from './build-record.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT = resolve(process.argv[2] ?? join(ROOT, 'build', 'cli'));

/** The threads that the command line and the server start. */
const THREADS = [
  ...['baseline', 'experiment', 'mining', 'search', 'walk'].map(
    (name) => `src/runtime/threads/${name}-worker.ts`,
  ),
  'src/runtime/sweep/worker.ts',
  ...['operations', 'sweeps'].map((name) => `server/jobs/${name}/worker.ts`),
  'server/elections/storage/earning-worker.ts',
  'server/clusters/check-worker.ts',
  'server/claims/claim-check-worker.ts',
];
/** The command line and the threads, by the names of their bundled files. */
const ENTRIES: Readonly<Record<string, string>> = {
  usurp: 'src/cli/usurp.ts',
  ...Object.fromEntries(THREADS.map((file) => [threadName(file), file])),
};
/** Verbs that bin/usurp.js never runs from the bundle: they load files of the user, or run for long. */
const UNBUNDLED = /\/(serve\/serve|experiment\/worker|definitions\/(new|conform))\.ts$/;
const URL_OF_MODULE = 'import.meta.url';
/** Stands for the URL of the bundled file until all others are replaced. */
const BUNDLE_URL = '__URL_OF_BUNDLE__';
/** Names are kept for stack traces. */
const MINIFIED = { compress: false, mangle: false, codegen: true } as const;
const THREAD = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;

await build();

async function build(): Promise<void> {
  const startedMs = Date.now();
  recordSources(OUTPUT, await bundle(), startedMs);
}

/** Writes the bundle. Returns the sources in it, without those of packages. */
async function bundle(): Promise<string[]> {
  const input = Object.entries(ENTRIES).map(([name, file]) => [name, join(ROOT, file)]);
  const built = await rolldown({
    input: Object.fromEntries(input),
    platform: 'node',
    external: (id) => UNBUNDLED.test(id),
    plugins: [
      { name: 'source-urls', transform: (code, id) => withSourceUrls(code, id) },
      { name: 'ascii', generateBundle: (_options, output) => toAscii(output) },
    ],
  });
  rmSync(OUTPUT, { recursive: true, force: true });
  mkdirSync(OUTPUT, { recursive: true });
  const { output } = await built.write({
    dir: OUTPUT,
    format: 'esm',
    minify: MINIFIED,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await built.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  const own = modules.filter((id) => id.startsWith(ROOT) && !id.includes('node_modules'));
  return [...new Set(own)].toSorted();
}

/** The code of a source, with its own URL and with the bundled entries of threads. */
function withSourceUrls(code: string, id: string): string | null {
  const isOwn = id.startsWith(ROOT) && !id.includes('node_modules');
  if (!isOwn || !code.includes(URL_OF_MODULE)) return null;
  const source = JSON.stringify(slashed(relative(OUTPUT, id)));
  return code
    .replaceAll(THREAD, (text, path: string) => {
      const file = slashed(relative(ROOT, resolve(dirname(id), path)));
      const entry = Object.keys(ENTRIES).find((name) => ENTRIES[name] === file);
      return entry === undefined ? text : `new URL('./${entry}.js', ${BUNDLE_URL})`;
    })
    .replaceAll(URL_OF_MODULE, `new URL(${source}, ${BUNDLE_URL}).href`)
    .replaceAll(BUNDLE_URL, URL_OF_MODULE);
}

/** V8 keeps a text with other characters in twice the memory. Code may contain an escape wherever it contains a character. */
function toAscii(output: OutputBundle): void {
  for (const chunk of Object.values(output)) {
    if (chunk.type !== 'chunk') continue;
    chunk.code = chunk.code.replace(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  }
}

/** With forward slashes, as in URLs. */
function slashed(path: string): string {
  return path.split(sep).join('/');
}
