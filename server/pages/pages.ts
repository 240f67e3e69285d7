/**
 * @module
 * This folder serves the browser lab, which `npm run build:web` builds from server/web. The built files are a few hundred
 * kilobytes, so that all of them are kept in memory, each also compressed. Browsers get its page at `/`, where programs get the links of the API. The page may
 * load scripts and styles of this server alone, and no other site may show it.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

import { isFresh } from '../../src/runtime/load/builds.ts';
import type { Router } from '../contract/router.ts';
import { createRouter } from '../contract/router.ts';

/** What the lab may do in a browser. Pictures that it draws are blobs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What a thread of the lab may do: fetch and compile the kernels of this server. A thread has the policy of its script. */
const THREAD_POLICY = "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'";

const NOT_BUILT =
  '<!doctype html><html lang="en"><title>usurp</title><p>The browser lab is not built, or is older than its sources, as in a copy of a clone. Run <code>npm run build:web</code> and start the server again. The API works without it; <a href="/reference">/reference</a> describes it.';

/** Whether a request prefers a page for people to JSON. */
export function prefersPage(c: Context): boolean {
  const supports = ['application/json', 'text/html'];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html';
}

/** The page of the lab, or one that says how to build it. */
export function indexPage(c: Context, files: PageFiles | null): Response {
  const file = files?.get('/index.html');
  c.header('Content-Security-Policy', POLICY);
  c.header('Vary', 'Accept, Accept-Encoding');
  if (file === undefined) return c.html(NOT_BUILT);
  c.header('Cache-Control', 'no-cache');
  return answer(c, file);
}

/** The scripts, styles and pictures of the lab. Their names contain digests, so that they never change. */
export function createPageRoutes(files: PageFiles | null): Router {
  const router = createRouter();
  router.get('/assets/:file', (c, next) => {
    const file = files?.get(c.req.path);
    if (file === undefined) return next();
    c.header('Cache-Control', 'public, max-age=31536000, immutable');
    c.header('Content-Security-Policy', THREAD_POLICY);
    c.header('Vary', 'Accept-Encoding');
    return Promise.resolve(answer(c, file));
  });
  return router;
}

function answer(c: Context, { type, bytes, gzipped, etag }: PageFile): Response {
  c.header('ETag', etag);
  if (c.req.header('If-None-Match') === etag) return c.body(null, 304);
  c.header('Content-Type', type);
  const isGzipped = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '');
  if (isGzipped) c.header('Content-Encoding', 'gzip');
  return c.body(isGzipped ? gzipped : bytes);
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'build', 'web');

/** A file of the lab with its digest. */
interface PageFile {
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
  '.wasm': 'application/wasm',
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
