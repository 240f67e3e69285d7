/**
 * @module
 * Where the API describes itself: the OpenAPI documents for programs, the reference page for people.
 * Each is made once, from all routes, when a client first requests it: that takes 100 ms, which no start needs.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { refusals } from '../problem-schema.ts';
import type { Router } from '../router.ts';
import { NO_QUERY } from '../router.ts';
import type { OpenApiDocuments } from './document.ts';
import { openApiDocuments } from './document.ts';
import { referencePage } from './reference.ts';
import { NOT_MODIFIED, SharedText } from './shared-text.ts';

const openApiRoute = documentRoute('/openapi.json', {
  operationId: 'getOpenApi',
  summary: 'This document',
  version: '3.1',
});

const openApi32Route = documentRoute('/openapi-3.2.json', {
  operationId: 'getOpenApi32',
  summary: 'This document in OpenAPI 3.2, which describes the items of streams',
  version: '3.2',
});

const referenceRoute = createRoute({
  method: 'get',
  path: '/reference',
  operationId: 'getReference',
  tags: ['service'],
  summary: 'This document as a page for people',
  description: 'Needs no network and runs no scripts.',
  request: { query: NO_QUERY },
  responses: {
    200: {
      description: 'The page.',
      content: {
        'text/html': { schema: z.string(), example: '<!doctype html><title>usurp</title>' },
      },
    },
    304: NOT_MODIFIED,
    ...refusals(),
  },
});

/** Adds the routes that describe all others, which must be there already. */
export function addOpenApiRoutes(app: Router, version: string): void {
  for (const route of [openApiRoute, openApi32Route, referenceRoute]) {
    app.openAPIRegistry.registerPath(route);
  }
  const documents = once(() => openApiDocuments(app, version));
  addDocument(app, openApiRoute.path, () => documents().v31);
  addDocument(app, openApi32Route.path, () => documents().v32);
  const page = once(() => referencePage(documents().v31));
  const pages = new Map<string, SharedText>();
  const pageFor = (origin: string): SharedText => {
    const made = pages.get(origin) ?? new SharedText(page()(origin), 'text/html; charset=UTF-8');
    pages.delete(origin);
    pages.set(origin, made);
    const [oldest = origin] = pages.keys();
    if (pages.size > PAGES_KEPT_MAX) pages.delete(oldest);
    return made;
  };
  app.openapi({ ...referenceRoute, hide: true }, (c) =>
    pageFor(new URL(c.req.url).origin).answer(c),
  );
}

/** Hardly anybody reaches one server under more names. */
const PAGES_KEPT_MAX = 4;

function addDocument(app: Router, path: string, document: () => OpenApiDocuments['v31']): void {
  const text = once(() => new SharedText(JSON.stringify(document()), 'application/json'));
  app.get(path, (c) => text().answer(c));
}

/** Makes a value when it is first needed. */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function documentRoute(
  path: string,
  {
    operationId,
    summary,
    version,
  }: Readonly<Record<'operationId' | 'summary' | 'version', string>>,
) {
  return createRoute({
    method: 'get',
    path,
    operationId,
    tags: ['service'],
    summary,
    responses: {
      200: {
        description: `The OpenAPI ${version} document of this API.`,
        content: {
          'application/json': {
            schema: z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }),
            example: { openapi: `${version}.0`, paths: {} },
          },
        },
      },
      304: NOT_MODIFIED,
      ...refusals(),
    },
  });
}
