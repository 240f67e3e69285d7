/**
 * @module
 * The version of the code that computes a row: the version of the package, and a digest of its sources and
 * built kernels. Rows of different versions are never mixed.
 */

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };
import { IS_INSTALLED, PACKAGED } from '../load/builds.ts';
import { loadedDigest } from '../load/load-definitions.ts';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));
const KERNELS = ['kernel.wasm', 'solutions.wasm', 'texts.wasm'].map((name) =>
  fileURLToPath(new URL(`../../../build/${name}`, import.meta.url)),
);
const DIGEST_CHARACTERS = 16;
/** In an installed package: the digest of the sources that it was made from. */
export const DIGEST_FILE = 'sources-digest.txt';

let known: string | null = null;

/**
 * For example `0.1.0+3f2a9c0d1e4b5a67`, followed by `+` and the digest of the files that the user has
 * loaded, if any. Read once a process.
 */
export function codeVersion(): string {
  known ??= [`${manifest.version}+${sourcesDigest()}`, loadedDigest() ?? []].flat().join('+');
  return known;
}

/** What to do where a worker has another version than its sweep. */
export function versionRemedy(one: string, other: string): string {
  const sourcesOf = (version: string) => version.split('+').slice(0, 2).join('+');
  return sourcesOf(one) === sourcesOf(other)
    ? 'start the sweep and the worker with --load and the same files'
    : 'start a worker from the same sources';
}

/** Digest of the sources and kernels of this checkout, or of the one that this package was made from. */
export function sourcesDigest(): string {
  if (IS_INSTALLED) return readFileSync(join(PACKAGED, DIGEST_FILE), 'utf8');
  const hash = createHash('sha256');
  const sources = readdirSync(SOURCES, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
  for (const name of sources) addFile(hash, name, join(SOURCES, name));
  for (const path of KERNELS.filter(existsSync)) addFile(hash, relative(SOURCES, path), path);
  return hash.digest('hex').slice(0, DIGEST_CHARACTERS);
}

/** Adds name and length too, so that text that moves between files changes the digest. */
function addFile(hash: ReturnType<typeof createHash>, name: string, path: string): void {
  const bytes = readFileSync(path);
  hash.update(`${name}\0${bytes.length}\0`).update(bytes);
}
