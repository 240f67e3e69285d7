/**
 * @module
 * How instructors run a class: grades, extensions, resets and regrades, each with its maker and its time, statistics, join
 * codes, and changes of the file of the class.
 */

import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { CallerBudgets } from '../../../server/callers/caller-budgets.ts';
import { openLogs } from '../../../server/lab.ts';
import { LabError } from '../../../src/errors.ts';
import { parseClass } from '../../../src/exercise/reading.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { EXERCISES } from './class.ts';
import { CLASS, costFor, DEADLINE_MS, DURING_MS, joinedClass } from './joined-class.ts';

const WRONG = { type: 'number', number: 1 };
const GRADE = { type: 'grade', student: 'bob', exercise: 'predict-cost' };
const EXTENSION = { ...GRADE, type: 'extension' };

type Joined = Awaited<ReturnType<typeof joinedClass>>;

/** The assignment of a student for predict-cost, which is the first one of the class. */
async function assignmentOf({ get }: Joined, student: string) {
  const { json } = await get(student, '/v1/class');
  const { exercises, score } = json as { exercises: { score: number }[]; score: number };
  return { ...exercises[0], total: score };
}

describe('a grade', () => {
  it('replaces the points of submissions, and is recorded with maker and time', async () => {
    const joined = await joinedClass();
    await joined.submit('bob', 'predict-cost', WRONG);

    const made = await joined.decide({ ...GRADE, points: 15, comment: 'The derivation is right.' });

    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      ...{ number: 1, type: 'grade', student: 'bob', points: 15, undone: null },
      made: { by: 'eve', at: new Date(DURING_MS).toISOString() },
    });
    expect(await assignmentOf(joined, 'bob')).toMatchObject({
      ...{ total: 15, score: 15, isManual: true, comment: 'The derivation is right.' },
    });
    expect(await assignmentOf(joined, 'cem')).toMatchObject({
      ...{ score: 0, isManual: false, comment: null, deadlineComment: null },
    });
    expect((await joined.get('eve', '/v1/class/decisions?student=bob')).json).toMatchObject({
      items: [{ number: 1 }],
    });
    expect((await joined.get('eve', '/v1/class/decisions?student=cem')).json.items).toEqual([]);
  });

  it('is taken back by an undo, once, and by null', async () => {
    const joined = await joinedClass();
    await joined.solve('bob');
    await joined.decide({ ...GRADE, points: 5 });

    const undone = await joined.ask('eve', 'POST', '/v1/class/decisions/1/undo');
    const twice = await joined.ask('eve', 'POST', '/v1/class/decisions/1/undo');
    const after = await assignmentOf(joined, 'bob');
    await joined.decide({ ...GRADE, points: 5 });
    await joined.decide({ ...GRADE, points: null });

    expect(undone.json).toMatchObject({ undone: { by: 'eve' } });
    expect(twice.json).toMatchObject({ status: 409, code: 'class.conflict' });
    expect(after).toMatchObject({ score: 20, isManual: false });
    expect(await assignmentOf(joined, 'bob')).toMatchObject({ score: 20, isManual: false });
  });

  it('is not seen on a scoreboard that was frozen before', async () => {
    const { decide, get, clock } = await joinedClass();
    clock.ms = Date.parse('2026-10-09T00:00Z');
    await decide({ ...GRADE, points: 15 });

    const seen = await get('ann', '/v1/class/scoreboard');
    const all = await get('eve', '/v1/class/scoreboard');

    expect(seen.json).toMatchObject({ items: [{ points: 0 }, { points: 0 }, { points: 0 }] });
    expect(all.json).toMatchObject({ items: [{ student: 'bob', points: 15 }, {}, {}] });
  });

  it.each([
    ['too many points', { ...GRADE, points: 21 }, 400],
    ['negative points', { ...GRADE, points: -1 }, 400],
    ['a control character', { ...GRADE, points: 1, comment: 'a\u0007' }, 400],
    ['an unknown student', { ...GRADE, student: 'zoe', points: 1 }, 404],
    ['an instructor', { ...GRADE, student: 'eve', points: 1 }, 404],
    ['an unknown exercise', { ...GRADE, exercise: 'none', points: 1 }, 404],
    ['no points', GRADE, 400],
  ])('with %s is refused', async (_what, request, status) => {
    const { decide, get } = await joinedClass();

    expect((await decide(request)).status).toBe(status);
    expect((await get('eve', '/v1/class/decisions')).json.items).toEqual([]);
  });

  it('and a reset of an instructor are of no work', async () => {
    const { ask } = await joinedClass();
    const reset = await ask('eve', 'DELETE', '/v1/class/progress/eve/predict-cost');

    expect(reset.json).toMatchObject({ status: 404, detail: 'eve is no student' });
  });

  it('is not for students to set or to list', async () => {
    const { decide, get, ask } = await joinedClass();
    const answers = [
      await decide({ ...GRADE, points: 20 }, 'bob'),
      await get('bob', '/v1/class/decisions'),
      await get('bob', '/v1/class/statistics'),
      await ask('bob', 'POST', '/v1/class/decisions/1/undo'),
      await ask('bob', 'POST', '/v1/class/join-codes'),
      await ask('bob', 'POST', '/v1/class/reload'),
    ];

    expect(answers.map(({ json }) => json.code)).toEqual(answers.map(() => 'auth.role'));
  });
});

describe('an extension', () => {
  it('moves the deadline of one student, and an undo moves it back', async () => {
    const joined = await joinedClass();
    const { submit, ask, clock } = joined;
    clock.ms = DEADLINE_MS + 3_600_000;
    const before = await submit('bob', 'predict-cost', WRONG);

    const deadline = '2026-10-11T00:00Z';
    const given = await joined.decide({ ...EXTENSION, deadline, comment: 'ill until Tuesday' });
    const seen = await assignmentOf(joined, 'bob');
    const extended = await submit('bob', 'predict-cost', WRONG);
    const other = await submit('cem', 'predict-cost', WRONG);
    await ask('eve', 'POST', '/v1/class/decisions/1/undo');
    const after = await submit('bob', 'predict-cost', WRONG);

    expect(given.json).toMatchObject({ deadline: '2026-10-11T00:00:00.000Z', points: null });
    expect(seen).toMatchObject({ deadlineComment: 'ill until Tuesday', comment: null });
    expect([before, extended, other, after].map(({ status }) => status)).toEqual([
      409, 200, 409, 409,
    ]);
  });

  it('is refused with a time that cannot be read or is not later, or without a deadline to extend', async () => {
    const { decide, get } = await joinedClass();

    const malformed = await decide({ ...EXTENSION, deadline: 'tomorrow' });
    const without = await decide({
      ...{ ...EXTENSION, exercise: 'count-messages' },
      deadline: '2026-10-11T00:00Z',
    });

    const earlier = await decide({ ...EXTENSION, deadline: '2026-10-01T00:00Z' });
    const mistyped = await decide({ ...EXTENSION, deadline: '2062-10-11T00:00Z' });
    const none = await decide({ ...EXTENSION, deadline: null });
    const decisions = await get('eve', '/v1/class/decisions');

    expect(earlier.json.detail).toMatch(/must be later than the deadline 2026-10-\d\d/);
    expect(mistyped.json.detail).toMatch(
      /must be at most a year later than now and the deadline 2026/,
    );
    expect(none.json.detail).toContain('bob has no extension of predict-cost');
    expect(decisions.json.items).toEqual([]);
    expect(malformed.json).toMatchObject({ code: 'schema', errors: [{ pointer: '#/deadline' }] });
    expect(without.json).toMatchObject({ code: 'schema', errors: [{ pointer: '#/deadline' }] });
  });
});

describe('a reset', () => {
  it('is undone with submissions, hints and the time of the start, beside later work', async () => {
    const joined = await joinedClass();
    const { ask, submit, solve, clock, course, get } = joined;
    await ask('bob', 'POST', '/v1/exercises/predict-cost/instances');
    await ask('bob', 'POST', '/v1/exercises/predict-cost/hints/1');
    clock.ms += 60_000;
    await submit('bob', 'predict-cost', WRONG);
    await solve('bob');
    const before = await assignmentOf(joined, 'bob');

    const reset = await ask('eve', 'DELETE', '/v1/class/progress/bob/predict-cost');
    const empty = await assignmentOf(joined, 'bob');
    clock.ms += 60_000;
    await submit('bob', 'predict-cost', { type: 'number', number: 2 });
    const undone = await ask('eve', 'POST', '/v1/class/decisions/1/undo');
    const statistics = await get('eve', '/v1/class/statistics');

    expect(reset.status).toBe(204);
    expect(empty).toMatchObject({ score: 0, status: 'untouched', hintsTaken: [] });
    expect(undone.json).toMatchObject({ type: 'reset', submissions: 2, undone: { by: 'eve' } });
    expect(await assignmentOf(joined, 'bob')).toMatchObject({
      ...{ score: before.total, status: 'solved', hintsTaken: [1] },
    });
    const version = EXERCISES.find(({ name }) => name === 'predict-cost')?.version ?? 0;
    const work = { student: 'bob', exercise: 'predict-cost', version };
    expect(course.submissions.list(work).map(({ status }) => status)).toEqual([
      ...['incorrect', 'correct', 'incorrect'],
    ]);
    expect(statistics.json.items).toMatchObject([{ solved: 1, seconds: { median: 60 } }, {}, {}]);
  });

  it('and its undo are in the data file', async () => {
    const data = join(scratchFolder(), 'lab.db');
    const first = openLogs(data, () => undefined);
    const { solve, ask, decide, elections } = await joinedClass({ logs: first });
    await solve('bob');
    await ask('eve', 'DELETE', '/v1/class/progress/bob/predict-cost');
    await solve('bob');
    await ask('eve', 'POST', '/v1/class/decisions/1/undo');
    await decide({ ...GRADE, student: 'cem', points: 7 });
    elections.close();

    const second = openLogs(data, () => undefined);
    const { course } = await joinedClass({ logs: second });

    const exercise = course.exercises.find(({ name }) => name === 'predict-cost');
    const scoreOf = (student: string) => exercise && course.scoreOf(exercise, student);
    expect(scoreOf('bob')).toMatchObject({ points: 20, isManual: false });
    expect(scoreOf('cem')).toMatchObject({ points: 7, isManual: true });
    expect(course.decisions.list()).toMatchObject([
      { number: 1, undone: { by: 'eve' }, ruling: { type: 'reset' } },
      { number: 2, made: { by: 'eve' }, undone: null },
    ]);
  });
});

describe('a regrade', () => {
  /** The class after its points for predict-cost were changed. */
  const changedTo = async (points: number) => {
    const changed = CLASS.replace('name: predict-cost,', `name: predict-cost, points: ${points},`);
    return {
      document: parseClass(changed, 'class.yaml', EXERCISES),
      exercises: EXERCISES,
    };
  };

  it('grades all submissions by the exercise as it is now, and says whose points changed', async () => {
    const joined = await joinedClass({ readClass: () => changedTo(40) });
    await joined.solve('bob');
    await joined.submit('cem', 'predict-cost', WRONG);

    await joined.ask('eve', 'POST', '/v1/class/reload');
    const before = await assignmentOf(joined, 'bob');
    const regraded = await joined.decide({ type: 'regrade', exercise: 'predict-cost' });

    expect(before).toMatchObject({ points: 40, score: 20 });
    expect(regraded.json).toMatchObject({
      ...{ type: 'regrade', student: null, submissions: 2 },
      changes: [{ student: 'bob', before: 20, after: 40 }],
    });
    expect(await assignmentOf(joined, 'bob')).toMatchObject({ score: 40 });
    const undo = await joined.ask('eve', 'POST', '/v1/class/decisions/1/undo');
    expect(undo.json).toMatchObject({ code: 'class.conflict' });
  });

  /** The exercises with another tolerance of predict-cost, which is 0.2. */
  const tolerating = (tolerance: number) =>
    EXERCISES.map((exercise) => {
      const isIt = exercise.name === 'predict-cost';
      return isIt ? { ...exercise, goal: { ...exercise.goal, tolerance } } : exercise;
    });

  it.each([
    ['right', 0.5, 1.4, [0, 20], 'correct'],
    ['wrong', 0.05, 1.1, [20, 0], 'incorrect'],
  ] as const)('of a changed goal makes an answer %s, also in the data file', async (...row) => {
    const [, tolerance, factor, [before, after], status] = row;
    const data = join(scratchFolder(), 'lab.db');
    const joined = await joinedClass({ logs: openLogs(data, () => undefined) });
    const { course, submit, decide, get, elections } = joined;
    await submit('bob', 'predict-cost', { type: 'number', number: factor * costFor('bob') });
    course.update(tolerating(tolerance));

    const { json } = await decide({ type: 'regrade', exercise: 'predict-cost', student: 'bob' });
    const again = await submit('bob', 'predict-cost', { type: 'number', number: costFor('bob') });
    const feed = await get('eve', '/v1/class/scoreboard');
    elections.close();
    const second = await joinedClass({ logs: openLogs(data, () => undefined) });

    expect(json).toMatchObject({ student: 'bob', changes: [{ student: 'bob', before, after }] });
    expect(again.json.status).toBe(status === 'correct' ? 'already_solved' : 'correct');
    expect(feed.json).toMatchObject({ items: [{ student: 'bob', points: 20, solved: 1 }, {}, {}] });
    const version = EXERCISES.find(({ name }) => name === 'predict-cost')?.version ?? 0;
    const kept = second.course.submissions.list({
      student: 'bob',
      exercise: 'predict-cost',
      version,
    });
    expect(kept[0]).toMatchObject({ status });
  });

  it('takes no time of the elections of the instructor', async () => {
    const { decide, submit } = await joinedClass();
    await submit('bob', 'predict-cost', WRONG);
    const charge = vi.spyOn(CallerBudgets.prototype, 'chargeElectionTime');
    const chargesFor = async (request: object) => {
      charge.mockClear();
      expect((await decide(request)).status).toBe(201);
      return charge.mock.calls.filter(([caller]) => caller === 'eve').length;
    };

    const ofGrade = await chargesFor({ ...GRADE, points: 1 });
    const ofRegrade = await chargesFor({ type: 'regrade', exercise: 'predict-cost' });
    charge.mockRestore();

    expect(ofRegrade).toBe(ofGrade);
  });

  it('keeps the findings of a goal about elections, which have gone on', async () => {
    const { decide, course, get, clock } = await joinedClass({ text: ELECTIONS });
    clock.ms = Date.parse('2026-10-06T12:00Z');
    const exercise = course.exercises.find(({ name }) => name === 'swallow-ring');
    if (exercise === undefined) throw new Error('no exercise');
    const { goal } = course.instanceFor(exercise, 'bob');
    const version = exercise.version;
    const findings = goal.criteria.map(({ criterion }) => {
      return { criterion, met: true, points: 1, detail: '' };
    });
    const work = { student: 'bob', exercise: 'swallow-ring', version };
    await course.submissions.evaluate(
      work,
      { evaluated: 1, per: 1, inAll: null },
      {
        submission: { type: 'elections' },
        grade: async () => ({ points: exercise.points, passed: true, findings }),
        owners: async () => [],
      },
    );

    const { json } = await decide({ type: 'regrade', exercise: 'swallow-ring' });

    expect(json).toMatchObject({ submissions: 1, changes: [] });
    expect((await get('bob', '/v1/class')).json).toMatchObject({ score: exercise.points });
  });
});

const ELECTIONS = CLASS.replace('name: count-messages', 'name: swallow-ring');

describe('the statistics of an exercise', () => {
  it('have attempts, time, hints and common wrong answers', async () => {
    const { ask, submit, solve, get, clock } = await joinedClass();
    for (const name of ['ann', 'bob', 'cem']) {
      await ask(name, 'POST', '/v1/exercises/predict-cost/instances');
    }
    clock.ms += 10_000;
    await submit('ann', 'predict-cost', WRONG);
    await submit('ann', 'predict-cost', WRONG);
    await submit('bob', 'predict-cost', WRONG);
    await ask('bob', 'POST', '/v1/exercises/predict-cost/hints/1');
    clock.ms += 20_000;
    await solve('bob');

    const { json } = await get('eve', '/v1/class/statistics');

    expect(json.items).toMatchObject([
      {
        ...{ exercise: 'predict-cost', students: 3, started: 3, tried: 2, solved: 1 },
        attempts: { median: 2, most: 2 },
        seconds: { median: 30 },
        hints: [{ number: 1, students: 1 }],
        missing: [{ students: 2, submissions: 3 }],
        wrongAnswers: [{ answer: '{"number":1}', students: 2 }],
      },
      { exercise: 'count-messages', attempts: null, seconds: null },
      { exercise: 'worst-ring' },
    ]);
  });
});

describe('the file of the class', () => {
  it('is read again without a restart: members, deadlines and codes follow it', async () => {
    const text = CLASS.replace(
      '  - { name: bob }\n',
      '  - { name: dan, email: dan@example.org }\n',
    );
    const { ask, get, post, clock, submit } = await joinedClass({
      readClass: async () => ({
        document: parseClass(
          text.replace('deadline: 2026-10-10T00:00Z, ext', 'deadline: 2026-10-20T00:00Z, ext'),
          'class.yaml',
          EXERCISES,
        ),
        exercises: EXERCISES,
      }),
    });
    clock.ms = DEADLINE_MS + 1;
    const late = await submit('cem', 'predict-cost', WRONG);

    const { json } = await ask('eve', 'POST', '/v1/class/reload');
    const [issued] = json.codes as { name: string; email: string; code: string }[];
    const former = await get('bob', '/v1/class');
    const joined = await post('/v1/sessions', { type: 'classCode', code: issued?.code });
    const again = await submit('cem', 'predict-cost', WRONG);

    expect(json).toMatchObject({
      ...{ added: ['dan'], removed: ['bob'], changed: [], codes: [{ name: 'dan' }] },
    });
    expect(former.status).toBe(401);
    expect(joined.json).toMatchObject({ name: 'dan', role: 'student' });
    expect([late.status, again.status]).toEqual([409, 200]);
  });

  it('with a fault is refused, and the class stays as it was', async () => {
    const { ask, get } = await joinedClass({
      readClass: () => Promise.reject(new LabError('document', 'class.yaml:3:1: students …')),
    });

    const { json } = await ask('eve', 'POST', '/v1/class/reload');

    expect(json).toMatchObject({ status: 409, code: 'class.conflict' });
    expect(json.detail).toContain('class.yaml:3:1');
    expect((await get('bob', '/v1/class')).status).toBe(200);
  });

  it('that is none cannot be read again', async () => {
    const { ask } = await joinedClass();

    expect((await ask('eve', 'POST', '/v1/class/reload')).json.code).toBe('class.conflict');
  });
});

it('new codes are given to all who have not joined, and to no others', async () => {
  const { ask, classroom, get, post } = await joinedClass();
  classroom.renew('bob', null);

  const { json } = await ask('eve', 'POST', '/v1/class/join-codes');
  const codes = json.items as { name: string; code: string }[];
  const joined = await post('/v1/sessions', { type: 'classCode', code: codes[0]?.code });

  expect(codes.map(({ name }) => name)).toEqual(['bob']);
  expect(joined.json).toMatchObject({ name: 'bob' });
  expect((await get('ann', '/v1/class')).status).toBe(200);
});
