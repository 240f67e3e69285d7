/**
 * @module
 * The OpenAPI 3.1 document, generated from the routes that answer, and served at /openapi.json.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { refusals } from './problem-schema.ts';
import type { Router } from './router.ts';

const openApiRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'getOpenApi',
  tags: ['service'],
  summary: 'This document',
  responses: {
    200: {
      description: 'The OpenAPI 3.1 document of this API.',
      content: { 'application/json': { schema: z.looseObject({ openapi: z.string() }) } },
    },
    ...refusals(),
  },
});

/** Adds the route that serves the document; every other route must be there already. */
export function addOpenApiDocument(app: Router, version: string): void {
  app.openAPIRegistry.registerPath(openApiRoute);
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'usurp',
      version,
      description:
        'A laboratory for stolen elections: earned node IDs, budgeted adversaries, simulated elections. ' +
        'Bytes travel as lower-case hex, integers above 2^53 as strings, refusals as problem documents.',
      license: { name: 'MIT' },
    },
    tags: [
      { name: 'service', description: 'The server itself.' },
      { name: 'identities', description: 'Claims: keys, node IDs and the work behind them.' },
      { name: 'elections', description: 'Elections in virtual time, driven step by step.' },
      { name: 'experiments', description: 'Threat models and their runs.' },
    ],
  });
  const text = JSON.stringify(document);
  app.get(openApiRoute.path, (c) => c.body(text, 200, { 'Content-Type': 'application/json' }));
}
