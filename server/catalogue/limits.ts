/**
 * @module
 * Every limit of the server and of its callers, by the name that GET /v1/params gives it.
 */

import { WALKED_ACTIONS_MAX } from '../../src/experiment/checks/addressed.ts';
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from '../../src/runtime/files/json-scan.ts';
import { INBOX_EVENTS_MAX } from '../../src/simulation/run/inboxes.ts';
import { HELD_TICKS_LIMIT, LIVE_CUTS_LIMIT } from '../../src/simulation/run/intervention.ts';
import type { CallerLimits } from '../callers/caller-budgets.ts';
import { REQUESTS_AT_ONCE_MAX } from '../callers/caller-budgets.ts';
import { STREAM_NODES_MAX, STREAMS_MAX } from '../callers/stream-budget.ts';
import { CLUSTER_EVENTS_MAX } from '../clusters/cluster-feed.ts';
import { CLUSTERS_KEPT_MAX, CLUSTERS_MAX, LIVE_NODES_MAX } from '../clusters/clusters.ts';
import { CLUSTER_ACTIONS_QUEUED_MAX, CLUSTER_IDLE_SECONDS } from '../clusters/live-cluster.ts';
import { NODES_PER_CLUSTER_MAX } from '../clusters/request.ts';
import { BODY_BYTES_MAX, SIGN_IN_BYTES_MAX } from '../contract/json-body.ts';
import { LATENCY_TICKS_MAX } from '../contract/members.ts';
import { EVENTS_PER_ADVANCE_MAX } from '../elections/live/action.ts';
import { EARNED_WORK_MAX, NEWCOMERS_MAX } from '../elections/live/joining.ts';
import { MESSAGE_BYTES_MAX } from '../elections/live/outside-message.ts';
import { NODES_MAX, REAL_KEYS_NODES_MAX } from '../elections/live/plan.ts';
import { IN_FLIGHT_MAX, MESSAGES_MAX, SIGNED_NODES_MAX } from '../elections/live/request.ts';
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
import { ATTACKS_KEPT_MAX } from '../jobs/attacks/attack.ts';
import { CHECKS_KEPT_MAX, COUNTEREXAMPLE_CHARACTERS_MAX } from '../jobs/checks/check.ts';
import { ADDRESS_MAX } from '../jobs/checks/worlds.ts';
import { DEFENCE_COMPARISONS_KEPT_MAX } from '../jobs/comparisons/defences.ts';
import { PROTOCOL_COMPARISONS_KEPT_MAX } from '../jobs/comparisons/protocols.ts';
import { COMPARED_ELECTIONS_MAX } from '../jobs/comparisons/protocols-request.ts';
import { FORGERIES_KEPT_MAX } from '../jobs/forgeries/forgery.ts';
import {
  FORGERY_AGAINST_MAX,
  FORGERY_IDENTITIES_MAX,
  FORGERY_SECONDS_MAX,
  FORGERY_STOCK_MAX,
} from '../jobs/forgeries/request.ts';
import {
  JOB_TURN_SECONDS,
  JOBS_BEGUN_MAX,
  JOBS_QUEUED_MAX,
  JOBS_QUEUED_PER_CALLER_MAX,
} from '../jobs/job-queue.ts';
import { JOB_SECONDS_MAX } from '../jobs/job-store.ts';
import { JOB_WAIT_SECONDS_MAX } from '../jobs/job-wait.ts';
import { MATRICES_KEPT_MAX } from '../jobs/matrices/matrix.ts';
import { OPERATION_JOBS_KEPT_MAX } from '../jobs/operations/operation-job.ts';
import { RUNS_KEPT_MAX, RUNS_PER_REQUEST_MAX } from '../jobs/run.ts';
import { SWEEP_CELLS_PER_REQUEST_MAX, SWEEP_ROWS_PER_REQUEST_MAX } from '../jobs/sweeps/request.ts';
import { SWEEP_BYTES_KEPT_MAX, SWEEPS_KEPT_MAX } from '../jobs/sweeps/sweep.ts';
import { CONNECTIONS_MAX } from '../socket/connection-limit.ts';
import { AHEAD_MAX } from '../socket/connection-turns.ts';

/** The limits of the server, by the names in the documentation. */
export const LIMITS = {
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
  runsPerRequest: RUNS_PER_REQUEST_MAX,
  runsKept: RUNS_KEPT_MAX,
  jobsQueued: JOBS_QUEUED_MAX,
  jobsQueuedPerCaller: JOBS_QUEUED_PER_CALLER_MAX,
  jobsBegun: JOBS_BEGUN_MAX,
  jobTurnSeconds: JOB_TURN_SECONDS,
  jobSeconds: JOB_SECONDS_MAX,
  jobWaitSeconds: JOB_WAIT_SECONDS_MAX,
  forgeryWallSeconds: FORGERY_SECONDS_MAX,
  forgeryIdentities: FORGERY_IDENTITIES_MAX,
  forgeryAgainst: FORGERY_AGAINST_MAX,
  forgeryStockpile: FORGERY_STOCK_MAX,
  forgeriesKept: FORGERIES_KEPT_MAX,
  sweepCells: SWEEP_CELLS_PER_REQUEST_MAX,
  sweepRows: SWEEP_ROWS_PER_REQUEST_MAX,
  sweepsKept: SWEEPS_KEPT_MAX,
  sweepBytesKept: SWEEP_BYTES_KEPT_MAX,
  operationJobsKept: OPERATION_JOBS_KEPT_MAX,
  attacksKept: ATTACKS_KEPT_MAX,
  matricesKept: MATRICES_KEPT_MAX,
  worldAddress: ADDRESS_MAX,
  worldActions: WALKED_ACTIONS_MAX,
  checksKept: CHECKS_KEPT_MAX,
  counterexampleCharactersKept: COUNTEREXAMPLE_CHARACTERS_MAX,
  comparedElections: COMPARED_ELECTIONS_MAX,
  clusters: CLUSTERS_MAX,
  nodesPerCluster: NODES_PER_CLUSTER_MAX,
  nodesOfAllClusters: LIVE_NODES_MAX,
  actionsQueuedPerCluster: CLUSTER_ACTIONS_QUEUED_MAX,
  clusterIdleSeconds: CLUSTER_IDLE_SECONDS,
  eventsPerCluster: CLUSTER_EVENTS_MAX,
  clustersKept: CLUSTERS_KEPT_MAX,
  protocolComparisonsKept: PROTOCOL_COMPARISONS_KEPT_MAX,
  defenceComparisonsKept: DEFENCE_COMPARISONS_KEPT_MAX,
};

/** The limits of each caller, by their names. */
export function callerLimits(limits: CallerLimits): Readonly<Record<string, number>> {
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
