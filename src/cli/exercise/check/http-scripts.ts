/**
 * @module
 * Runs a script of an author for every student of a class, against a server in this process. Each script meets a new server,
 * so that no script sees what another one has done.
 */

import { pathToFileURL } from 'node:url';
import manifest from '../../../../package.json' with { type: 'json' };
import { NO_LIMITS } from '../../../../server/callers/caller-budgets.ts';
import { randomToken } from '../../../../server/callers/secrets.ts';
import { TokenSet } from '../../../../server/callers/tokens.ts';
import { startLab } from '../../../../server/lab.ts';
import { STRICT_POLICY } from '../../../identity/policy.ts';
import { EXERCISES } from '../../../runtime/files/exercises.ts';
import { gradedSchema } from '../graded.ts';
import type { Attempt, Trial } from './attempts.ts';
import { SCRIPT_SECONDS_MAX } from './attempts.ts';

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
      ...{ host: '127.0.0.1', port: 0, version: manifest.version, policy: STRICT_POLICY },
      ...{ data: null, signal, tokens: new TokenSet(holders), courseSecret: secret },
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
      attempts.push(
        await attemptOf(solve, { student: name, client: connect(lab.url, token), signal }),
      );
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

async function attemptOf(
  solve: Solve,
  work: { readonly student: string; readonly client: Client; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { student, client } = work;
  let submission: unknown = null;
  const watched: Client = {
    ...client,
    submit: (name, answer) => {
      submission = answer;
      return client.submit(name, answer);
    },
    post: (path, body, headers) => {
      if (path.endsWith('/submissions')) submission = body;
      return client.post(path, body, headers);
    },
  };
  const head = { student, otherRequests: 0 };
  const failed = (why: string): Attempt => {
    return { ...head, status: 'failed', points: 0, missing: [why], submission };
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
      ...{ ...head, points, missing, submission },
      status: status === 'already_solved' ? 'correct' : status,
    };
  } catch (error) {
    return failed(textOf(error));
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
