/**
 * @module
 * The manifest of the npm package. That of the repository belongs to a checkout, whose command is in the workspace bin:
 * npx would install a package with a command of its own into its cache. `swap` puts the manifest of the package in its
 * place while npm packs, and `restore` brings it back with its time, so that no build becomes older than a source.
 */

import { existsSync, renameSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import checkout from '../package.json' with { type: 'json' };

const MANIFEST = fileURLToPath(new URL('../package.json', import.meta.url));
const ASIDE = fileURLToPath(new URL('../build/checkout-package.json', import.meta.url));

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
  ...['bin/usurp.js', 'build/package', 'build/web', 'build/docs'],
  ...['build/kernel.wasm', 'build/solutions.wasm', 'build/texts.wasm'],
  ...['docs/glossary.md', 'examples', 'papers', 'threat-models'],
  ...['exercises/*.*', 'exercises/*/exercise.yaml'],
  ...['server/contract/openapi/reference.css', 'tsconfig.json'],
];

/** The manifest of the package, which depends on no other package. */
export function packageManifest(): object {
  const { name, version, description, license, type } = checkout;
  const modules = Object.keys(MODULES).map((module) => {
    const file = `./build/package/${module}`;
    const entry = { types: `${file}.d.ts`, default: `${file}.js` };
    return [module === 'index' ? '.' : `./${module}`, entry] as const;
  });
  return {
    ...{ name, version, description, license, type },
    engines: { node: '>=22.19' },
    bin: { usurp: 'bin/usurp.js' },
    exports: { ...Object.fromEntries(modules), './package.json': './package.json' },
    files: [...FILES, '!**/sources.json'],
  };
}

/** Puts the manifest of the repository back, if it was set aside. */
function restore(): void {
  if (existsSync(ASIDE)) renameSync(ASIDE, MANIFEST);
}

const [, , action] = process.argv;
if (action === 'swap' || action === 'restore') restore();
if (action === 'swap') {
  renameSync(MANIFEST, ASIDE);
  writeFileSync(MANIFEST, `${JSON.stringify(packageManifest(), null, 2)}\n`);
}
