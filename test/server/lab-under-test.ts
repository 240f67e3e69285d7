/**
 * @module
 * The API with fakes, and a way to call it that checks every answer: its status and its headers are documented
 * for the operation, a refusal is a complete problem document, and no answer reveals internals of the server.
 */

import { expect } from 'vitest';

import { createApp } from '../../server/app.ts';
import type { CallerLimits } from '../../server/callers/caller-budgets.ts';
import { CallerBudgets, NO_LIMITS } from '../../server/callers/caller-budgets.ts';
import { Sessions } from '../../server/callers/sessions.ts';
import type { TokenHolders } from '../../server/callers/tokens.ts';
import { ClaimChecks } from '../../server/claims/claim-checks.ts';
import type { Clusters } from '../../server/clusters/clusters.ts';
import { openApiDocuments } from '../../server/contract/openapi/document.ts';
import type { OpenApiDocument } from '../../server/contract/openapi/shape.ts';
import { instanceOf } from '../../server/contract/problem.ts';
import { SharedElections } from '../../server/elections/sharing/shared-elections.ts';
import { ElectionStore } from '../../server/elections/storage/store.ts';
import { Course } from '../../server/exercises/course.ts';
import type { ReadClass } from '../../server/exercises/desk-routes.ts';
import { AnswerStore } from '../../server/idempotency/answer-store.ts';
import { meteringHooks } from '../../server/jobs/forgeries/metering.ts';
import type { Executions, Jobs } from '../../server/jobs/jobs.ts';
import { createJobs } from '../../server/jobs/jobs.ts';
import { operationInThreads } from '../../server/jobs/operations/operation-job.ts';
import { SweepFolders } from '../../server/jobs/sweeps/folders.ts';
import type { LabLogs } from '../../server/lab.ts';
import { openLogs } from '../../server/lab.ts';
import type { DocumentFiles, PageFiles } from '../../server/pages/pages.ts';
import type { Phase } from '../../server/request/lifecycle.ts';
import { Lifecycle } from '../../server/request/lifecycle.ts';
import type { ServerFault } from '../../server/request/refusals.ts';
import type { Connections } from '../../server/socket/connection-limit.ts';
import { servedHosts } from '../../server/socket/listen.ts';
import type { RequestRecord } from '../../server/socket/metrics.ts';
import { ERROR_CODES } from '../../src/errors.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';
import { paperNames } from '../../src/runtime/files/papers.ts';
import { VERIFIER_HERE } from './claims/verifier-here.ts';
import { stagedClusters } from './clusters/staged-clusters.ts';
import { headerFaults } from './contract/sent-headers.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; null when there is none. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface LabUnderTest {
  readonly app: ReturnType<typeof createApp>;
  readonly elections: ElectionStore;
  readonly answers: AnswerStore;
  readonly jobs: Jobs;
  readonly faults: ServerFault[];
  readonly lifecycle: Lifecycle;
  /** Every request that is over. */
  readonly requests: RequestRecord[];
  /** Sends a request and judges the form of the answer. */
  call(method: string, path: string, init?: RequestInit): Promise<Answer>;
  /** POSTs a body as JSON; text is sent as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface LabOptions {
  /** Executes runs; by default they never end. */
  readonly execute?: Executions['operation'];
  /** Executes the other kinds of jobs. */
  readonly executions?: Partial<Executions>;
  readonly nowMs?: () => number;
  /** The clock of what expires. */
  readonly wallMs?: () => number;
  /** The accepted tokens; by default none is required. */
  readonly tokens?: TokenHolders;
  /** Limits of each caller; none by default. */
  readonly limits?: Partial<CallerLimits>;
  /** Stands for the connections of the server. */
  readonly connections?: Pick<Connections, 'isCrowded'>;
  /** Where objects are stored; by default nowhere. */
  readonly logs?: LabLogs;
  /** The files of the browser lab; none by default. */
  readonly pages?: PageFiles | null;
  readonly documentPages?: DocumentFiles | null;
  /** The exercises; by default all, with a random secret. */
  readonly course?: Course;
  /** Reads the class again; by default it is in no file. */
  readonly readClass?: ReadClass;
  /** Clusters of live nodes; by default they have no processes. */
  readonly clusters?: Clusters | null;
  /** Whether jobs may search on a device; by default they may not. */
  readonly device?: boolean;
  /** `ready` by default. */
  readonly phase?: Phase;
}

const threatModels = await readCatalogue();
const papers = await paperNames();
const exercises = await readExercises();

export function labUnderTest(options: LabOptions = {}): LabUnderTest {
  const never = () => new Promise<never>(() => {});
  const { execute = never, nowMs = () => 0, wallMs = Date.now } = options;
  const faults: ServerFault[] = [];
  const requests: RequestRecord[] = [];
  const lifecycle = new Lifecycle(options.phase ?? 'ready');
  const onFault = (fault: ServerFault) => void faults.push(fault);
  const executions: Executions = {
    sweep: never,
    // A calibration takes many seconds, and a search as long as its budget.
    operation: (request, execution) => {
      if (request.name === 'run') return execute(request, execution);
      const isLong = ['calibrate', 'advantage', 'mine'].includes(request.name);
      return isLong ? never() : operationInThreads(1)(request, execution);
    },
    ...options.executions,
  };
  const folders = new SweepFolders();
  const { logs = openLogs(null, onFault) } = options;
  const budgets = new CallerBudgets({ ...NO_LIMITS, ...options.limits }, nowMs);
  const course = options.course ?? new Course({ exercises, tokens: options.tokens ?? null });
  const jobs = createJobs(
    { concurrent: 1, budgets },
    {
      ...{ executions, folders, onFault, nowMs, wallMs, logOf: logs.jobsOf },
      forgeryHooks: meteringHooks(course),
    },
  );
  const clocks = { nowMs, wallMs };
  const sharing = new SharedElections(logs.sharing, clocks);
  const elections = new ElectionStore(logs.elections, budgets, onFault, sharing, wallMs);
  const sessions = new Sessions(logs.sessions, clocks.wallMs);
  const answers = new AnswerStore(nowMs, logs.answers);
  const admission = new ClaimChecks({ verifiers: VERIFIER_HERE, nowMs });
  const { clusters = stagedClusters({ onFault, wallMs }) } = options;
  const app = createApp({
    version: '0.0.0-test',
    policy: { ...STRICT_POLICY, c1: 2 },
    admission,
    ...{ threatModels, papers },
    elections,
    jobs,
    answers,
    servesHost: servedHosts('127.0.0.1'),
    ...{ lifecycle, assertWritable: logs.assertWritable },
    tokens: options.tokens ?? null,
    sessions,
    budgets,
    ...(options.connections !== undefined && { connections: options.connections }),
    pages: options.pages ?? null,
    documentPages: options.documentPages ?? null,
    ...{ course, clusters, device: options.device, readClass: options.readClass ?? null },
    onRequest: (record) => void requests.push(record),
    onFault,
  });
  const documented = documentedStatuses(app);
  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const response = await app.request(path, { ...init, method });
    const answer = await readAnswer(response);
    const statuses = documented(method, new URL(path, 'http://localhost').pathname);
    expect(statuses, `${method} ${path}`).toContain(answer.status);
    const sent = { method, path: new URL(path, 'http://localhost').pathname, response };
    expect(headerFaults(documentOf(app), sent)).toEqual([]);
    expectWellFormed(answer);
    return answer;
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call('POST', path, {
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { app, elections, answers, jobs, faults, lifecycle, requests, call, post };
}

/** Refusals are problem documents, answers are JSON, and every one has a request id. */
function expectWellFormed({ status, headers, text, json }: Answer): void {
  expect(headers.get('X-Request-Id')).toMatch(/^[\w=-]{1,64}$/);
  if (status < 400) return;
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  expect(json).toMatchObject({ status, instance: instanceOf(headers.get('X-Request-Id') ?? '') });
  expect(ERROR_CODES).toContain(json.code);
  expect(json.type).toBe(`/problems/${json.code}`);
  expect(json.title).toMatch(/\S/);
  expect(json.detail).toMatch(/\S/);
  expect(text).not.toMatch(/node_modules|\bat .*\.ts:|file:\/\//);
  const retryAfter = headers.get('Retry-After');
  expect(retryAfter).toBe(status === 503 || status === 429 ? String(json.retryAfterS) : null);
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = text === '' ? null : JSON.parse(text);
  return { status: response.status, headers: response.headers, text, json };
}

let kept: OpenApiDocument | null = null;

/** The OpenAPI document of the app. All apps have the same routes, so it is built once. */
export function documentOf(app: LabUnderTest['app']): OpenApiDocument {
  kept ??= openApiDocuments(app, '0.0.0').v31;
  return kept;
}

/** The statuses that the OpenAPI document lists for a call. Other paths have 404 and 405. */
function documentedStatuses(app: LabUnderTest['app']) {
  const templates = Object.entries(documentOf(app).paths).map(([path, item]) => {
    const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return [pattern, item] as const;
  });
  return (method: string, pathname: string): readonly number[] => {
    const item = templates.find(([pattern]) => pattern.test(pathname))?.[1];
    if (item === undefined) return [400, 404];
    const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()];
    return operation === undefined ? [400, 405] : Object.keys(operation.responses).map(Number);
  };
}
