/**
 * @module
 * A class on the server: what students and instructors see of it, deadlines by the clock of the server, hints, resets
 * and exports.
 */

import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { openLogs } from '../../../server/lab.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { scratchFolder } from '../../cli/shell.ts';
import type { Answer } from '../lab-under-test.ts';
import { CLASS, costFor, DEADLINE_MS, DURING_MS, joinedClass } from './joined-class.ts';

const WRONG = { type: 'number', number: 1 };
const hintOf = (exercise: string, number = 1) => `/v1/exercises/${exercise}/hints/${number}`;

/** The members of a list in an answer. */
function itemsOf({ json }: Answer): readonly Readonly<Record<string, unknown>>[] {
  return json.items as readonly Readonly<Record<string, unknown>>[];
}

describe('the class of a student', () => {
  it('has the own groups, deadlines and points', async () => {
    const { get, solve } = await joinedClass();
    await solve('ann');

    const { json } = await get('ann', '/v1/class');

    expect(json).toMatchObject({
      member: { name: 'ann', role: 'student', groups: ['a'] },
      score: 20,
      exercises: [
        { name: 'predict-cost', deadline: '2026-10-12T00:00:00.000Z', status: 'solved', score: 20 },
        { name: 'worst-ring', deadline: '2026-10-10T00:00:00.000Z', status: 'untouched' },
      ],
    });
  });

  it('names as prerequisites only exercises that it shows', async () => {
    const { get, clock } = await joinedClass();
    const requiresOf = async (name: string) =>
      (await get('ann', `/v1/exercises/${name}`)).json.requires;

    const hidden = await requiresOf('worst-ring');
    clock.ms = Date.parse('2026-10-06T00:00Z');

    expect(hidden).toEqual([]);
    expect(await requiresOf('worst-ring')).toEqual(['count-messages']);
    // The class does not have mine-claim.
    expect(await requiresOf('predict-cost')).toEqual([]);
  });

  it('has no exercise that has not opened, in no answer', async () => {
    const { get, ask, submit, call, clock } = await joinedClass();
    const hidden = 'count-messages';

    const list = await get('ann', '/v1/exercises');
    const answers = [
      await get('ann', `/v1/exercises/${hidden}`),
      await ask('ann', 'POST', `/v1/exercises/${hidden}/instances`),
      await ask('ann', 'POST', hintOf(hidden)),
      await submit('ann', hidden, WRONG),
      await call('GET', `/v1/exercises/${hidden}`),
    ];
    const missing = await get('ann', '/v1/exercises/missing');
    const seen = await get('eve', `/v1/exercises/${hidden}`);
    clock.ms = Date.parse('2026-10-06T00:00Z');
    const opened = await get('ann', `/v1/exercises/${hidden}`);

    expect(itemsOf(list).map(({ name }) => name)).not.toContain(hidden);
    for (const { status, json } of answers) {
      expect({ status, title: json.title }).toEqual({ status: 404, title: missing.json.title });
    }
    expect([seen.status, opened.status]).toEqual([200, 200]);
  });
});

describe('a deadline', () => {
  it('is kept by the clock of the server, to the millisecond', async () => {
    const { submit, clock } = await joinedClass();

    clock.ms = DEADLINE_MS;
    const last = await submit('bob', 'predict-cost', WRONG);
    clock.ms = DEADLINE_MS + 1;
    const late = await submit('bob', 'predict-cost', WRONG);
    const extended = await submit('ann', 'predict-cost', WRONG);

    expect([last.status, extended.status]).toEqual([200, 200]);
    expect(late.json).toMatchObject({ status: 409, code: 'exercise.over' });
  });

  it('deducts from late submissions, and ends them', async () => {
    const { submit, clock, course, get } = await joinedClass();
    const exercise = course.exercises.find(({ name }) => name === 'worst-ring');
    const instance = exercise && course.instanceOf(exercise, { ...SERVER, owner: 'bob' });
    const ring = instance?.goal.given.nodeIds as readonly string[];

    clock.ms = DEADLINE_MS + 1;
    const late = await submit('bob', 'worst-ring', {
      type: 'ring',
      ring: ring.toSorted().reverse(),
    });
    clock.ms = DEADLINE_MS + 24 * 3_600_000 + 1;
    const over = await submit('cem', 'worst-ring', { type: 'ring', ring });

    expect(late.json).toMatchObject({ status: 'correct', points: 30, credited: 15, score: 15 });
    expect(over.json).toMatchObject({ code: 'exercise.over' });
    expect((await get('bob', '/v1/class')).json).toMatchObject({ score: 15 });
  });
});

describe('a hint', () => {
  it.each([10, 100])('is charged once, also of %i requests at once', async (requests) => {
    const { ask, get, solve, clock } = await joinedClass();

    const answers = await Promise.all(
      Array.from({ length: requests }, () => ask('ann', 'POST', hintOf('predict-cost'))),
    );
    clock.ms += 1;
    await solve('ann');

    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const [first] = answers;
    const cost = Number(first?.json.cost);
    expect(cost).toBeGreaterThan(0);
    expect((await get('ann', '/v1/class')).json).toMatchObject({
      score: 20 - cost,
      exercises: [{ hintsTaken: [1] }, {}],
    });
  });

  it('after the solution is free, and one that does not exist is not found', async () => {
    const { ask, get, solve, clock } = await joinedClass();
    await solve('ann');
    clock.ms += 1;

    const { status } = await ask('ann', 'POST', hintOf('predict-cost'));
    const missing = await ask('ann', 'POST', hintOf('predict-cost', 99));

    expect([status, missing.status]).toEqual([200, 404]);
    expect((await get('ann', '/v1/class')).json).toMatchObject({ score: 20 });
  });

  it('cannot be taken after the end, or in a class without hints', async () => {
    const { ask, clock } = await joinedClass();
    const without = await joinedClass({ text: `${CLASS}hints: false\n` });

    clock.ms = DEADLINE_MS + 1;

    expect((await ask('bob', 'POST', hintOf('predict-cost'))).json.code).toBe('exercise.over');
    expect((await without.ask('bob', 'POST', hintOf('predict-cost'))).status).toBe(404);
  });
});

describe('a scoreboard', () => {
  it('is frozen for students, and live for instructors', async () => {
    const { get, solve, clock } = await joinedClass();
    await solve('bob');
    clock.ms = Date.parse('2026-10-08T00:00Z') + 1;
    await solve('ann');

    const frozen = itemsOf(await get('cem', '/v1/class/scoreboard'));
    const live = itemsOf(await get('eve', '/v1/class/scoreboard'));

    expect(frozen.map(({ student, points }) => [student, points])).toEqual([
      ['bob', 20],
      ['ann', 0],
      ['cem', 0],
    ]);
    expect(live.map(({ student, rank }) => [student, rank])).toEqual([
      ['ann', 1],
      ['bob', 1],
      ['cem', 3],
    ]);
  });

  it('has pages', async () => {
    const { get } = await joinedClass();

    const first = await get('ann', '/v1/class/scoreboard?pageSize=2');
    const token = first.json.nextPageToken;
    const second = await get('ann', `/v1/class/scoreboard?pageSize=2&pageToken=${token}`);

    expect([...itemsOf(first), ...itemsOf(second)].map(({ student }) => student)).toEqual([
      ...['ann', 'bob', 'cem'],
    ]);
    expect(second.json.nextPageToken).toBeNull();
  });

  it.each([
    ['names', ['bob', 'ann', 'cem']],
    ['ranks', [null, 'ann', null]],
    ['own', ['ann']],
  ])('with the visibility %s shows %j, also in the solve feed', async (visibility, students) => {
    const text = CLASS.replace('visibility: names', `visibility: ${visibility}`);
    const lab = await joinedClass({ text });
    const { get, solve } = lab;
    await solve('bob');

    const board = itemsOf(await get('ann', '/v1/class/scoreboard'));
    const feed = await eventsOf(lab, 'ann');

    expect(board.map(({ student }) => student)).toEqual(students);
    const named = { names: ['bob'], ranks: [null], own: [] }[visibility];
    expect(feed.map(({ student }) => student)).toEqual(named);
    if (visibility === 'own') expect(board).toMatchObject([{ rank: null }]);
  });
});

/** The events that a member receives. */
async function eventsOf(
  { app, bearer }: Pick<Awaited<ReturnType<typeof joinedClass>>, 'app' | 'bearer'>,
  name: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const path = '/v1/class/events?follow=false';
  const text = await (await app.request(path, { headers: bearer(name) })).text();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line));
}

describe('the solve feed', () => {
  it('numbers what a student may see without gaps, so that a freeze hides also counts', async () => {
    const lab = await joinedClass();
    const { solve, clock } = lab;
    await solve('bob');
    clock.ms = Date.parse('2026-10-08T00:00Z') + 1;
    await solve('cem');
    clock.ms += 1;
    await solve('ann');

    const seen = await eventsOf(lab, 'ann');
    const all = await eventsOf(lab, 'eve');

    expect(seen.map(({ seq, student }) => [seq, student])).toEqual([
      [0, 'bob'],
      [1, 'ann'],
    ]);
    expect(all.map(({ seq, student }) => [seq, student])).toEqual([
      [0, 'bob'],
      [1, 'cem'],
      [2, 'ann'],
    ]);
  });
});

/** The events of a stream until a number of lines has arrived. */
async function linesOf(reader: ReadableStreamDefaultReader<Uint8Array>, count: number) {
  let text = '';
  while (text.split('\n').length <= count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

it('a reset removes the solve from the feed, and a new solve is there once', async () => {
  const lab = await joinedClass();
  await lab.solve('bob');
  await lab.solve('ann');
  const following = await lab.app.request('/v1/class/events?follow=true', {
    headers: lab.bearer('eve'),
  });
  const reader = following.body?.getReader();
  if (reader === undefined) throw new TypeError('"body" expected a stream');
  await linesOf(reader, 2);

  await lab.ask('eve', 'DELETE', '/v1/class/progress/bob/predict-cost');

  const students = async () => (await eventsOf(lab, 'eve')).map(({ student }) => student);
  expect(await linesOf(reader, 2)).toMatchObject([
    { event: 'resync', after: -1 },
    { event: 'solve', seq: 0, student: 'ann' },
  ]);
  expect(await students()).toEqual(['ann']);
  await lab.solve('bob');
  expect(await linesOf(reader, 1)).toMatchObject([{ event: 'solve', seq: 1, student: 'bob' }]);
  expect(await students()).toEqual(['ann', 'bob']);
  await reader.cancel();
});

describe('an instructor', () => {
  it('sees the progress of all, and resets one exercise of a student', async () => {
    const { get, ask, submit, solve } = await joinedClass();
    await ask('ann', 'POST', hintOf('predict-cost'));
    await submit('ann', 'predict-cost', WRONG);
    await solve('ann');
    await submit('ann', 'worst-ring', { type: 'ring', ring: ['0'.repeat(64)] });
    const before = itemsOf(await get('eve', '/v1/class/progress'));

    const { status } = await ask('eve', 'DELETE', '/v1/class/progress/ann/predict-cost');

    expect(before).toMatchObject([
      {
        student: 'ann',
        hasJoined: true,
        exercises: [{ status: 'solved', submissions: 2 }, {}, {}],
      },
      { student: 'bob', exercises: [{ status: 'untouched' }, {}, {}] },
      { student: 'cem' },
    ]);
    expect(status).toBe(204);
    expect(itemsOf(await get('eve', '/v1/class/progress'))[0]).toMatchObject({
      score: 0,
      exercises: [{ status: 'untouched', submissions: 0, hints: 0 }, {}, { submissions: 1 }],
    });
    expect((await solve('ann')).json).toMatchObject({ status: 'correct', score: 20 });
  });
});

describe('after a restart', () => {
  it('tokens, points, hints and resets are as before, and only new members get codes', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const logs = openLogs(data, () => undefined);
    const before = await joinedClass({ logs });
    await before.ask('ann', 'POST', hintOf('predict-cost'));
    before.clock.ms += 1;
    await before.solve('ann');
    await before.solve('bob');
    await before.ask('eve', 'DELETE', '/v1/class/progress/bob/predict-cost');
    const { text } = await before.get('ann', '/v1/class');
    logs.elections.close();

    const later = openLogs(data, () => undefined);
    const wider = CLASS.replace('  - { name: cem }', '  - { name: cem }\n  - { name: dan }');
    const after = await joinedClass({ logs: later, text: wider, wallMs: () => DURING_MS + 1 });
    const headers = before.bearer('ann');

    expect([...after.codes.keys()]).toEqual(['dan']);
    expect((await after.call('GET', '/v1/class', { headers })).text).toBe(text);
    const progress = await after.call('GET', '/v1/class/progress', {
      headers: before.bearer('eve'),
    });
    expect(itemsOf(progress)[1]).toMatchObject({ student: 'bob', score: 0 });
    expect(costFor('ann')).toBeGreaterThan(0);
    later.elections.close();
  });
});

it('a member that is not in the file any more is unknown after a restart, with its sessions', async () => {
  const data = join(scratchFolder(), 'lab.sqlite');
  const logs = openLogs(data, () => undefined);
  const before = await joinedClass({ logs });
  await before.solve('bob');
  const signedIn = await before.app.request('http://localhost/v1/sessions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: 'http://localhost' },
    body: JSON.stringify({ type: 'token', token: before.tokens.get('bob'), cookie: true }),
  });
  const [Cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
  logs.elections.close();

  const later = openLogs(data, () => undefined);
  const after = await joinedClass({ logs: later, text: CLASS.replace('  - { name: bob }\n', '') });

  for (const headers of [before.bearer('bob'), { Cookie }]) {
    const { status, json } = await after.call('GET', '/v1/class', { headers });
    expect({ status, code: json.code }).toEqual({ status: 401, code: 'auth.credential' });
  }
  const board = await after.call('GET', '/v1/class/scoreboard', { headers: before.bearer('ann') });
  expect(itemsOf(board).map(({ student }) => student)).toEqual(['ann', 'cem']);
  later.elections.close();
});

it('a session says whether there is a class', async () => {
  const { get, call } = await joinedClass();
  const { labUnderTest } = await import('../lab-under-test.ts');

  expect((await get('ann', '/v1/sessions/current')).json).toMatchObject({ class: '/v1/class' });
  expect((await call('GET', '/v1/sessions/current')).status).toBe(401);
  const without = await labUnderTest().call('GET', '/v1/sessions/current');
  expect(without.json).toMatchObject({ role: null, class: null });
});

it('a server without a class has none', async () => {
  const { labUnderTest } = await import('../lab-under-test.ts');
  const { call } = labUnderTest();

  for (const path of ['', '/scoreboard', '/progress', '/events', '/exports/grades']) {
    expect((await call('GET', `/v1/class${path}`)).status, path).toBe(404);
  }
});
