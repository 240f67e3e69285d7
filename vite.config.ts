/**
 * @module
 * Vite: builds the browser lab into build/web. No script and no style is inline, because the pages are served under
 * a policy that forbids both.
 */

import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

import { recordSources } from './bin/build-record.ts';

const ROOT = fileURLToPath(new URL('server/web', import.meta.url));
const OUTPUT = fileURLToPath(new URL('build/web', import.meta.url));

/** The modules of scripts that run in threads. Each such script is a bundle of its own. */
const ofThreads = new Set<string>();

function threadModules(): Plugin {
  return {
    name: 'thread-modules',
    moduleParsed({ id }) {
      ofThreads.add(id);
    },
  };
}

/**
 * Leaves out of threads what describes a schema of zod by JSON Schema. Each schema has a method for it, so that no bundler
 * leaves it out, and no thread calls it.
 */
function withoutJsonSchema(): Plugin {
  const names = ['createStandardJSONSchemaMethod', 'createToJSONSchemaMethod', 'processSchema'];
  names.push('process', 'initializeContext', 'handleUnrepresentable', 'extractDefs', 'finalize');
  return {
    name: 'without-json-schema',
    load: {
      filter: { id: /\/zod\/v4\/core\/to-json-schema\.js$/ },
      handler: () => names.map((name) => `export const ${name} = () => undefined;`).join('\n'),
    },
  };
}

/** Records the sources, so that a server never serves pages that are older than they are. */
function sourceRecord(): Plugin {
  let startedMs = 0;
  return {
    name: 'source-record',
    buildStart() {
      startedMs = Date.now();
    },
    writeBundle() {
      const own = [...this.getModuleIds(), ...ofThreads]
        .map((id) => id.split('?')[0] ?? id)
        .filter((id) => id.startsWith('/') && !id.includes('node_modules'));
      const config = fileURLToPath(import.meta.url);
      recordSources(OUTPUT, [...new Set([...own, config])].toSorted(), startedMs);
    },
  };
}

export default defineConfig({
  root: ROOT,
  // A lab without a server can be in any folder.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { plugins: () => [threadModules(), withoutJsonSchema()] },
  plugins: [sourceRecord()],
});
