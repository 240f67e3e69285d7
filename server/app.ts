/**
 * @module
 * The API as one function from requests to answers, without a socket (listen.ts has that). The order of the
 * outer layers matters: every answer has a request id and is observed, foreign hosts are refused before
 * anything is looked up, then all requests while the server is not ready. Every error below becomes a
 * problem document here.
 */

import { performance } from 'node:perf_hooks';
import type { Context, MiddlewareHandler } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';

import { LabError } from '../src/errors.ts';
import { apiRoutes } from './api.ts';
import { authGate, identify } from './callers/auth.ts';
import { noBudgets } from './callers/caller-budgets.ts';
import { callerGate } from './callers/caller-gate.ts';
import { REFERENCE_STYLE_SOURCE } from './contract/openapi/reference.ts';
import { addOpenApiRoutes } from './contract/openapi/routes.ts';
import { problemHeaders, problemOf } from './contract/problem.ts';
import type { Router } from './contract/router.ts';
import { createRouter } from './contract/router.ts';
import { AnswerStore } from './idempotency/answer-store.ts';
import type { IdempotencyEnv } from './idempotency/idempotency.ts';
import type { ServerEnv } from './request/env.ts';
import { lifecycleGate } from './request/lifecycle.ts';
import type { Services } from './services.ts';
import { crowdGate } from './socket/connection-limit.ts';
import { hostGuard } from './socket/hosts.ts';
import { Metrics } from './socket/metrics.ts';
import { createMonitoringRoutes } from './socket/monitoring.ts';
import { observeRequests } from './socket/request-observer.ts';

/** The whole API over the given services. */
export function createApp(services: Services): Router {
  const app = createRouter();
  const { lifecycle, elections, jobs, connections, budgets = noBudgets() } = services;
  const metrics = new Metrics({
    electionsKept: () => elections.kept,
    jobs: () => jobs.counts(),
    refusals: () => budgets.refusals,
  });
  const answers = services.answers ?? new AnswerStore(() => performance.now());
  const keepAnswers: MiddlewareHandler<IdempotencyEnv> = (c, next) => {
    const principal = c.get('principal');
    c.set('answers', answers);
    c.set('waits', elections.streams);
    c.set('lookUp', async (path) => {
      const host = c.req.header('Host');
      const headers = host === undefined ? {} : { Host: host };
      return app.fetch(new Request(new URL(path, c.req.url), { headers }), { ...c.env, principal });
    });
    return next();
  };
  app.use(requestId({ limitLength: REQUEST_ID_LENGTH_MAX }));
  app.use(identify(budgets));
  app.use(observeRequests(metrics, services.onRequest));
  app.use(secureHeaders(SECURE_HEADERS));
  app.use(hostGuard(services.servesHost));
  app.use(lifecycleGate(lifecycle));
  if (connections !== undefined) app.use(crowdGate(connections));
  app.use(authGate(services.tokens ?? null, budgets));
  app.use(callerGate(budgets));
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.use(keepAnswers);
  app.route('/', createMonitoringRoutes({ lifecycle, metrics }));
  app.route('/', apiRoutes(services));
  addOpenApiRoutes(app, services.version);
  app.notFound((c) => respond(c, new LabError('not_found', 'there is nothing at this path')));
  app.onError((error, c) => {
    const response = respond(c, error);
    if (response.status === 500) services.onFault({ id: c.get('requestId'), error });
    return response;
  });
  return app;
}

/** The methods come from the routes. */
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

/** An answer runs and loads nothing, and no other page may embed or read it. */
const SECURE_HEADERS = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [REFERENCE_STYLE_SOURCE],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
  // These are for TLS, for old browsers, or for pages that contain other documents.
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};
