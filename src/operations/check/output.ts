/**
 * @module
 * The output of a check: what was checked, what was visited, and the example of a violation or of a goal.
 */

import { z } from 'zod';
import { HANDLERS } from '../../checking/coverage.ts';
import { BOUND_NAMES, START_MODES } from '../../checking/instance.ts';
import { GOAL_NAMES } from '../../checking/properties/goals.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { RESOURCE_KINDS } from '../../election/lease/stores/resource.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { TRUTHS } from '../../experiment/checks/answer.ts';

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
  store: z.int().nullable().describe('The rank of the store. Null without one.'),
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
  clients: z
    .string()
    .nullable()
    .describe('Clients of the leader, as the option has them. Null without any.'),
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
  topology: z.string().nullable().describe('Which nodes have a link. Null if each pair has one.'),
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
    .array(
      z.object({
        name: z.string(),
        kind: propertyKind,
        value: z.enum(TRUTHS),
        description: z.string(),
      }),
    )
    .readonly(),
  unclaimed: z
    .array(z.object({ name: z.string(), reason: z.string() }))
    .readonly()
    .describe(
      'Properties that the protocol does not claim here. They are checked only if it claims none that can be violated.',
    ),
  words: z
    .object({
      instance: z.string().describe('What was checked.'),
      explored: z.array(z.string()).readonly().describe('How much was visited.'),
      outcome: z.string().describe('The result.'),
      further: z.array(z.string()).readonly().describe('What to know about it, or to do next.'),
    })
    .describe('The same for people.'),
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

/** How an example is shown. */
export const exampleMembers = {
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

const ringsSchema = z
  .object({
    count: z.int().describe('Number of different rings of these nodes.'),
    checked: z
      .array(
        z.object({
          ring: z.array(rank).readonly().describe('The ranks, clockwise.'),
          result: z.enum(['exhausted', 'capped', 'violated', 'reachable']),
          states: z.int(),
          transitions: z.int(),
          depth: z.int(),
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

const ended = { rings: ringsSchema.optional(), replay: z.string() };

/** The answer, as a job has it and as `usurp check --json` prints it. */
export const checkOutput = z
  .discriminatedUnion('result', [
    z.object({ result: z.literal('exhausted'), ...answerMembers, ...ended }).meta({
      id: 'ExhaustedCheck',
      description: 'Every world within the bounds was visited, and no property is violated.',
    }),
    z
      .object({
        result: z.literal('capped'),
        ...answerMembers,
        ...ended,
        detail: z.string().describe('The limit that was reached.'),
      })
      .meta({
        id: 'CappedCheck',
        description: 'A limit was reached. Nothing is known about the other worlds.',
      }),
    z
      .object({ result: z.literal('violated'), ...answerMembers, ...ended, ...exampleMembers })
      .meta({ id: 'ViolatedCheck', description: 'The actions lead to the violation.' }),
    z
      .object({ result: z.literal('reachable'), ...answerMembers, ...ended, ...exampleMembers })
      .meta({ id: 'ReachableCheck', description: 'The actions reach the goal.' }),
  ])
  .meta({ id: 'CheckResult' });

export type CheckOutput = z.output<typeof checkOutput>;

/** An example of a violation or of a goal. */
export type ShownExample = z.output<z.ZodObject<typeof exampleMembers>>;
