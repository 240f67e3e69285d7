/**
 * @module
 * Runs of a threat model as jobs. A request is checked completely before it is accepted: the threat model is
 * looked up, the settings are applied, and a seed is chosen if none is given.
 */

import { z } from '@hono/zod-openapi';
import { BEHAVIOUR_NAMES } from '../../src/adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import type { ThreatModel } from '../../src/experiment/document/threat-model.ts';
import { MODEL_AIMS } from '../../src/experiment/properties/property.ts';
import { applySettings } from '../../src/experiment/reading/settings.ts';
import { ORIGINS } from '../../src/experiment/response/settle.ts';
import { OBSERVATION_NAMES } from '../../src/experiment/runs/observations.ts';
import { KEY_PLAN_NAMES } from '../../src/experiment/theory/epoch-conduct.ts';
import type { RunReport } from '../../src/experiment/verdict/report.ts';
import { honestCostMembers } from '../../src/operations/honest-cost.ts';
import { ledgerSchema } from '../../src/operations/ledger.ts';
import { modelSourceSchema, setSchema } from '../../src/operations/model.ts';
import type { Seed } from '../../src/random.ts';
import { latencyTicksMax, parseLatency } from '../../src/simulation/faults/latency.ts';
import { LATENCY_TICKS_MAX } from '../../src/simulation/request/remote-limits.ts';
import { faultAt, pointingAt } from '../contract/faults.ts';
import { countSchema, seedOf, seedSchema } from '../contract/members.ts';
import { savedSchema } from '../elections/live/ready-made.ts';
import type { Execute } from './job-kind.ts';
import {
  countProgressSchema,
  defineJob,
  jobLinks,
  jobLinksSchema,
  jobMembers,
  jobView,
} from './job-kind.ts';
import { modelIn } from './model-source.ts';
import { settingsIn } from './settings.ts';
import { resultInWorker } from './worker-job.ts';

/** Runs that are over and kept. */
export const RUNS_KEPT_MAX = 200;

/** A sampled run takes about 10 µs, a mined run as long as its mining. Both can be cancelled. */
export const RUNS_PER_REQUEST_MAX = 10_000_000;

/** A request that was checked completely, so that its execution meets no invalid input. */
export interface RunRequest {
  readonly body: z.output<typeof runRequestSchema>;
  /** What stands for the model in the replay command. */
  readonly file: string;
  /** With the settings applied. */
  readonly model: ThreatModel;
  /** The settings as the command line spells them, `path=value`, for the replay command. */
  readonly settings: readonly string[];
  readonly runs: number;
  /** Whether to stop when the verdict is decided. `runs` is then the maximum. */
  readonly untilDecided?: boolean | undefined;
  readonly seed: Seed;
}

/** Progress is the number of finished runs. */
export interface RunJob {
  readonly request: RunRequest;
  readonly progress: number;
  readonly result: RunReport;
}

const runRequestSchema = z
  .strictObject({
    threatModel: modelSourceSchema,
    runs: countSchema(1, RUNS_PER_REQUEST_MAX)
      .optional()
      .meta({ description: 'Number of runs; the document has the default.', example: 50 }),
    untilDecided: z.boolean().optional().meta({
      description: 'Run until the verdict is true or false, for at most `runs` runs.',
    }),
    seed: seedSchema.optional(),
    set: setSchema.optional(),
  })
  .meta({ id: 'RunRequest' });

const verdictSchema = z.object({
  value: z.enum(['true', 'false', 'unknown']),
  sentence: z.string(),
  reason: z.string(),
  confidence: z
    .number()
    .nullable()
    .describe('Of the interval that decides. Null if every run is the same.'),
});

const protocolsSchema = z
  .array(z.string())
  .readonly()
  .describe('Empty if no election was held. Several protocols can share their outcomes.');

const resultSchema = z.object({
  protocols: protocolsSchema,
  verdict: verdictSchema,
  measured: z.object({
    runs: z.int(),
    wins: z.int(),
    frequency: z.number(),
    interval: z
      .tuple([z.number(), z.number()])
      .readonly()
      .nullable()
      .describe('Null if every run is the same, so that one was made.'),
  }),
  theory: z.object({ probability: z.number().nullable(), formula: z.string() }),
  observations: z
    .partialRecord(z.enum(OBSERVATION_NAMES), z.number())
    .optional()
    .describe('Further observations of a single run.'),
  elections: z
    .array(
      z.object({
        protocol: z.string(),
        until: z
          .union([z.int(), z.literal('idle')])
          .describe('The tick to which the run advanced it, or `idle`.'),
        saved: savedSchema.describe('What holds it again, as `saved` of POST /v1/elections.'),
      }),
    )
    .readonly()
    .optional()
    .describe('The elections of a single run.'),
});

const responseSchema = z.object({
  adversary: z.string(),
  protocols: z.array(z.enum(PROTOCOL_NAMES)).readonly().describe('Empty if no election is held.'),
  aim: z.enum(MODEL_AIMS),
  count: z
    .string()
    .describe('Identities that it forges and registers: none, one, all or a number.'),
  where: z.string(),
  when: z.string(),
  behaviours: z.array(z.enum(BEHAVIOUR_NAMES)).readonly(),
  found: z
    .enum(ORIGINS)
    .describe(
      'fixed: by the document. argued: it follows from the rules. exhaustive: the best of all in pilot runs. best-found: the best of those that were tried.',
    ),
  reason: z.string(),
  notSearched: z.array(z.string()).readonly(),
  plan: z.enum(KEY_PLAN_NAMES).optional().describe('What it does with its keys, with epochs.'),
  plans: z
    .array(
      z.object({
        plan: z.enum(KEY_PLAN_NAMES),
        probability: z
          .number()
          .describe('Probability by the closed form, or frequency in the runs.'),
        runs: z.int().nullable().describe('Null if the closed form is known.'),
        interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
      }),
    )
    .readonly()
    .optional()
    .describe('What each plan reaches, with epochs.'),
});

const sides = <T extends z.ZodType>(of: T) => z.object({ honest: of, adversary: of });
const intervalSchema = z.array(z.number()).length(2).readonly();
const workSchema = sides(
  z.object({
    ...{ attempts: z.number(), hashes: z.number(), groupOperations: z.number() },
    cpuSeconds: z
      .number()
      .nullable()
      .describe('Measured if identities are mined, else at the rate; null if no rate is known.'),
  }),
);

const workRowSchema = z.object({
  epoch: z.int().describe('From 1; 0 is what was done before the first epoch.'),
  joins: sides(z.number()).describe('Identities that were earned in the epoch.'),
  inEpoch: workSchema,
  sum: workSchema.describe('In all epochs up to this one.'),
  interval: sides(intervalSchema.nullable()).describe(
    'Intervals of the attempts in sum; null for a single run.',
  ),
  ratio: z
    .number()
    .nullable()
    .describe('Attempts of the adversary for each one of the honest nodes, up to this epoch.'),
  chance: z
    .number()
    .nullable()
    .describe(
      'Share of the runs that would have the property if they ended with this epoch; null before the first.',
    ),
  chanceInterval: intervalSchema.nullable(),
});

const spendRatesSchema = z
  .object({
    honest: z.number().describe('A: attempts of all honest nodes.'),
    adversary: z.number().describe('T: attempts of the adversary.'),
    joins: z
      .number()
      .describe(
        'J: attempts that an identity costs in the first epoch, times the identities that honest nodes earned.',
      ),
    ergo: z.number().describe('√(TJ) + J: to within a constant factor, A of the defence Ergo.'),
  })
  .describe('Mean work in an epoch. Only with epochs.');

const honestCostSchema = z
  .object(honestCostMembers)
  .meta({ id: 'HonestCost', description: 'What honest nodes pay to join and to remain.' });

/** The report as `usurp run --json` prints it. */
const reportSchema = z
  .object({
    threatModel: z.string(),
    verdict: verdictSchema
      .extend({ protocols: protocolsSchema })
      .describe(
        'The worst of the results, and the protocols that decide it. With k protocols that have an interval, false takes one at 1 − α/k.',
      ),
    results: z.array(resultSchema).readonly().describe('One for each protocol.'),
    response: z.array(responseSchema).readonly().describe('How each adversary responds.'),
    elections: z.object({ held: z.int(), messages: z.int() }),
    ledger: z
      .object({ honest: ledgerSchema, adversaries: z.record(z.string(), ledgerSchema) })
      .nullable()
      .describe('What was spent; null if the work is sampled.'),
    workByEpoch: z
      .array(workRowSchema)
      .readonly()
      .optional()
      .describe(
        'Mean work of a run in each epoch, and in all epochs up to it: of all honest nodes together, and of the adversary. Only with epochs.',
      ),
    spendRates: spendRatesSchema.optional(),
    honestCost: honestCostSchema,
    replay: z.string().describe('Command that computes the same report.'),
  })
  .meta({ id: 'RunReport' });

const runSchema = z
  .object({
    ...jobMembers('run', 'r', runRequestSchema),
    progress: countProgressSchema,
    result: reportSchema.optional().describe('Partial if the run was cancelled.'),
    links: jobLinksSchema,
  })
  .meta({ id: 'RunJob' });

export const RUN = defineJob<RunJob>()({
  ...{ letter: 'r', name: 'run', plural: 'runs', tags: ['experiments'], takesModel: true },
  summary: 'Run a threat model',
  body: runRequestSchema,
  example: { threatModel: 'top-id', runs: 50, seed: '1', set: { work: 'sampled' } },
  ...{ keptMax: RUNS_KEPT_MAX, begun: 0 },
  remainingMs({ request, progress }, elapsedMs) {
    if (progress === 0) return Number.POSITIVE_INFINITY;
    return (elapsedMs * (request.runs - progress)) / progress;
  },
  view: runSchema,
  viewOf(job) {
    const { runs } = job.request;
    const { status, result } = job.state;
    return {
      ...jobView('run', job),
      progress: { done: status === 'done' ? runs : job.progress, total: runs },
      ...(result && { result }),
      links: jobLinks(job),
    };
  },
});

/** Throws LabError `schema`, `arguments` or `job.size` if the request cannot be executed. */
export function parseRunRequest(
  body: z.output<typeof runRequestSchema>,
  catalogue: readonly ThreatModel[],
): RunRequest {
  const { set = {}, untilDecided } = body;
  const { name: file, model: document } = modelIn(body.threatModel, catalogue);
  const parsed = settingsIn(set);
  // A fault of the changed document is a fault of the settings.
  const model = pointingAt('/set', () => applySettings(document, parsed));
  if (latencyTicksMax(parseLatency(String(model.network.election.latency))) > LATENCY_TICKS_MAX) {
    const detail = `at most ${LATENCY_TICKS_MAX} ticks of latency`;
    throw faultAt('job.size', '/set/network.election.latency', detail);
  }
  const runs = body.runs ?? model.runs;
  if (runs > RUNS_PER_REQUEST_MAX) {
    const detail = `at most ${RUNS_PER_REQUEST_MAX} runs in one request, got ${runs}`;
    throw faultAt('job.size', '/runs', detail);
  }
  const settings = parsed.map(({ text }) => text);
  const seed = seedOf(body.seed);
  return { body: { ...body, runs, seed }, file, model, settings, runs, untilDecided, seed };
}

/** What the thread of a run receives. */
export interface RunOrder {
  readonly request: RunRequest;
  readonly threads: number;
}

/** Executes runs on this number of threads, which a thread for each job controls. */
export function runInThreads(threads: number): Execute<RunJob> {
  return (request, execution) => {
    const order: RunOrder = { request, threads };
    return resultInWorker<number, RunReport>(RUN_WORKER, order, execution, ENDING_GRACE_MS);
  };
}

/** Time for cancelled runs to compute what an honest node pays. */
const ENDING_GRACE_MS = 10_000;

const RUN_WORKER = new URL('./run-worker.ts', import.meta.url);
