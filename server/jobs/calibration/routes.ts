/**
 * @module
 * This folder measures how fast this machine mines. This file contains the route. A measurement takes some
 * seconds on all threads, so the first answers are 202 with Retry-After.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import { refusals } from '../../contract/problem.ts';
import { createRouter, jsonAnswer, NO_QUERY } from '../../contract/router.ts';
import type { JobQueue } from '../job-queue.ts';
import type { CalibrationCache } from './execution.ts';

const calibrationSchema = z
  .object({
    strategies: z
      .array(
        z.object({
          scheme: z.enum(SCHEME_NAMES),
          strategy: z.string(),
          policy: z.enum(['strict', 'weak']),
          threads: z.int(),
          candidatesPerSecond: z.number(),
          advantageBits: z.number().describe('log2 of the rate over that of fresh.'),
        }),
      )
      .readonly(),
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
      .readonly()
      .describe('For the fastest strategy that a strict policy admits.'),
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
  summary: 'Get the candidates that this server tests per second, and the times of difficulties',
  request: { query: NO_QUERY },
  responses: {
    200: jsonAnswer(calibrationSchema, 'Measured once while the server runs.'),
    202: jsonAnswer(measuringSchema, 'It is being measured, after earlier jobs; see Retry-After.'),
    ...refusals(503),
  },
});

export interface CalibrationRouteParts {
  readonly calibration: CalibrationCache;
  readonly queue: Pick<JobQueue, 'retryAfterS'>;
}

/** The route about calibration. */
export function createCalibrationRoutes({ calibration, queue }: CalibrationRouteParts) {
  return createRouter().openapi(readRoute, (c) => {
    const answer = calibration.read();
    if ('calibration' in answer) return c.json(answer.calibration, 200);
    const retryAfterS = queue.retryAfterS();
    c.header('Retry-After', String(retryAfterS));
    return c.json({ status: 'measuring' as const, now: answer.measuring, retryAfterS }, 202);
  });
}
