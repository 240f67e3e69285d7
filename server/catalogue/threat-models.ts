/**
 * @module
 * The route that lists the catalogue of threat models, in pages.
 */

import { createRoute } from '@hono/zod-openapi';

import { threatModelSchema } from '../../src/experiment/document/threat-model.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { refusals } from '../contract/problem-schema.ts';
import { createRouter } from '../contract/router.ts';
import type { Services } from '../services.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/v1/threat-models',
  operationId: 'listThreatModels',
  tags: ['experiments'],
  summary: 'The catalogue of threat models',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(
      threatModelSchema.meta({ id: 'ThreatModel' }),
      'A page of threat models, complete as documents, in the order of their ids.',
    ),
    ...refusals(),
  },
});

/** The routes about threat models. */
export function threatModelRoutes({ threatModels }: Services) {
  // Parsed once more for their type: inside documents are frozen, response types are not.
  const ordered = threatModels
    .map((model) => threatModelSchema.parse(model))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return createRouter().openapi(listRoute, (c) =>
    c.json(
      pageOf(ordered, ({ id }) => id, c.req.valid('query')),
      200,
    ),
  );
}
