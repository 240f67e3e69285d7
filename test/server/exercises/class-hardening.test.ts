/**
 * @module
 * Attacks on a class: codes that are guessed, shared or used at the same time, tokens that were replaced, roles, and
 * races between a submission and a reset.
 */

import { EventEmitter } from 'node:events';

import { describe, expect, it } from 'vitest';

import { SESSION_COOKIE } from '../../../server/callers/sessions.ts';
import type { Answer } from '../lab-under-test.ts';
import { documentOf, labUnderTest } from '../lab-under-test.ts';
import { joinedClass } from './joined-class.ts';

type Lab = Awaited<ReturnType<typeof joinedClass>>;

const exchange = (lab: Lab, code: unknown): Promise<Answer> =>
  lab.post('/v1/sessions', { type: 'classCode', code });

const renewed = async (lab: Lab, name: string): Promise<string> => {
  const { json } = await lab.ask('eve', 'POST', `/v1/class/members/${name}/join-code`);
  return String(json.code);
};

/** A refusal without what differs from request to request. */
const refusalOf = ({ status, json: { code, detail } }: Answer) => ({ status, code, detail });

describe('a class code', () => {
  it.each([10, 100])('makes one token, also of %i requests at once', async (requests) => {
    const lab = await joinedClass();
    const code = await renewed(lab, 'ann');

    const answers = await Promise.all(Array.from({ length: requests }, () => exchange(lab, code)));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set(requests > 21 ? [201, 401, 429] : [201, 401]),
    );
  });

  it('that was used, replaced, or is of another class looks like one that never was', async () => {
    const lab = await joinedClass();
    const other = await joinedClass();
    const replaced = await renewed(lab, 'bob');
    await renewed(lab, 'bob');
    const never = await exchange(lab, 'aaaa-bbbb-cccc-dddd');

    for (const code of [lab.codes.get('ann'), replaced, await renewed(other, 'ann')]) {
      expect(refusalOf(await exchange(lab, code))).toEqual(refusalOf(never));
    }
    expect(never.status).toBe(401);
  });

  it('that is right is accepted after too many wrong ones from the same address', async () => {
    const lab = await joinedClass();
    const code = await renewed(lab, 'ann');
    const wrong: Answer[] = [];
    for (let tries = 0; tries < 100; tries += 1) {
      wrong.push(await exchange(lab, `wrong-${tries}`));
    }

    expect(wrong.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(20);
    expect(wrong.at(-1)?.json).toMatchObject({ status: 429, code: 'limit.rate' });
    expect((await exchange(lab, code.toUpperCase())).status).toBe(201);
  });

  it.each([10, 100])('is guessed at most 20 times of %i at once', async (requests) => {
    const lab = await joinedClass();

    const answers = await Promise.all(
      Array.from({ length: requests }, (_, index) => exchange(lab, `guess-${index}`)),
    );

    expect(answers.filter(({ status }) => status === 401)).toHaveLength(Math.min(requests, 20));
    const refused = answers.filter(({ status }) => status !== 401);
    expect(refused.filter(({ json }) => json.code !== 'limit.rate')).toEqual([]);
    expect(refused.filter(({ headers }) => Number(headers.get('retry-after')) < 1)).toEqual([]);
  });

  it('takes no role, name or score from its holder', async () => {
    const lab = await joinedClass();
    const code = await renewed(lab, 'ann');

    for (const member of [{ role: 'instructor' }, { name: 'eve' }, { score: 10 }]) {
      const body = { type: 'classCode', code, ...member };
      expect((await lab.post('/v1/sessions', body)).json.code).toBe('schema');
    }
    const { json } = await exchange(lab, code);
    expect(json).toMatchObject({ name: 'ann', role: 'student' });
  });
});

describe('a token that was replaced', () => {
  it('is refused at the next request, with its cookies, and its open answers end', async () => {
    const lab = await joinedClass();
    const headers = lab.bearer('ann');
    const signedIn = await lab.app.request('http://localhost/v1/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'http://localhost' },
      body: JSON.stringify({ type: 'token', token: lab.tokens.get('ann'), cookie: true }),
    });
    const [cookie = ''] = (signedIn.headers.get('set-cookie') ?? '').split(';');
    const answer = Object.assign(new EventEmitter(), { isDestroyed: false });
    const open = Object.assign(answer, {
      destroy: () => Object.assign(answer, { isDestroyed: true }),
    });
    lab.classroom.watch('ann', open as unknown as Parameters<Lab['classroom']['watch']>[1]);
    const before = await lab.call('GET', '/v1/class', { headers: { Cookie: cookie } });

    await renewed(lab, 'ann');

    expect(cookie).toContain(SESSION_COOKIE);
    expect(before.status).toBe(200);
    expect(answer.isDestroyed).toBe(true);
    expect((await lab.call('GET', '/v1/class', { headers })).status).toBe(401);
    const later = await lab.call('GET', '/v1/class', { headers: { Cookie: cookie } });
    expect(later.status).toBe(401);
  });

  it('leaves the submission that it has begun graded once', async () => {
    const lab = await joinedClass();

    const [graded] = await Promise.all([lab.solve('ann'), renewed(lab, 'ann')]);

    expect(graded.json.status).toBe('correct');
    expect(lab.course.solves.listeners).toBe(0);
    const { json } = await lab.get('eve', '/v1/class/progress');
    expect(json.items).toMatchObject([
      { student: 'ann', exercises: [{ submissions: 1 }, {}, {}] },
      {},
      {},
    ]);
  });
});

describe('a member of another class', () => {
  it.each(['ann', 'eve'])('is unknown here: %s', async (name) => {
    const lab = await joinedClass();
    const other = await joinedClass();
    const headers = other.bearer(name);
    const routes = [
      ['GET', '/v1/class'],
      ['GET', '/v1/class/scoreboard'],
      ['GET', '/v1/class/events'],
      ['GET', '/v1/class/progress'],
      ['GET', '/v1/class/exports/grades'],
      ['GET', '/v1/exercises/predict-cost/submissions'],
      ['POST', '/v1/exercises/predict-cost/instances'],
      ['DELETE', '/v1/class/progress/ann/predict-cost'],
      ['POST', '/v1/class/members/ann/join-code'],
      ['POST', '/v1/class/join-codes'],
      ['POST', '/v1/class/reload'],
      ['GET', '/v1/class/decisions'],
      ['GET', '/v1/class/statistics'],
      ['POST', '/v1/class/token'],
    ] as const;

    for (const [method, path] of routes) {
      const { status, json } = await lab.call(method, path, { headers });
      expect({ status, code: json.code }, path).toEqual({ status: 401, code: 'auth.credential' });
    }
  });
});

it('no operation takes an address to go to, or sends one to another host', () => {
  const { paths } = documentOf(labUnderTest().app);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));

  for (const { operationId, parameters = [], responses } of operations) {
    const names = parameters.map((each) => ('name' in each ? each.name : ''));
    expect(names.filter((name) => /redirect|next|return|url|callback/i.test(name))).toEqual([]);
    const moved = Object.keys(responses).filter((status) => status.startsWith('3'));
    expect(
      moved.filter((status) => status !== '304'),
      operationId,
    ).toEqual([]);
  }
});

describe('a student', () => {
  it('does nothing of an instructor', async () => {
    const lab = await joinedClass();
    const paths = [
      ['GET', '/v1/class/progress'],
      ['GET', '/v1/class/exports/grades'],
      ['GET', '/v1/class/exports/ctfdUsers'],
      ['GET', '/v1/class/exports/ctfdChallenges'],
      ['DELETE', '/v1/class/progress/bob/predict-cost'],
      ['POST', '/v1/class/members/bob/join-code'],
      ['GET', '/v1/class/exports/canvas'],
      ['GET', '/v1/exercises/predict-cost/suspicions'],
    ] as const;

    for (const [method, path] of paths) {
      expect((await lab.ask('ann', method, path)).json, path).toMatchObject({
        ...{ status: 403, code: 'auth.role' },
      });
      expect((await lab.call(method, path)).status, path).toBe(401);
    }
  });

  it.each([10, 100])(
    'gets no more submissions evaluated than allowed of %i at once',
    async (all) => {
      const lab = await joinedClass();
      const wrong = { type: 'number', number: 1 };

      const answers = await Promise.all(
        Array.from({ length: all }, () => lab.submit('ann', 'predict-cost', wrong)),
      );

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      for (const { status, json } of answers.filter((each) => each.status !== 200)) {
        expect({ status, code: json.code }).toEqual({ status: 429, code: 'limit.submissions' });
        expect(json.retryAfterS).toBeGreaterThanOrEqual(1);
      }
    },
  );

  it.each([10, 100])('has one solution and one event of %i solutions at once', async (all) => {
    const lab = await joinedClass();

    await Promise.all(Array.from({ length: all }, () => lab.solve('ann')));

    const path = '/v1/class/events?follow=false';
    const text = await (await lab.app.request(path, { headers: lab.bearer('ann') })).text();
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    const { json } = await lab.get('ann', '/v1/class');
    expect(json.score).toBe(20);
  });

  it('submits to the exercise as it is after a reset in between', async () => {
    const lab = await joinedClass();
    const reset = () => lab.ask('eve', 'DELETE', '/v1/class/progress/ann/predict-cost');

    const [graded, { status }] = await Promise.all([lab.solve('ann'), reset()]);

    expect([graded.status, status]).toEqual([200, 204]);
    const list = await lab.get('ann', '/v1/exercises/predict-cost/submissions');
    const { score } = (await lab.get('ann', '/v1/class')).json;
    expect(score).toBe((list.json.items as readonly unknown[]).length * 20);
  });
});
