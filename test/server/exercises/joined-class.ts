/**
 * @module
 * A server with a class whose members have joined, and requests in their names.
 */

import { Classroom } from '../../../server/exercises/classroom.ts';
import { Course } from '../../../server/exercises/course.ts';
import { Decisions } from '../../../server/exercises/decisions.ts';
import { Hints, Starts } from '../../../server/exercises/hints.ts';
import { Meter } from '../../../server/exercises/meter.ts';
import { SubmissionStore } from '../../../server/exercises/submission-store.ts';
import { openLogs } from '../../../server/lab.ts';
import { createInstance } from '../../../src/exercise/instance.ts';
import { parseClass } from '../../../src/exercise/reading.ts';
import type { LabOptions } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { EXERCISES, SECRET } from './class.ts';

/** Before the deadline. */
export const DURING_MS = Date.parse('2026-10-05T12:00Z');
export const DEADLINE_MS = Date.parse('2026-10-10T00:00Z');

export const CLASS = `name: Distributed systems
instructors: [eve]
students:
  - { name: ann, fullName: '=HYPERLINK("http://evil.example","<b>Ann</b>")', groups: [a] }
  - { name: bob }
  - { name: cem }
exercises:
  - { name: predict-cost, deadline: 2026-10-10T00:00Z, extensions: { a: 2026-10-12T00:00Z } }
  - { name: count-messages, opens: 2026-10-06T00:00Z }
  - { name: worst-ring, late: { until: 24h, deduct: 50%, per: 24h }, deadline: 2026-10-10T00:00Z }
scoreboard: { visibility: names, freeze: 2026-10-08T00:00Z }
`;

export interface JoinedOptions extends LabOptions {
  readonly text?: string;
}

/** The number that solves predict-cost for a student. */
export function costFor(student: string): number {
  const exercise = EXERCISES.find(({ name }) => name === 'predict-cost');
  if (exercise === undefined) throw new Error('no exercise predict-cost');
  const { c1, c2, identities } = createInstance(exercise, { secret: SECRET, student }).goal.given;
  return Number(identities) * (2 ** Number(c1) + 2 ** Number(c2));
}

/** The server and its class. `join` exchanges the code of a member. */
export async function joinedClass({ text = CLASS, ...options }: JoinedOptions = {}) {
  const clock = { ms: DURING_MS };
  const wallMs = options.wallMs ?? (() => clock.ms);
  const logs = options.logs ?? openLogs(null, () => undefined);
  const { coursework } = logs;
  const document = parseClass(text, 'class.yaml', EXERCISES);
  const classroom = new Classroom({ document, log: coursework });
  const course = new Course({
    ...{ exercises: EXERCISES, secret: SECRET, classroom, wallMs },
    submissions: new SubmissionStore(logs.submissions, wallMs),
    ...{ meter: new Meter(coursework), hints: new Hints(coursework) },
    ...{ starts: new Starts(coursework), decisions: new Decisions(coursework) },
  });
  course.open();
  classroom.open();
  const codes = new Map<string, string>();
  await classroom.issueCodes(async (issued) => {
    for (const { name, code } of issued) codes.set(name, code);
  });
  const lab = labUnderTest({ ...options, course, tokens: classroom, logs, wallMs });
  const tokens = new Map<string, string>();
  for (const [name, code] of codes) {
    const { json } = await lab.post('/v1/sessions', { type: 'classCode', code });
    tokens.set(name, String(json.token));
  }
  const bearer = (name: string) => ({ Authorization: `Bearer ${tokens.get(name)}` });
  const ask = (name: string, method: string, path: string) =>
    lab.call(method, path, { headers: bearer(name) });
  const get = (name: string, path: string) => ask(name, 'GET', path);
  const submit = (name: string, exercise: string, submission: object) =>
    lab.post(`/v1/exercises/${exercise}/submissions`, submission, bearer(name));
  const decide = (request: object, by = 'eve') =>
    lab.post('/v1/class/decisions', request, bearer(by));
  const solve = (name: string) =>
    submit(name, 'predict-cost', { type: 'number', number: costFor(name) });
  return {
    ...lab,
    classroom,
    course,
    clock,
    codes,
    tokens,
    bearer,
    ask,
    get,
    submit,
    solve,
    decide,
  };
}
