/**
 * @module
 * A class of 30 students opens all views, 80 of them ten times in the slow suite. No view leaves an election or a job behind, no limit is reached, and
 * all students start an exercise that has elections.
 */

import process from 'node:process';
import { expect, it } from 'vitest';

import { parseClass } from '../../../src/exercise/reading.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';
import { browserLab, hasBrowser } from '../browser.ts';

const VISITS = Number(process.env.CLASS_VISITS ?? 1);
const STUDENTS = VISITS > 1 ? 80 : 30;
const LANES = 8;
/** Each view with what its page shows last. */
const VIEWS = [
  ['', '.winner'],
  ['race', '[name=policy]'],
  ['guide/first-election?at=40', '.sentence'],
  ['elections', '.create'],
  ['threat-models', '.model-list article'],
  ['threat-models/top-id', '.yaml textarea'],
  ['sweeps', '.equivalent'],
  ['checks', '.equivalent'],
  ['checks/walk?address=0.0', '.verdict'],
  ['matrices', '.equivalent'],
  ['design', '.operation .picture svg'],
  ['operations', 'main li'],
  ['operations/attack', '.equivalent'],
  ['exercises', 'tbody tr'],
  ['exercises/spoof-coordinator', '.equivalent'],
  ['jobs', '.equivalent'],
] as const;

const exercises = await readExercises();
const names = Array.from({ length: STUDENTS }, (_, index) => `student-${index}`);
const codes = new Map<string, string>();
const text = {
  ...{ name: 'Many', instructors: ['eve'], exercises: [{ name: 'spoof-coordinator' }] },
  students: names.map((name) => ({ name })),
};
const browser = browserLab({
  class: {
    document: parseClass(JSON.stringify(text), 'class.yaml', exercises),
    async deliver(issued) {
      for (const { name, code } of issued) codes.set(name, code);
    },
  },
});

/** The members of the answers that are read here. */
interface Answer {
  readonly token: string;
  readonly status: string;
  readonly items: readonly object[];
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

it.skipIf(!hasBrowser)(
  'opens all views, and still starts an exercise',
  async () => {
    const { lab } = browser;
    const ask = async (token: string, { method, path, body }: Sent) => {
      // The server closes idle connections, and this process may not have seen that before its next request.
      const headers: Record<string, string> = {
        'Content-Type': 'application/json',
        Connection: 'close',
      };
      if (token !== '') headers['Authorization'] = `Bearer ${token}`;
      if (method === 'GET') headers['Prefer'] = 'wait=10';
      const response = await fetch(`${lab.url}${path}`, { method, headers, body });
      expect(response.status, `${method} ${path}`).toBeLessThan(300);
      return response;
    };
    const answerOf = async (token: string, sent: Sent) =>
      (await (await ask(token, sent)).json()) as Answer; // By the contract.
    const get = (token: string, path: string) =>
      answerOf(token, { method: 'GET', path, body: null });
    const tokens = await Promise.all(
      names.map(async (name) => {
        const body = JSON.stringify({ type: 'classCode', code: codes.get(name) });
        return (await answerOf('', { method: 'POST', path: '/v1/sessions', body })).token;
      }),
    );
    const sent = await requestsOfViews(tokens[0] ?? '');
    /** Sends what a page sends when it opens, and removes a job when it is over. */
    const open = async (token: string) => {
      for (const request of sent) {
        const response = await ask(token, request);
        const job = response.headers.get('Location');
        await response.arrayBuffer();
        if (response.status !== 202 || job === null) continue;
        while ((await get(token, job)).status !== 'done');
        await ask(token, { method: 'DELETE', path: job, body: null });
      }
    };

    const lanes = Object.values(Object.groupBy(tokens.keys(), (index) => index % LANES));
    for (let visit = 0; visit < VISITS; visit += 1) {
      await Promise.all(
        lanes.map(async (students = []) => {
          for (const student of students) await open(tokens[student] ?? '');
        }),
      );
    }

    const path = '/v1/exercises/spoof-coordinator/instances';
    for (const token of tokens) {
      expect(await get(token, '/v1/elections')).toMatchObject({ items: [] });
      expect(await get(token, '/v1/jobs')).toMatchObject({ items: [] });
      await ask(token, { method: 'POST', path, body: null });
      expect((await get(token, '/v1/elections')).items).toHaveLength(2);
    }
  },
  600_000,
);

/** What the views send that is no GET, in the browser of a student. */
async function requestsOfViews(token: string): Promise<readonly Sent[]> {
  const { page } = await browser.open('docs');
  const { url } = browser.lab;
  const signIn = { data: { type: 'token', token, cookie: true }, headers: { Origin: url } };
  await page.context().request.post(`${url}/v1/sessions`, signIn);
  const sent: Sent[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const each = { method: request.method(), path: pathname + search, body: request.postData() };
    if (each.method === 'POST') sent.push(each);
  });
  for (const [view, last] of VIEWS) {
    await page.goto(`${url}/?${view}#/${view}`);
    await page.locator(last).first().waitFor();
  }
  return sent;
}
