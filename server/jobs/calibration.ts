/**
 * @module
 * How fast this machine mines. It is measured by a job, so that no other job uses the machine meanwhile. The
 * first request starts the job; its result is kept as long as the process runs, and is not stored, because
 * another process may have other cores. The first answers are 202 with Retry-After.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import type { Calibration, CalibrationOptions } from '../../src/runtime/threads/calibration.ts';
import { IMPLEMENTATIONS } from '../../src/runtime/threads/calibration.ts';
import { refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, NO_QUERY } from '../contract/router.ts';
import { SERVER } from '../request/principal.ts';
import type { Execute, StoredKind } from './job-kind.ts';
import { errorOf } from './job-kind.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobDependencies } from './job-store.ts';
import { JobStore } from './job-store.ts';
import { executeInWorker } from './worker-job.ts';

export interface CalibrationProgress {
  readonly now: string;
  /** Number of measurements that were begun. */
  readonly begun: number;
}

export interface CalibrationJob {
  readonly request: null;
  readonly progress: CalibrationProgress;
  readonly result: Calibration;
}

/** What the thread of a calibration receives. */
export type CalibrationOrder = Pick<CalibrationOptions, 'threads'>;

/** Approximate number of measurements, and time of each: 0.6 s and the start of its threads. */
const MEASUREMENTS = 16;
const MEASUREMENT_MS = 1000;

const CALIBRATION: StoredKind<CalibrationJob> = {
  ...{ letter: 'c', noun: 'calibration', plural: 'calibration', keptMax: 1 },
  begun: { now: 'nothing, other jobs go before', begun: 0 },
  remainingMs({ progress: { begun } }, elapsedMs) {
    const eachMs = begun < 2 ? MEASUREMENT_MS : elapsedMs / (begun - 1);
    return Math.max(0, MEASUREMENTS - begun + 1) * eachMs;
  },
};

/** The calibration of this process. */
export class CalibrationCache {
  readonly #store: JobStore<CalibrationJob>;
  #job: string | null = null;

  constructor(execute: Execute<CalibrationJob>, dependencies: Omit<JobDependencies, 'logOf'>) {
    this.#store = new JobStore(CALIBRATION, execute, dependencies);
  }

  /**
   * The calibration, or what is being measured. Starts to measure if necessary. Throws OverloadError if
   * the queue is full, and once the LabError of a measurement that failed.
   */
  read(): { readonly calibration: Calibration } | { readonly measuring: string } {
    this.#job ??= this.#store.submit(null, SERVER).id;
    const { state, progress } = this.#store.get(this.#job, SERVER);
    if (state.status === 'done') return { calibration: state.result };
    if (state.status === 'cancelled') return { measuring: 'nothing, the server is closing' };
    if (state.error === undefined) return { measuring: progress.now };
    this.#job = null;
    throw errorOf(state.error);
  }
}

/** Measures with this number of threads. */
export function calibrateInThreads(threads: number): Execute<CalibrationJob> {
  return async (_request, execution) => {
    const order: CalibrationOrder = { threads };
    const result = await executeInWorker<CalibrationProgress, Calibration>(
      CALIBRATION_WORKER,
      order,
      execution,
    );
    if (result === null) throw new DOMException('terminated', 'AbortError');
    return result;
  };
}

const CALIBRATION_WORKER = new URL('./calibration-worker.ts', import.meta.url);

const advantageSchema = z
  .object({
    noble: z.number().describe('Over the naive search with noble.'),
    native: z.number().describe('Over the naive search with node:crypto.'),
  })
  .readonly()
  .describe('log2 of the rate per CPU second over that of each baseline of the same kind.');

const rateSchema = z
  .object({
    perSecond: z.number().describe('Of all threads, by the wall clock.'),
    perCpuSecond: z.number().describe('Of one thread, by its CPU clock.'),
  })
  .readonly();

const searchMembers = {
  strategy: z.string(),
  implementation: z.enum(IMPLEMENTATIONS),
  policy: z.enum(['strict', 'weak']),
  advantageBits: advantageSchema,
};

const calibrationSchema = z
  .object({
    threads: z.int(),
    keys: z
      .array(z.object({ scheme: z.enum(SCHEME_NAMES), ...searchMembers, keys: rateSchema }))
      .readonly()
      .describe('Searches for keys. A candidate is a key that is made and tested.'),
    solutions: z
      .array(z.object({ ...searchMembers, solutions: rateSchema }))
      .readonly()
      .describe('Searches for the X or Y of the dynamic puzzle.'),
    stock: z
      .object({ tests: rateSchema })
      .describe('Keys in stock that the strategy stockpile tests. They were made before.'),
    native: z
      .object({
        label: z.string(),
        source: z.string(),
        doubleHashesPerSecond: z.number(),
        keysPerSecond: z.number(),
        keysOverKernel: z.number(),
      })
      .describe('What native code does on one core: constants, not measured on this machine.'),
    times: z
      .array(
        z.object({
          bits: z.int(),
          expectedSeconds: z.number(),
          p50Seconds: z.number(),
          p95Seconds: z.number(),
          p99Seconds: z.number(),
        }),
      )
      .readonly()
      .describe('For the fastest search for keys that a strict policy admits.'),
  })
  .meta({ id: 'Calibration' });

const measuringSchema = z
  .object({ status: z.literal('measuring'), now: z.string(), retryAfterS: z.int() })
  .meta({ id: 'Measuring' });

const readRoute = createRoute({
  method: 'get',
  path: '/v1/calibration',
  operationId: 'getCalibration',
  tags: ['service'],
  summary: 'Get the candidates that this server tests per second, and the times of difficulties',
  request: { query: NO_QUERY },
  responses: {
    200: jsonAnswer(calibrationSchema, 'Measured once while the server runs.'),
    202: jsonAnswer(measuringSchema, 'It is being measured, after earlier jobs; see Retry-After.'),
    ...refusals(503),
  },
});

export function createCalibrationRoutes(calibration: CalibrationCache, queue: JobQueue) {
  return createRouter().openapi(readRoute, (c) => {
    const answer = calibration.read();
    if ('calibration' in answer) return c.json(answer.calibration, 200);
    const retryAfterS = queue.retryAfterS();
    c.header('Retry-After', String(retryAfterS));
    return c.json({ status: 'measuring' as const, now: answer.measuring, retryAfterS }, 202);
  });
}
