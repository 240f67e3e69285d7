/**
 * @module
 * The browser lab as files that any web server can serve: the pages and documents as they are built, the API as a thread of
 * the browser (server/static), and the files that this thread reads.
 */

import { globSync, readFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

import { LabError } from '../../src/errors.ts';
import { sourcesDigest } from '../../src/runtime/files/code-version.ts';
import { builtPaths, PAGE_RULES, TYPES } from './pages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The parts of the lab, and what builds each. */
const BUILDS = { web: 'build:web', docs: 'build:docs', static: 'build:static' } as const;
/** What the API reads, from the root of the repository. */
const READ = [
  ...['build/*.wasm', 'threat-models/*.yaml', 'papers/*.yaml', 'docs/glossary.md'],
  'server/contract/openapi/reference.css',
];
/** In an installed package, the version of the code is in this file. In a browser, it is there too. */
const DIGEST = 'build/package/sources-digest.txt';

/**
 * The files of the lab by their paths below its folder, which may have any address. Throws LabError `file.missing` that says
 * what to build.
 */
export function staticLab(): ReadonlyMap<string, string | Uint8Array> {
  const files = new Map<string, string | Uint8Array>();
  for (const [part, script] of Object.entries(BUILDS)) {
    const paths = builtPaths(join(ROOT, 'build', part));
    if (paths === null) {
      const detail = `build/${part} is not built, or older than its sources; run: npm run ${script}`;
      throw new LabError('file.missing', detail);
    }
    for (const [address, path] of paths) {
      const name = address.slice(1);
      if (name !== 'sources.json') files.set(name, contentOf(name, path));
    }
  }
  const read = READ.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  const names = read.map((name) => name.replaceAll('\\', '/'));
  for (const name of names) files.set(`files/${name}`, readFileSync(join(ROOT, name)));
  files.set(`files/${DIGEST}`, sourcesDigest());
  return files.set('files/names.json', JSON.stringify([...names, DIGEST]));
}

function contentOf(name: string, path: string): string | Uint8Array {
  if (name === 'index.html') return labPage(readFileSync(path, 'utf8'));
  if (name === 'docs/search.json') return withNearAddresses(readFileSync(path, 'utf8'));
  return extname(name) === '.html'
    ? withNearLinks(name, readFileSync(path, 'utf8'))
    : readFileSync(path);
}

/** The page of the lab, which says that there is no server (server/web/api/lab-thread.ts). */
function labPage(text: string): string {
  return text
    .replace('<html ', '<html data-server="none" ')
    .replace(
      '<head>',
      `<head>\n    <meta http-equiv="Content-Security-Policy" content="${PAGE_RULES.join('; ')}" />`,
    )
    .replace(/ The API and its description at \/reference do not\./, '');
}

/** A page whose links to this site lead from its own folder to files. */
function withNearLinks(name: string, text: string): string {
  return text.replaceAll(
    /\b(href|src)="\/([^"#?]*)/g,
    (_, attribute, address) => `${attribute}="${nearPath(dirname(name), address)}`,
  );
}

/** The index of the search, whose addresses lead from the folder of its script. */
function withNearAddresses(text: string): string {
  return text.replaceAll(
    /"address":"\/([^"#]*)/g,
    (_, address) => `"address":"${nearPath('docs', address)}`,
  );
}

function nearPath(folder: string, address: string): string {
  const file = FILE_OF[address] ?? (posix.extname(address) in TYPES ? address : `${address}.html`);
  return posix.relative(folder, file);
}

/** Addresses that are no file of the same name. The reference needs a server. */
const FILE_OF: Readonly<Record<string, string>> = { '': 'index.html', reference: 'docs/http.html' };
