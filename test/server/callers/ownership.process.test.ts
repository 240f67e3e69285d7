/**
 * @module
 * Visibility of objects if tokens are required: every operation of the OpenAPI document, called by every
 * role about an object of one user, compared with a written table. An object that a caller may not see is
 * answered exactly like one that does not exist.
 */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TokenSet } from '../../../server/callers/tokens.ts';
import type { ElectionPlan } from '../../../server/elections/live/plan.ts';
import { EPHEMERAL_LOG } from '../../../server/elections/storage/log.ts';
import { ElectionStore } from '../../../server/elections/storage/store.ts';
import { typeNameOf } from '../../../server/jobs/operations/operation-job.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { OPERATION_NAMES } from '../../../src/operations/registry.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { allExamplesOf } from '../contract/contract-lacks.ts';
import { openElectionLog } from '../elections/opened-log.ts';
import { openCourse } from '../exercises/shown-class.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';
import { principalOf } from '../principals.ts';

const CALLERS = ['anonymous', 'reader', 'owner', 'other', 'instructor', 'operator'] as const;

type Caller = (typeof CALLERS)[number];

const TOKENS: Readonly<Record<Exclude<Caller, 'anonymous'>, string>> = {
  reader: 'reader-0123456789',
  owner: 'owner-0123456789',
  other: 'other-0123456789',
  instructor: 'instructor-0123456789',
  operator: 'operator-0123456789',
};
const tokens = new TokenSet([
  { name: 'rita', role: 'reader', token: TOKENS.reader },
  { name: 'olga', role: 'student', token: TOKENS.owner },
  { name: 'otto', role: 'student', token: TOKENS.other },
  { name: 'ida', role: 'instructor', token: TOKENS.instructor },
  { name: 'ada', role: 'operator', token: TOKENS.operator },
]);

const headersOf = (caller: Caller): Record<string, string> =>
  caller === 'anonymous' ? {} : { Authorization: `Bearer ${TOKENS[caller]}` };

/** The status for each caller, in their order. */
const OPEN = [200, 200, 200, 200, 200, 200] as const;
const LOOK = [401, 200, 200, 200, 200, 200] as const;
const OWN = [401, 404, 200, 404, 200, 200] as const;
const UNFINISHED = [401, 404, 409, 404, 409, 409] as const;
const make = (status: number) => [401, 403, status, status, status, status] as const;
const operate = (status: number) => [401, 403, 403, 403, 403, status] as const;
const act = (status: number) => [401, 403, status, 404, status, status] as const;

const TABLE: Readonly<Record<string, readonly number[]>> = {
  getIndex: OPEN,
  getApiIndex: OPEN,
  getHealth: OPEN,
  getReadiness: OPEN,
  getProblem: OPEN,
  listProblems: OPEN,
  getOpenApi: OPEN,
  getOpenApi32: OPEN,
  getReference: OPEN,
  getMetrics: operate(200),
  getParams: LOOK,
  listExercises: OPEN,
  getExercise: OPEN,
  createExerciseInstance: make(200),
  answerExercise: make(200),
  takeHint: make(200),
  getClass: make(200),
  getScoreboard: make(200),
  followClass: make(200),
  listProgress: [401, 403, 403, 403, 200, 200],
  resetExercise: [401, 403, 403, 403, 204, 204],
  renewJoinCode: [401, 403, 403, 403, 201, 201],
  renewJoinCodes: [401, 403, 403, 403, 201, 201],
  listStatistics: [401, 403, 403, 403, 200, 200],
  listDecisions: [401, 403, 403, 403, 200, 200],
  decide: [401, 403, 403, 403, 201, 201],
  // No decision has this number, and the class is in no file.
  undoDecision: [401, 403, 403, 403, 404, 404],
  reloadClass: [401, 403, 403, 403, 409, 409],
  replaceToken: [401, 403, 201, 201, 404, 404],
  exportClass: [401, 403, 403, 403, 200, 200],
  createCluster: operate(201),
  listClusters: operate(200),
  getCluster: operate(200),
  getClusterTrace: operate(200),
  actOnCluster: operate(200),
  followCluster: operate(200),
  deleteCluster: operate(200),
  // Their own.
  listSubmissions: LOOK,
  listSuspicions: [401, 403, 403, 403, 200, 200],
  listProtocols: LOOK,
  getProtocol: LOOK,
  listThreatModels: LOOK,
  getThreatModel: LOOK,
  listBehaviours: LOOK,
  getBehaviour: LOOK,
  listDefences: LOOK,
  getDefence: LOOK,
  listOperations: LOOK,
  getOperation: LOOK,
  listDetectors: LOOK,
  getDetector: LOOK,
  listNamedPolicies: LOOK,
  getNamedPolicy: LOOK,
  listTerms: LOOK,
  getTerm: LOOK,
  listScenarios: LOOK,
  getScenario: LOOK,
  listElections: LOOK,
  listJobs: LOOK,
  verifyIdentity: LOOK,
  createChallenge: make(200),
  createElection: make(201),
  submitSweep: make(202),
  ...Object.fromEntries(OPERATION_NAMES.map((name) => [`submit${typeNameOf(name)}`, make(202)])),
  getCheckedWorld: make(200),
  validateThreatModel: make(200),
  getElection: OWN,
  listMessagesInFlight: OWN,
  followElection: OWN,
  followJob: OWN,
  getElectionTrace: OWN,
  listNodes: OWN,
  // No election has this node.
  getNode: [401, 404, 404, 404, 404, 404],
  deleteElection: act(204),
  forkElection: act(201),
  actOnElection: act(200),
  joinElection: act(201),
  // The election is looked up before the node, and no caller has the token of this node.
  readInbox: [401, 404, 401, 404, 401, 401],
  writeOutbox: [401, 403, 401, 404, 401, 401],
  // Only instructors make join codes, and not for a private election. elections/sharing has the other modes.
  getElectionAccess: OWN,
  setElectionAccess: act(200),
  createJoinCode: [401, 403, 403, 403, 409, 409],
  revokeJoinCode: [401, 403, 403, 403, 204, 204],
  listParticipants: OWN,
  removeParticipant: [401, 403, 404, 404, 404, 404],
  renewParticipantToken: [401, 403, 404, 404, 404, 404],
  // The code of the example is not known.
  signIn: [401, 401, 401, 401, 401, 401],
  getSession: LOOK,
  signOut: [401, 204, 204, 204, 204, 204],
  getJob: OWN,
  getJobResult: UNFINISHED,
  cancelJob: act(200),
  // It is running.
  deleteJob: act(409),
};

const BODIES: Readonly<Record<string, object>> = {
  elections: { protocol: 'cr-join', nodes: 3 },
  runs: { threatModel: 'top-id', runs: 5, set: { work: 'sampled' } },
  sweeps: {
    threatModel: 'top-id',
    axes: { 'network.honest': [4, 8] },
    set: { work: 'sampled' },
    runs: 2,
  },
  clusters: { protocol: 'bully-oneshot' },
  forgeries: { c1: 8, attempts: 10 },
};

/** A token of no node, because the owner of the election is checked first. */
const NODE = 'ab'.repeat(32);
const NODE_TOKEN = 'a'.repeat(43);

const document = documentOf(labUnderTest().app);
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

type OperationAt = (typeof operations)[number];

/** A lab, and functions that call its operations on an object. Streams are not read. */
function guarded() {
  const lab = labUnderTest({ tokens, course: openCourse(['olga', 'otto']) });
  const send = async (method: string, path: string, caller: Caller, body?: unknown) => {
    const response = await lab.app.request(path, {
      method: method.toUpperCase(),
      headers: {
        ...headersOf(caller),
        'Node-Token': NODE_TOKEN,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response;
  };
  const made = async (kind: string, caller: Caller): Promise<string> => {
    const response = await send('post', `/v1/${kind}`, caller, BODIES[kind]);
    return (await read(response)).id;
  };
  const ask = ({ path, method, operation }: OperationAt, id: string, caller: Caller) => {
    const media = operation.requestBody?.content['application/json'];
    const [example] = media === undefined ? [] : allExamplesOf(media, document);
    const exampleOf = (name: string) => {
      const found = operation.parameters?.find((each) => 'name' in each && each.name === name);
      if (found === undefined || '$ref' in found) return '';
      return String(found.example ?? found.schema?.example ?? '');
    };
    const filled = path
      .replace('{id}', id === '' ? exampleOf('id') : id)
      .replace('{code}', 'schema')
      .replace('{node}', NODE)
      .replace('{participant}', 'p_a')
      .replace('{student}', exampleOf('student'))
      .replace('{exercise}', exampleOf('exercise'))
      .replace('{number}', exampleOf('number'))
      .replace('{name}', exampleOf('name'));
    return send(method, filled, caller, example);
  };
  return { ...lab, send, made, ask };
}

/** The parts of an answer that the tests use. */
async function read(response: Response) {
  const body: unknown = await response.json();
  return body as { readonly id: string; readonly items: readonly { readonly id: string }[] };
}

/** The body without the request id and the requested id, which differ between two answers. */
async function textOf(response: Response, id: string): Promise<string> {
  const text = await response.text();
  return text.replace(/"instance":"[^"]*"/, '').replaceAll(id, '');
}

/** The queue of jobs is short. Operations that create no job may share a lab. */
const SHARED = guarded();

/** The collection in which an object for a path is created: sweeps have results. */
function kindOf(path: string): string | null {
  const collection = /^\/v1\/(\w+)\/\{id\}/.exec(path)?.[1] ?? null;
  return collection === 'jobs' ? 'sweeps' : collection;
}

describe('every operation', () => {
  it('is in the table', () => {
    const names = operations.map(({ operation }) => operation.operationId);

    expect(names.toSorted()).toEqual(Object.keys(TABLE).toSorted());
  });

  it.each(operations.map((each) => [each.operation.operationId, each] as const))(
    '%s answers each caller as the table has it, and others as if nothing were there',
    async (operationId, operation) => {
      const kind = kindOf(operation.path);
      const lab =
        /jobs|clusters|runs|sweeps|forgeries|calibrations|advantages|attacks|checks|matrices|comparisons/.test(
          operation.path,
        )
          ? guarded()
          : SHARED;
      const missing = kind === null ? '' : `${kind.charAt(0)}_aaaaaaaaaaaaaaaa`;
      // Few clusters run at once, and students make none.
      const shared = kind === 'clusters' ? await lab.made(kind, 'operator') : null;
      const statuses: number[] = [];
      const differing: Caller[] = [];

      for (const caller of CALLERS) {
        const id = kind === null ? '' : (shared ?? (await lab.made(kind, 'owner')));
        const response = await lab.ask(operation, id, caller);
        statuses.push(response.status);
        if (response.status === 404 && (caller === 'reader' || caller === 'other')) {
          const absent = await lab.ask(operation, missing, caller);
          const texts = [await textOf(response, id), await textOf(absent, missing)];
          if (absent.status !== 404 || texts[0] !== texts[1]) differing.push(caller);
        } else {
          await response.body?.cancel();
        }
      }

      expect(statuses).toEqual(TABLE[operationId ?? '']);
      expect(differing).toEqual([]);
    },
  );
});

const LISTS: Readonly<Record<string, string>> = {
  elections: '/v1/elections',
  sweeps: '/v1/jobs?kind=sweep',
  forgeries: '/v1/jobs',
};

describe('a list', () => {
  it.each(['elections', 'sweeps', 'forgeries'])(
    'of %s has one’s own, an instructor’s has all',
    async (kind) => {
      const lab = guarded();
      const ids = [await lab.made(kind, 'owner'), await lab.made(kind, 'other')];

      const listed = [];
      for (const caller of ['reader', 'owner', 'other', 'instructor', 'operator'] as const) {
        const { items } = await read(await lab.send('get', LISTS[kind] ?? '', caller));
        listed.push(items.map(({ id }) => id).toSorted());
      }

      expect(listed).toEqual([[], [ids[0]], [ids[1]], ids.toSorted(), ids.toSorted()]);
    },
  );
});

describe('an election', () => {
  it('that is a copy belongs to the caller that made it, not to the owner of the original', async () => {
    const { made, send } = guarded();
    const origin = await made('elections', 'owner');

    const copy = await read(await send('post', `/v1/elections/${origin}/fork`, 'instructor', {}));

    expect((await send('get', `/v1/elections/${copy.id}`, 'owner')).status).toBe(404);
    expect((await send('get', `/v1/elections/${copy.id}`, 'instructor')).status).toBe(200);
  });

  it('has its owner in its plan and therefore in the file if tokens are required', async () => {
    const plans: ElectionPlan[] = [];
    const log = {
      ...EPHEMERAL_LOG,
      created: (_id: string, plan: ElectionPlan) => void plans.push(plan),
    };
    const { elections, made } = guarded();
    const { request } = elections.get(await made('elections', 'owner'), SERVER);

    await new ElectionStore(log).create(request, SERVER);

    expect(request.owner).toBe('olga');
    expect(plans).toMatchObject([{ owner: undefined }]);
  });

  it('still belongs to its owner after a restart', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const { elections, made } = guarded();
    const { request } = elections.get(await made('elections', 'owner'), SERVER);
    const before = new ElectionStore(openElectionLog(data));
    const { id } = await before.create(request, principalOf('olga'));
    before.close();

    const after = new ElectionStore(openElectionLog(data));
    after.open();
    await after.restoreAll();

    const lengths = ['olga', 'otto'].map((name) => after.list(principalOf(name)).length);
    expect(lengths).toEqual([1, 0]);
    expect(after.get(id, SERVER).request.owner).toBe('olga');
    after.close();
  });

  it('without an owner is visible to all callers', async () => {
    const { elections, made, send } = guarded();
    const { request } = elections.get(await made('elections', 'owner'), SERVER);
    const { id } = await elections.create(request, SERVER);

    const statuses = [];
    for (const caller of ['reader', 'owner', 'other'] as const) {
      statuses.push((await send('get', `/v1/elections/${id}`, caller)).status);
    }

    expect(statuses).toEqual([200, 200, 200]);
  });
});

it('the secret of a forgery is sent to its caller only, not even to an operator', async () => {
  const { made, send } = guarded();
  const id = await made('forgeries', 'owner');
  const asked = async (caller: Caller) =>
    (await send('get', `/v1/jobs/${id}/results/secret`, caller)).status;

  expect([await asked('owner'), await asked('other'), await asked('operator')]).toEqual([
    200, 404, 404,
  ]);
});

it('a server without tokens shows every object to all callers', async () => {
  const { call, post } = labUnderTest();
  const made = await post('/v1/elections', BODIES.elections);

  const listed = await call('GET', '/v1/elections');

  expect(listed.json).toMatchObject({ items: [{ id: made.json.id }] });
});
