/**
 * @module
 * This folder contains the routes that describe the server and what it offers: this file the index,
 * health, limits and error codes; the others the protocols and the threat models.
 */

import { createRoute, z } from '@hono/zod-openapi';

import { bytesToHex } from '../../src/bytes.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { REFUSAL_CODES } from '../../src/identity/admit.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import { policySchema } from '../../src/identity/policy.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '../../src/runtime/files/json-scan.ts';
import { INBOX_EVENTS_MAX } from '../../src/simulation/run/inboxes.ts';
import { HELD_TICKS_LIMIT, LIVE_CUTS_LIMIT } from '../../src/simulation/run/intervention.ts';
import type { CallerLimits } from '../callers/caller-budgets.ts';
import { noBudgets, REQUESTS_AT_ONCE_MAX, SHARED_LIMITS } from '../callers/caller-budgets.ts';
import { STREAM_NODES_MAX, STREAMS_MAX } from '../callers/stream-budget.ts';
import { BODY_BYTES_MAX } from '../contract/json-body.ts';
import { LATENCY_TICKS_MAX } from '../contract/limits.ts';
import { problemPage } from '../contract/problem-pages.ts';
import { refusals } from '../contract/problem-schema.ts';
import { createRouter, NO_QUERY } from '../contract/router.ts';
import { EVENTS_PER_ADVANCE_MAX } from '../elections/live/action.ts';
import { EARNED_WORK_MAX, NEWCOMERS_MAX } from '../elections/live/joining.ts';
import { NODES_MAX, REAL_KEYS_NODES_MAX } from '../elections/live/joining-limits.ts';
import { MESSAGE_BYTES_MAX } from '../elections/live/outside-message.ts';
import { ADVANCE_WAIT_MS_MAX, OUTSIDE_WAIT_MS_MAX } from '../elections/live/outside-wait.ts';
import { IN_FLIGHT_MAX, MESSAGES_MAX, SIGNED_NODES_MAX } from '../elections/live/request.ts';
import { EVENTS_PER_ELECTION_MAX } from '../elections/live/stage.ts';
import {
  ACTION_CHARACTERS_MAX,
  ACTIONS_MAX,
  ELECTIONS_MAX,
  NODES_KEPT_MAX,
} from '../elections/storage/store.ts';
import { ANSWER_HOURS } from '../idempotency/answer-log.ts';
import { ANSWERS_PER_CALLER_MAX } from '../idempotency/answer-store.ts';
import { FORGERIES_KEPT_MAX } from '../jobs/forgeries/execution.ts';
import {
  FORGERY_AGAINST_MAX,
  FORGERY_IDENTITIES_MAX,
  FORGERY_SECONDS_MAX,
  FORGERY_STOCK_MAX,
} from '../jobs/forgeries/request.ts';
import { JOBS_QUEUED_MAX } from '../jobs/job-queue.ts';
import { JOB_SECONDS_MAX } from '../jobs/job-store.ts';
import { RUNS_KEPT_MAX } from '../jobs/runs/execution.ts';
import { RUNS_PER_REQUEST_MAX } from '../jobs/runs/request.ts';
import { SWEEP_BYTES_KEPT_MAX, SWEEPS_KEPT_MAX } from '../jobs/sweeps/execution.ts';
import { SWEEP_CELLS_PER_REQUEST_MAX, SWEEP_ROWS_PER_REQUEST_MAX } from '../jobs/sweeps/request.ts';
import type { Services } from '../services.ts';
import { CONNECTIONS_MAX } from '../socket/connection-limit.ts';
import { AHEAD_MAX } from '../socket/connection-turns.ts';

/** What a person who opens the address in a browser should see next. */
const INDEX = {
  name: 'usurp',
  description: 'A laboratory for stolen elections.',
  links: {
    openapi: '/openapi.json',
    reference: '/reference',
    params: '/v1/params',
    protocols: '/v1/protocols',
    threatModels: '/v1/threat-models',
    health: '/healthz',
    ready: '/readyz',
    metrics: '/metrics',
  },
};

const indexRoute = createRoute({
  method: 'get',
  path: '/',
  operationId: 'getIndex',
  tags: ['service'],
  summary: 'Where everything is',
  responses: {
    200: {
      description: 'Links.',
      content: {
        'application/json': {
          schema: z.object({
            name: z.string(),
            description: z.string(),
            links: z.record(z.string(), z.string()),
          }),
          example: INDEX,
        },
      },
    },
    ...refusals(),
  },
});

const healthRoute = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tags: ['service'],
  summary: 'Whether the server answers',
  responses: {
    200: {
      description: 'It does.',
      content: {
        'application/json': {
          schema: z.object({ status: z.literal('ok') }),
          example: { status: 'ok' },
        },
      },
    },
    ...refusals(),
  },
});

/** Every limit a caller can meet, by the name the documentation uses. */
const LIMITS = {
  bodyBytes: BODY_BYTES_MAX,
  connections: CONNECTIONS_MAX,
  requestsAheadPerConnection: AHEAD_MAX,
  requestsAtOncePerToken: REQUESTS_AT_ONCE_MAX,
  idempotencyKeysPerCaller: ANSWERS_PER_CALLER_MAX,
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
  runsPerRequest: RUNS_PER_REQUEST_MAX,
  runsQueued: JOBS_QUEUED_MAX,
  runsKept: RUNS_KEPT_MAX,
  jobsQueued: JOBS_QUEUED_MAX,
  jobSeconds: JOB_SECONDS_MAX,
  forgeryWallSeconds: FORGERY_SECONDS_MAX,
  forgeryIdentities: FORGERY_IDENTITIES_MAX,
  forgeryAgainst: FORGERY_AGAINST_MAX,
  forgeryStockpile: FORGERY_STOCK_MAX,
  forgeriesKept: FORGERIES_KEPT_MAX,
  sweepCells: SWEEP_CELLS_PER_REQUEST_MAX,
  sweepRows: SWEEP_ROWS_PER_REQUEST_MAX,
  sweepsKept: SWEEPS_KEPT_MAX,
  sweepBytesKept: SWEEP_BYTES_KEPT_MAX,
};

/** Those that each caller has, by the same names for all. */
function callerLimits(limits: CallerLimits): Readonly<Record<string, number>> {
  return {
    requestsPerSecondPerCaller: limits.requestsPerSecond,
    jobsPerCaller: limits.jobs,
    cpuSecondsPerHourPerCaller: limits.cpuSecondsPerHour,
    electionMsPerSecondPerCaller: limits.electionMsPerSecond,
    streamsPerCaller: limits.streams,
    electionBytesPerCaller: limits.storedBytes,
  };
}

const paramsSchema = z
  .object({
    version: z.string(),
    policy: policySchema.meta({
      description: 'What a claim must show unless a question says else.',
    }),
    challenge: z
      .string()
      .meta({ description: 'SHA-256 that puzzles and signatures are bound to.' }),
    hash: z.literal('sha256'),
    schemes: z.array(z.enum(SCHEME_NAMES)),
    protocols: z.array(z.enum(PROTOCOL_NAMES)),
    limits: z.record(z.string(), z.int()).meta({
      description: 'Of a caller, 0 is no limit.',
      example: { ...LIMITS, ...callerLimits(SHARED_LIMITS) },
    }),
  })
  .meta({ id: 'Params' });

const paramsRoute = createRoute({
  method: 'get',
  path: '/v1/params',
  operationId: 'getParams',
  tags: ['service'],
  summary: 'What this server demands and allows',
  request: { query: NO_QUERY },
  responses: {
    200: {
      description: 'Policy, names and limits.',
      content: { 'application/json': { schema: paramsSchema } },
    },
    ...refusals(),
  },
});

const problemRoute = createRoute({
  method: 'get',
  path: '/problems/{code}',
  operationId: 'getProblem',
  tags: ['service'],
  summary: 'What an error code means',
  request: {
    params: z.strictObject({ code: z.string().max(64).meta({ example: 'pow.insufficient' }) }),
    query: NO_QUERY,
  },
  responses: {
    200: {
      description: 'The code, its status, and what to do about it.',
      content: {
        'application/json': {
          schema: z.object({
            type: z.string(),
            code: z.enum([...ERROR_CODES, ...REFUSAL_CODES]),
            status: z.int(),
            title: z.string(),
            remedy: z.string(),
          }),
        },
      },
    },
    ...refusals(404),
  },
});

/** The index, health, parameters and the pages behind problem types. */
export function metaRoutes({ version, policy, budgets = noBudgets() }: Services) {
  const params = {
    version,
    policy,
    challenge: bytesToHex(challengeOf(policy)),
    hash: 'sha256' as const,
    schemes: [...SCHEME_NAMES],
    protocols: [...PROTOCOL_NAMES],
    limits: { ...LIMITS, ...callerLimits(budgets.limits) },
  };
  return createRouter()
    .openapi(indexRoute, (c) => c.json(INDEX, 200))
    .openapi(healthRoute, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(paramsRoute, (c) => c.json(params, 200))
    .openapi(problemRoute, (c) => c.json(problemPage(c.req.valid('param').code), 200));
}
