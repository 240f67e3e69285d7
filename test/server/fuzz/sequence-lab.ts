/**
 * @module
 * A lab with two callers, whose jobs end when the test says so, and a model of its state.
 */

import { TokenSet } from '../../../server/callers/tokens.ts';
import type { Execute, JobTypes } from '../../../server/jobs/job-kind.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import type { Answer, LabUnderTest } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { FOUND, REPORT } from './staged-results.ts';

export const CALLERS = ['alice', 'bob'] as const;
export type Caller = (typeof CALLERS)[number];

export const KINDS = ['runs', 'forgeries', 'sweeps'] as const;
export type Kind = (typeof KINDS)[number];

export interface ModelElection {
  readonly id: string;
  readonly owner: Caller;
  isDeleted: boolean;
}

export interface ModelJob {
  readonly id: string;
  readonly owner: Caller;
  readonly kind: Kind;
  status: 'queued' | 'running' | 'cancelling' | 'done' | 'failed' | 'cancelled';
}

export interface Model {
  readonly elections: ModelElection[];
  readonly jobs: ModelJob[];
}

/** A running job, and functions that end it. */
export interface Executing {
  resolve(): void;
  reject(error: unknown): void;
}

export interface Real {
  readonly lab: LabUnderTest;
  /** In the order of their start. At most one is still running. */
  readonly executing: Executing[];
}

export const TOKENS = { alice: 'alice-0123456789', bob: 'bob-012345678901' } as const;
const tokens = new TokenSet(
  CALLERS.map((name) => ({ name, role: 'student' as const, token: TOKENS[name] })),
);

export const BODIES: Readonly<Record<Kind, object>> = {
  runs: { threatModel: 'top-id', runs: 50, seed: '1' },
  forgeries: { c1: 10, attempts: 5000 },
  sweeps: {
    threatModel: 'top-id',
    axes: { 'network.honest': [4, 8] },
    set: { work: 'sampled' },
    seed: '1',
  },
};

/** A new lab. */
export function makeReal(): Real {
  const executing: Executing[] = [];
  const execute =
    <T extends JobTypes>(result: T['result']): Execute<T> =>
    () => {
      const { promise, resolve, reject } = Promise.withResolvers<T['result']>();
      const over = () => void executing.shift();
      executing.push({
        resolve: () => {
          over();
          resolve(result);
        },
        reject: (error) => {
          over();
          reject(error);
        },
      });
      return promise;
    };
  const counts = { cells: 2, refused: 0, runs: 20, rows: 7, failed: 0 };
  const sweep = { counts, isComplete: false, bytes: 0, tables: [], folder: null };
  const lab = labUnderTest({
    tokens,
    execute: execute(REPORT),
    executions: {
      operation: (request, execution) =>
        execute<OperationJob>(request.name === 'run' ? REPORT : FOUND)(request, execution),
      sweep: execute(sweep),
    },
  });
  return { lab, executing };
}

/** Sends a request of one of the callers. */
export function ask(
  { lab }: Real,
  caller: Caller,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = {
    Authorization: `Bearer ${TOKENS[caller]}`,
    ...(body && { 'Content-Type': 'application/json' }),
  };
  return lab.call(method, path, { headers, ...(body && { body: JSON.stringify(body) }) });
}
