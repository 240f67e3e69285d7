/**
 * @module
 * A class under load: `usurp serve --class` as a process, students who join by their codes, and what each of them
 * does for an exercise, one request after the other at a fixed rate.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Asked } from './client.ts';
import { ask } from './client.ts';
import type { Caller } from './server.ts';

const EXERCISE = '/v1/exercises/predict-cost';

export interface ClassServer {
  readonly url: string;
  /** Ends the process as a loss of power would end it. */
  kill(): Promise<void>;
}

export interface ClassFolder {
  /** Starts the server on the data that there is. */
  serve(): Promise<ClassServer>;
  /** The join codes by name. */
  codes(): ReadonlyMap<string, string>;
  remove(): void;
}

/** A folder for a class with this number of students. */
export function classFolder(students: number): ClassFolder {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-class-'));
  const [document, codes] = [join(folder, 'class.yaml'), join(folder, 'codes.txt')];
  const text = {
    name: 'Load',
    instructors: ['teacher'],
    exercises: [{ name: 'predict-cost' }],
    students: Array.from({ length: students }, (_, index) => ({ name: `student-${index}` })),
  };
  writeFileSync(document, JSON.stringify(text));
  const files = ['--class', document, '--class-codes', codes];
  const kept = ['--data', join(folder, 'class.db'), '--course-secret', join(folder, 'secret')];
  return {
    async serve() {
      const usurp = fileURLToPath(new URL('../../src/cli/usurp.ts', import.meta.url));
      const flags = [usurp, 'serve', '--port', '0', '--quiet', ...files, ...kept];
      const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
      return { url: await firstLineOf(child), kill: () => killed(child) };
    },
    codes() {
      const lines = readFileSync(codes, 'utf8').trimEnd().split('\n');
      return new Map(
        lines.map((line) => {
          const [, name = '', code = ''] = line.split(' ');
          return [name, code];
        }),
      );
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function firstLineOf(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new TypeError('"stdout" expected a pipe, got null');
  const ended = once(child, 'exit').then(() => []);
  const [line] = await Promise.race([once(createInterface(stdout), 'line'), ended]);
  if (typeof line !== 'string') throw new Error('the server ended before it listened');
  return line;
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** A student who has joined, what it was given, and the ids of its submissions that were acknowledged. */
export interface Student extends Caller {
  readonly submitted: string[];
  solution: number;
}

/** Exchanges the codes of all students, one after the other. */
export async function joined(url: string, codes: ReadonlyMap<string, string>): Promise<Student[]> {
  const students: Student[] = [];
  for (const [name, code] of codes) {
    if (!name.startsWith('student')) continue;
    const body = JSON.stringify({ type: 'classCode', code });
    const { text } = await ask(url, { name, token: 'none' }, post('/v1/sessions', body));
    students.push({ name, token: String(JSON.parse(text).token), submitted: [], solution: 1 });
  }
  return students;
}

/** What a student does, in this order. */
const STEPS: readonly ((student: Student) => Asked)[] = [
  () => get('/v1/class'),
  () => get(EXERCISE),
  () => post(`${EXERCISE}/instances`),
  () => submission(1),
  () => post(`${EXERCISE}/hints/1`),
  () => get('/v1/class/scoreboard'),
  ({ solution }) => submission(solution),
  () => get(`${EXERCISE}/submissions`),
];

export interface ClassSample {
  /** From when it was meant to be sent to the end of its answer. */
  readonly ms: number;
  /** 0 where the connection broke. */
  readonly status: number;
}

/** Sends requests at a fixed rate, each student in turn, from the given number of the first request on. */
export async function workThrough(
  url: string,
  students: readonly Student[],
  { requests, perSecond, first = 0 }: { requests: number; perSecond: number; first?: number },
): Promise<readonly ClassSample[]> {
  const beganMs = performance.now();
  const answers: Promise<ClassSample>[] = [];
  for (let index = 0; index < requests; index += 1) {
    const atMs = beganMs + (1_000 * index) / perSecond;
    const waitMs = atMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    const student = students[(first + index) % students.length];
    const step = STEPS[Math.floor((first + index) / students.length) % STEPS.length];
    if (student === undefined || step === undefined) throw new RangeError('no student');
    answers.push(send(url, student, { asked: step(student), atMs }));
  }
  return Promise.all(answers);
}

async function send(
  url: string,
  student: Student,
  { asked, atMs }: { readonly asked: Asked; readonly atMs: number },
): Promise<ClassSample> {
  const outcome = await ask(url, student, asked).catch(() => null);
  const { status = 0, text = '' } = outcome ?? {};
  if (status === 200) learn(student, asked, JSON.parse(text));
  return { ms: performance.now() - atMs, status };
}

/** Remembers the task and the acknowledged submissions. */
function learn(
  student: Student,
  { method, path }: Asked,
  answer: Readonly<Record<string, unknown>>,
) {
  if (method !== 'POST') return;
  if (path.endsWith('/submissions')) student.submitted.push(String(answer.id));
  if (!path.endsWith('/instances')) return;
  // By the goal expected-cost.
  const { c1, c2, identities } = answer.given as Readonly<Record<string, number>>;
  student.solution = (identities ?? 0) * (2 ** (c1 ?? 0) + 2 ** (c2 ?? 0));
}

/** The ids of the submissions that the server has of a student. */
export async function keptSubmissions(url: string, student: Student): Promise<readonly string[]> {
  const { text } = await ask(url, student, get(`${EXERCISE}/submissions`));
  const { items }: { items: readonly { readonly id: string }[] } = JSON.parse(text);
  return items.map(({ id }) => id);
}

function get(path: string): Asked {
  return { method: 'GET', path };
}

function post(path: string, body?: string): Asked {
  return body === undefined ? { method: 'POST', path } : { method: 'POST', path, body };
}

function submission(number: number): Asked {
  return post(`${EXERCISE}/submissions`, JSON.stringify({ type: 'number', number }));
}
