/**
 * @module
 * The tokens, cookies and join codes of the members of a class, when a member leaves it, comes back, or gets another role.
 */

import { join } from 'node:path';

import { describe, expect, it, vi } from 'vitest';

import { openLogs } from '../../../server/lab.ts';
import { parseClass } from '../../../src/exercise/reading.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { EXERCISES } from './class.ts';
import { CLASS, DEADLINE_MS, joinedClass } from './joined-class.ts';

const WITHOUT_BOB = CLASS.replace('  - { name: bob }\n', '');
const BOB_TEACHES = WITHOUT_BOB.replace('[eve]', '[eve, bob]');

const documentOf = (text: string) => parseClass(text, 'class.yaml', EXERCISES);

/** A class in a data file, and a reload with another text. */
async function classInFile(data: string, text = CLASS) {
  let present = text;
  const joined = await joinedClass({
    ...{ text, logs: openLogs(data, () => undefined) },
    readClass: async () => ({ document: documentOf(present), exercises: EXERCISES }),
  });
  const reload = async (next: string) => {
    present = next;
    return (await joined.ask('eve', 'POST', '/v1/class/reload')).json;
  };
  return { ...joined, reload };
}

type InFile = Awaited<ReturnType<typeof classInFile>>;

async function cookieOf({ call, tokens }: InFile, name: string) {
  const { headers } = await call('POST', '/v1/sessions', {
    headers: { 'Content-Type': 'application/json', Origin: 'http://localhost' },
    body: JSON.stringify({ type: 'token', token: tokens.get(name), cookie: true }),
  });
  return { Cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
}

async function statusesOf({ call, bearer }: InFile, name: string, cookie: { Cookie: string }) {
  const answers = [bearer(name), cookie].map((headers) => call('GET', '/v1/class', { headers }));
  return (await Promise.all(answers)).map(({ status }) => status);
}

describe('the token and the cookie of a member', () => {
  it.each([
    ['who comes back', [WITHOUT_BOB, CLASS], 'student'],
    ['with another role', [BOB_TEACHES], 'instructor'],
    ['who has the role again', [BOB_TEACHES, CLASS], 'student'],
  ])('%s end, and a restart does not bring them back', async (_who, texts, role) => {
    const data = join(scratchFolder(), 'lab.db');
    const first = await classInFile(data);
    const cookie = await cookieOf(first, 'bob');
    const before = await statusesOf(first, 'bob', cookie);
    let reloaded: Awaited<ReturnType<typeof first.reload>> = {};

    for (const text of texts) reloaded = await first.reload(text);
    const after = await statusesOf(first, 'bob', cookie);
    first.elections.close();
    const second = await classInFile(data, texts.at(-1));
    const old = { ...second, bearer: first.bearer };

    expect(before).toEqual([200, 200]);
    expect(reloaded.codes).toMatchObject([{ name: 'bob', role }]);
    expect(after).toEqual([401, 401]);
    expect(await statusesOf(old, 'bob', cookie)).toEqual([401, 401]);
    expect(await statusesOf(old, 'ann', cookie)).toEqual([200, 401]);
  });

  it.each([
    ['who left', [WITHOUT_BOB, CLASS]],
    ['whose role changed', [BOB_TEACHES, BOB_TEACHES]],
  ])('%s while the server was stopped end', async (_who, texts) => {
    const data = join(scratchFolder(), 'lab.db');
    const first = await classInFile(data);
    const cookie = await cookieOf(first, 'bob');
    first.elections.close();

    for (const text of texts) {
      const later = await classInFile(data, text);
      const old = { ...later, bearer: first.bearer };
      expect(await statusesOf(old, 'bob', cookie)).toEqual([401, 401]);
      later.elections.close();
    }
  });
});

describe('the answer to an instructor who ends the own token', () => {
  it('is sent, and the other open answers of the instructor end', async () => {
    const { classroom } = await joinedClass();
    const answer = () => ({ destroy: vi.fn(), once: vi.fn() });
    const [own, other] = [answer(), answer()];
    for (const each of [own, other]) classroom.watch('eve', each);

    classroom.renew('eve', own);
    expect(other.destroy).toHaveBeenCalledTimes(1);
    classroom.update(documentOf(CLASS.replace('[eve]', '[fay]')), own);

    expect(other.destroy).toHaveBeenCalledTimes(2);
    expect(own.destroy).not.toHaveBeenCalled();
  });
});

describe('an Idempotency-Key', () => {
  it.each(['/v1/class/join-codes', '/v1/class/members/bob/join-code'])(
    'of POST %s gives the same codes again',
    async (path) => {
      const { classroom, call, bearer } = await joinedClass();
      classroom.renew('bob', null);
      const headers = { ...bearer('eve'), 'Idempotency-Key': 'one' };

      const once = await call('POST', path, { headers });
      const again = await call('POST', path, { headers });

      expect(once.status).toBe(201);
      expect(again.json).toEqual(once.json);
      expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    },
  );

  it('of a reload and of an undo gives the same answer again', async () => {
    const { reload, call, bearer, decide } = await classInFile(join(scratchFolder(), 'lab.db'));
    await reload(WITHOUT_BOB);
    await decide({ type: 'grade', student: 'ann', exercise: 'predict-cost', points: 5 });

    for (const path of ['/v1/class/reload', '/v1/class/decisions/1/undo']) {
      const headers = { ...bearer('eve'), 'Idempotency-Key': path };
      const once = await call('POST', path, { headers });
      const again = await call('POST', path, { headers });
      expect([once.status, again.status]).toEqual([200, 200]);
      expect(again.json).toEqual(once.json);
    }
  });
});

it('points that an instructor has set count as the most of an exercise that is worth less since then', async () => {
  const { decide, reload, get, clock } = await classInFile(join(scratchFolder(), 'lab.db'));
  await decide({ type: 'grade', student: 'bob', exercise: 'predict-cost', points: 20 });
  await reload(CLASS.replace('{ name: predict-cost,', '{ name: predict-cost, points: 10,'));
  clock.ms = DEADLINE_MS;

  expect((await get('bob', '/v1/class')).json).toMatchObject({ score: 10 });
  const board = await get('eve', '/v1/class/scoreboard');
  expect(board.json).toMatchObject({ items: [{ student: 'bob', points: 10 }, {}, {}] });
});
