/**
 * @module
 * This folder contains the routes that describe the server and what it offers. This file has the index, health,
 * limits, error codes and the catalogue of threat models; protocols.ts has the protocols.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { bytesToHex } from '../../src/bytes.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { ERROR_CODES, LabError } from '../../src/errors.ts';
import { WALKED_ACTIONS_MAX } from '../../src/experiment/checks/addressed.ts';
import {
  REMOTE_CELLS_MAX,
  REMOTE_ROWS_MAX,
  REMOTE_RUNS_MAX,
} from '../../src/experiment/document/limits.ts';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { threatModelSchema } from '../../src/experiment/document/threat-model.ts';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '../../src/experiment/reading/json-scan.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import type { Policy } from '../../src/identity/policy.ts';
import { policySchema } from '../../src/identity/policy.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import { EARNED_WORK_MAX } from '../../src/mining/honest-nodes.ts';
import { COMPARED_ELECTIONS_MAX } from '../../src/operations/elect/compare-protocols.ts';
import { REMOTE_MINING } from '../../src/operations/identity/members.ts';
import {
  IN_FLIGHT_MAX,
  LATENCY_TICKS_MAX,
  MESSAGES_MAX,
  NODES_MAX,
  SIGNED_NODES_MAX,
} from '../../src/simulation/request/remote-limits.ts';
import { INBOX_EVENTS_MAX } from '../../src/simulation/run/inboxes.ts';
import { HELD_TICKS_LIMIT, LIVE_CUTS_LIMIT } from '../../src/simulation/run/intervention.ts';
import type { CallerLimits } from '../callers/caller-budgets.ts';
import { NO_LIMITS, REQUESTS_AT_ONCE_MAX, SHARED_LIMITS } from '../callers/caller-budgets.ts';
import { STREAM_NODES_MAX, STREAMS_MAX } from '../callers/stream-budget.ts';
import { CLUSTER_EVENTS_MAX } from '../clusters/cluster-feed.ts';
import { CLUSTERS_KEPT_MAX, CLUSTERS_MAX, LIVE_NODES_MAX } from '../clusters/clusters.ts';
import { CLUSTER_ACTIONS_QUEUED_MAX, CLUSTER_IDLE_SECONDS } from '../clusters/live-cluster.ts';
import { NODES_PER_CLUSTER_MAX } from '../clusters/request.ts';
import { BODY_BYTES_MAX, SIGN_IN_BYTES_MAX } from '../contract/json-body.ts';

import { pageOf, pageQuerySchema, pageResponse } from '../contract/page.ts';
import { problemPage, refusals } from '../contract/problem.ts';
import type { Router } from '../contract/router.ts';
import { createRouter, jsonAnswer, routesOf } from '../contract/router.ts';
import { EVENTS_PER_ADVANCE_MAX, MESSAGE_BYTES_MAX } from '../elections/live/action.ts';
import { REAL_KEYS_NODES_MAX } from '../elections/live/plan.ts';
import { NEWCOMERS_MAX } from '../elections/live/request.ts';
import { EVENTS_PER_ELECTION_MAX } from '../elections/live/stage.ts';
import { ADVANCE_WAIT_MS_MAX, OUTSIDE_WAIT_MS_MAX } from '../elections/live/waits.ts';
import {
  ACTION_CHARACTERS_MAX,
  ACTIONS_MAX,
  ELECTIONS_MAX,
  NODES_KEPT_MAX,
} from '../elections/storage/store.ts';
import { ANSWER_HOURS } from '../idempotency/answer-log.ts';
import {
  ANSWER_BYTES_MAX,
  ANSWER_BYTES_PER_CALLER_MAX,
  ANSWERS_PER_CALLER_MAX,
} from '../idempotency/answer-store.ts';
import {
  JOB_TURN_SECONDS,
  JOBS_BEGUN_MAX,
  JOBS_QUEUED_MAX,
  JOBS_QUEUED_PER_CALLER_MAX,
} from '../jobs/job-queue.ts';
import { JOB_SECONDS_MAX } from '../jobs/job-store.ts';
import { JOB_WAIT_SECONDS_MAX } from '../jobs/job-wait.ts';
import {
  OPERATION_CHARACTERS_MAX,
  OPERATION_JOBS_KEPT_MAX,
} from '../jobs/operations/operation-job.ts';
import { ADDRESS_MAX } from '../jobs/operations/worlds.ts';
import { SWEEP_BYTES_KEPT_MAX, SWEEPS_KEPT_MAX } from '../jobs/sweeps/sweep.ts';
import type { DocumentFiles, PageFiles } from '../pages/pages.ts';
import { documentPage, indexPage, prefersPage } from '../pages/pages.ts';
import { CONNECTIONS_MAX } from '../socket/connection-limit.ts';
import { AHEAD_MAX } from '../socket/listen.ts';

const route = routesOf('service');
const experimentRoute = routesOf('experiments');

/** The limits of the server, by the names in the documentation. */
const LIMITS = {
  bodyBytes: BODY_BYTES_MAX,
  signInBodyBytes: SIGN_IN_BYTES_MAX,
  connections: CONNECTIONS_MAX,
  requestsAheadPerConnection: AHEAD_MAX,
  requestsAtOncePerToken: REQUESTS_AT_ONCE_MAX,
  idempotencyKeysPerCaller: ANSWERS_PER_CALLER_MAX,
  idempotencyBytesPerCaller: ANSWER_BYTES_PER_CALLER_MAX,
  idempotencyBytes: ANSWER_BYTES_MAX,
  idempotencyHours: ANSWER_HOURS,
  jsonDepth: JSON_DEPTH_MAX,
  jsonMembers: JSON_MEMBERS_MAX,
  elections: ELECTIONS_MAX,
  nodesOfAllElections: NODES_KEPT_MAX,
  nodesPerElection: NODES_MAX,
  messagesPerElection: MESSAGES_MAX,
  latencyTicks: LATENCY_TICKS_MAX,
  messagesInFlight: IN_FLIGHT_MAX,
  eventsPerAdvance: EVENTS_PER_ADVANCE_MAX,
  eventsPerElection: EVENTS_PER_ELECTION_MAX,
  actionsPerElection: ACTIONS_MAX,
  actionCharactersOfAllElections: ACTION_CHARACTERS_MAX,
  signedNodesPerElection: SIGNED_NODES_MAX,
  realKeyNodesPerElection: REAL_KEYS_NODES_MAX,
  newcomersPerElection: NEWCOMERS_MAX,
  earnedNodesWork: EARNED_WORK_MAX,
  outsideWaitMs: OUTSIDE_WAIT_MS_MAX,
  outsideWaitMsPerAdvance: ADVANCE_WAIT_MS_MAX,
  inboxEventsKept: INBOX_EVENTS_MAX,
  outsideMessageBytes: MESSAGE_BYTES_MAX,
  heldTicks: HELD_TICKS_LIMIT,
  partitions: LIVE_CUTS_LIMIT,
  streams: STREAMS_MAX,
  nodesOfAllStreams: STREAM_NODES_MAX,
  runsPerRequest: REMOTE_RUNS_MAX,
  runsKept: OPERATION_JOBS_KEPT_MAX,
  jobsQueued: JOBS_QUEUED_MAX,
  jobsQueuedPerCaller: JOBS_QUEUED_PER_CALLER_MAX,
  jobsBegun: JOBS_BEGUN_MAX,
  jobTurnSeconds: JOB_TURN_SECONDS,
  jobSeconds: JOB_SECONDS_MAX,
  jobWaitSeconds: JOB_WAIT_SECONDS_MAX,
  forgeryWallSeconds: REMOTE_MINING.wallSeconds,
  forgeryIdentities: REMOTE_MINING.identities,
  forgeryAgainst: REMOTE_MINING.against,
  forgeryStockpile: REMOTE_MINING.stockpile,
  sweepCells: REMOTE_CELLS_MAX,
  sweepRows: REMOTE_ROWS_MAX,
  sweepsKept: SWEEPS_KEPT_MAX,
  sweepBytesKept: SWEEP_BYTES_KEPT_MAX,
  operationJobsKept: OPERATION_JOBS_KEPT_MAX,
  operationCharactersKept: OPERATION_CHARACTERS_MAX,
  worldAddress: ADDRESS_MAX,
  worldActions: WALKED_ACTIONS_MAX,
  comparedElections: COMPARED_ELECTIONS_MAX,
  clusters: CLUSTERS_MAX,
  nodesPerCluster: NODES_PER_CLUSTER_MAX,
  nodesOfAllClusters: LIVE_NODES_MAX,
  actionsQueuedPerCluster: CLUSTER_ACTIONS_QUEUED_MAX,
  clusterIdleSeconds: CLUSTER_IDLE_SECONDS,
  eventsPerCluster: CLUSTER_EVENTS_MAX,
  clustersKept: CLUSTERS_KEPT_MAX,
};

/** The limits of each caller, by their names. */
function callerLimits(limits: CallerLimits): Readonly<Record<string, number>> {
  return {
    requestsPerSecondPerCaller: limits.requestsPerSecond,
    jobsPerCaller: limits.jobs,
    cpuSecondsPerHourPerCaller: limits.cpuSecondsPerHour,
    electionMsPerSecondPerCaller: limits.electionMsPerSecond,
    slowCheckMsPerSecondPerCaller: limits.slowCheckMsPerSecond,
    streamsPerCaller: limits.streams,
    electionBytesPerCaller: limits.storedBytes,
  };
}

/** What a person sees who opens the address in a browser. */
const INDEX = {
  name: 'usurp',
  description: 'A laboratory for leader elections under attack.',
  links: {
    api: '/v1',
    openapi: '/openapi.json',
    openapi32: '/openapi-3.2.json',
    reference: '/reference',
    docs: '/docs',
    problems: '/problems',
    health: '/healthz',
    ready: '/readyz',
    metrics: '/metrics',
  },
};

const linksSchema = z.record(z.string(), z.string());

const indexSchema = z.object({ name: z.string(), description: z.string(), links: linksSchema });

/** What a browser gets in the place of JSON. */
const PAGE = {
  'text/html': { schema: z.string(), example: '<!doctype html><title>usurp</title>' },
};

const indexRoute = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getIndex',
  tags: ['service'],
  summary: 'Get links to the API and its documents, or the browser lab',
  description: 'A browser, whose Accept prefers text/html, gets the page of the browser lab.',
  responses: {
    200: {
      description: 'Links, or the page.',
      content: {
        'application/json': { schema: indexSchema, example: INDEX },
        ...PAGE,
      },
    },
    ...refusals(),
  },
});

const apiIndexRoute = route('get', '/v1', {
  operationId: 'getApiIndex',
  summary: 'Get links to every collection of the API',
  description:
    'Collections of jobs accept POST only; GET /v1/jobs lists the jobs of every kind. A page of a collection has the entries, and each entry its `links` or its id.',
  responses: {
    200: jsonAnswer(z.object({ links: linksSchema }), 'Links to every path without an id.'),
    ...refusals(),
  },
});

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tags: ['service'],
  summary: 'Check whether the server answers',
  responses: {
    200: jsonAnswer(z.object({ status: z.literal('ok') }), 'It does.', {
      example: { status: 'ok' },
    }),
    ...refusals(),
  },
});

const paramsSchema = z
  .object({
    version: z.string(),
    policy: policySchema.describe('The policy that a claim must meet if the request names none.'),
    challenge: z.string().describe('The SHA-256 digest to which puzzles and signatures are bound.'),
    hash: z.literal('sha256'),
    schemes: z.array(z.enum(SCHEME_NAMES)),
    protocols: z.array(z.enum(PROTOCOL_NAMES)),
    limits: z.record(z.string(), z.int()).meta({
      description: 'The limits of the server and of each caller. For a caller, 0 means no limit.',
      example: { ...LIMITS, ...callerLimits(SHARED_LIMITS) },
    }),
  })
  .meta({ id: 'Params' });

const paramsRoute = route('get', '/v1/params', {
  operationId: 'getParams',
  summary: 'Get the policy and the limits of this server',
  responses: { 200: jsonAnswer(paramsSchema, 'Policy, names and limits.'), ...refusals() },
});

const CODES = [...ERROR_CODES, ...REFUSAL_CODES];

const problemSchema = z.object({
  type: z.string(),
  code: z.enum(CODES),
  status: z.int(),
  title: z.string(),
  remedy: z.string(),
  refusedRequest: z.string().describe('A refused request: method, path, body and circumstances.'),
});

const { 200: problemsAnswer } = pageResponse(
  problemSchema.meta({ id: 'ErrorCode' }),
  'A page of error codes, in the order of their names.',
);

const problemsRoute = route('get', '/problems', {
  operationId: 'listProblems',
  summary: 'List the error codes',
  description: 'A browser, whose Accept prefers text/html, gets a page with all codes.',
  query: pageQuerySchema,
  responses: {
    200: { ...problemsAnswer, content: { ...problemsAnswer.content, ...PAGE } },
    ...refusals(),
  },
});

const problemRoute = route('get', '/problems/{code}', {
  operationId: 'getProblem',
  summary: 'Explain an error code',
  description:
    'A browser, whose Accept prefers text/html, gets a page with links to the documents that name the code.',
  params: z.strictObject({ code: z.string().max(64).meta({ example: 'pow.insufficient' }) }),
  responses: {
    200: {
      description: 'The code, its status, and what to do about it.',
      content: {
        'application/json': { schema: problemSchema },
        ...PAGE,
      },
    },
    ...refusals(404),
  },
});

export interface MetaRouteParts {
  readonly version: string;
  readonly policy: Policy;
  /** Limits of each caller; none by default. */
  readonly limits?: CallerLimits | undefined;
  /** Links to every path below /v1 without an id. */
  readonly links: Readonly<Record<string, string>>;
  /** The files of the browser lab; null if it is not built. */
  readonly pages?: PageFiles | null;
  /** The pages of error codes; null if they are not built. */
  readonly documentPages?: DocumentFiles | null;
}

/** Links to the paths of a router below /v1 that contain no id, by names such as threatModels. */
export function linksWithin(router: Router): Record<string, string> {
  const paths = router.openAPIRegistry.definitions.flatMap((each) =>
    each.type === 'route' && !each.route.path.includes('{') ? [each.route.path] : [],
  );
  const below = [...new Set(paths)].filter((path) => path.startsWith(`${apiIndexRoute.path}/`));
  const nameOf = (path: string) =>
    path
      .slice(apiIndexRoute.path.length + 1)
      .replace(/[/-](.)/g, (_all, letter) => String(letter).toUpperCase());
  return Object.fromEntries([
    ['self', apiIndexRoute.path],
    ...below.map((path) => [nameOf(path), path]),
  ]);
}

/** The index, health, parameters and the explanations of error codes. */
export function createMetaRoutes(parts: MetaRouteParts) {
  const { version, policy, limits = NO_LIMITS, links, pages = null, documentPages = null } = parts;
  const params = {
    version,
    policy,
    hash: 'sha256' as const,
    challenge: bytesToHex(challengeOf(policy)),
    schemes: [...SCHEME_NAMES],
    protocols: [...PROTOCOL_NAMES],
    limits: { ...LIMITS, ...callerLimits(limits) },
  };
  return createRouter()
    .openapi({ ...indexRoute, hide: false }, (c) =>
      prefersPage(c) ? indexPage(c, pages) : c.json(INDEX, 200),
    )
    .openapi(apiIndexRoute, (c) => c.json({ links }, 200))
    .openapi(healthRoute, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(paramsRoute, (c) => c.json(params, 200))
    .openapi(problemsRoute, (c) => {
      const page = prefersPage(c) ? documentPage(c, documentPages) : null;
      const problems = CODES.toSorted().map(problemPage);
      return (
        page ??
        c.json(
          pageOf(problems, ({ code }) => code, c.req.valid('query')),
          200,
        )
      );
    })
    .openapi(problemRoute, (c) => {
      const explained = problemPage(c.req.valid('param').code);
      const page = prefersPage(c) ? documentPage(c, documentPages) : null;
      return page ?? c.json(explained, 200);
    });
}

const threatModelsRoute = experimentRoute('get', '/v1/threat-models', {
  operationId: 'listThreatModels',
  summary: 'List the catalogue of threat models',
  query: pageQuerySchema,
  responses: {
    ...pageResponse(
      threatModelSchema.meta({ id: 'ThreatModel' }),
      'A page of threat models, which are complete documents, in the order of their ids.',
    ),
    ...refusals(),
  },
});

const threatModelRoute = experimentRoute('get', '/v1/threat-models/{id}', {
  operationId: 'getThreatModel',
  summary: 'Get a threat model',
  params: z.strictObject({ id: z.string().max(64).meta({ example: 'top-id' }) }),
  responses: {
    200: jsonAnswer(threatModelSchema.meta({ id: 'ThreatModel' }), 'The complete document.'),
    ...refusals(404),
  },
});

/** The routes about threat models. */
export function createThreatModelRoutes(threatModels: readonly ThreatModel[]) {
  // Parsed again for their type: documents are readonly, the types of answers are not.
  const ordered = threatModels
    .map((model) => threatModelSchema.parse(model))
    .toSorted((left, right) => (left.id < right.id ? -1 : 1));
  return createRouter()
    .openapi(threatModelsRoute, (c) => {
      const page = pageOf(ordered, ({ id }) => id, c.req.valid('query'));
      return c.json(page, 200);
    })
    .openapi(threatModelRoute, (c) => {
      const asked = c.req.valid('param').id;
      const found = ordered.find(({ id }) => id === asked);
      if (found === undefined)
        throw new LabError('not_found', 'there is no threat model of this id');
      return c.json(found, 200);
    });
}
