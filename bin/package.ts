/**
 * @module
 * `npm run build:package` makes build/package, the part of the npm package that a checkout does not need: the command,
 * the server, their threads and the modules for programs in few files, their declarations, the sources that run in the
 * sandbox, and the licences of the packages that are in these files. The package depends on no other package, so that it
 * installs without a network. `--types` makes the declarations alone.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

import { PROTOCOL_NAMES } from '../src/election/registry.ts';
import { DIGEST_FILE, sourcesDigest } from '../src/runtime/files/code-version.ts';
import { PACKAGED } from '../src/runtime/load/builds.ts';
import {
  neededSources,
  PACKED_SOURCES,
  REGISTRY,
} from '../src/runtime/sandbox/submitted-definition.ts';
import { bundle, ENTRIES, licencesOf, ROOT } from './bundler.ts';
import { MODULES } from './manifest.ts';

/** What only an installed package runs from files of its bundle. */
const THREADS: Readonly<Record<string, string>> = {
  preload: 'src/runtime/load/preload.ts',
  'run-test': 'src/runtime/load/run-test.ts',
  'conform-thread': 'src/cli/definitions/conform-thread.ts',
  'user-code-deadline': 'src/cli/shell/user-code-deadline.ts',
  'judge-thread': 'src/runtime/sandbox/judge-thread.ts',
  'chunk-worker': 'src/runtime/fleet/chunk-worker.ts',
};
/** Smaller parts are joined with others. The package may have few files, and a command loads few of them. */
const PART_BYTES_MIN = 300_000;
const ZOD = join(ROOT, 'node_modules', 'zod');
const DECLARATIONS = join(ROOT, 'build', 'declarations');

if (!process.argv.includes('--types')) {
  const modules = await bundle({
    output: PACKAGED,
    entries: { ...ENTRIES, ...MODULES, ...THREADS },
    splitting: {
      groups: [{ name: 'part', entriesAware: true, entriesAwareMergeThreshold: PART_BYTES_MIN }],
    },
  });
  writeFileSync(join(PACKAGED, DIGEST_FILE), sourcesDigest());
  writeFileSync(join(PACKAGED, 'LICENSES.txt'), licencesOf(modules));
  const sources = PROTOCOL_NAMES.flatMap((name) => [...neededSources(name).sources.values()]);
  const texts = [REGISTRY, ...sources].map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ]);
  writeFileSync(PACKED_SOURCES, JSON.stringify(Object.fromEntries(texts)));
}
await declare();

/** Writes the declarations of the modules, with those of other packages that they need. */
async function declare(): Promise<void> {
  rmSync(DECLARATIONS, { recursive: true, force: true });
  mkdirSync(DECLARATIONS, { recursive: true });
  const config = join(DECLARATIONS, 'tsconfig.json');
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, stripInternal: true },
    ...{ noCheck: true, outDir: DECLARATIONS, rootDir: ROOT, lib: ['es2024', 'webworker'] },
  };
  const files = Object.values(MODULES).map((file) => join(ROOT, file));
  const extending = { extends: join(ROOT, 'tsconfig.json'), include: [], files, compilerOptions };
  writeFileSync(config, JSON.stringify(extending));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', config], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the declarations do not compile');
  const input = Object.entries(MODULES).map(([name, file]) => {
    return [name, join(DECLARATIONS, file.replace(/\.ts$/, '.d.ts'))];
  });
  const built = await rolldown({
    input: Object.fromEntries(input),
    checks: { pluginTimings: false },
    plugins: [
      // The resolver of dts would find the declarations for CommonJS, which it cannot join.
      { name: 'zod', resolveId: { order: 'pre', handler: declarationOfZod } },
      dts({ dtsInput: true, sourcemap: false, tsconfig: config }),
    ],
  });
  await built.write({
    dir: PACKAGED,
    entryFileNames: '[name].d.ts',
    chunkFileNames: 'types-[name].d.ts',
  });
  await built.close();
}

/** The declarations of zod for modules. */
function declarationOfZod(id: string, importer = ''): string | null {
  if (id === 'zod') return join(ZOD, 'index.d.ts');
  return importer.startsWith(ZOD) ? join(dirname(importer), id.replace(/\.c?js$/, '.d.ts')) : null;
}
