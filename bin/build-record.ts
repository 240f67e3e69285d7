/**
 * @module
 * The record of a build: the sources that it was made from, each with its size and the time of its last change, so
 * that whatever uses the build can see that a source has changed since.
 */

import { statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** They change when a package is installed. */
const INSTALLED = ['package-lock.json', 'node_modules/.package-lock.json'];

/**
 * Writes sources.json into the folder of a build that began at `startedMs` (Unix time in ms). `sources` are
 * absolute paths. Throws if one of them changed during the build.
 */
export function recordSources(folder: string, sources: readonly string[], startedMs: number): void {
  const files = [...INSTALLED.map((file) => join(ROOT, file)), ...sources];
  const rows = files.flatMap((file) => {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    if (stat.mtimeMs >= startedMs) throw new Error(`${file} changed during the build; repeat it`);
    return [[relative(ROOT, file), stat.size, stat.mtimeMs]];
  });
  writeFileSync(join(folder, 'sources.json'), JSON.stringify(rows));
}
