/**
 * @module
 * Runs a script of an author for every student of a class, against a server in this process. Each script meets a new server,
 * so that no script sees what another one has done.
 */

import { pathToFileURL } from 'node:url';
import manifest from '../../../../package.json' with { type: 'json' };
import { NO_LIMITS } from '../../../../server/callers/caller-budgets.ts';
import { randomToken, TokenSet } from '../../../../server/callers/tokens.ts';
import { startLab } from '../../../../server/lab.ts';
import { gradedSchema } from '../../../exercise/answers.ts';
import type { Exercise } from '../../../exercise/document.ts';
import { submissionSchema } from '../../../exercise/submission.ts';
import { STRICT_POLICY } from '../../../identity/policy.ts';
import { EXERCISES } from '../../../runtime/files/exercises.ts';

/** What exercises/client.js gives to a script, as far as it is watched. */
export interface Client {
  readonly instance: (name: string) => Promise<unknown>;
  readonly submit: (name: string, submission: unknown) => Promise<unknown>;
  readonly post: (path: string, body?: unknown, headers?: object) => Promise<unknown>;
}

/** Works as a student, and returns the answer to the submission. */
export type Solve = (client: Client) => unknown;

/** The function `solve` of a script; a text that says why there is none. */
export async function solveOf(file: string): Promise<Solve | string> {
  try {
    const { solve }: { solve?: unknown } = await import(pathToFileURL(file).href);
    // The parameters of a function of a script are not known to the compiler.
    return typeof solve === 'function' ? (solve as Solve) : 'it exports no function solve';
  } catch (error) {
    return `it cannot be loaded: ${textOf(error)}`;
  }
}

/** Runs a script for each student in turn. */
export async function runOverHttp(solve: Solve, trial: Trial): Promise<readonly Attempt[]> {
  const { exercise, students, secret, signal } = trial;
  const holders = students.map((name) => ({
    name,
    role: 'student' as const,
    token: randomToken(),
  }));
  const requests = new Map<string, number>();
  const { connect } = await import(new URL('client.js', EXERCISES).href);
  const lab = await startLab(
    {
      host: '127.0.0.1',
      port: 0,
      version: manifest.version,
      policy: STRICT_POLICY,
      data: null,
      signal,
      tokens: new TokenSet(holders),
      courseSecret: secret,
      // No limit of a student must stop a script.
      exercises: [{ ...exercise, submissions: NO_LIMIT }],
      limits: NO_LIMITS,
    },
    () => undefined,
    ({ caller, route }) => {
      if (route === null || OWN_ROUTES.includes(route)) return;
      requests.set(caller, (requests.get(caller) ?? 0) + 1);
    },
  );
  const attempts: Attempt[] = [];
  try {
    for (const { name, token } of holders) {
      if (signal.aborted) break;
      const copied = trial.copies ? (attempts.at(-1)?.submission ?? null) : null;
      const work = { student: name, client: connect(lab.url, token), signal, copied };
      attempts.push(await attemptOf(solve, { ...work, exercise: exercise.name }));
      trial.onProgress(attempts.length);
    }
  } finally {
    await lab.close();
  }
  // Requests are counted when they are over.
  return attempts.map((attempt) => {
    return { ...attempt, otherRequests: requests.get(attempt.student) ?? 0 };
  });
}

const NO_LIMIT = { evaluated: 1000, per: 1, inAll: 1000 };

const OWN_ROUTES: readonly string[] = [
  '/v1/exercises/{name}',
  '/v1/exercises/{name}/instances',
  '/v1/exercises/{name}/submissions',
];

/** The work of a script for one student. */
interface OneWork {
  readonly student: string;
  readonly exercise: string;
  readonly client: Client;
  readonly signal: AbortSignal;
  /** The answer of another student, which is submitted just before the student's own; null if there is none. */
  readonly copied: unknown;
}

async function attemptOf(solve: Solve, work: OneWork): Promise<Attempt> {
  const { student, exercise, client } = work;
  let submission: unknown = null;
  let isCopyRight: boolean | null = null;
  const before = async (answer: unknown) => {
    if (submission === null && isBound(work.copied)) {
      isCopyRight = await isRight(client, exercise, work.copied);
    }
    submission = answer;
  };
  const watched: Client = {
    ...client,
    submit: async (name, answer) => {
      await before(answer);
      return client.submit(name, answer);
    },
    post: async (path, body, headers) => {
      if (path.endsWith('/submissions')) await before(body);
      return client.post(path, body, headers);
    },
  };
  const head = { student, otherRequests: 0 };
  const failed = (why: string): Attempt => {
    const missing = [why];
    return { ...head, status: 'failed', points: 0, missing, submission, isCopyRight };
  };
  const end = AbortSignal.any([work.signal, AbortSignal.timeout(SCRIPT_SECONDS_MAX * 1e3)]);
  const late = Promise.withResolvers<string>();
  end.addEventListener('abort', () => late.resolve(`not finished after ${SCRIPT_SECONDS_MAX} s`));
  if (end.aborted) return failed('interrupted');
  try {
    const answer = await Promise.race([solve(watched), late.promise]);
    if (typeof answer === 'string') return failed(answer);
    const graded = gradedSchema.safeParse(answer);
    if (!graded.success) return failed('solve does not return the answer to its submission');
    const { status, points, findings } = graded.data;
    const missing = findings.filter(({ met }) => !met).map(({ detail }) => detail);
    return {
      ...head,
      points,
      missing,
      submission,
      isCopyRight,
      status: status === 'already_solved' ? 'correct' : status,
    };
  } catch (error) {
    return failed(textOf(error));
  }
}

/** Whether an answer says more than that the work is done, or a number, which may be that of another student by chance. */
function isBound(answer: unknown): boolean {
  const read = submissionSchema.safeParse(answer);
  return read.success && read.data.type !== 'elections' && read.data.type !== 'number';
}

/** Whether the server accepts an answer as complete. */
async function isRight(client: Client, exercise: string, answer: unknown): Promise<boolean> {
  try {
    const graded = gradedSchema.safeParse(await client.submit(exercise, answer));
    return graded.success && graded.data.status === 'correct';
  } catch {
    // Refusals cost nothing and show nothing.
    return false;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What one script has reached for one student. */
export interface Attempt {
  readonly student: string;
  /** `failed`: it has ended without a grade. */
  readonly status: 'correct' | 'partial' | 'incorrect' | 'failed';
  readonly points: number;
  /** What is missing, or why it has failed. */
  readonly missing: readonly string[];
  /** The last answer that it has submitted over HTTP; null if there is none. */
  readonly submission: unknown;
  /** Requests besides those for the exercise, the instance and the submission. */
  readonly otherRequests: number;
  /** Whether the answer of the student before was right for this one, with the work of this one; null if it was not tried. */
  readonly isCopyRight: boolean | null;
}

/** What all scripts of an exercise run under. */
export interface Trial {
  readonly exercise: Exercise;
  readonly students: readonly string[];
  readonly secret: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether every student first submits the answer of the student before. */
  readonly copies: boolean;
  /** Called after each student. */
  readonly onProgress: (done: number) => void;
}

/** Limit of one script for one student. What waits longer has failed. */
export const SCRIPT_SECONDS_MAX = 120;
