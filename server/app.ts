/**
 * @module
 * The API as one function from requests to answers, without a socket (listen.ts has that). The order of the
 * outer layers matters: every answer has a request id and is observed, foreign hosts are refused before
 * anything is looked up, then all requests while the server is not ready. Every error below becomes a
 * problem document here.
 */

import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { Context, MiddlewareHandler } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { secureHeaders } from 'hono/secure-headers';

import { LabError } from '../src/errors.ts';
import type { Policy } from '../src/identity/policy.ts';
import { memberFault } from '../src/operations/operation.ts';
import { authGate, identify } from './callers/auth.ts';
import type { CallerBudgets } from './callers/caller-budgets.ts';
import { noBudgets } from './callers/caller-budgets.ts';
import { callerGate } from './callers/caller-gate.ts';
import { TrustedProxies } from './callers/client-address.ts';
import { Sessions } from './callers/sessions.ts';
import type { TokenHolders } from './callers/tokens.ts';
import { createEntryRoutes } from './catalogue/entries.ts';
import { createMetaRoutes, createThreatModelRoutes, linksWithin } from './catalogue/meta.ts';
import { createProtocolRoutes } from './catalogue/protocols.ts';
import { createValidationRoutes } from './catalogue/validations.ts';
import type { Admission } from './claims/claim-checks.ts';
import { createIdentityRoutes } from './claims/identities.ts';
import { Nonces } from './claims/nonces.ts';
import type { Clusters } from './clusters/clusters.ts';
import { createClusterRoutes } from './clusters/routes.ts';
import { REFERENCE_STYLE_SOURCE } from './contract/openapi/reference.ts';
import { addOpenApiRoutes, SharedDocuments } from './contract/openapi/routes.ts';
import { problemHeaders, problemOf } from './contract/problem.ts';
import type { Router } from './contract/router.ts';
import { createRouter } from './contract/router.ts';
import { createElectionRoutes } from './elections/routes/elections.ts';
import { createSessionRoutes } from './elections/routes/sessions.ts';
import type { ElectionStore } from './elections/storage/store.ts';
import { createClassRoutes } from './exercises/class-routes.ts';
import { Course } from './exercises/course.ts';
import type { ReadClass } from './exercises/desk-routes.ts';
import { createDeskRoutes } from './exercises/desk-routes.ts';
import { createExerciseRoutes } from './exercises/routes.ts';
import { AnswerStore } from './idempotency/answer-store.ts';
import type { IdempotencyEnv } from './idempotency/idempotency.ts';
import { forgeryParser } from './jobs/forgeries/metering.ts';
import type { StoredKind, SubmittedTypes } from './jobs/job-kind.ts';
import { createJobRoutes } from './jobs/job-routes.ts';
import { submissionRouter } from './jobs/job-submission.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Catalogue } from './jobs/operations/operation-job.ts';
import { isMetered, parseOperation } from './jobs/operations/operation-job.ts';
import { createWorldRoutes } from './jobs/operations/worlds.ts';
import { parseResumableSweep } from './jobs/sweeps/resumption.ts';
import { SWEEP } from './jobs/sweeps/sweep.ts';
import type { DocumentFiles, PageFiles } from './pages/pages.ts';
import { createDocumentRoutes, createPageRoutes } from './pages/pages.ts';
import type { ServerEnv } from './request/env.ts';
import type { Lifecycle } from './request/lifecycle.ts';
import { lifecycleGate } from './request/lifecycle.ts';
import type { Principal } from './request/principal.ts';
import type { OnFault } from './request/refusals.ts';
import type { Connections } from './socket/connection-limit.ts';
import { crowdGate } from './socket/connection-limit.ts';
import type { ServesHost } from './socket/listen.ts';
import { hostGuard } from './socket/listen.ts';
import type { OnRequest } from './socket/metrics.ts';
import { createMonitoringRoutes, Metrics, observeRequests } from './socket/metrics.ts';

/** What the API needs besides its routes. The command line supplies worker threads, the tests fakes. */
export interface Services extends Catalogue {
  readonly version: string;
  /** The policy that a claim must meet if the request names none. */
  readonly policy: Policy;
  readonly admission: Admission;
  readonly elections: ElectionStore;
  readonly jobs: Jobs;
  /** The exercises of the server; none by default. */
  readonly course?: Course;
  /** Reads the class from its file again; by default it is in no file. */
  readonly readClass?: ReadClass | null;
  /** Runs clusters of live nodes; none by default. */
  readonly clusters?: Clusters | null;
  /** Whether jobs may search on a device of this machine; by default they may not. */
  readonly device?: boolean | undefined;
  readonly servesHost: ServesHost;
  /** Reverse proxies whose X-Forwarded-For counts, and that answer for any host; none by default. */
  readonly proxies?: TrustedProxies;
  readonly lifecycle: Lifecycle;
  /** Throws OverloadError `storage.unavailable` while nothing can be stored; by default it never does. */
  readonly assertWritable?: () => void;
  /** Answers to requests with an Idempotency-Key; by default they are kept in memory. */
  readonly answers?: AnswerStore;
  /** The tokens that are accepted; by default none is required. */
  readonly tokens?: TokenHolders | null;
  /** The sessions of browsers; by default they are kept in memory. */
  readonly sessions?: Sessions;
  /** The connections of the server; by default their number is not limited. */
  readonly connections?: Pick<Connections, 'isCrowded'>;
  /** Limits of each caller; none by default. */
  readonly budgets?: CallerBudgets;
  /** The files of the browser lab; by default, or if it is null, the lab is not served. */
  readonly pages?: PageFiles | null;
  /** The pages of the documents of the project; by default, or if it is null, they are not served. */
  readonly documentPages?: DocumentFiles | null;
  /** The documents of the API, which several apps may share; by default the app has its own. */
  readonly documents?: SharedDocuments | undefined;
  /** Receives every request when it is over, for a log. */
  readonly onRequest?: OnRequest;
  readonly onFault: OnFault;
}

/** The whole API over the given services. */
export function createApp(services: Services): Router {
  const app = createRouter();
  const { lifecycle, elections, jobs, connections, budgets = noBudgets() } = services;
  const { tokens = null, sessions = new Sessions() } = services;
  const { proxies = new TrustedProxies() } = services;
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
  app.use(numberRequest);
  app.use(identify(budgets, proxies));
  app.use(observeRequests(metrics, services.onRequest));
  app.use(secureHeaders(SECURE_HEADERS));
  app.use(hostGuard(services.servesHost, proxies));
  app.use(lifecycleGate(lifecycle));
  if (connections !== undefined) app.use(crowdGate(connections));
  const { course = new Course({ exercises: [] }) } = services;
  const { classroom } = course;
  const participants = elections.sharing;
  app.use(authGate({ tokens, sessions, participants, classroom, proxies }, budgets));
  app.use(callerGate(budgets));
  app.use(methodNotAllowed({ app, onMethodNotAllowed }));
  app.use(keepAnswers);
  const { assertWritable = () => undefined } = services;
  app.route('/', createMonitoringRoutes({ lifecycle, assertWritable, metrics }));
  app.route('/', createPageRoutes(services.pages ?? null));
  app.route('/', createDocumentRoutes(services.documentPages ?? null));
  app.route('/', apiRoutes({ ...services, sessions, budgets, course }));
  addOpenApiRoutes(app, services.documents ?? new SharedDocuments(services.version));
  app.notFound((c) => respond(c, new LabError('not_found', 'there is nothing at this path')));
  app.onError((error, c) => {
    const response = respond(c, error);
    if (response.status === 500) services.onFault({ id: c.get('requestId'), error });
    return response;
  });
  return app;
}

/**
 * Every route under /v1, as one chain, whose type is the type of the API for TypeScript clients
 * (api-client.ts).
 */
export function apiRoutes({
  elections,
  jobs,
  ...services
}: Services & Required<Pick<Services, 'sessions' | 'budgets' | 'course'>>) {
  const { version, policy, admission, threatModels, lifecycle, onFault, budgets } = services;
  const { tokens = null, sessions, course, clusters = null, readClass = null } = services;
  const { pages = null, documentPages = null } = services;
  const { kinds, sweeps } = jobs;
  const streaming = { lifecycle, onFault, streams: elections.streams };
  const claims = { policy, admission, course, nonces: new Nonces(() => performance.now()) };
  const signIn = { sessions, tokens, budgets, classroom: course.classroom };
  const links: Record<string, string> = {};
  type SweepBody = Parameters<typeof parseResumableSweep>[0];
  const parseSweep = offering(services, SWEEP, (body: SweepBody, principal) =>
    parseResumableSweep(body, threatModels, (id) => sweeps.get(id, principal)),
  );
  const routes = createRouter()
    .route(
      '/',
      createMetaRoutes({ version, policy, limits: budgets.limits, links, pages, documentPages }),
    )
    .route('/', createIdentityRoutes(claims))
    .route('/', createProtocolRoutes())
    .route('/', createEntryRoutes())
    .route('/', createSessionRoutes({ ...signIn, sharing: elections.sharing }))
    .route('/', createElectionRoutes({ ...claims, elections, lifecycle, onFault }))
    .route('/', createExerciseRoutes({ course, elections, lifecycle }))
    .route('/', createClassRoutes({ course, sessions, ...streaming }))
    .route('/', createDeskRoutes({ course, readClass }))
    .route('/', createClusterRoutes({ clusters, ...streaming }))
    .route('/', createThreatModelRoutes(threatModels))
    .route('/', createValidationRoutes())
    .route('/', submissionRouter(SWEEP, sweeps, parseSweep, streaming))
    .route('/', createWorldRoutes())
    .route('/', createJobRoutes({ kinds, ...streaming }));
  for (const { kind, store } of jobs.operations) {
    const parse = isMetered(kind.name)
      ? forgeryParser(policy, course)
      : (body: unknown) => parseOperation(kind.name, body, services);
    routes.route('/', submissionRouter(kind, store, offering(services, kind, parse), streaming));
  }
  Object.assign(links, offered(linksWithin(routes), { clusters, course }));
  return routes;
}

/** Reads a request that may ask for a device only if one is offered. */
function offering<Body, T extends SubmittedTypes>(
  { device = false }: Pick<Services, 'device'>,
  { deviceMember }: StoredKind<T>,
  parse: (body: Body, principal: Principal) => T['request'],
) {
  return (body: Body, principal: Principal): T['request'] => {
    const request = parse(body, principal);
    const member = deviceMember?.(request) ?? null;
    if (device || member === null) return request;
    const detail =
      'must ask for no device: this server searches on its processor; its operator can offer a device: usurp serve --device gpu';
    throw memberFault('arguments', member, detail);
  };
}

/** A client need not ask for what the server does not offer. */
function offered(
  links: Readonly<Record<string, string>>,
  { clusters, course }: { readonly clusters: Clusters | null; readonly course: Course },
): Readonly<Record<string, string>> {
  const offers = Object.entries(links).filter(([name]) => {
    if (name === 'clusters') return clusters !== null;
    return !name.startsWith('class') || course.classroom !== null;
  });
  return Object.fromEntries(offers);
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

/** Gives each request an id. That of a caller is not used, because two requests may have the same. */
const numberRequest: MiddlewareHandler<ServerEnv> = (c, next) => {
  const id = randomUUID();
  c.set('requestId', id);
  c.header('X-Request-Id', id);
  return next();
};

/** An answer runs and loads nothing, unless it states its own policy, and no other page may embed or read it. */
const SECURE_HEADERS = {
  overwrite: false,
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
