/**
 * @module
 * Routes for operators: whether the server accepts requests, and the metrics for Prometheus.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { refusals } from '../contract/problem.ts';
import type { Router } from '../contract/router.ts';
import { createRouter, jsonAnswer, NO_QUERY } from '../contract/router.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import { assertReady } from '../request/lifecycle.ts';
import type { Metrics } from './metrics.ts';
import { METRICS_MEDIA_TYPE } from './metrics.ts';

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tags: ['service'],
  summary: 'Check whether the server accepts requests',
  request: { query: NO_QUERY },
  responses: {
    200: jsonAnswer(z.object({ status: z.literal('ready') }), 'It does.', {
      example: { status: 'ready' },
    }),
    ...refusals(503),
  },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['service'],
  summary: 'Get the metrics for Prometheus',
  description: 'The text format 0.0.4: requests, streams, jobs, elections, and the process.',
  request: { query: NO_QUERY },
  responses: {
    200: {
      description: 'One scrape.',
      content: {
        'text/plain': {
          schema: z.string(),
          example:
            '# HELP usurp_elections_kept Elections that exist.\n' +
            '# TYPE usurp_elections_kept gauge\nusurp_elections_kept 3\n',
        },
      },
    },
    ...refusals(),
  },
});

export interface Monitored {
  readonly lifecycle: Lifecycle;
  readonly metrics: Metrics;
}

export function createMonitoringRoutes({ lifecycle, metrics }: Monitored): Router {
  return createRouter()
    .openapi(readyRoute, (c) => {
      assertReady(lifecycle.phase);
      return c.json({ status: 'ready' as const }, 200);
    })
    .openapi(metricsRoute, async (c) => {
      return c.text(await metrics.text(), 200, { 'Content-Type': METRICS_MEDIA_TYPE });
    });
}
