/**
 * @module
 * Submissions and their limits: evaluations at the same time, solutions, bodies that grade themselves, data of other
 * students, and what remains after a restart.
 */

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from 'vitest';

import { Course } from '../../../server/exercises/course.ts';
import { openLogs } from '../../../server/lab.ts';
import type { Exercise } from '../../../src/exercise/document.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import { scratchFolder } from '../../cli/shell.ts';
import type { Answer } from '../lab-under-test.ts';
import { principalOf } from '../principals.ts';
import { bearer, classUnderTest, EXERCISES, SECRET } from './class.ts';

const WRONG = { type: 'number', number: 1 };
const LIMIT = 5;

const countOf = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

function givenTo(student: string, name: string) {
  const exercise = EXERCISES.find((each) => each.name === name);
  if (exercise === undefined) throw new Error(`no exercise ${name}`);
  return createInstance(exercise, { secret: SECRET, student }).goal.given;
}

/** The expectation for predict-cost. */
function costFor(student: string): number {
  const { c1, c2, identities } = givenTo(student, 'predict-cost');
  return Number(identities) * (2 ** Number(c1) + 2 ** Number(c2));
}

const solutionFor = (student: string) => ({ type: 'number', number: costFor(student) });

describe('submissions', () => {
  it.each([10, 100])('of %i at once are evaluated up to the limit', async (requests) => {
    const { submit, get } = classUnderTest();

    const answers = await Promise.all(
      Array.from({ length: requests }, () => submit('student-0', 'predict-cost', WRONG)),
    );

    expect(countOf(answers, 200)).toBe(LIMIT);
    expect(countOf(answers, 429)).toBe(requests - LIMIT);
    const { json } = await get('student-0', '/v1/exercises/predict-cost/submissions');
    expect(json.items).toHaveLength(LIMIT);
  });

  it.each([10, 100])(
    'of %i solutions at once make one solution and one score',
    async (requests) => {
      const { submit, get } = classUnderTest();
      const solution = solutionFor('student-0');

      const answers = await Promise.all(
        Array.from({ length: requests }, () => submit('student-0', 'predict-cost', solution)),
      );

      const statuses = answers
        .filter(({ status }) => status === 200)
        .map(({ json }) => json.status);
      expect(statuses[0]).toBe('correct');
      expect(new Set(statuses.slice(1))).toEqual(new Set(['already_solved']));
      expect(statuses.length + countOf(answers, 429)).toBe(requests);
      const { json } = await get('student-0', '/v1/exercises/predict-cost/submissions');
      expect(json.items).toHaveLength(1);
      expect((await submit('student-0', 'predict-cost', WRONG)).json).toMatchObject({
        status: 'already_solved',
        score: 20,
      });
    },
  );

  it('are evaluated again after the time of the limit', async () => {
    const clock = { ms: 0 };
    const { submit } = classUnderTest({ wallMs: () => clock.ms });
    for (let sent = 0; sent < LIMIT; sent += 1) await submit('student-0', 'predict-cost', WRONG);

    clock.ms = 3_600_000 - 1;
    const early = await submit('student-0', 'predict-cost', WRONG);
    clock.ms = 3_600_000;
    const later = await submit('student-0', 'predict-cost', WRONG);

    expect(early.json).toMatchObject({ code: 'limit.submissions', retryAfterS: 1 });
    expect(later.json).toMatchObject({ status: 'incorrect', submissionsLeft: LIMIT - 1 });
  });

  it.each([
    { ...WRONG, score: 10 },
    { ...WRONG, result: 'correct' },
    { ...WRONG, trace: [] },
    { ...WRONG, findings: [{ met: true }] },
    { ...WRONG, created: '2020-01-01T00:00:00.000Z' },
    { type: 'ring', ring: ['0'.repeat(64)] },
    { type: 'number', number: '1e9' },
    { type: 'toString' },
    [],
  ])('as %j are refused and take no evaluation', async (body) => {
    const { submit } = classUnderTest();

    const { status, json } = await submit('student-0', 'predict-cost', body);

    expect({ status, code: json.code }).toEqual({ status: 400, code: 'schema' });
    const { json: next } = await submit('student-0', 'predict-cost', WRONG);
    expect(next.submissionsLeft).toBe(LIMIT - 1);
  });

  it('are there after a restart, with the solution and the suspicions', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const logs = openLogs(data, () => undefined);
    const before = classUnderTest({ logs });
    await before.submit('student-0', 'predict-cost', WRONG);
    await before.submit('student-0', 'predict-cost', solutionFor('student-0'));
    const ring = givenTo('student-1', 'worst-ring').nodeIds;
    await before.submit('student-0', 'worst-ring', { type: 'ring', ring });
    logs.elections.close();

    const later = openLogs(data, () => undefined);
    const after = classUnderTest({ logs: later });

    const { json } = await after.get('student-0', '/v1/exercises/predict-cost/submissions');
    expect(json.items).toMatchObject([{ status: 'correct' }, { status: 'incorrect' }]);
    expect((await after.submit('student-0', 'predict-cost', WRONG)).json).toMatchObject({
      status: 'already_solved',
    });
    const suspicions = await after.get('teacher', '/v1/exercises/worst-ring/suspicions');
    expect(suspicions.json.items).toMatchObject([{ student: 'student-0', of: 'student-1' }]);
    later.elections.close();
  });
});

const ZEROS = '0'.repeat(128);

describe("another student's data", () => {
  it('is wrong, looks like any wrong answer, and is recorded for instructors', async () => {
    const { submit, get } = classUnderTest({ wallMs: () => 1_000 });
    const { json: list } = await get('teacher', '/v1/exercises/worst-ring/suspicions');
    const others = givenTo('student-1', 'worst-ring').nodeIds;
    const madeUp = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(64));

    const copied = await submit('student-0', 'worst-ring', { type: 'ring', ring: others });
    const invented = await submit('student-0', 'worst-ring', { type: 'ring', ring: madeUp });

    expect(list.items).toEqual([]);
    expect({ ...copied.json, id: '', submissionsLeft: 0 }).toEqual({
      ...{ ...invented.json, id: '', submissionsLeft: 0 },
      status: 'incorrect',
    });
    const { json } = await get('teacher', '/v1/exercises/worst-ring/suspicions');
    expect(json.items).toEqual([
      {
        ...{ created: new Date(1_000).toISOString(), exercise: 'worst-ring', version: 2 },
        ...{ student: 'student-0', of: 'student-1' },
      },
    ]);
    const { status, json: refusal } = await get('student-1', '/v1/exercises/worst-ring/suspicions');
    expect({ status, code: refusal.code }).toEqual({ status: 403, code: 'auth.role' });
  });

  it('is looked for in many turns of the event loop, so that others are answered meanwhile', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `student-${index}`);
    const course = new Course({ exercises: EXERCISES, tokens: { names } });
    const principal = principalOf('student-0');
    const exercise = course.get('verify-claim', principal);
    const checks = [{ claim: 'a', check: 'none' as const, measuredBits: null }];
    let turns = 0;
    const submitted = course.submit(
      exercise,
      { type: 'checks', checks },
      { principal, recordOf: () => Promise.resolve({ elections: {}, forgeries: [] }) },
    );
    let isOver = false;
    void submitted.finally(() => (isOver = true));
    for (; !isOver; turns += 1) await setImmediate();

    await expect(submitted).resolves.toMatchObject({ status: 'incorrect' });
    expect(turns).toBeGreaterThan(5);
  });

  it('of a claim or a label is recorded too', async () => {
    const { submit, get } = classUnderTest();
    const { claims } = givenTo('student-1', 'verify-claim');
    // The goal checks-of-claims gives each claim a label.
    const labels = (claims as readonly { readonly label: string }[]).map(({ label }) => label);
    const checks = labels.map((claim) => ({ claim, check: 'none', measuredBits: null }));

    const { json } = await submit('student-0', 'verify-claim', { type: 'checks', checks });

    expect(json.status).toBe('incorrect');
    const { json: list } = await get('teacher', '/v1/exercises/verify-claim/suspicions');
    expect(list.items).toMatchObject([{ student: 'student-0', of: 'student-1' }]);
  });

  it.each([
    ['alone', 0, () => []],
    ['after an own one', 1, (own: readonly object[]) => own],
    ['after a damaged one', 1, (own: readonly object[]) => [{ ...own[0], signature: ZEROS }]],
  ])('of several claims is recorded too, %s', async (_name, count, before) => {
    const { submit, instance, get } = classUnderTest();
    const scripts = new URL('../../../exercises/eclipse-successors/claims.js', import.meta.url);
    const { claimsWith } = await import(scripts.href);
    const claimsOf = async (name: string, wanted: number) =>
      claimsWith((await instance(name, 'eclipse-successors')).json, wanted, () => true);
    const own = before(await claimsOf('student-0', count));
    const claims = [...own, ...(await claimsOf('student-1', 2))];

    const { json } = await submit('student-0', 'eclipse-successors', { type: 'claims', claims });

    expect(json).toMatchObject({ status: 'incorrect', points: 0 });
    const { json: list } = await get('teacher', '/v1/exercises/eclipse-successors/suspicions');
    expect(list.items).toMatchObject([{ student: 'student-0', of: 'student-1' }]);
  });

  it('cannot be seen in the submissions of another student', async () => {
    const { submit, get } = classUnderTest();
    await submit('student-0', 'predict-cost', WRONG);

    const { json } = await get('student-1', '/v1/exercises/predict-cost/submissions');

    expect(json.items).toEqual([]);
  });
});

describe("a student's own data of another exercise", () => {
  it('is wrong, and the finding names that exercise; it is no suspicion', async () => {
    const { submit, instance, get } = classUnderTest();
    const { json } = await instance('student-0', 'eclipse-successors');
    const scripts = new URL('../../../exercises/eclipse-successors/claims.js', import.meta.url);
    const { claimsWith } = await import(scripts.href);
    const claims = claimsWith(json, 8, () => true);

    const other = await submit('student-0', 'break-xor-puzzle', { type: 'claims', claims });

    const { findings, status } = other.json as { status: string; findings: { detail: string }[] };
    expect(status).not.toBe('correct');
    expect(findings.map(({ detail }) => detail).join()).toContain(
      'the submission has data of your instance of eclipse-successors',
    );
    const { json: list } = await get('teacher', '/v1/exercises/break-xor-puzzle/suspicions');
    expect(list.items).toEqual([]);
  });

  it('of another kind is refused with the kind that is needed, and takes no evaluation', async () => {
    const { submit } = classUnderTest();
    const ring = givenTo('student-0', 'worst-ring').nodeIds;

    const { json } = await submit('student-0', 'predict-cost', { type: 'ring', ring });

    expect(json).toMatchObject({
      code: 'schema',
      errors: [{ pointer: '#/type', detail: 'must be number for this exercise' }],
    });
  });
});

describe('closed endpoints', () => {
  it('refuse the context of an instance, for its student and for others', async () => {
    const { post, instance } = classUnderTest();
    const { json } = await instance('student-0', 'mine-claim');
    const policy = json.policy;

    for (const name of ['student-0', 'student-1', 'teacher']) {
      const answer = await post('/v1/forgeries', { policy }, bearer(name));
      expect(answer.json, name).toMatchObject({ status: 403, code: 'exercise.closed' });
    }
  });

  it('refuse to verify the claims of an instance', async () => {
    const { post, instance } = classUnderTest();
    const { json } = await instance('student-0', 'verify-claim');
    const given = json.given as ReturnType<typeof givenTo>;
    const [first] = given.claims as readonly { readonly claim: object }[];

    const question = { claim: first?.claim, policy: json.policy };
    const answer = await post('/v1/identities/verify', question, bearer('student-0'));

    expect(answer.json).toMatchObject({ status: 403, code: 'exercise.closed' });
  });

  it('refuse to say in any other way which check a claim of an instance fails', async () => {
    const { post, instance, submit } = classUnderTest();
    const { json } = await instance('student-0', 'verify-claim');
    const { claims } = json.given as { claims: { claim: { nodeId: string } }[] };
    const own = json.policy as { context: string };
    const closed = { status: 403, code: 'exercise.closed' };
    const by = bearer('student-0');
    const join = async (policy: object, claim: unknown) => {
      const body = { protocol: 'bully-2phase', nodes: 3, newcomers: 1, honest: 'drawn', policy };
      const { status, json: made } = await post('/v1/elections', body, by);
      expect(status, JSON.stringify(made)).toBe(201);
      return (await post(`/v1/elections/${made.id}/nodes`, { claim }, by)).json;
    };
    const open = { ...own, context: '' };
    const foreign = { ...claims[0]?.claim, nodeId: '00'.repeat(32), publicKey: '00'.repeat(32) };

    for (const { claim } of claims) {
      const question = { claim, policy: open, all: true };
      expect(await join(own, claim)).toMatchObject(closed);
      expect(await join(open, claim)).toMatchObject(closed);
      expect((await post('/v1/identities/verify', question, by)).json).toMatchObject(closed);
      const single = await submit('student-0', 'mine-claim', { type: 'claim', claim });
      expect(single.json).toMatchObject(closed);
      const list = { type: 'claims', claims: [claim] };
      expect((await submit('student-0', 'break-xor-puzzle', list)).json).toMatchObject(closed);
    }
    expect(await join(own, foreign)).toMatchObject(closed);
    expect(await join(open, foreign)).toMatchObject({ status: 422, check: 'nodeId' });
  });

  it('refuse to act on an election of an instance and to copy it, but not to its instructor', async () => {
    const exercises = EXERCISES.map((exercise): Exercise => {
      const closed = ['actions', 'copies'] as const;
      return { ...exercise, setUp: { ...exercise.setUp, closed: [...closed] } };
    });
    const { post, instance } = classUnderTest({ exercises });
    const { json } = await instance('student-0', 'fence-zombie');
    const path = (json.elections as Readonly<Record<string, string>>).lease;

    const act = (name: string) => post(`${path}/actions`, { type: 'start' }, bearer(name));
    const fork = await post(`${path}/fork`, {}, bearer('student-0'));

    expect((await act('student-0')).json).toMatchObject({ status: 403, code: 'exercise.closed' });
    expect(fork.json).toMatchObject({ status: 403, code: 'exercise.closed' });
    expect((await act('student-1')).status).toBe(404);
    expect((await act('teacher')).status).toBe(200);
  });
});

describe('instances', () => {
  it.each([10, 100])('of %i requests at once are the same, with one election', async (requests) => {
    const { instance, get } = classUnderTest();

    const answers = await Promise.all(
      Array.from({ length: requests }, () => instance('student-0', 'fence-zombie')),
    );

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { json } = await get('student-0', '/v1/elections');
    expect(json.items).toHaveLength(1);
  });

  it('of two students share no data', async () => {
    const { instance } = classUnderTest();
    const textOf = async (name: string) => (await instance(name, 'verify-claim')).text;

    const [one, other] = await Promise.all([textOf('student-0'), textOf('student-1')]);
    const hexIn = (text: string): readonly string[] => text.match(/[0-9a-f]{20,}/g) ?? [];

    expect(hexIn(one).length).toBeGreaterThan(10);
    expect(hexIn(one).filter((hex) => hexIn(other).includes(hex))).toEqual([]);
  });

  it('belong to one local student on a server without tokens', async () => {
    const { call, post } = classUnderTest({ isOpen: true });

    const { status } = await call('POST', '/v1/exercises/predict-cost/instances');
    const { json } = await post('/v1/exercises/predict-cost/submissions', solutionFor('local'));

    expect({ status, graded: json.status }).toEqual({ status: 200, graded: 'correct' });
  });
});

describe('exercises', () => {
  it('can be read without a token, without solutions and hints', async () => {
    const { call } = classUnderTest();

    const { status, text } = await call('GET', '/v1/exercises/count-messages');
    const list = await call('GET', '/v1/exercises');

    expect({ status, list: list.status }).toEqual({ status: 200, list: 200 });
    expect(text).toContain('How many nodes take part');
    expect(text).not.toContain('The crashed node receives nothing');
    expect(text).not.toMatch(/"goal"|"content"/);
  });

  it('need a student for instances and submissions', async () => {
    const { call, post } = classUnderTest();

    const instance = await call('POST', '/v1/exercises/count-messages/instances');
    const submission = await post('/v1/exercises/count-messages/submissions', WRONG);

    expect([instance.status, submission.status]).toEqual([401, 401]);
  });

  it('that do not exist are not found', async () => {
    const { submit, instance } = classUnderTest();

    expect((await instance('student-0', 'nothing')).status).toBe(404);
    expect((await submit('student-0', 'nothing', WRONG)).status).toBe(404);
  });
});
