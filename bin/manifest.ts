/**
 * @module
 * The manifest of the npm package. That of the repository belongs to a checkout, whose command is in the workspace bin:
 * npx would install a package with a command of its own into its cache. `swap` puts the manifest of the package in its
 * place while npm packs, and `restore` brings it back with its time, so that no build becomes older than a source. The same
 * is done with the README, whose links lead to the pages in the package.
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import checkout from '../package.json' with { type: 'json' };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What npm packs in another form. */
const REPLACED: Readonly<Record<string, (text: string) => string>> = {
  'package.json': () => `${JSON.stringify(packageManifest(), null, 2)}\n`,
  'README.md': packageReadme,
};

/** The modules that programs import, by the names of their files. The first one is `usurp` itself. */
export const MODULES: Readonly<Record<string, string>> = {
  index: 'src/runtime/load/usurp.ts',
  operation: 'src/runtime/load/operation.ts',
  testing: 'src/runtime/load/testing.ts',
  ...Object.fromEntries(
    ['identity', 'mining', 'election', 'simulation', 'checking', 'experiment', 'live'].map(
      (name) => [name, `src/library/${name}.ts`],
    ),
  ),
};

/** The files and folders of the package. */
export const FILES = [
  ...['bin/usurp.js', 'build/package', 'build/web', 'build/docs', 'build/static'],
  ...['build/kernel.wasm', 'build/solutions.wasm', 'build/texts.wasm'],
  ...['docs/glossary.md', 'examples', 'papers', 'threat-models'],
  ...['exercises/*.*', 'exercises/*/exercise.yaml'],
  ...['server/contract/openapi/reference.css', 'tsconfig.json'],
];

/** The manifest of the package, which depends on no other package. It may use an optional one, if a user installs it. */
export function packageManifest(): object {
  const { name, version, description, license, type } = checkout;
  const { peerDependencies, peerDependenciesMeta } = checkout;
  const modules = Object.keys(MODULES).map((module) => {
    const file = `./build/package/${module}`;
    const entry = { types: `${file}.d.ts`, default: `${file}.js` };
    return [module === 'index' ? '.' : `./${module}`, entry] as const;
  });
  return {
    ...{ name, version, description, license, type },
    engines: { node: '>=22.19' },
    ...{ peerDependencies, peerDependenciesMeta },
    bin: { usurp: 'bin/usurp.js' },
    exports: { ...Object.fromEntries(modules), './package.json': './package.json' },
    files: [...FILES, '!**/sources.json'],
  };
}

/** The README of the package. The documents are pages there, which `usurp serve` shows. */
export function packageReadme(text: string): string {
  const where =
    'The documents are pages in `build/docs/docs` of the package; `npx usurp serve` shows them at <http://127.0.0.1:8787/docs>.';
  return text
    .replace('\n## Documentation\n', (heading) => `${heading}\n${where}\n`)
    .replaceAll(
      /\]\((?:docs\/)?([\w/-]+)\.md(?=[#)])/g,
      (_, page) => `](build/docs/docs/${page.toLowerCase()}.html`,
    )
    .replaceAll(/\]\(docs\/([\w-]+)\)/g, '](build/docs/docs/$1.html)')
    .replaceAll('](docs/', '](build/docs/docs/');
}

/** The place of a file of the repository while npm packs. */
function asideOf(file: string): string {
  return join(ROOT, 'build', `checkout-${file}`);
}

/** Puts the files of the repository back, if they were set aside. */
function restore(): void {
  for (const file of Object.keys(REPLACED)) {
    if (existsSync(asideOf(file))) renameSync(asideOf(file), join(ROOT, file));
  }
}

const [, , action] = process.argv;
if (action === 'swap' || action === 'restore') restore();
if (action === 'swap') {
  for (const [file, packed] of Object.entries(REPLACED)) {
    renameSync(join(ROOT, file), asideOf(file));
    writeFileSync(join(ROOT, file), packed(readFileSync(asideOf(file), 'utf8')));
  }
}
