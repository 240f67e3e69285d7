/**
 * @module
 * The API as one function from requests to answers; it listens nowhere (listen.ts does). The order of
 * the outer layers matters: every answer has a request id, foreign hosts are refused before anything
 * is looked up, and whatever is thrown below becomes a problem document here and nowhere else.
 */

import type { Context } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';

import { LabError } from '../src/errors.ts';
import { algorithmRoutes } from './algorithms.ts';
import { electionRoutes } from './elections.ts';
import { hostGuard } from './hosts.ts';
import { identityRoutes } from './identities.ts';
import { metaRoutes } from './meta.ts';
import { addOpenApiDocument } from './openapi.ts';
import { problemHeaders, problemOf } from './problem.ts';
import type { Router, ServerEnv } from './router.ts';
import { createRouter } from './router.ts';
import { runRoutes } from './runs.ts';
import type { Services } from './services.ts';
import { threatModelRoutes } from './threat-models.ts';

/** The whole API over the given services. */
export function createApp(services: Services): Router {
  const app = createRouter();
  app.use(requestId({ limitLength: REQUEST_ID_LENGTH_MAX }));
  app.use(secureHeaders(SECURE_HEADERS));
  app.use(hostGuard(services.servesHost));
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.route('/', metaRoutes(services));
  app.route('/', identityRoutes(services));
  app.route('/', algorithmRoutes());
  app.route('/', electionRoutes(services));
  app.route('/', threatModelRoutes(services));
  app.route('/', runRoutes(services));
  addOpenApiDocument(app, services.version);
  app.notFound((c) => respond(c, new LabError('not_found', 'there is nothing at this path')));
  app.onError((error, c) => {
    const response = respond(c, error);
    if (response.status === 500) services.onFault({ id: c.get('requestId'), error });
    return response;
  });
  return app;
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

/** Answers are data: nothing in them runs, and no other page may embed or read them. */
const SECURE_HEADERS = {
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
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
