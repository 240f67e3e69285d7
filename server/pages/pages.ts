/**
 * @module
 * This folder serves the browser lab, which `npm run build:web` builds from server/web, and the documents, which
 * `npm run build:docs` builds. The built files of the lab are a few hundred kilobytes, so that all of them are kept in
 * memory, each also compressed. Browsers get its page at `/`, where programs get the links of the API. The pages may load
 * scripts and styles of this server alone, and no other site may show them.
 */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import type { Context, Handler } from 'hono';
import { accepts } from 'hono/accepts';

import { isFresh } from '../../src/runtime/load/builds.ts';
import type { Router } from '../contract/router.ts';
import { createRouter } from '../contract/router.ts';

/** What the lab and the documents may do in a browser. Pictures that it draws are blobs. */
export const PAGE_RULES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];
const POLICY = [...PAGE_RULES, "frame-ancestors 'none'"].join('; ');

/** What a thread of the lab may do: fetch and compile the kernels of this server. A thread has the policy of its script. */
const THREAD_POLICY = "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'";

const NOT_BUILT =
  '<!doctype html><html lang="en"><title>usurp</title><p>The browser lab is not built, or is older than its sources, as in a copy of a clone. Run <code>npm run build:web</code> and start the server again. The API works without it; <a href="/reference">/reference</a> describes it.';

const DOCUMENTS_NOT_BUILT =
  '<!doctype html><html lang="en"><title>usurp</title><p>The documents are not built, or are older than their sources. Run <code>npm run build:docs</code> and start the server again. The folder <code>docs</code> has them as Markdown.';

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

/** Answers with the page or file of the documents at the path of the request; null if there is none. */
export function documentPage(c: Context, files: DocumentFiles | null): Response | null {
  const file = files?.at(c.req.path) ?? null;
  if (file === null) return null;
  c.header('Content-Security-Policy', POLICY);
  c.header('Cache-Control', 'no-cache');
  c.header('Vary', 'Accept, Accept-Encoding');
  return answer(c, file);
}

/** The documents at /docs. */
export function createDocumentRoutes(files: DocumentFiles | null): Router {
  const router = createRouter();
  const handle: Handler = (c, next) => {
    return files === null ? c.html(DOCUMENTS_NOT_BUILT) : (documentPage(c, files) ?? next());
  };
  router.get('/docs', handle);
  router.get('/docs/*', handle);
  return router;
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
const BUILT_DOCUMENTS = join(ROOT, 'build', 'docs');

/** A file of the lab with its digest. */
interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** The files of the lab by their paths, such as `/index.html` and `/assets/main-….js`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The types of the files of a build, by the endings of their names. */
export const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=UTF-8',
  '.js': 'text/javascript; charset=UTF-8',
  '.css': 'text/css; charset=UTF-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=UTF-8',
};

/** The built lab; null if it was not built, or if a source has changed since. */
export function readBuiltPages(folder: string = BUILT): PageFiles | null {
  const paths = builtPaths(folder);
  if (paths === null) return null;
  return new Map([...paths].map(([address, path]) => [address, pageFile(path)]));
}

/** The built documents; null if they were not built, or if a source has changed since. */
export function readBuiltDocuments(folder: string = BUILT_DOCUMENTS): DocumentFiles | null {
  const paths = builtPaths(folder);
  return paths === null ? null : new DocumentFiles(paths);
}

/** The built documents. A file is read when it is first requested, because few of them are. */
export class DocumentFiles {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #read = new Map<string, PageFile>();

  constructor(paths: ReadonlyMap<string, string>) {
    this.#paths = paths;
  }

  /** The page or file at an address such as `/docs/http`; null if there is none. */
  at(address: string): PageFile | null {
    const path = this.#paths.get(`${address}.html`) ?? this.#paths.get(address);
    if (path === undefined) return null;
    const file = this.#read.get(path) ?? pageFile(path);
    this.#read.set(path, file);
    return file;
  }
}

/** The files of a build by their addresses; null if it is not there or not fresh. */
export function builtPaths(folder: string): ReadonlyMap<string, string> | null {
  if (!isFresh(folder)) return null;
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || TYPES[extname(entry.name)] === undefined) return [];
    return [[`/${relative(folder, path).split(sep).join('/')}`, path] as const];
  });
  return new Map(files);
}

function pageFile(path: string): PageFile {
  const type = TYPES[extname(path)] ?? 'application/octet-stream';
  const bytes = Uint8Array.from(readFileSync(path));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  return { type, bytes, gzipped: Uint8Array.from(gzipSync(bytes)), etag: `"${digest}"` };
}
