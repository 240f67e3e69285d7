/**
 * @module
 * The API as one function from requests to answers; it listens nowhere (listen.ts does). The order of
 * the outer layers matters: every answer has a request id and is noted, foreign hosts are refused
 * before anything is looked up, then everybody while the server is not ready, and whatever is thrown
 * below becomes a problem document here and nowhere else.
 */

import { performance } from 'node:perf_hooks';
import type { Context } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';

import { LabError } from '../src/errors.ts';
import { algorithmRoutes } from './algorithms.ts';
import { AnswerStore } from './answer-store.ts';
import { authGate } from './auth.ts';
import { calibrationRoutes } from './calibration.ts';
import { designRoutes } from './design.ts';
import { electionRoutes } from './elections.ts';
import { forgeryRoutes } from './forgeries.ts';
import { hostGuard } from './hosts.ts';
import { identityRoutes } from './identities.ts';
import { lifecycleGate } from './lifecycle.ts';
import { metaRoutes } from './meta.ts';
import type { MetricSources } from './metrics.ts';
import { Metrics } from './metrics.ts';
import { monitoringRoutes } from './monitoring.ts';
import { addOpenApiRoutes } from './openapi.ts';
import { problemHeaders, problemOf } from './problem.ts';
import { REFERENCE_STYLE_SOURCE } from './reference.ts';
import { observeRequests } from './request-observer.ts';
import type { Router, ServerEnv } from './router.ts';
import { createRouter } from './router.ts';
import { runRoutes } from './runs.ts';
import type { Services } from './services.ts';
import { sweepRoutes } from './sweeps.ts';
import { threatModelRoutes } from './threat-models.ts';

/** The whole API over the given services. */
export function createApp(services: Services): Router {
  const app = createRouter();
  const { lifecycle } = services;
  const metrics = new Metrics(metricSources(services));
  const answers = new AnswerStore(() => performance.now());
  app.use(requestId({ limitLength: REQUEST_ID_LENGTH_MAX }));
  app.use(observeRequests(metrics, services.onRequest));
  app.use(secureHeaders(SECURE_HEADERS));
  app.use(hostGuard(services.servesHost));
  app.use(lifecycleGate(lifecycle));
  app.use(authGate(services.tokens ?? null));
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.use((c, next) => {
    c.set('answers', answers);
    return next();
  });
  app.route('/', metaRoutes(services));
  app.route('/', monitoringRoutes({ lifecycle, metrics }));
  app.route('/', identityRoutes(services));
  app.route('/', algorithmRoutes());
  app.route('/', electionRoutes(services));
  app.route('/', threatModelRoutes(services));
  app.route('/', runRoutes(services));
  app.route('/', sweepRoutes(services));
  app.route('/', forgeryRoutes(services));
  app.route('/', designRoutes());
  app.route('/', calibrationRoutes(services));
  addOpenApiRoutes(app, services.version);
  app.notFound((c) => respond(c, new LabError('not_found', 'there is nothing at this path')));
  app.onError((error, c) => {
    const response = respond(c, error);
    if (response.status === 500) services.onFault({ id: c.get('requestId'), error });
    return response;
  });
  return app;
}

function metricSources({ elections, jobs }: Services): MetricSources {
  return { electionsKept: () => elections.kept, jobs: () => jobs.counts() };
}

/** The methods come from the routes themselves. */
function onMethodNotAllowed(c: Context<ServerEnv>, methods: readonly string[]): Response {
  const allow = methods.toSorted().join(', ');
  const detail = `${c.req.method} is not a method of this path, which has ${allow}`;
  c.header('Allow', allow);
  return respond(c, new LabError('method_not_allowed', detail));
}

function respond(c: Context<ServerEnv>, error: unknown): Response {
  const problem = problemOf(error, c.get('requestId'));
  return c.body(JSON.stringify(problem), problem.status, problemHeaders(problem));
}

const REQUEST_ID_LENGTH_MAX = 64;

/** Nothing in an answer runs or loads, and no other page may embed or read it. */
const SECURE_HEADERS = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [REFERENCE_STYLE_SOURCE],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // Meant for TLS, for old browsers, or for pages with documents in them.
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};
