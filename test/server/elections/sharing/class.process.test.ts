/**
 * @module
 * A class of forty: one election on a real server, joined by a code by forty programs in four languages, half of
 * which attack. No program receives what is not its own, and no secret is in the log or in the file of the server.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ended, scratchFolder, spawnUsurp } from '../../../cli/shell.ts';

interface Language {
  readonly file: string;
  readonly program: string;
  readonly needs: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  { file: 'student.sh', program: 'sh', needs: ['curl', 'openssl'] },
  { file: 'student.py', program: 'python3', needs: ['python3'] },
  { file: 'student.js', program: process.execPath, needs: [] },
  { file: 'student.ts', program: process.execPath, needs: [] },
];

const isHere = (name: string) => spawnSync(name, ['--help']).error === undefined;
/** The languages that this machine has. Forty programs are divided among them. */
const here = LANGUAGES.filter(({ needs }) => needs.every(isHere));
const lacking = LANGUAGES.filter((language) => !here.includes(language)).map(({ file }) => file);
const note = lacking.length === 0 ? '' : ` (without ${lacking.join(', ')}: not installed here)`;

const STUDENTS = 40;
const IDA = 'instructor-0123456789';
const SEED = '314159265358979323846';

interface Student {
  readonly name: string;
  readonly isAttacking: boolean;
  readonly code: number;
  readonly stderr: string;
  /** Its tokens. */
  readonly secrets: readonly string[];
  readonly nodeId: string;
  /** The answers to its attacks, by name. */
  readonly answers: Readonly<Record<string, { readonly status: number; readonly text: string }>>;
  readonly stdout: string;
}

interface Lesson {
  readonly students: readonly Student[];
  readonly joinCode: string;
  readonly election: Readonly<Record<string, unknown>>;
  readonly participants: readonly { readonly nodeId: string | null }[];
  /** The log and the files of the server. */
  readonly kept: string;
  readonly log: string;
}

let lesson: Lesson;
/** The programs of the students. */
const running = new Set<ChildProcess>();

afterAll(() => {
  for (const child of running) child.kill();
});

beforeAll(async () => {
  lesson = await taught();
}, 180_000);

async function taught(): Promise<Lesson> {
  const folder = scratchFolder();
  const [tokens, data] = [join(folder, 'tokens'), join(folder, 'lab.sqlite')];
  writeFileSync(tokens, `instructor ida ${IDA}\n`, { mode: 0o600 });
  const flags = ['--port', '0', '--token-file', tokens, '--data', data, '--log', 'json'];
  const server = spawnUsurp(['serve', ...flags]);
  const end = ended(server);
  const url = await new Promise<string>((resolve) => {
    server.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  });
  afterAll(() => void server.kill());
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${IDA}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    const json: unknown = await answer.json();
    return json as Readonly<Record<string, unknown>>; // Every answer is an object.
  };
  const plan = { protocol: 'bully-oneshot', nodes: 3, level: 'L1', seed: SEED };
  const self = `/v1/elections/${(await ask('POST', '/v1/elections', plan)).id}`;
  const other = `/v1/elections/${(await ask('POST', '/v1/elections', plan)).id}`;
  await ask('PUT', `${self}/access`, { mode: 'shared' });
  const { code } = await ask('POST', `${self}/join-code`, { participantsMax: STUDENTS });
  const joinCode = String(code);
  const programs = Array.from({ length: STUDENTS }, (_, index) =>
    student(index, { url, other, joinCode }),
  );
  // To start them can take longer than the server keeps a connection. A turn of the event loop notices that.
  await delay(100);
  const size = async () => Number((await ask('GET', self)).nodes);
  for (let tries = 0; (await size()) < STUDENTS + 3 && tries < 600; tries += 1) await delay(100);
  await ask('POST', `${self}/actions`, { type: 'start' });
  const advance = () => ask('POST', `${self}/actions`, { type: 'advance', until: 'idle' });
  let election = await advance();
  for (let tries = 0; election.status !== 'idle' && tries < 20; tries += 1)
    election = await advance();
  const students = await Promise.all(programs);
  const { items } = await ask('GET', `${self}/participants?pageSize=100`);
  server.kill('SIGTERM');
  const { stderr: log } = await end;
  return {
    ...{ students, joinCode, election, log },
    participants: items as Lesson['participants'], // By the schema.
    kept: log + readFileSync(data, 'latin1'),
  };
}

interface Classroom {
  readonly url: string;
  readonly other: string;
  readonly joinCode: string;
}

/** One program, until it ends. */
async function student(index: number, { url, other, joinCode }: Classroom): Promise<Student> {
  const language = here[index % here.length];
  if (language === undefined) throw new TypeError('"language" expected one');
  const isAttacking = Math.floor(index / here.length) % 2 === 1;
  const file = fileURLToPath(new URL(`clients/${language.file}`, import.meta.url));
  const name = `Student ${index}`;
  const child = spawn(language.program, [
    file,
    url,
    name,
    isAttacking ? 'attack' : 'honest',
    other,
  ]);
  // If the lesson fails, the programs would wait for ever.
  running.add(child);
  child.stdin.end(`${joinCode}\n`);
  const { code, stdout, stderr } = await ended(child);
  const lines = stdout.trim().split('\n');
  const [, token = '', nodeToken = '', nodeId = ''] = (lines[0] ?? '').split(' ');
  const answers = lines.slice(1).map((line) => {
    const [, what = '', status = '', text = ''] = /^(\S+) (\d+) ?(.*)$/.exec(line) ?? [];
    return [what, { status: Number(status), text }] as const;
  });
  return {
    ...{ name, isAttacking, code, stderr, nodeId, stdout },
    secrets: [token, nodeToken],
    answers: Object.fromEntries(answers),
  };
}

const STATUSES: Readonly<Record<string, number>> = {
  ...{ inbox: 401, 'absent-inbox': 401, outbox: 401, 'absent-outbox': 401, forge: 403 },
  ...{ trace: 403, messages: 403, participants: 403, access: 403, fork: 403, events: 200 },
  ...{ replay: 409, 'replay-code': 409, private: 404, missing: 404, lie: 200 },
};

const withoutNames = (text = '') =>
  text.replace(/"instance":"[^"]*"/, '').replaceAll(/e_[a-z2-7]{16}/g, '');

describe(`a class of ${STUDENTS}${note}`, () => {
  it('joins and plays one election', () => {
    const { students, participants, election } = lesson;

    for (const { code, stderr, name } of students)
      expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
    expect(students.filter(({ isAttacking }) => isAttacking)).toHaveLength(STUDENTS / 2);
    expect(participants.map(({ nodeId }) => nodeId).toSorted()).toEqual(
      students.map(({ nodeId }) => nodeId).toSorted(),
    );
    expect(election).toMatchObject({ nodes: STUDENTS + 3, status: 'idle', owner: 'ida' });
  });

  it('gets nothing by its attacks', () => {
    for (const { isAttacking, answers, name } of lesson.students) {
      const statuses = Object.entries(answers).map(([what, { status }]) => [what, status]);
      expect(Object.fromEntries(statuses), name).toEqual(isAttacking ? STATUSES : {});
    }
  });

  it('gets the same answers for what it may not know and what does not exist', () => {
    for (const { answers } of lesson.students.filter(({ isAttacking }) => isAttacking)) {
      for (const [one, two] of [
        ['inbox', 'absent-inbox'],
        ['outbox', 'absent-outbox'],
        ['private', 'missing'],
      ] as const) {
        expect(withoutNames(answers[one]?.text)).toBe(withoutNames(answers[two]?.text));
      }
    }
  });

  it('receives no token, message or seed of others', () => {
    const { students, joinCode } = lesson;
    for (const { name, stdout, answers } of students) {
      const others = students
        .filter((each) => each.name !== name)
        .flatMap(({ secrets }) => secrets);
      for (const secret of [...others, joinCode, SEED]) expect(stdout).not.toContain(secret);
      const events = answers.events?.text ?? '';
      expect(events).not.toMatch(/COORDINATOR|ELECTION|"message":\{/);
    }
  });

  it('leaves no code and no token in the log or the file of the server', () => {
    const { students, joinCode, kept, log } = lesson;
    const secrets = students.flatMap((each) => each.secrets);

    expect(new Set(secrets).size).toBe(2 * STUDENTS);
    for (const secret of [...secrets, joinCode, joinCode.replaceAll('-', ''), IDA]) {
      expect(secret.length).toBeGreaterThan(15);
      expect(kept).not.toContain(secret);
    }
    // The log has the routes of all requests, and no fault.
    expect(log.split('\n').length).toBeGreaterThan(1_000);
    expect(log).toContain('"route":"/v1/sessions"');
    expect(log).not.toMatch(/"event":"fault"|"status":5\d\d/);
  });
});
