/**
 * @module
 * This folder serves the browser lab, which `npm run build:web` builds from server/web. This file reads the built
 * files. They are a few hundred kilobytes, so that all of them are kept in memory, each also compressed.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { isFresh } from '../../src/runtime/load/builds.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'build', 'web');

/** A file of the lab with its digest. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** The files of the lab by their paths, such as `/index.html` and `/assets/main-….js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.svg': 'image/svg+xml',
};

/** The built lab; null if it was not built, or if a source has changed since. */
export function readBuiltPages(folder: string = BUILT): PageFiles | null {
  if (!isFresh(folder)) return null;
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) return [];
    return [[`/${relative(folder, path).split(sep).join('/')}`, pageFile(type, path)] as const];
  });
  return new Map(files);
}

function pageFile(type: string, path: string): PageFile {
  const bytes = Uint8Array.from(readFileSync(path));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { type, bytes, gzipped: Uint8Array.from(gzipSync(bytes)), etag: `"${digest}"` };
}
