/**
 * @module
 * The routes of the OpenAPI documents and of the reference page. Each is created from all routes when it is
 * first requested, because that takes 100 ms.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { LRUCache } from 'lru-cache';

import { refusals } from '../problem.ts';
import type { Router } from '../router.ts';
import { jsonAnswer, NO_QUERY } from '../router.ts';
import { openApiDocuments } from './document.ts';
import { referencePage } from './reference.ts';
import { NOT_MODIFIED, SharedText } from './shared-text.ts';

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
  summary: 'Get this document as a page for people',
  description: 'Requires no network and runs no scripts.',
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

/** Adds the routes that describe all other routes, which must exist already. */
export function addOpenApiRoutes(app: Router, version: string): void {
  for (const route of [openApiRoute, openApi32Route, referenceRoute]) {
    app.openAPIRegistry.registerPath(route);
  }
  const documents = once(() => openApiDocuments(app, version));
  const json = (key: 'v31' | 'v32') =>
    once(() => new SharedText(JSON.stringify(documents()[key]), 'application/json'));
  const [v31, v32] = [json('v31'), json('v32')];
  app.get(openApiRoute.path, (c) => v31().answer(c));
  app.get(openApi32Route.path, (c) => v32().answer(c));
  const page = once(() => referencePage(documents().v31));
  const pages = new LRUCache<string, SharedText>({
    max: PAGES_KEPT_MAX,
    memoMethod: (origin) => new SharedText(page()(origin), 'text/html; charset=UTF-8'),
  });
  app.openapi({ ...referenceRoute, hide: true }, (c) =>
    pages.memo(new URL(c.req.url).origin).answer(c),
  );
}

/** A server is rarely reached under more names. */
const PAGES_KEPT_MAX = 4;

/** Creates a value when it is first needed. */
function once<Value>(create: () => Value): () => Value {
  let created: { readonly value: Value } | null = null;
  return () => {
    created ??= { value: create() };
    return created.value;
  };
}

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
      200: jsonAnswer(schema, `The OpenAPI ${version} document of this API.`, shown),
      304: NOT_MODIFIED,
      ...refusals(),
    },
  });
}
