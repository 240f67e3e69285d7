/**
 * @module
 * This folder contains checks as jobs: every schedule of a protocol within bounds. This file defines the kind, and
 * executes a check in a thread of its own.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SEARCH_STOPPED } from '../../../src/checking/check.ts';
import { HANDLERS } from '../../../src/checking/coverage.ts';
import { BOUND_NAMES } from '../../../src/checking/instance.ts';
import { GOAL_NAMES } from '../../../src/checking/properties/goals.ts';
import type { SearchCounts } from '../../../src/checking/search.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { RESOURCE_KINDS } from '../../../src/election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import type { CheckAnswer } from '../../../src/experiment/checks/answer.ts';
import { TRUTHS } from '../../../src/experiment/checks/answer.ts';
import { COUNTEREXAMPLE } from '../../../src/experiment/checks/counterexample.ts';
import { CHECK } from '../../../src/experiment/checks/request.ts';
import type { RingRow } from '../../../src/experiment/checks/rings.ts';
import { acceptedType } from '../../contract/router.ts';
import type { Execute, JobSnapshot, JobStatus } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView } from '../job-kind.ts';
import { resultOf } from '../table-answers.ts';
import { resultInWorker } from '../worker-job.ts';
import type { CheckOrder } from './request.ts';
import { checkRequestSchema } from './request.ts';
import { WORLDS_PATH } from './worlds.ts';

/** Checks that are over and kept. */
export const CHECKS_KEPT_MAX = 100;

/** Memory of the visited worlds of a check, in bytes. */
export const CHECK_BYTES_MAX = 512 * 2 ** 20;

/** Actions of a counterexample that is kept. */
export const ACTIONS_MAX = 2000;

/** Characters of all counterexamples that are kept. */
export const COUNTEREXAMPLE_CHARACTERS_MAX = 64 * 2 ** 20;

/** The forms of a counterexample by media type, the default first. */
export const COUNTEREXAMPLE_TYPES = ['application/json', 'image/svg+xml', 'text/plain'] as const;

/** A counterexample in each form, as `usurp check` writes it. */
export type Counterexamples = Readonly<Record<(typeof COUNTEREXAMPLE_TYPES)[number], string>>;

/** What a check found. */
export interface CheckOutcome {
  readonly answer: CheckAnswer;
  /** Null without a violation. It is written in the thread of the check, because it can have thousands of actions. */
  readonly counterexample: Counterexamples | null;
  /** The results of all rings, if they were asked for. The answer is that of the worst. */
  readonly rings: { readonly count: number; readonly checked: readonly RingRow[] } | null;
}

/** Progress is null before the first report. */
export interface CheckJob {
  readonly request: CheckOrder;
  readonly progress: SearchCounts | null;
  readonly result: CheckOutcome;
}

const countsSchema = z
  .object({
    states: z.int().describe('Worlds that were visited.'),
    transitions: z.int(),
    depth: z.int().describe('Most actions from the first world to a visited one.'),
    queue: z.int().describe('Worlds whose actions were not explored yet.'),
    steps: z
      .int()
      .describe('Steps of single nodes that were computed. They are not counted for random walks.'),
    bytes: z
      .int()
      .describe(
        'Memory that was allocated for the visited worlds. It grows in parts, and several threads need more of it ahead.',
      ),
  })
  .meta({ id: 'CheckCounts' });

const rank = z.int();
const reached = z
  .enum(['acted', 'ignored', 'never'])
  .describe('ignored: it occurred, and changed nothing in any world.');
const handler = z.enum(HANDLERS);
const propertyKind = z.enum(['always', 'sometimes', 'eventually']);

const coverageSchema = z
  .object({
    messages: z
      .array(z.object({ type: z.string(), reached, handlers: z.array(handler).readonly() }))
      .readonly(),
    timers: z.array(z.object({ timer: z.string(), reached })).readonly(),
    events: z.array(z.object({ event: handler, reached })).readonly(),
  })
  .meta({ id: 'CheckCoverage' });

const answerMembers = {
  protocol: z.enum(PROTOCOL_NAMES),
  nodes: z.int(),
  flags: z.record(z.string(), z.string()).describe('Variants and numbers of the protocol.'),
  ring: z.array(rank).readonly().describe('The ranks, clockwise.'),
  absent: z.array(rank).readonly().describe('Nodes that may join later.'),
  phantoms: z.array(rank).readonly().describe('Ranks that no node has.'),
  level: z
    .enum(LEVELS)
    .nullable()
    .describe('What nodes check of messages. Null: nothing, and there are no Byzantine nodes.'),
  byzantine: z
    .array(z.object({ rank, behaviours: z.array(z.string()).readonly() }))
    .readonly()
    .describe('The Byzantine nodes, with their behaviours, the innermost first.'),
  resource: z
    .enum(RESOURCE_KINDS)
    .nullable()
    .describe('The resource that leaders write to. Null without one.'),
  order: z.enum(['breadth', 'depth']),
  timing: z.enum(['synchronous', 'asynchronous']),
  links: z.enum(['fifo', 'any']),
  starts: z.enum(['together', 'any']),
  initiators: z.array(rank).readonly(),
  crashedBefore: z.array(rank).readonly(),
  bounds: z
    .record(z.enum(BOUND_NAMES), z.int().nullable())
    .describe('How often each fault happens in one execution. Null without a limit.'),
  cut: z
    .array(z.tuple([rank, rank]).readonly())
    .readonly()
    .describe('Pairs of nodes without a link.'),
  perLink: z.int().nullable(),
  isShifted: z
    .boolean()
    .describe(
      'Whether worlds that differ only in how high their counters are count as one. With properties that remember the past, joins or phantoms they do not.',
    ),
  spread: z.int().nullable(),
  goal: z.enum(GOAL_NAMES).nullable().describe('What the Byzantine nodes seek. Null without.'),
  properties: z
    .array(z.object({ name: z.string(), kind: propertyKind, value: z.enum(TRUTHS) }))
    .readonly(),
  unclaimed: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .readonly()
    .describe(
      'Properties that the protocol does not claim here. They are checked only if it claims none that can be violated.',
    ),
  counts: countsSchema,
  witnessed: z
    .array(z.string())
    .readonly()
    .describe('The sometimes properties that a visited world has.'),
  coverage: coverageSchema.describe('never is a fact only if the result is exhausted.'),
  reduced: z
    .boolean()
    .describe('Whether one of the orders of independent actions was visited instead of all.'),
  renamings: z
    .int()
    .describe(
      'How many worlds count as one at most, because they differ only in which node has which rank.',
    ),
  walks: z
    .object({
      count: z.int().describe('Walks that were carried out.'),
      depth: z.int().describe('Most actions of a walk.'),
      seed: z.string(),
    })
    .nullable()
    .describe(
      'The random walks that were carried out instead of a search; null for a search. Then the counts count a world as often as it was visited.',
    ),
};

const actionSchema = z.object({
  action: z.looseObject({ type: z.string() }),
  effects: z.array(z.looseObject({ type: z.string() })).readonly(),
  dropped: z.boolean().describe('Whether a delivered message is lost: its recipient is down.'),
  lost: z
    .enum(['partition', 'no-link'])
    .nullable()
    .describe('Why a sent message is lost at once; null for all else.'),
});

const exampleMembers = {
  property: z.string(),
  breach: z.string().describe('What is wrong in the last world, or shows the goal.'),
  cycleFrom: z
    .int()
    .nullable()
    .describe('Index of the first action that repeats for ever; null if none does.'),
  repeatsFrom: z
    .int()
    .nullable()
    .describe('Number of steps of the address before those that repeat; null if none do.'),
  rises: z
    .array(z.object({ counter: z.string(), by: z.int() }))
    .readonly()
    .describe('The counters that are higher after each repetition.'),
  address: z.array(z.int()).readonly().describe('Indexes of the possible actions.'),
  actions: z.array(actionSchema).readonly(),
};

/** As `usurp check --json` prints it. */
const answerSchema = z
  .discriminatedUnion('result', [
    z
      .object({ result: z.literal('exhausted'), ...answerMembers })
      .meta({ id: 'ExhaustedCheck', description: 'Every world within the bounds was visited.' }),
    z
      .object({
        ...{ result: z.literal('capped'), ...answerMembers },
        detail: z.string().describe('The limit that was reached.'),
      })
      .meta({ id: 'CappedCheck', description: 'A limit was reached; the rest is unknown.' }),
    z
      .object({ result: z.literal('violated'), ...answerMembers, ...exampleMembers })
      .meta({ id: 'ViolatedCheck', description: 'The actions show the violation.' }),
    z
      .object({ result: z.literal('reachable'), ...answerMembers, ...exampleMembers })
      .meta({ id: 'ReachableCheck', description: 'The actions reach the goal.' }),
  ])
  .meta({ id: 'CheckResult' });

const checkedSchema = CHECK.meta({ id: 'CheckedInstance' });

/** The file of a counterexample. */
export const counterexampleSchema = COUNTEREXAMPLE.extend({
  check: checkedSchema,
  actions: z.array(z.looseObject({ type: z.string() })),
}).meta({ id: 'Counterexample', description: 'A file for usurp replay.' });

/** A counterexample in the other forms. */
export const COUNTEREXAMPLE_TEXTS = {
  'image/svg+xml': { schema: z.string() },
  'text/plain': { schema: z.string() },
};

const ringsSchema = z
  .object({
    count: z.int().describe('Number of all rings of these nodes.'),
    checked: z
      .array(
        z.object({
          ring: z.array(rank).readonly().describe('The ranks, clockwise.'),
          result: z.enum(['exhausted', 'capped', 'violated', 'reachable']),
          ...{ states: z.int(), transitions: z.int(), depth: z.int() },
          property: z.string().nullable().describe('What is violated; null without a violation.'),
          actions: z.int().nullable().describe('Actions of the violation; null without one.'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'CheckedRings' });

const checkSchema = z
  .object({
    ...jobMembers('check', 'x', checkRequestSchema),
    progress: countsSchema.nullable().describe('Null before the first report.'),
    result: answerSchema
      .optional()
      .describe(
        'capped if it was cancelled. Then it has what was found until then. Of all rings the worst: a violation with the fewest actions, else a capped search, else the largest.',
      ),
    rings: ringsSchema.optional().describe('Only if all rings were asked for.'),
    links: jobLinksSchema.extend({
      worlds: z.string().describe('POST `request` with an address for one of its worlds.'),
      counterexample: z.string().optional().describe('Only if a property is violated.'),
    }),
  })
  .meta({ id: 'CheckJob' });

export const CHECK_JOB = defineJob<CheckJob>()({
  ...{ letter: 'x', name: 'check', plural: 'checks', tags: ['experiments'] },
  summary: 'Explore every schedule of a protocol within bounds',
  description:
    'The members are the flags of `usurp check`, with the same meaning and defaults. `maxStates` is lower. `rings` is `--ring all`. Only the command line has `--property all`, `--max-memory`, `--threads`, `--checkpoint`, `--resume`, `--cost` and `--load`.',
  body: checkRequestSchema,
  example: {
    ...{ protocol: 'bully-oneshot', nodes: 3, timing: 'asynchronous', bounds: { crash: 1 } },
    ...{ properties: ['one-leader'], maxStates: 1000 },
  },
  ...{ keptMax: CHECKS_KEPT_MAX, begun: null },
  weight: { of: charactersOf, keptMax: COUNTEREXAMPLE_CHARACTERS_MAX },
  remainingMs: () => Number.POSITIVE_INFINITY,
  view: checkSchema,
  viewOf(job): z.output<typeof checkSchema> {
    const { result } = job.state;
    const links = jobLinks(job);
    return {
      ...jobView('check', job),
      progress: job.progress,
      ...(result && { result: answerOf(result, job.state.status) }),
      ...(result?.rings && { rings: result.rings }),
      links: {
        ...{ ...links, worlds: WORLDS_PATH },
        ...(result?.counterexample && { counterexample: `${links.self}/results/counterexample` }),
      },
    };
  },
});

/** The answer of a search that was stopped names the reason. */
function answerOf({ answer }: CheckOutcome, status: JobStatus): CheckOutcome['answer'] {
  const isStopped = answer.result === 'capped' && answer.detail === SEARCH_STOPPED;
  if (!isStopped || status !== 'cancelled') return answer;
  return { ...answer, detail: 'the check was cancelled before it reached a limit' };
}

function charactersOf({ counterexample }: CheckOutcome): number {
  return Object.values(counterexample ?? {}).reduce((sum, { length }) => sum + length, 0);
}

/** The counterexample in the form that Accept names. Throws LabError `job.unfinished` or `not_found`. */
export function counterexampleAnswer(c: Context, job: JobSnapshot<CheckJob>): Response {
  const type = acceptedType(c, COUNTEREXAMPLE_TYPES);
  const { answer, counterexample } = resultOf(job);
  if (counterexample === null) {
    const detail = `job ${job.id} is ${answer.result}: it found no violation`;
    throw new LabError('not_found', detail);
  }
  const isText = type === 'text/plain';
  const headers = { 'Content-Type': isText ? `${type}; charset=utf-8` : type };
  return c.body(counterexample[type], 200, headers);
}

/** Executes checks. The thread of a check searches alone, so that the counts are the same on every machine. */
export function checkInThread(): Execute<CheckJob> {
  return (order, execution) => {
    return resultInWorker<SearchCounts, CheckOutcome>(CHECK_WORKER, order, execution, GRACE_MS);
  };
}

const CHECK_WORKER = new URL('./worker.ts', import.meta.url);
/** A slice of a search takes longer than that of other jobs. */
const GRACE_MS = 5000;
