/**
 * @module
 * Random sequences of requests by two callers, compared with a model: elections are created, advanced,
 * copied and deleted, and jobs wait, run, are cancelled and end, in any order and several at the same time.
 * Objects of one caller do not exist for the other.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LabError } from '../../src/errors.ts';
import type { Caller, Kind, Model, ModelJob, Real } from './fuzz/sequence-lab.ts';
import { ask, BODIES, CALLERS, KINDS, makeReal, TOKENS } from './fuzz/sequence-lab.ts';
import type { Answer } from './lab-under-test.ts';

type Step = fc.AsyncCommand<Model, Real>;

const ACTIONS: readonly object[] = [
  { type: 'start' },
  { type: 'advance', until: 'idle' },
  { type: 'advance', until: 'idle', events: 2 },
  { type: 'suspect', rank: 3, by: [1] },
];

/** More than the default number of queued jobs would be refused, which another test covers. */
const JOBS_MAX = 3;

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const isOver = ({ status }: ModelJob) => ['done', 'failed', 'cancelled'].includes(status);

/** A step on one of several objects, which is skipped if there are none. */
function step(
  name: string,
  isPossible: (model: Readonly<Model>) => boolean,
  take: (model: Model, real: Real) => Promise<void>,
): Step {
  return {
    check: isPossible,
    toString: () => name,
    async run(model, real) {
      await take(model, real);
      await settle();
      await expectJobs(model, real);
      expect(real.lab.faults).toEqual([]);
    },
  };
}

/** Every job has the status of the model. A queued one may have started if none was running. */
async function expectJobs(model: Model, real: Real): Promise<void> {
  for (const job of model.jobs) {
    const { json } = await ask(real, job.owner, 'GET', `/v1/jobs/${job.id}`);
    const hasBegun = job.status === 'queued' && json.status === 'running';
    const isFree = !model.jobs.some(
      ({ status }) => status === 'running' || status === 'cancelling',
    );
    if (hasBegun && isFree) job.status = 'running';
    expect(json.status, `${job.kind} ${job.id}`).toBe(job.status);
  }
  const isExecuting = model.jobs.some(({ status }) => /running|cancelling/.test(status));
  expect(real.executing).toHaveLength(isExecuting ? 1 : 0);
  expect(isExecuting || !model.jobs.some(({ status }) => status === 'queued')).toBe(true);
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('"items" expected one at least, got none');
  return item;
}

const create = (caller: Caller): Step =>
  step(
    `${caller} makes an election`,
    () => true,
    async (model, real) => {
      const body = { protocol: 'bully-oneshot', nodes: 3, seed: '1' };

      const answer = await ask(real, caller, 'POST', '/v1/elections', body);

      expect(answer.status).toBe(201);
      const id = String(answer.json.id);
      model.elections.push({ id, owner: caller, isDeleted: false });
    },
  );

const hasElections = ({ elections }: Readonly<Model>) => elections.length > 0;

/** Reading, advancing, copying and deleting find the existing objects of the caller and no others. */
const touch = (caller: Caller, index: number, how: string, path: string, body?: object): Step =>
  step(`${caller}: ${how} ${path} of election ${index}`, hasElections, async (model, real) => {
    const election = pick(model.elections, index);
    const isThere = !election.isDeleted && election.owner === caller;

    const answer = await ask(real, caller, how, `/v1/elections/${election.id}${path}`, body);

    expect(answer.status === 404, `${answer.status}`).toBe(!isThere);
    if (!isThere) return;
    if (how === 'DELETE') election.isDeleted = true;
    if (path === '/fork') {
      const id = String(answer.json.id);
      expect(answer.status).toBe(201);
      model.elections.push({ id, owner: caller, isDeleted: false });
    }
    if (how === 'GET' && path === '') {
      expect(answer.json).toMatchObject({ id: election.id });
    }
  });

/** Simultaneous actions and a deletion: each is carried out or answered 404. */
const rush = (caller: Caller, index: number, deletes: boolean): Step =>
  step(
    `${caller} rushes election ${index}, deletes: ${deletes}`,
    hasElections,
    async (model, real) => {
      const election = pick(model.elections, index);
      const isThere = !election.isDeleted && election.owner === caller;
      const path = `/v1/elections/${election.id}`;

      const answers = await Promise.all([
        ...ACTIONS.map((action) => ask(real, caller, 'POST', `${path}/actions`, action)),
        ...(deletes ? [ask(real, caller, 'DELETE', path), ask(real, caller, 'DELETE', path)] : []),
      ]);

      const statuses = answers.map(({ status }) => status);
      if (!isThere) {
        expect(new Set(statuses)).toEqual(new Set([404]));
        return;
      }
      const [first, second] = statuses.slice(ACTIONS.length);
      // While an action is being carried out, an election stays.
      const isDeleted = statuses.slice(ACTIONS.length).includes(204);
      if (deletes)
        expect([
          [204, 404],
          [409, 409],
          [204, 409],
        ]).toContainEqual([first, second].toSorted());
      election.isDeleted = isDeleted;
      for (const status of statuses.slice(0, ACTIONS.length)) {
        expect(deletes ? [200, 400, 404, 409] : [200, 400, 409]).toContain(status);
      }
    },
  );

const submit = (caller: Caller, kind: Kind): Step =>
  step(
    `${caller} submits to ${kind}`,
    ({ jobs }) => jobs.filter((job) => !isOver(job)).length < JOBS_MAX,
    async (model, real) => {
      const answer = await ask(real, caller, 'POST', `/v1/${kind}`, BODIES[kind]);

      expect(answer.status).toBe(202);
      const isFree = model.jobs.every(isOver);
      const status = isFree ? 'running' : 'queued';
      model.jobs.push({ id: String(answer.json.id), owner: caller, kind, status });
    },
  );

/** Streams are closed as soon as they begin. */
const listen = (caller: Caller, index: number, path: string): Step =>
  step(`${caller} reads ${path} of election ${index}`, hasElections, async (model, real) => {
    const election = pick(model.elections, index);
    const headers = { Authorization: `Bearer ${TOKENS[caller]}` };

    const { status, body } = await real.lab.app.request(`/v1/elections/${election.id}${path}`, {
      headers,
    });
    await body?.cancel();

    const isThere = !election.isDeleted && election.owner === caller;
    expect(status).toBe(isThere ? 200 : 404);
    expect(real.lab.elections.streams.open).toBe(0);
  });

const hasJobs = ({ jobs }: Readonly<Model>) => jobs.length > 0;
const executes = ({ jobs }: Readonly<Model>) =>
  jobs.some(({ status }) => /running|cancelling/.test(status));

/** Sends several cancels at the same time, while the job may end by itself. */
const cancel = (caller: Caller, index: number, times: number, endsMeanwhile: boolean): Step =>
  step(
    `${caller} cancels job ${index} ${times} times, ends meanwhile: ${endsMeanwhile}`,
    hasJobs,
    async (model, real) => {
      const job = pick(model.jobs, index);
      const before = job.status;

      const asked = Array.from({ length: times }, () =>
        ask(real, caller, 'POST', `/v1/jobs/${job.id}/cancel`),
      );
      if (endsMeanwhile) real.executing[0]?.resolve();
      const answers = await Promise.all(asked);
      await settle();
      const { json } = await ask(real, job.owner, 'GET', `/v1/jobs/${job.id}`);

      const statuses = answers.map(({ status }) => status);
      if (endsMeanwhile) endExecuting(model, job.owner === caller ? job : null);
      if (job.owner !== caller) {
        expect(new Set(statuses)).toEqual(new Set([404]));
        return;
      }
      expect(statuses).toEqual(expectedOf(before, String(json.status), statuses));
      if (!isOver({ ...job, status: before })) job.status = statusIn(json);
      expect(AFTER_CANCEL[before]).toContain(job.status);
    },
  );

/** Possible statuses of a job after it was cancelled. */
const AFTER_CANCEL: Readonly<Record<ModelJob['status'], readonly ModelJob['status'][]>> = {
  // It may have started when the job before it ended.
  queued: ['cancelled', 'cancelling'],
  running: ['cancelling', 'cancelled', 'done'],
  cancelling: ['cancelling', 'cancelled'],
  cancelled: ['cancelled'],
  done: ['done'],
  failed: ['failed'],
};

/** The answers to cancels for a job with these statuses before and after. */
function expectedOf(before: string, after: string, statuses: readonly number[]): number[] {
  if (before === 'done' || before === 'failed') return statuses.map(() => 409);
  // The job ended before the cancels, so there is nothing to cancel.
  return statuses.map(() => (after === 'done' ? 409 : 200));
}

/** The model of the running job, which ends by itself. The race checks its own job. */
function endExecuting(model: Model, raced: ModelJob | null): void {
  const job = model.jobs.find(({ status }) => /running|cancelling/.test(status));
  if (job === undefined || job === raced) return;
  job.status = job.status === 'running' ? 'done' : 'cancelled';
}

function statusIn(json: Answer['json']): ModelJob['status'] {
  const { status } = json;
  if (typeof status !== 'string' || !(status in AFTER_CANCEL)) {
    throw new TypeError(`"status" expected one of a job, got ${JSON.stringify(status)}`);
  }
  return status as ModelJob['status']; // It is one of the names above.
}

const end = (how: 'done' | 'failed'): Step =>
  step(`what executes is ${how}`, executes, async (model, real) => {
    const job = model.jobs.find(({ status }) => /running|cancelling/.test(status));
    const first = real.executing[0];

    if (how === 'done') first?.resolve();
    else first?.reject(new LabError('document', 'staged to fail'));

    if (job === undefined) return;
    const ended = how === 'done' ? 'done' : 'failed';
    job.status = job.status === 'cancelling' ? 'cancelled' : ended;
  });

/** Removes a job that is over; one that is not over stays. */
const remove = (caller: Caller, index: number): Step =>
  step(`${caller} removes job ${index}`, hasJobs, async (model, real) => {
    const job = pick(model.jobs, index);

    const { status } = await ask(real, caller, 'DELETE', `/v1/jobs/${job.id}`);

    const expected = isOver(job) ? 204 : 409;
    expect(status).toBe(job.owner === caller ? expected : 404);
    if (status !== 204) return;
    model.jobs.splice(model.jobs.indexOf(job), 1);
    expect((await ask(real, caller, 'DELETE', `/v1/jobs/${job.id}`)).status).toBe(404);
  });

const LISTS = {
  elections: '/v1/elections?',
  forgeries: '/v1/jobs?kind=mine&',
  sweeps: '/v1/jobs?kind=sweep&',
} as const;

/** Lists contain the objects of the model for this caller, in order, with pages of any size. */
const list = (caller: Caller, what: 'elections' | 'forgeries' | 'sweeps', size: number): Step =>
  step(
    `${caller} lists ${what} by ${size}`,
    () => true,
    async (model, real) => {
      const ids: unknown[] = [];
      let token: unknown = null;
      do {
        const query: string = token === null ? '' : `&pageToken=${token}`;
        const path = `${LISTS[what]}pageSize=${size}${query}`;
        const { json } = await ask(real, caller, 'GET', path);
        ids.push(...(json.items as { id: string }[]).map(({ id }) => id)); // By the schema.
        token = json.nextPageToken;
      } while (token !== null);

      const own =
        what === 'elections'
          ? model.elections.filter(({ isDeleted }) => !isDeleted)
          : model.jobs.filter(({ kind }) => kind === what);
      const expected = own.filter(({ owner }) => owner === caller).map(({ id }) => id);
      expect(ids).toEqual(expected.toSorted());
    },
  );

const caller = fc.constantFrom(...CALLERS);
const index = fc.nat(30);
const reading = fc.constantFrom('', '/messages', '/nodes');
const streaming = fc.constantFrom('/events', '/trace');

const STEPS = [
  caller.map(create),
  fc.tuple(caller, index, reading).map(([who, which, path]) => touch(who, which, 'GET', path)),
  fc.tuple(caller, index, streaming).map(([who, which, path]) => listen(who, which, path)),
  fc
    .tuple(caller, index, fc.constantFrom(...ACTIONS))
    .map(([who, which, action]) => touch(who, which, 'POST', '/actions', action)),
  fc.tuple(caller, index).map(([who, which]) => touch(who, which, 'POST', '/fork', {})),
  fc.tuple(caller, index).map(([who, which]) => touch(who, which, 'DELETE', '')),
  fc.tuple(caller, index, fc.boolean()).map(([who, which, deletes]) => rush(who, which, deletes)),
  fc.tuple(caller, fc.constantFrom(...KINDS)).map(([who, kind]) => submit(who, kind)),
  fc
    .tuple(caller, index, fc.integer({ min: 1, max: 3 }), fc.boolean())
    .map(([who, which, times, ends]) => cancel(who, which, times, ends)),
  fc.tuple(caller, index).map(([who, which]) => remove(who, which)),
  fc.constantFrom('done' as const, 'failed' as const).map(end),
  fc
    .tuple(caller, fc.constantFrom('elections', 'forgeries', 'sweeps'), fc.constantFrom(1, 2, 100))
    .map(([who, what, size]) => list(who, what, size)),
];

const RUNS = Number(process.env.SEQUENCES ?? 12);

describe('sequences of requests', () => {
  it('give the answers that a model predicts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.commands<Model, Real, false>(STEPS, { maxCommands: 40 }),
        async (steps) => {
          await fc.asyncModelRun(
            () => ({ model: { elections: [], jobs: [] }, real: makeReal() }),
            steps,
          );
        },
      ),
      { seed: Number(process.env.FUZZ_SEED ?? 8), numRuns: RUNS },
    );
  });
});
