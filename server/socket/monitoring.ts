/**
 * @module
 * Routes for whoever runs the server: whether to send requests here, and what Prometheus collects.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { refusals } from '../contract/problem-schema.ts';
import type { Router } from '../contract/router.ts';
import { createRouter, NO_QUERY } from '../contract/router.ts';
import type { Lifecycle } from '../request/lifecycle.ts';
import { assertReady } from '../request/lifecycle.ts';
import type { Metrics } from './metrics.ts';
import { METRICS_MEDIA_TYPE } from './metrics.ts';

const readyRoute = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tags: ['service'],
  summary: 'Whether the server takes requests',
  request: { query: NO_QUERY },
  responses: {
    200: {
      description: 'It does.',
      content: {
        'application/json': {
          schema: z.object({ status: z.literal('ready') }),
          example: { status: 'ready' },
        },
      },
    },
    ...refusals(503),
  },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['service'],
  summary: 'Counters for Prometheus',
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

/** The routes that monitors ask. */
export function monitoringRoutes({ lifecycle, metrics }: Monitored): Router {
  return createRouter()
    .openapi(readyRoute, (c) => {
      assertReady(lifecycle.phase);
      return c.json({ status: 'ready' as const }, 200);
    })
    .openapi(metricsRoute, async (c) => {
      return c.text(await metrics.text(), 200, { 'Content-Type': METRICS_MEDIA_TYPE });
    });
}
