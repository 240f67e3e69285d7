/**
 * @module
 * How problem documents look in the OpenAPI document, and which of them every operation can answer.
 */

import { z } from '@hono/zod-openapi';

import { ERROR_CODES } from '../../src/errors.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { CHECK_NAMES } from '../../src/identity/policy.ts';
import type { ProblemStatus } from './problem.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';

export const errorCodeSchema = z
  .enum(ERROR_CODES)
  .meta({ description: 'What went wrong, from a closed list.', example: 'schema' });

export const problemSchema = z
  .object({
    type: z.string().meta({ description: 'Path of a page that explains the code.' }),
    code: errorCodeSchema,
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().meta({ description: 'What is wrong with this request, and what is right.' }),
    instance: z.string().meta({ description: 'The request id, also in X-Request-Id.' }),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .readonly()
      .optional()
      .meta({ description: 'Each wrong place in the body, as a JSON pointer in fragment form.' }),
    retryAfterS: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Seconds until a retry can succeed, also in Retry-After.' }),
    check: z
      .enum(CHECK_NAMES)
      .optional()
      .meta({ description: 'Of a claim that is refused: the first check that failed.' }),
    refusal: z.enum(REFUSAL_CODES).optional().meta({ description: 'And why.' }),
    requiredBits: z.int().optional().meta({ description: 'What a puzzle requires.' }),
    measuredBits: z.int().optional().meta({ description: 'What the claim shows.' }),
  })
  .meta({
    id: 'Problem',
    description: 'A refusal (RFC 9457).',
    example: {
      type: '/problems/schema',
      code: 'schema',
      title: 'Request does not fit the schema',
      status: 400,
      detail: '/nodes: must be an integer',
      instance: '3f1c1d5e-4f0e-4c56-9d0f-0d4a3c2b1a09',
      errors: [{ pointer: '#/nodes', detail: 'must be an integer' }],
    },
  });

/** The responses of an operation for the statuses it can refuse with; 400 and 500 are always among them. */
export function refusals<const Status extends ProblemStatus>(...statuses: readonly Status[]) {
  const listed = [400, 500, ...statuses] as const;
  const entries = listed.map((status) => [status, REFUSALS[status]] as const);
  // Object.fromEntries forgets which keys there are.
  return Object.fromEntries(entries) as Record<Status | 400 | 500, (typeof REFUSALS)[400]>;
}

/** The refusals of an operation that takes a JSON body. */
export function bodyRefusals<const Status extends ProblemStatus>(...statuses: readonly Status[]) {
  return refusals<Status | 413 | 415>(413, 415, ...statuses);
}

function refusal(description: string) {
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema: problemSchema } } };
}

const REFUSALS = {
  400: refusal('The request is malformed: host, path, JSON or schema.'),
  401: refusal('A token is demanded here, and none that is known came.'),
  403: refusal('The token has not the role that this needs.'),
  404: refusal('There is no such thing.'),
  405: refusal('The path has no such method; Allow lists those it has.'),
  406: refusal('None of the media types that Accept names are had here.'),
  409: refusal('In conflict with the state of what the path names.'),
  413: refusal('The body is too large.'),
  415: refusal('The content type or encoding of the body is not accepted.'),
  422: refusal('Well-formed, but false, or at odds with what was sent before.'),
  429: refusal('A budget of this caller is spent; Retry-After says when to try again.'),
  500: refusal('A fault of the server.'),
  503: refusal('A limit of the server is reached; Retry-After says when to try again.'),
} satisfies Record<ProblemStatus, unknown>;
