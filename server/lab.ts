/**
 * @module
 * The whole lab on one socket. Worker threads execute one job at a time and leave one core free, so that
 * requests never wait for mining.
 */

import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

import { LabError } from '../src/errors.ts';
import type { ClassDocument } from '../src/exercise/class/class-document.ts';
import type { Exercise } from '../src/exercise/document.ts';
import type { Policy } from '../src/identity/policy.ts';
import { readCatalogue } from '../src/runtime/files/catalogue.ts';
import { readExercises } from '../src/runtime/files/exercises.ts';
import { paperNames } from '../src/runtime/files/papers.ts';
import type { Services } from './app.ts';
import { createApp } from './app.ts';
import { AddressBudgets } from './callers/address-budgets.ts';
import type { CallerLimits } from './callers/caller-budgets.ts';
import { CallerBudgets, NO_LIMITS, SHARED_LIMITS } from './callers/caller-budgets.ts';
import { TrustedProxies } from './callers/client-address.ts';
import type { SessionLog } from './callers/sessions.ts';
import { EPHEMERAL_SESSIONS, Sessions, sessionLog } from './callers/sessions.ts';
import type { TokenHolders } from './callers/tokens.ts';
import { ClaimChecks } from './claims/claim-checks.ts';
import { ClaimThreads } from './claims/claim-threads.ts';
import { Clusters } from './clusters/clusters.ts';
import { DOCUMENT_PATHS, sharedDocuments } from './contract/openapi/routes.ts';
import { SharedElections } from './elections/sharing/shared-elections.ts';
import type { SharingLog } from './elections/sharing/sharing-log.ts';
import { EPHEMERAL_SHARING, sharingLog } from './elections/sharing/sharing-log.ts';
import type { ElectionLog } from './elections/storage/log.ts';
import { EPHEMERAL_LOG, electionLog } from './elections/storage/log.ts';
import { ElectionStore } from './elections/storage/store.ts';
import type { IssuedCode } from './exercises/classroom.ts';
import { Classroom } from './exercises/classroom.ts';
import { Course } from './exercises/course.ts';
import type { CourseworkLog } from './exercises/coursework-log.ts';
import { courseworkLog, EPHEMERAL_COURSEWORK } from './exercises/coursework-log.ts';
import { Decisions } from './exercises/decisions.ts';
import type { ReadClass } from './exercises/desk-routes.ts';
import { Hints, Starts } from './exercises/hints.ts';
import { Meter } from './exercises/meter.ts';
import type { SubmissionLog } from './exercises/submission-store.ts';
import {
  EPHEMERAL_SUBMISSIONS,
  SubmissionStore,
  submissionLog,
} from './exercises/submission-store.ts';
import type { AnswerLog } from './idempotency/answer-log.ts';
import { answerLog } from './idempotency/answer-log.ts';
import { AnswerStore } from './idempotency/answer-store.ts';
import { meteringHooks } from './jobs/forgeries/metering.ts';
import type { JobLog } from './jobs/job-log.ts';
import { jobLog } from './jobs/job-log.ts';
import type { JobDependencies } from './jobs/job-store.ts';
import type { Jobs } from './jobs/jobs.ts';
import { createJobs, executeInThreads } from './jobs/jobs.ts';
import { SWEEPS_ENDING, SweepFolders } from './jobs/sweeps/folders.ts';
import { readBuiltDocuments, readBuiltPages } from './pages/pages.ts';
import { Lifecycle } from './request/lifecycle.ts';
import type { OnFault } from './request/refusals.ts';
import { Connections } from './socket/connection-limit.ts';
import type { Address, Listening } from './socket/listen.ts';
import { listen, servedHosts } from './socket/listen.ts';
import type { OnRequest } from './socket/metrics.ts';
import { processMetrics } from './socket/metrics.ts';
import type { StoreFile } from './store/store-file.ts';
import { openStore } from './store/store-file.ts';

export interface LabOptions extends Address {
  readonly version: string;
  /** The policy that a claim must meet if the request names none. */
  readonly policy: Policy;
  /** The data file; null keeps everything in memory. */
  readonly data: string | null;
  /** Ends the start early. The resulting lab must be closed. */
  readonly signal?: AbortSignal;
  /** The tokens that are accepted; by default none is required. */
  readonly tokens?: TokenHolders | null;
  /** The secret from which the instances of exercises are derived; a random one by default. */
  readonly courseSecret?: Uint8Array | undefined;
  /** The exercises; by default those that come with usurp. */
  readonly exercises?: readonly Exercise[];
  /** The class of the server; none by default. */
  readonly class?: ServedClass | undefined;
  /** Whether operators may run clusters of live nodes; by default they may not. */
  readonly clusters?: boolean;
  /** Whether jobs may search on a device of this machine; by default they may not. */
  readonly device?: boolean;
  /** Addresses of reverse proxies whose X-Forwarded-For counts; none by default. */
  readonly trustedProxies?: readonly string[];
  /** Changes of the default limits of a caller. Without tokens the default is no limits. */
  readonly limits?: Partial<CallerLimits>;
}

export interface ServedClass {
  readonly document: ClassDocument;
  /** Receives the class codes of the members who have none and no token, before they are valid. */
  readonly deliver: (codes: readonly IssuedCode[]) => Promise<void>;
  /** Reads the document and the exercises again. By default they are in no file. */
  readonly read?: ReadClass;
}

export interface Lab extends Pick<LabLogs, 'notes' | 'backup'> {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** Number of elections in the file. Each is restored when it is first requested. */
  readonly restored: number;
  /** Refuses new requests, interrupts jobs, lets the other requests finish, and stops. */
  close(): Promise<void>;
}

const NOT_BUILT =
  'the browser lab is not served: it is not built, or older than its sources, as in a copy of a clone; run npm run build:web, and start the server again';

/**
 * Starts the lab and resolves when it is ready. It listens before it restores elections, so that clients
 * can ask whether it is ready. `onFault` receives the faults of the server, `onRequest` every request when
 * it is over.
 */
export async function startLab(
  options: LabOptions,
  onFault: OnFault,
  onRequest: OnRequest = () => undefined,
): Promise<Lab> {
  const threadsEach = Math.max(1, availableParallelism() - 1);
  const nowMs = () => performance.now();
  const logs = openLogs(options.data, onFault);
  const classroom = classroomOf(options, logs);
  const tokens = classroom ?? options.tokens ?? null;
  const budgets = budgetsOf(tokens, options, nowMs);
  const course = await courseOf({ ...options, tokens }, classroom, logs);
  const jobs = jobsOf({ logs, course, budgets, onFault, nowMs, threads: threadsEach });
  const sharing = new SharedElections(logs.sharing);
  const elections = new ElectionStore(logs.elections, budgets, onFault, sharing);
  const sessions = new Sessions(logs.sessions);
  const proxies = new TrustedProxies(options.trustedProxies);
  const answers = new AnswerStore(nowMs, logs.answers);
  const admission = admissionInThreads(threadsEach, budgets);
  const clusters =
    options.clusters === true ? new Clusters({ threads: threadsEach, onFault }) : null;
  const lifecycle = new Lifecycle();
  const connections = new Connections();
  // Event-loop lag is measured from now on, not from the first scrape.
  processMetrics();
  const pages = readBuiltPages();
  const services: Services = {
    ...{ version: options.version, policy: options.policy, admission },
    ...{ threatModels: await readCatalogue(), papers: await paperNames() },
    ...{ elections, jobs, course, answers, clusters, device: options.device },
    readClass: options.class?.read ?? null,
    ...{ servesHost: servedHosts(options.host), proxies },
    ...{ lifecycle, assertWritable: logs.assertWritable },
    ...{ tokens, sessions, budgets, connections, onFault, onRequest },
    documents: sharedDocuments(options.version),
    ...{ pages, documentPages: readBuiltDocuments() },
  };
  let listening: Listening | null = null;
  const close = async () => {
    lifecycle.drain();
    await Promise.all([listening?.close(), jobs.close(), clusters?.close()]);
    // Last, because the remaining requests may wait for a verdict.
    await admission.close();
    elections.close();
  };
  try {
    const known = { tokens, sessions, participants: sharing };
    const senders = new AddressBudgets(known, budgets, proxies);
    listening = await listen(options, createApp(services), onFault, { connections, senders });
    const { url } = listening;
    answers.restore(Date.now());
    course.open();
    classroom?.open();
    await classroom?.issueCodes(options.class?.deliver ?? (async () => undefined));
    const ownNotes = [...(pages === null ? [NOT_BUILT] : []), ...courseNotes(options)];
    const notes = [...logs.notes, ...(await jobs.restore()), ...ownNotes];
    course.meter.restored();
    const restored = elections.open();
    if (options.signal?.aborted !== true) {
      await warmUp(services, url);
      lifecycle.restored();
      // Requests restore the elections that they need; the others follow.
      void elections.restoreAll();
    }
    return { url, restored, notes, backup: logs.backup, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface JobParts extends Pick<JobDependencies, 'onFault' | 'nowMs'> {
  readonly logs: LabLogs;
  readonly course: Course;
  readonly budgets: CallerBudgets;
  /** Threads of each job. */
  readonly threads: number;
}

function jobsOf({ logs, course, budgets, threads, ...clock }: JobParts): Jobs {
  const folders = new SweepFolders(logs.file);
  const executions = executeInThreads(threads, folders);
  const forgeryHooks = meteringHooks(course);
  return createJobs(
    { concurrent: 1, threads, budgets },
    { executions, folders, forgeryHooks, logOf: logs.jobsOf, ...clock },
  );
}

async function courseOf(
  options: Pick<LabOptions, 'tokens' | 'courseSecret' | 'exercises'>,
  classroom: Classroom | null,
  { submissions, coursework }: LabLogs,
): Promise<Course> {
  const { tokens = null, courseSecret: secret, exercises = await readExercises() } = options;
  return new Course({
    ...{ exercises, secret, tokens, classroom },
    submissions: new SubmissionStore(submissions),
    meter: new Meter(coursework),
    ...{ hints: new Hints(coursework), starts: new Starts(coursework) },
    decisions: new Decisions(coursework),
  });
}

function classroomOf(options: LabOptions, { coursework: log }: LabLogs): Classroom | null {
  if (options.class === undefined) return null;
  const { document } = options.class;
  return new Classroom({ document, log, operators: options.tokens ?? null });
}

/** What is lost matters to a class, and to a server that keeps data. */
function courseNotes({ tokens = null, data, courseSecret, ...others }: LabOptions): string[] {
  const isClass = others.class !== undefined;
  const isKept = isClass || tokens !== null || data !== null;
  return [
    ...(isKept && courseSecret === undefined ? [RANDOM_SECRET] : []),
    ...(isClass && data === null ? [CLASS_IN_MEMORY] : []),
  ];
}

const CLASS_IN_MEMORY =
  'tokens and points of the class are lost when the server stops; --data keeps them in a file';

const RANDOM_SECRET =
  'the instances of exercises are others after a restart, because the secret of the course is random; --course-secret keeps it in a file';

function admissionInThreads(threads: number, budgets: CallerBudgets): ClaimChecks {
  return new ClaimChecks({
    verifiers: new ClaimThreads(threads),
    // One slow puzzle at a time, so that the callers take turns.
    slowVerifiers: new ClaimThreads(1, 1),
    ...{ nowMs: () => performance.now(), budgets },
  });
}

/** Without tokens all clients belong to one user, and the limits of the server suffice. */
function budgetsOf(
  tokens: TokenHolders | null,
  { limits }: LabOptions,
  nowMs: () => number,
): CallerBudgets {
  const own = { ...(tokens === null ? NO_LIMITS : SHARED_LIMITS), ...limits };
  return new CallerBudgets(own, nowMs, tokens?.makers);
}

/**
 * Creates, runs and reads an election, and reads the documents of the API, with an app of its own, which shares no
 * state with the server's. V8 compiles code and zod its schemas when they are first used, so that the first
 * election takes ten times as long as a later one. The page is created for the server's own URL.
 */
async function warmUp(services: Services, url: string): Promise<void> {
  const { version, policy, admission, threatModels, papers, jobs, onFault, documents } = services;
  const elections = new ElectionStore(EPHEMERAL_LOG);
  const lifecycle = new Lifecycle('ready');
  const servesHost = () => true;
  const app = createApp({
    ...{ version, policy, admission, threatModels, papers, jobs, onFault },
    ...{ elections, lifecycle, servesHost, documents },
  });
  const post = (path: string, body: object) =>
    app.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const created = await post('/v1/elections', { protocol: 'bully-oneshot', nodes: 50, seed: '1' });
  const election = created.headers.get('Location');
  if (election !== null) {
    await post(`${election}/actions`, { type: 'start' });
    await post(`${election}/actions`, { type: 'advance', until: 'idle' });
    await app.request(election);
  }
  for (const path of DOCUMENT_PATHS) await app.request(url + path);
  elections.close();
}

/** The logs of a lab: one data file for all of them, or nothing. */
export interface LabLogs {
  readonly elections: ElectionLog;
  readonly sharing: SharingLog;
  readonly sessions: SessionLog;
  readonly submissions: SubmissionLog;
  readonly coursework: CourseworkLog;
  readonly answers: AnswerLog | null;
  /** The log of a kind of job, by its noun. */
  readonly jobsOf: (noun: string) => JobLog | null;
  /** The data file; null keeps nothing. */
  readonly file: Pick<StoreFile, 'path' | 'id'> | null;
  /** Throws OverloadError `storage.unavailable` while the file cannot be written. */
  assertWritable(): void;
  /** What the operator should know about the file. */
  readonly notes: readonly string[];
  /** Copies the file to `<file>.backup`; resolves to that name. */
  backup(): Promise<string>;
}

/** Opens the data file as `openStore` does; null keeps nothing. The file closes with the elections. */
export function openLogs(data: string | null, onFault: OnFault): LabLogs {
  if (data === null) return EPHEMERAL;
  const file = openStore(data, {
    onFault: (error) => onFault({ id: 'store', error }),
    folderEnding: SWEEPS_ENDING,
  });
  const answers = answerLog(file);
  const target = `${data}.backup`;
  return {
    ...{ answers, file },
    assertWritable: () => file.assertWritable(),
    elections: electionLog(file, answers),
    sharing: sharingLog(file, answers),
    sessions: sessionLog(file),
    submissions: submissionLog(file),
    coursework: courseworkLog(file),
    jobsOf: (kind) => jobLog(file, answers, kind),
    notes: file.notes,
    backup: async () => {
      await file.backup(target);
      return target;
    },
  };
}

const EPHEMERAL: LabLogs = {
  elections: EPHEMERAL_LOG,
  sharing: EPHEMERAL_SHARING,
  sessions: EPHEMERAL_SESSIONS,
  submissions: EPHEMERAL_SUBMISSIONS,
  coursework: EPHEMERAL_COURSEWORK,
  answers: null,
  jobsOf: () => null,
  file: null,
  assertWritable: () => undefined,
  notes: [],
  backup: () =>
    Promise.reject(new LabError('arguments', 'without --data there is nothing to copy')),
};
