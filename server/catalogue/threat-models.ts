/**
 * @module
 * The route that lists the catalogue of threat models.
 */

import { createRoute } from '@hono/zod-openapi';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { threatModelSchema } from '../../src/experiment/document/threat-model.ts';
import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { refusals } from '../contract/problem.ts';
import { createRouter } from '../contract/router.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/v1/threat-models',
  operationId: 'listThreatModels',
  tags: ['experiments'],
  summary: 'List the catalogue of threat models',
  request: { query: pageQuerySchema },
  responses: {
    ...pageResponse(
      threatModelSchema.meta({ id: 'ThreatModel' }),
      'A page of threat models, which are complete documents, in the order of their ids.',
    ),
    ...refusals(),
  },
});

/** The route about threat models. */
export function createThreatModelRoutes(threatModels: readonly ThreatModel[]) {
  // Parsed again for their type: documents are readonly, the types of answers are not.
  const ordered = threatModels
    .map((model) => threatModelSchema.parse(model))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return createRouter().openapi(listRoute, (c) => {
    const page = pageOf(ordered, ({ id }) => id, c.req.valid('query'));
    return c.json(page, 200);
  });
}
