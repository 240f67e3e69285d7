/**
 * @module
 * This folder measures how fast this machine mines, as a job, so that no other job uses the machine meanwhile.
 */

import { z } from '@hono/zod-openapi';
import { SCHEME_NAMES } from '../../../src/identity/keys/scheme.ts';
import type { Calibration, CalibrationOptions } from '../../../src/runtime/threads/calibration.ts';
import { IMPLEMENTATIONS } from '../../../src/runtime/threads/calibration.ts';
import type { Execute } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView } from '../job-kind.ts';
import { resultInWorker } from '../worker-job.ts';

/** Calibrations that are over and kept. */
export const CALIBRATIONS_KEPT_MAX = 50;

export interface CalibrationProgress {
  /** What is measured now; null before the first measurement. */
  readonly now: string | null;
  /** Number of measurements that were begun. */
  readonly begun: number;
}

export interface CalibrationJob {
  readonly request: { readonly body: z.output<typeof calibrationRequestSchema> };
  readonly progress: CalibrationProgress;
  readonly result: Calibration;
}

/** What the thread of a calibration receives. */
export type CalibrationOrder = Pick<CalibrationOptions, 'threads'>;

/** Approximate number of measurements, and time of each: 0.6 s and the start of its threads. */
const MEASUREMENTS = 16;
const MEASUREMENT_MS = 1000;

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

const resultSchema = z
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

const calibrationRequestSchema = z.strictObject({}).meta({ id: 'CalibrationRequest' });

const calibrationSchema = z
  .object({
    ...jobMembers('calibration', 'c', calibrationRequestSchema),
    progress: z
      .object({
        now: z.string().nullable().describe('Null before the first measurement.'),
        begun: z.int().describe('Number of measurements that were begun.'),
      })
      .meta({ id: 'CalibrationProgress' }),
    result: resultSchema.optional(),
    links: jobLinksSchema,
  })
  .meta({ id: 'CalibrationJob' });

export const CALIBRATION = defineJob<CalibrationJob>()({
  ...{ letter: 'c', name: 'calibration', plural: 'calibrations', tags: ['service'] },
  summary:
    'Measure the candidates that this server tests per second, and the times of difficulties',
  body: calibrationRequestSchema,
  example: {},
  givesNoWay: true,
  ...{ keptMax: CALIBRATIONS_KEPT_MAX, begun: { now: null, begun: 0 } },
  remainingMs({ progress: { begun } }, elapsedMs) {
    const eachMs = begun < 2 ? MEASUREMENT_MS : elapsedMs / (begun - 1);
    return Math.max(0, MEASUREMENTS - begun + 1) * eachMs;
  },
  view: calibrationSchema,
  viewOf(job) {
    const { progress, state } = job;
    return {
      ...jobView('calibration', job),
      progress: { ...progress },
      ...(state.result && { result: state.result }),
      links: jobLinks(job),
    };
  },
});

/** Measures with this number of threads. */
export function calibrateInThreads(threads: number): Execute<CalibrationJob> {
  return (_request, execution) => {
    const order: CalibrationOrder = { threads };
    return resultInWorker<CalibrationProgress, Calibration>(CALIBRATION_WORKER, order, execution);
  };
}

const CALIBRATION_WORKER = new URL('./worker.ts', import.meta.url);
