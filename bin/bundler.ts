/**
 * @module
 * Joins modules into few files with rolldown. A thread runs a bundled entry. Every other `import.meta.url` in a bundle is the
 * URL of the source, so that files are found where they are.
 */

import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OutputBundle, OutputOptions, Plugin } from 'rolldown';
import { rolldown } from 'rolldown';

import { threadName } from '../src/runtime/load/builds.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

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
export const ENTRIES: Readonly<Record<string, string>> = {
  usurp: 'src/cli/usurp.ts',
  ...Object.fromEntries(THREADS.map((file) => [threadName(file), file])),
};
const URL_OF_MODULE = 'import.meta.url';
/** Stands for the URL of the bundled file until all others are replaced. */
const BUNDLE_URL = '__URL_OF_BUNDLE__';
/** Names are kept for stack traces. */
const MINIFIED = { compress: false, mangle: false, codegen: true } as const;
/** Node prints the line of code above an error that a program does not catch, so that the package keeps short lines. */
const WITH_LINES = { minify: false, comments: { jsdoc: false, annotation: false } } as const;
const THREAD = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;

const ASCII: Plugin = {
  name: 'ascii',
  generateBundle: (_options, output) => toAscii(output),
};

export interface Bundling {
  /** The folder, which is emptied. */
  readonly output: string;
  /** The sources of its entries, from the root of the repository, by the names of the bundled files. */
  readonly entries: Readonly<Record<string, string>>;
  /** Modules that are not bundled. */
  readonly external?: RegExp;
  readonly splitting?: OutputOptions['codeSplitting'];
  /** What stands for the modules of Node in a browser, where paths begin at the root of the repository. */
  readonly browser?: {
    readonly modules: Readonly<Record<string, string>>;
    /** The module and the name of each global value. */
    readonly globals: Readonly<Record<string, [string, string]>>;
  };
}

/** Writes a bundle. Returns the modules in it, also those of packages, by their absolute paths. */
export async function bundle({
  output: folder,
  entries,
  external,
  splitting,
  browser,
}: Bundling): Promise<string[]> {
  const input = Object.entries(entries).map(([name, file]) => [name, join(ROOT, file)]);
  const built = await rolldown({
    input: Object.fromEntries(input),
    platform: browser === undefined ? 'node' : 'browser',
    external: (id) => external?.test(id) ?? false,
    ...(browser !== undefined && {
      resolve: { alias: browser.modules },
      transform: { inject: browser.globals, define: { global: 'globalThis' } },
      shimMissingExports: true,
      checks: { shimmedExport: false },
    }),
    plugins: [
      {
        name: 'source-urls',
        transform: (code, id) => withSourceUrls(code, { id, folder, entries, browser }),
      },
      ...(browser === undefined ? [ASCII] : []),
    ],
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { output } = await built.write({
    dir: folder,
    format: 'esm',
    ...(splitting === undefined ? {} : { strictExecutionOrder: true }),
    ...(browser !== undefined
      ? { minify: true }
      : splitting === undefined
        ? { minify: MINIFIED }
        : WITH_LINES),
    entryFileNames: '[name].js',
    chunkFileNames: browser === undefined ? '[name]-[hash].js' : 'part-[hash].js',
    ...(splitting === undefined ? {} : { codeSplitting: splitting }),
  });
  await built.close();
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
  return [...new Set(modules)].toSorted();
}

/** Whether a module is a source of usurp. */
export function isOwn(id: string): boolean {
  return id.startsWith(ROOT) && !id.includes('node_modules');
}

/** The licences of the packages of these modules. */
export function licencesOf(modules: readonly string[]): string {
  const folders = modules
    .filter((id) => !isOwn(id))
    .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(folders)].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    const [file] = globSync('{LICEN[SC]E,licen[sc]e}*', { cwd: folder });
    const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

interface Bundled extends Pick<Bundling, 'entries'> {
  readonly id: string;
  readonly folder: string;
  readonly browser: Bundling['browser'] | undefined;
}

/** The code of a source, with its own URL and with the bundled entries of threads. */
function withSourceUrls(code: string, { id, folder, entries, browser }: Bundled): string | null {
  if (!isOwn(id) || !code.includes(URL_OF_MODULE)) return null;
  const own = browser === undefined ? relative(folder, id) : `file:///${relative(ROOT, id)}`;
  const source = JSON.stringify(slashed(own));
  return code
    .replaceAll(THREAD, (text, path: string) => {
      const file = slashed(relative(ROOT, resolve(dirname(id), path)));
      const entry = Object.keys(entries).find((name) => entries[name] === file);
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
