/**
 * @module
 * What the members of a class must not get from the server: searches that an exercise closes, exercises before they
 * open, and the names of others.
 */

import { expect, it } from 'vitest';
import type { Exercise } from '../../../src/exercise/document.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import type { Answer } from '../lab-under-test.ts';
import { EXERCISES, SECRET } from './class.ts';
import { CLASS, joinedClass } from './joined-class.ts';

const endless = () => new Promise<never>(() => undefined);

/** A class with exercises that close forgeries, whose forgeries never end. */
async function closedClass() {
  const names = ['mine-claim', 'break-xor-puzzle', 'eight-siblings', 'forge-top-id'];
  const entries = names.map((name) => `  - { name: ${name} }\n`).join('');
  const text = CLASS.replace('scoreboard:', `${entries}scoreboard:`);
  const lab = await joinedClass({ text, executions: { operation: endless } });
  const forge = (name: string, body: object): Promise<Answer> =>
    lab.post('/v1/forgeries', body, lab.bearer(name));
  return { ...lab, forge };
}

function policyOf(exercise: string, student = 'ann') {
  const found = EXERCISES.find(({ name }) => name === exercise) as Exercise;
  return createInstance(found, { secret: SECRET, student }).policy;
}

const CLOSED = { status: 403, code: 'exercise.closed' };
const RULE = /only for an exercise with a budget of attempts/;

it.each([
  ['the default policy', { c1: 5 }],
  ['another context', { policy: { ...policyOf('break-xor-puzzle'), context: 'foo' } }],
  ['an exercise without a budget', { policy: { ...policyOf('predict-cost'), c1: 5 } }],
  [
    'another policy in the context of a metered one',
    { policy: { ...policyOf('break-xor-puzzle'), context: policyOf('forge-top-id').context } },
  ],
  ['a goal of another exercise', { policy: policyOf('forge-top-id'), goal: 'count:8' }],
])('a class that closes forgeries refuses those of a student with %s', async (_name, body) => {
  const { forge } = await closedClass();

  const { json } = await forge('ann', body);

  expect(json).toMatchObject({ ...CLOSED, detail: expect.stringMatching(RULE) });
});

it('such a class allows metered forgeries, and all others to its instructors', async () => {
  const { forge } = await closedClass();
  const policy = { ...policyOf('forge-top-id'), c1: 4 };
  const against = ['f'.repeat(63).padEnd(64, '0')];

  const metered = await forge('ann', { policy, goal: 'top', against, attempts: 10 });
  const any = await forge('ann', { policy, attempts: 10 });
  const ofInstructor = await forge('eve', { c1: 5 });

  expect([metered.status, any.status, ofInstructor.status]).toEqual([202, 202, 202]);
});

it('such a class gives the wrong solution of forge-top-id with an own key its finding', async () => {
  const { ask, submit } = await closedClass();
  const script = new URL('../../../exercises/forge-top-id/wrong-own-key.js', import.meta.url);
  const { solve } = await import(script.href);

  const graded = await solve({
    instance: async (name: string) =>
      (await ask('ann', 'POST', `/v1/exercises/${name}/instances`)).json,
    submit: async (name: string, submission: object) =>
      (await submit('ann', name, submission)).json,
  });

  const detail = expect.stringMatching(/no metered forgery of yours has found this key/);
  expect(graded).toMatchObject({ status: 'incorrect', points: 0 });
  expect(graded.findings).toContainEqual(expect.objectContaining({ met: false, detail }));
});

it('a class that closes none leaves forgeries to its students', async () => {
  const lab = await joinedClass({ executions: { operation: endless } });

  const { status } = await lab.post('/v1/forgeries', { c1: 4 }, lab.bearer('ann'));

  expect(status).toBe(202);
});

it.each(['/v1/forgeries', '/v1/identities/verify'])(
  '%s answers the context of a hidden exercise as that of one which does not exist',
  async (path) => {
    const lab = await joinedClass();
    const digits = '0'.repeat(128);
    const claim = { scheme: 'ed25519', solution: null, signature: digits };
    const ids = { publicKey: digits.slice(64), nodeId: digits.slice(64) };
    const refusalOf = async (exercise: string) => {
      const policy = { ...policyOf('predict-cost'), context: `exercise/${exercise}/x` };
      const body = path.endsWith('verify') ? { claim: { ...claim, ...ids }, policy } : { policy };
      const { status, json } = await lab.post(path, body, lab.bearer('ann'));
      return { status, code: json.code, detail: String(json.detail).replace(exercise, 'it') };
    };

    const hidden = await refusalOf('count-messages');

    expect(hidden).toMatchObject(CLOSED);
    expect(await refusalOf('nonesuch')).toEqual(hidden);
  },
);

it('the solve feed of a student has solves of present students, of exercises that it may see', async () => {
  const lab = await joinedClass();
  const workOf = (student: string, exercise = 'predict-cost') => ({
    student,
    exercise,
    version: 1,
  });
  lab.course.solves.add(workOf('eve'), lab.clock.ms);
  lab.course.solves.add(workOf('eve', 'count-messages'), lab.clock.ms);
  lab.course.solves.add(workOf('former'), lab.clock.ms);
  lab.course.solves.add(workOf('bob', 'count-messages'), lab.clock.ms);
  lab.course.solves.add(workOf('bob', 'removed'), lab.clock.ms);
  lab.course.solves.add(workOf('bob'), lab.clock.ms);
  const feedOf = async (name: string) => {
    const path = '/v1/class/events?follow=false';
    const text = await (await lab.app.request(path, { headers: lab.bearer(name) })).text();
    const lines = text.trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line)).map(({ seq, student }) => `${seq} ${student}`);
  };

  expect(await feedOf('ann')).toEqual(['0 bob']);
  expect(await feedOf('eve')).toEqual(['0 eve', '1 eve', '2 former', '3 bob', '4 bob']);
});

it.each(['ann', 'bob', 'cem'])(
  'ranks without names have no order of names, for %s',
  async (name) => {
    const lab = await joinedClass({ text: CLASS.replace('names', 'ranks') });

    const { json } = await lab.get(name, '/v1/class/scoreboard');

    expect(json.items).toMatchObject([
      { student: name, rank: 1, isYou: true },
      { student: null, rank: 1 },
      { student: null, rank: 1 },
    ]);
  },
);

it('an instructor reads the submissions of a student, who reads only the own ones', async () => {
  const lab = await joinedClass();
  await lab.submit('ann', 'predict-cost', { type: 'number', number: 1 });
  lab.clock.ms += 1;
  await lab.solve('ann');
  const path = '/v1/exercises/predict-cost/submissions?student=';

  const ofAnn = await lab.get('eve', `${path}ann`);
  const page = await lab.get('eve', `${path}ann&pageSize=1`);

  expect(ofAnn.json.items).toMatchObject([{ status: 'correct' }, { status: 'incorrect' }]);
  expect(page.json.items).toMatchObject([{ status: 'correct' }]);
  expect((await lab.get('ann', `${path}ann`)).json).toEqual(ofAnn.json);
  expect((await lab.get('eve', `${path}bob`)).json.items).toEqual([]);
  expect((await lab.get('eve', `${path}zoe`)).status).toBe(404);
  for (const student of ['ann', 'zoe']) {
    const refused = await lab.get('bob', path + student);
    expect(refused.json).toMatchObject({ status: 403, code: 'auth.role' });
  }
});
