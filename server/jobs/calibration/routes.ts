/**
 * @module
 * This folder measures how fast this machine mines. This file contains the route. A measurement takes some
 * seconds on all threads, so the first answers are 202 with Retry-After.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Calibration } from '../../../src/runtime/threads/calibration.ts';
import { refusals } from '../../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../../contract/router.ts';
import type { Services } from '../../services.ts';

const calibrationSchema = z
  .object({
    strategies: z.array(
      z.object({
        scheme: z.enum(SCHEME_NAMES),
        strategy: z.string(),
        policy: z.enum(['strict', 'weak']),
        threads: z.int(),
        candidatesPerSecond: z.number(),
        advantageBits: z.number().meta({ description: 'log2 of the rate over that of fresh.' }),
      }),
    ),
    times: z
      .array(
        z.object({
          bits: z.int(),
          expectedSeconds: z.number(),
          p50Seconds: z.number(),
          p95Seconds: z.number(),
          p99Seconds: z.number(),
        }),
      )
      .meta({ description: 'For the fastest strategy that a strict policy admits.' }),
  })
  .meta({ id: 'Calibration' });

const measuringSchema = z
  .object({ status: z.literal('measuring'), now: z.string(), retryAfterS: z.int() })
  .meta({ id: 'Measuring' });

const readRoute = createRoute({
  method: 'get',
  path: '/v1/calibration',
  operationId: 'getCalibration',
  tags: ['service'],
  summary:
    'How many candidates this server tests in a second, and what difficulties therefore take',
  request: { query: NO_QUERY },
  responses: {
    200: {
      description: 'Measured once in the life of the server.',
      content: { 'application/json': { schema: calibrationSchema } },
    },
    202: {
      description: 'It is being measured, behind the jobs that were there; see Retry-After.',
      content: { 'application/json': { schema: measuringSchema } },
    },
    ...refusals(503),
  },
});

/** The route about calibration. */
export function calibrationRoutes({ jobs: { calibration, queue } }: Services) {
  return createRouter().openapi(readRoute, (c) => {
    const answer = calibration.read();
    if ('calibration' in answer) return c.json(calibrationView(answer.calibration), 200);
    const retryAfterS = queue.retryAfterS();
    c.header('Retry-After', String(retryAfterS));
    return c.json({ status: 'measuring' as const, now: answer.measuring, retryAfterS }, 202);
  });
}

function calibrationView({ strategies, times }: Calibration): z.output<typeof calibrationSchema> {
  return { strategies: [...strategies], times: [...times] };
}
