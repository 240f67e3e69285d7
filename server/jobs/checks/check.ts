/**
 * @module
 * This folder contains checks as jobs: every schedule of a protocol within bounds. This file defines the kind, and
 * executes a check in a thread of its own.
 */

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { SEARCH_STOPPED } from '../../../src/checking/check.ts';
import { HANDLERS } from '../../../src/checking/coverage.ts';
import { BOUND_NAMES, START_MODES } from '../../../src/checking/instance.ts';
import { GOAL_NAMES } from '../../../src/checking/properties/goals.ts';
import type { SearchCounts } from '../../../src/checking/search.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { RESOURCE_KINDS } from '../../../src/election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import type { CheckAnswer } from '../../../src/experiment/checks/answer.ts';
import { TRUTHS } from '../../../src/experiment/checks/answer.ts';
import type { CheapestAnswer } from '../../../src/experiment/checks/cheapest-answer.ts';
import { COUNTEREXAMPLE } from '../../../src/experiment/checks/counterexample.ts';
import { CHECK } from '../../../src/experiment/checks/request.ts';
import type { RingRow } from '../../../src/experiment/checks/rings.ts';
import { acceptedType } from '../../contract/router.ts';
import type { Execute, JobSnapshot, JobStatus } from '../job-kind.ts';
import { defineJob, jobLinks, jobLinksSchema, jobMembers, jobView } from '../job-kind.ts';
import { resultOf } from '../table-answers.ts';
import { resultInWorker } from '../worker-job.ts';
import { cheapestSchema } from './cost.ts';
import type { CheckOrder } from './request.ts';
import { checkRequestSchema } from './request.ts';
import { WORLDS_PATH } from './worlds.ts';

/** Checks that are over and kept. */
export const CHECKS_KEPT_MAX = 100;

/** Memory of the visited worlds of a check, and of its values, such as states of nodes, in bytes. Each is limited. */
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
  /** Null for the cheapest attack. */
  readonly answer: CheckAnswer | null;
  /** The cheapest attack, if it was asked for. The counterexample is that of its placement. */
  readonly cheapest?: CheapestAnswer;
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
    states: z.int().describe('Number of visited worlds.'),
    transitions: z.int(),
    depth: z.int().describe('Largest number of actions from the first world to a visited one.'),
    queue: z.int().describe('Number of worlds whose actions were not explored yet.'),
    steps: z
      .int()
      .describe('Number of computed steps of single nodes. Not counted for random walks.'),
    bytes: z
      .int()
      .describe(
        'Memory allocated for the visited worlds, in bytes. It is allocated in parts, and several threads allocate more in advance.',
      ),
  })
  .meta({ id: 'CheckCounts' });

const rank = z.int();
const reached = z
  .enum(['acted', 'ignored', 'never'])
  .describe(
    'acted: it had an effect in some world. ignored: it occurred, but had no effect in any world. never: it did not occur.',
  );
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
    .describe(
      'Level of authentication of messages. Null: messages are not authenticated, and no node is Byzantine.',
    ),
  byzantine: z
    .array(z.object({ rank, behaviours: z.array(z.string()).readonly() }))
    .readonly()
    .describe('The Byzantine nodes and their behaviours. The innermost behaviour is first.'),
  resource: z
    .enum(RESOURCE_KINDS)
    .nullable()
    .describe('The resource that leaders write to. Null without one.'),
  order: z.enum(['breadth', 'depth']),
  timing: z.enum(['synchronous', 'asynchronous']),
  links: z.enum(['fifo', 'any']),
  starts: z
    .enum(START_MODES)
    .describe(
      'When initiators start. together: before everything else. any: each at any moment until it takes part in the election. again: each at any moment, which can begin further elections.',
    ),
  initiators: z.array(rank).readonly(),
  crashedBefore: z.array(rank).readonly(),
  bounds: z
    .record(z.enum(BOUND_NAMES), z.int().nullable())
    .describe('Largest number of each fault in one execution. Null: no limit.'),
  cut: z
    .array(z.tuple([rank, rank]).readonly())
    .readonly()
    .describe('Pairs of nodes without a link.'),
  perLink: z.int().nullable(),
  isShifted: z
    .boolean()
    .describe(
      'Whether worlds that differ only in the height of their counters count as one. They do not if a property remembers the past, or if there are joins or phantoms.',
    ),
  spread: z.int().nullable(),
  goal: z.enum(GOAL_NAMES).nullable().describe('Goal of the Byzantine nodes. Null without one.'),
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
    .describe('Names of the sometimes properties that hold in a visited world.'),
  coverage: coverageSchema.describe(
    'Parts of the protocol that the search has reached. `never` is final only if the result is exhausted.',
  ),
  reduced: z
    .boolean()
    .describe('Whether only one order of independent actions was explored instead of all orders.'),
  renamings: z
    .int()
    .describe(
      'Largest number of worlds that count as one because they differ only in which node has which rank.',
    ),
  walks: z
    .object({
      count: z.int().describe('Number of walks that were carried out.'),
      depth: z.int().describe('Largest number of actions of a walk.'),
      seed: z.string(),
    })
    .nullable()
    .describe(
      'Random walks that were carried out instead of a search. Null for a search. `counts` counts a world of walks once for each visit.',
    ),
};

const actionSchema = z.object({
  action: z.looseObject({ type: z.string() }),
  effects: z.array(z.looseObject({ type: z.string() })).readonly(),
  dropped: z
    .boolean()
    .describe('Whether a delivered message is lost because its recipient is down.'),
  lost: z
    .enum(['partition', 'no-link'])
    .nullable()
    .describe('Why a sent message is lost at once. Null for other actions.'),
});

const exampleMembers = {
  property: z.string(),
  breach: z
    .string()
    .describe(
      'What violates the property in the last world, or what shows that the goal is reached.',
    ),
  cycleFrom: z
    .int()
    .nullable()
    .describe('Index of the first action that repeats for ever. Null if no action repeats.'),
  repeatsFrom: z
    .int()
    .nullable()
    .describe('Number of steps of the address before the repeated steps. Null if no step repeats.'),
  rises: z
    .array(z.object({ counter: z.string(), by: z.int() }))
    .readonly()
    .describe('The counters that are higher after each repetition, and by how much.'),
  address: z
    .array(z.int())
    .readonly()
    .describe(
      'For each action from the first world on, its index among the actions that were possible.',
    ),
  actions: z.array(actionSchema).readonly(),
};

/** The answer as `usurp check --json` prints it. */
const answerSchema = z
  .discriminatedUnion('result', [
    z.object({ result: z.literal('exhausted'), ...answerMembers }).meta({
      id: 'ExhaustedCheck',
      description: 'Every world within the bounds was visited, and no property is violated.',
    }),
    z
      .object({
        ...{ result: z.literal('capped'), ...answerMembers },
        detail: z.string().describe('The limit that was reached.'),
      })
      .meta({
        id: 'CappedCheck',
        description: 'A limit was reached. Nothing is known about the other worlds.',
      }),
    z
      .object({ result: z.literal('violated'), ...answerMembers, ...exampleMembers })
      .meta({ id: 'ViolatedCheck', description: 'The actions lead to the violation.' }),
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
    count: z.int().describe('Number of different rings of these nodes.'),
    checked: z
      .array(
        z.object({
          ring: z.array(rank).readonly().describe('The ranks, clockwise.'),
          result: z.enum(['exhausted', 'capped', 'violated', 'reachable']),
          ...{ states: z.int(), transitions: z.int(), depth: z.int() },
          property: z
            .string()
            .nullable()
            .describe('The violated property. Null without a violation.'),
          actions: z
            .int()
            .nullable()
            .describe('Number of actions of the violation. Null without one.'),
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
        'The result of a cancelled check is capped, and contains what was found so far. With `rings`, this is the result of the worst ring: the violation with the fewest actions, else a capped search, else the search with the most worlds.',
      ),
    rings: ringsSchema.optional().describe('Only with `rings` in the request.'),
    cheapest: cheapestSchema(actionSchema)
      .optional()
      .describe('In place of `result`, with `cost` in the request.'),
    links: jobLinksSchema.extend({
      worlds: z
        .string()
        .describe(
          'POST the members of `request` and an `address` here to get a world of the check.',
        ),
      counterexample: z.string().optional().describe('Only if a property is violated.'),
    }),
  })
  .meta({ id: 'CheckJob' });

export const CHECK_JOB = defineJob<CheckJob>()({
  ...{ letter: 'x', name: 'check', plural: 'checks', tags: ['experiments'] },
  summary: 'Explore every schedule of a protocol within bounds',
  description:
    'The members are the flags of `usurp check`, with the same meaning and defaults. `maxStates` is lower. `rings` is `--ring all`. Only the command line has `--property all`, `--max-memory`, `--threads`, `--checkpoint`, `--resume` and `--load`. `cost` is `--cost`: with `goal` it finds the cheapest placement of forged identities, and has honest node IDs in place of `--against`.',
  body: checkRequestSchema,
  example: {
    ...{ protocol: 'bully-oneshot', nodes: 3, timing: 'asynchronous', bounds: { crash: 1 } },
    ...{ properties: ['one-leader'], maxStates: 1000 },
  },
  ...{ keptMax: CHECKS_KEPT_MAX, begun: null },
  weight: {
    of: ({ counterexample }) =>
      Object.values(counterexample ?? {}).reduce((sum, { length }) => sum + length, 0),
    keptMax: COUNTEREXAMPLE_CHARACTERS_MAX,
  },
  remainingMs: () => Number.POSITIVE_INFINITY,
  view: checkSchema,
  viewOf(job): z.output<typeof checkSchema> {
    const { result } = job.state;
    const links = jobLinks(job);
    return {
      ...jobView('check', job),
      progress: job.progress,
      ...(result?.answer && { result: answerOf(result.answer, job.state.status) }),
      ...(result?.cheapest && { cheapest: result.cheapest }),
      ...(result?.rings && { rings: result.rings }),
      links: {
        ...{ ...links, worlds: WORLDS_PATH },
        ...(result?.counterexample && { counterexample: `${links.self}/results/counterexample` }),
      },
    };
  },
});

/** The answer of a search that was stopped names the reason. */
function answerOf(answer: CheckAnswer, status: JobStatus): CheckAnswer {
  const isStopped = answer.result === 'capped' && answer.detail === SEARCH_STOPPED;
  if (!isStopped || status !== 'cancelled') return answer;
  return { ...answer, detail: 'the check was cancelled before it reached a limit' };
}

/** The counterexample in the form that Accept names. Throws LabError `job.unfinished` or `not_found`. */
export function counterexampleAnswer(c: Context, job: JobSnapshot<CheckJob>): Response {
  const type = acceptedType(c, COUNTEREXAMPLE_TYPES);
  const { answer, cheapest, counterexample } = resultOf(job);
  if (counterexample === null) {
    const detail = `job ${job.id} is ${answer?.result ?? cheapest?.result}: it found no violation`;
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
