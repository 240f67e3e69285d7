/**
 * @module
 * The routes of the OpenAPI documents and of the reference pages. They are created from all routes
 * when one of them is first requested, because that takes 200 ms, and only their bytes are kept. A server requests
 * them before it is ready.
 */

import { createHash } from 'node:crypto';
import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';

import { LabError } from '../../../src/errors.ts';
import { headersNamed } from '../headers.ts';
import { refusals } from '../problem.ts';
import type { Router } from '../router.ts';
import { jsonAnswer } from '../router.ts';
import { openApiDocuments } from './document.ts';
import { referencePage, schemaPages } from './reference.ts';

const headers = headersNamed('ETag');

const NOT_MODIFIED = { description: 'The client has the current text (If-None-Match).', headers };

const openApiRoute = documentRoute('3.1', {
  path: '/openapi.json',
  operationId: 'getOpenApi',
  summary: 'Get this document',
});

const openApi32Route = documentRoute('3.2', {
  path: '/openapi-3.2.json',
  operationId: 'getOpenApi32',
  summary: 'Get this document in OpenAPI 3.2, which describes the items of streams',
});

const referenceRoute = createRoute({
  method: 'get',
  path: '/reference',
  operationId: 'getReference',
  tags: ['service'],
  summary: 'Get this document as pages for people',
  description: 'Requires no network and runs no scripts. With `schema`, the page of one schema.',
  request: {
    query: z.strictObject({
      schema: z.string().max(100).optional().describe('Name of a schema of this document.'),
    }),
  },
  responses: {
    200: {
      description: 'The page.',
      headers,
      content: {
        'text/html': { schema: z.string(), example: '<!doctype html><title>usurp</title>' },
      },
    },
    304: NOT_MODIFIED,
    ...refusals(404),
  },
});

function documentRoute(
  version: string,
  operation: Readonly<Record<'path' | 'operationId' | 'summary', string>>,
) {
  const schema = z.looseObject({ openapi: z.string(), paths: z.looseObject({}) });
  const shown = { example: { openapi: `${version}.0`, paths: {} } };
  return createRoute({
    method: 'get',
    ...operation,
    tags: ['service'],
    responses: {
      200: {
        ...jsonAnswer(schema, `The OpenAPI ${version} document of this API.`, shown),
        headers,
      },
      304: NOT_MODIFIED,
      ...refusals(),
    },
  });
}

/** Adds the routes that describe all other routes, which must exist already. */
export function addOpenApiRoutes(app: Router, documents: SharedDocuments): void {
  for (const route of [openApiRoute, openApi32Route, referenceRoute]) {
    app.openAPIRegistry.registerPath(route);
  }
  const texts = () => documents.of(app);
  app.get(openApiRoute.path, (c) => texts().v31.answer(c));
  app.get(openApi32Route.path, (c) => texts().v32.answer(c));
  app.openapi({ ...referenceRoute, hide: true }, (c) => {
    const { schema } = c.req.valid('query');
    if (schema === undefined) return texts().pages.memo(new URL(c.req.url).origin).answer(c);
    const page = texts().schemas.get(schema);
    if (page === undefined) throw new LabError('not_found', `there is no schema ${schema}`);
    return page.answer(c);
  });
}

/** The paths of the documents. */
export const DOCUMENT_PATHS = [openApiRoute.path, openApi32Route.path, referenceRoute.path];

const DOCUMENTS = new Map<string, SharedDocuments>();

/** The documents of all servers of this process, by the version that they state. All servers have the same routes. */
export function sharedDocuments(version: string): SharedDocuments {
  const known = DOCUMENTS.get(version);
  if (known !== undefined) return known;
  const documents = new SharedDocuments(version);
  DOCUMENTS.set(version, documents);
  return documents;
}

/** The documents of apps with the same routes. The first app that needs one creates it for all. */
export class SharedDocuments {
  readonly #version: string;
  #texts: ReturnType<typeof textsOf> | null = null;

  constructor(version: string) {
    this.#version = version;
  }

  of(app: Router): ReturnType<typeof textsOf> {
    this.#texts ??= textsOf(app, this.#version);
    return this.#texts;
  }
}

function textsOf(app: Router, version: string) {
  const { v31, v32 } = openApiDocuments(app, version);
  const schemas = Object.entries(schemaPages(v31));
  return {
    v31: new SharedText(JSON.stringify(v31), 'application/json'),
    v32: new SharedText(JSON.stringify(v32), 'application/json'),
    pages: pagesOf(referencePage(v31)),
    schemas: new Map(schemas.map(([name, page]) => [name, new SharedText(page, HTML)])),
  };
}

/** The page for each origin. It is a function of its own, so that it keeps neither the app nor the documents. */
function pagesOf(page: (origin: string) => string): LRUCache<string, SharedText> {
  return new LRUCache<string, SharedText>({
    max: PAGES_KEPT_MAX,
    memoMethod: (origin) => new SharedText(page(origin), HTML),
  });
}

const HTML = 'text/html; charset=UTF-8';

/** A server is rarely reached under more names. */
const PAGES_KEPT_MAX = 4;

/** A long text. All answers share its bytes, and a client that has it receives 304 (RFC 9110, 13.1.2). */
export class SharedText {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #type: string;
  readonly #tag: string;

  constructor(text: string, type: string) {
    this.#bytes = new TextEncoder().encode(text);
    this.#type = type;
    this.#tag = `"${createHash('sha256').update(this.#bytes).digest('base64url')}"`;
  }

  answer(c: Context): Response {
    // The next request may reach another version of the server.
    const headers = { ETag: this.#tag, 'Cache-Control': 'no-cache' };
    const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
    if (known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === this.#tag)) {
      return c.body(null, 304, headers);
    }
    return c.body(this.#bytes, 200, { ...headers, 'Content-Type': this.#type });
  }
}
