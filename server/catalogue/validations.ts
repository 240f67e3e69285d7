/**
 * @module
 * Checks a threat model without running it, so that an editor can show each fault at its member. A document with
 * faults is an answer here, not a refusal.
 */

import { z } from '@hono/zod-openapi';

import { LabError } from '../../src/errors.ts';
import { documentSchema } from '../../src/operations/model.ts';
import { chargedForBody } from '../contract/json-body.ts';
import { bodyRefusals, shownFaults } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, routesOf } from '../contract/router.ts';
import { modelIn } from '../jobs/model-source.ts';

const route = routesOf('experiments');

const requestSchema = z
  .strictObject({ threatModel: documentSchema })
  .meta({ id: 'ThreatModelValidationRequest' });

const validationSchema = z
  .object({
    valid: z.boolean(),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .describe(
        'Each wrong member, as a run with this document would name it. Empty if it is valid.',
      ),
  })
  .meta({ id: 'ThreatModelValidation' });

const validationRoute = route('post', '/v1/threat-model-validations', {
  operationId: 'validateThreatModel',
  summary: 'Check a threat model without running it',
  body: jsonRequest(requestSchema, {
    example: { threatModel: { id: 'grinder', title: 'One adversary grinds the top ID' } },
  }),
  responses: {
    200: jsonAnswer(validationSchema, 'Whether it is valid, and what is wrong with it.'),
    ...bodyRefusals(),
  },
});

/** The route that checks threat models. */
export function createValidationRoutes() {
  return createRouter().openapi(validationRoute, (c) => {
    const { threatModel } = c.req.valid('json');
    const faults = chargedForBody(c, () => faultsOf(threatModel));
    return c.json({ valid: faults.length === 0, errors: shownFaults(faults) }, 200);
  });
}

function faultsOf(document: z.output<typeof documentSchema>) {
  try {
    modelIn(document, []);
    return [];
  } catch (error) {
    if (error instanceof LabError && error.code === 'document') return error.faults;
    throw error;
  }
}
