/**
 * @module
 * The rates of a machine as a schema.
 */

import { z } from 'zod';
import { SCHEME_NAMES } from '../identity/keys/scheme.ts';
import { deviceSchema } from '../mining/device/facts.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../mining/strategy.ts';

/** What tests the candidates; openssl is node:crypto. The first two make the baselines. */
export const IMPLEMENTATIONS = ['noble', 'openssl', 'kernel', 'device'] as const;

const rateSchema = z
  .object({
    perSecond: z.number().describe('Of all threads, by the wall clock.'),
    perCpuSecond: z
      .number()
      .describe(
        'Of one thread, by its CPU clock: programs that run beside it do not count. Of a device, by its own time.',
      ),
    device: deviceSchema.optional().describe('The device of the implementation device.'),
  })
  .readonly();

const advantageSchema = z
  .object({
    noble: z.number().describe('Over the naive search with noble.'),
    native: z.number().describe('Over the naive search with OpenSSL.'),
  })
  .readonly()
  .describe('log2 of the rate per CPU second over that of each baseline of the same kind.');

const searchMembers = {
  implementation: z.enum(IMPLEMENTATIONS),
  policy: z
    .enum(['strict', 'weak'])
    .describe('weak accepts torsion siblings, and has the xor puzzle.'),
  advantageBits: advantageSchema,
};

const keyRateSchema = z
  .object({
    scheme: z.enum(SCHEME_NAMES),
    strategy: z.enum(STRATEGY_NAMES),
    ...searchMembers,
    keys: rateSchema,
  })
  .readonly();
const solutionRateSchema = z
  .object({ strategy: z.enum(DYNAMIC_STRATEGY_NAMES), ...searchMembers, solutions: rateSchema })
  .readonly();
const timeSchema = z
  .object({
    bits: z.int(),
    expectedSeconds: z.number(),
    p50Seconds: z.number(),
    p95Seconds: z.number(),
    p99Seconds: z.number(),
  })
  .readonly();

export const calibrationMembers = {
  threads: z.int(),
  keys: z
    .array(keyRateSchema)
    .readonly()
    .describe('Searches for keys. A candidate is a key that is made and tested.'),
  solutions: z
    .array(solutionRateSchema)
    .readonly()
    .describe('Searches for the X or Y of the dynamic puzzle.'),
  stock: z
    .object({ tests: rateSchema })
    .readonly()
    .describe('Keys in stock that the strategy stockpile tests. They were made before.'),
  native: z
    .object({
      label: z.string(),
      source: z.string(),
      doubleHashesPerSecond: z.number(),
      keysPerSecond: z.number(),
      keysOverKernel: z.number(),
    })
    .readonly()
    .describe('What native code does on one core: constants, not measured on this machine.'),
  times: z
    .array(timeSchema)
    .readonly()
    .describe('For the fastest search for keys that a strict policy admits.'),
};

const calibrationSchema = z.object(calibrationMembers).readonly();

/** The rates of a machine. */
export type Calibration = z.output<typeof calibrationSchema>;
export type Rate = z.output<typeof rateSchema>;
export type Advantage = z.output<typeof advantageSchema>;
export type KeyRate = z.output<typeof keyRateSchema>;
export type DifficultyTime = z.output<typeof timeSchema>;
