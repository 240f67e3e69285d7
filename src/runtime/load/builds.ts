/**
 * @module
 * What `npm run build` has made of the sources. It is used only while no source has changed since. An installed package has
 * builds alone.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BUNDLE = join(ROOT, 'build', 'cli');

/** Whether this is an installed package, which has no sources and a bundle of its own (bin/package.ts). */
export const IS_INSTALLED = !existsSync(join(ROOT, 'src', 'cli'));
/** What the bundle of a package needs as files. */
export const PACKAGED = join(ROOT, 'build', 'package');

/** Whether a build is there and all of its sources are as they were when it was made (bin/build-record.ts). */
export function isFresh(folder: string): boolean {
  if (IS_INSTALLED) return existsSync(folder);
  try {
    const record: unknown = JSON.parse(readFileSync(join(folder, 'sources.json'), 'utf8'));
    if (!Array.isArray(record)) return false;
    return record.every(([file, size, mtimeMs]) => {
      const stat = statSync(join(ROOT, file));
      return stat.size === size && stat.mtimeMs === mtimeMs;
    });
  } catch {
    // It was not built, or a source is gone.
    return false;
  }
}

/** Name of the bundled file of a thread. `file` is its source, from the root of the repository. */
export function threadName(file: string): string {
  return file.replace(/\.ts$/, '').replaceAll('/', '-');
}

let isBundleFresh: boolean | null = null;

/**
 * The bundled file of a thread, which loads in less time, or its source if there is no fresh one. A process looks once
 * whether the bundle is fresh.
 */
export function bundledThread(script: URL): URL {
  if (script.protocol !== 'file:' || !script.pathname.endsWith('.ts')) return script;
  const file = relative(ROOT, fileURLToPath(script)).replaceAll(sep, '/');
  const bundled = join(BUNDLE, `${threadName(file)}.js`);
  if (!existsSync(bundled)) return script;
  isBundleFresh ??= isFresh(BUNDLE);
  return isBundleFresh ? pathToFileURL(bundled) : script;
}
