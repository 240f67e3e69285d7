/**
 * @module
 * The actions on an election, and how the simulation carries them out. An election, its restoring, its copies
 * and its replays all use this file. They cut a long advance into slices of the same size, so that they end in
 * the same state.
 */

import { z } from '@hono/zod-openapi';
import type { SealedMessage } from '../../../src/election/authentication/authenticated.ts';
import type { Message } from '../../../src/election/machine.ts';
import type { OutsideEffect } from '../../../src/election/world/outside.ts';
import { LabError } from '../../../src/errors.ts';
import type { MessageValue } from '../../../src/identity/message.ts';
import { MESSAGE_DEPTH_MAX, messageBytes } from '../../../src/identity/message.ts';
import type { Cut } from '../../../src/simulation/faults/schedule.ts';
import { parseCut } from '../../../src/simulation/faults/text.ts';
import { IN_FLIGHT_MAX, NODES_MAX } from '../../../src/simulation/request/remote-limits.ts';
import type { Advance } from '../../../src/simulation/run/advance.ts';
import type { Parts } from '../../../src/simulation/run/parts.ts';
import { whole } from '../../../src/simulation/run/parts.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { faultAt, repointed } from '../../contract/faults.ts';
import { wholeNumber } from '../../contract/members.ts';
import type { JoinAction } from './plan.ts';

import { rankSchema } from './request.ts';
import type { Stage } from './stage.ts';
import { EVENTS_PER_ELECTION_MAX } from './stage.ts';

/** Deliveries, timers and faults of one advance. An advance that reaches it ends with bound `events`. */
export const EVENTS_PER_ADVANCE_MAX = 1_000_000;

export type ElectionAction =
  | { readonly type: 'start'; readonly nodes?: readonly number[] | undefined }
  | { readonly type: 'crash' | 'recover'; readonly rank: number }
  /** All live nodes suspect `rank`, or those in `by`. */
  | { readonly type: 'suspect'; readonly rank: number; readonly by?: readonly number[] | undefined }
  /** The cut in the form of `usurp elect --partition`. */
  | { readonly type: 'partition'; readonly cut: string }
  | { readonly type: 'heal' }
  | { readonly type: 'deliver' | 'drop'; readonly message: number }
  | { readonly type: 'delay'; readonly message: number; readonly ticks: number }
  /** A message of a program outside in the name of any node; `all` are all other nodes that are up. */
  | {
      readonly type: 'inject';
      readonly from: number;
      readonly to: Recipients;
      readonly message: OutsideMessage;
    }
  | OutboxAction
  | JoinAction
  /** The election no longer waits for the program that plays this node, until the program answers. */
  | { readonly type: 'lapse'; readonly node: number }
  | AdvanceAction;

export type AdvanceAction = { readonly type: 'advance' } & Advance;

/** What the program that plays a node does after the events up to number `through`. */
export interface OutboxAction {
  readonly type: 'outbox';
  readonly node: number;
  /** `undefined` if it answers no event. */
  readonly through?: number | undefined;
  readonly effects: readonly OutsideEffect[];
}

/** The rest of an advance that waits for a program outside; null if nothing is left of the action. */
export type Rest = Advance | null;

/**
 * Carries out an action in parts of a few milliseconds at most. Throws LabError in the first part if the action
 * is not possible; the election has not changed then.
 */
export function* carryOut(stage: Stage, action: ElectionAction): Parts<Rest> {
  if (action.type === 'join') {
    yield* stage.joining(action);
    return null;
  }
  if (action.type === 'advance') {
    stage.touch();
    return yield* advance(stage, action);
  }
  const parts = partsOf(stage, action);
  let step = parts.next();
  stage.touch();
  for (; step.done !== true; step = parts.next()) yield;
  return null;
}

/** Actions with steps of many nodes. */
const HEAVY: ReadonlySet<ElectionAction['type']> = new Set([
  ...(['start', 'advance', 'join', 'crash', 'recover'] as const),
  ...(['suspect', 'partition', 'heal'] as const),
]);

/** Whether the action can take milliseconds, so that it waits for its turn on the thread. */
export function isHeavy({ type }: ElectionAction): boolean {
  return HEAVY.has(type);
}

/** An action that takes no virtual time. */
type Instant = Exclude<ElectionAction, { type: 'advance' | 'join' }>;
type InstantOf<Type extends Instant['type']> = Instant & { readonly type: Type };

/** How an instant action is carried out, and the member that a refusal is about. */
interface Carried<Type extends Instant['type']> {
  readonly parts: (stage: Stage, action: InstantOf<Type>) => Parts;
  readonly blamed: (stage: Stage, action: InstantOf<Type>) => string;
}

/** The instant actions. */
const APPLY: { readonly [Type in Instant['type']]: Carried<Type> } = {
  start: {
    parts: ({ simulation, initiators }, { nodes }) => simulation.starting(nodes ?? initiators),
    blamed: (_stage, { nodes }) => (nodes === undefined ? '/type' : '/nodes'),
  },
  crash: {
    parts: ({ simulation }, { rank }) => simulation.crashing(rank),
    blamed: () => '/rank',
  },
  recover: {
    parts: ({ simulation }, { rank }) => simulation.recovering(rank),
    blamed: () => '/rank',
  },
  suspect: {
    parts: ({ simulation }, { rank, by }) => simulation.suspecting(rank, by),
    blamed: ({ simulation: { plan } }, { rank, by }) =>
      by === undefined || rank > plan.nodes ? '/rank' : '/by',
  },
  partition: {
    parts: ({ simulation }, { cut }) => simulation.partitioning(cutOf(cut)),
    blamed: () => '/cut',
  },
  heal: { parts: ({ simulation }) => simulation.healing(), blamed: () => '/type' },
  deliver: {
    parts: ({ simulation }, { message }) => once(() => simulation.deliver(message)),
    blamed: () => '/message',
  },
  drop: {
    parts: ({ simulation }, { message }) => once(() => simulation.drop(message)),
    blamed: () => '/message',
  },
  delay: {
    parts: ({ simulation }, { message, ticks }) => once(() => simulation.delay(message, ticks)),
    blamed({ simulation }, { message }) {
      const [flight] = simulation.flightsAfter(message - 1, 1);
      return flight?.id === message ? '/ticks' : '/message';
    },
  },
  inject: {
    parts: ({ simulation }, action) => once(() => inject(simulation, action)),
    blamed({ simulation: { plan } }, { from }) {
      if (plan.level === null) return '/type';
      return from > plan.nodes || plan.level === 'L1' ? '/from' : '/to';
    },
  },
  outbox: {
    parts: ({ simulation }, action) => once(() => answer(simulation, action)),
    blamed: () => '/effects',
  },
  lapse: {
    parts: ({ simulation }, { node }) => once(() => simulation.lapse(node)),
    blamed: () => '/node',
  },
};

function partsOf<Type extends Instant['type']>(stage: Stage, action: InstantOf<Type>): Parts {
  const type: Type = action.type;
  const { parts, blamed } = APPLY[type];
  return conflicting(
    () => blamed(stage, action),
    () => parts(stage, action),
  );
}

/** One part. */
function* once(act: () => void): Parts {
  act();
  yield;
}

/**
 * Carries out work on an election. What the simulation refuses depends on the election: the schema refused
 * what no election allows. The refusal is `election.conflict`, and points at a member of the action.
 */
function* conflicting<T>(blamed: () => string, work: () => Parts<T>): Parts<T> {
  try {
    return yield* work();
  } catch (error) {
    const isAbout = error instanceof LabError && CONFLICTS.has(error.code);
    if (!isAbout) throw error;
    const [fault] = error.faults;
    if (fault !== undefined) throw faultAt('election.conflict', fault.pointer, fault.detail);
    throw faultAt('election.conflict', blamed(), error.message);
  }
}

const CONFLICTS: ReadonlySet<string> = new Set(['arguments', 'election.conflict']);

/** Throws LabError `job.size` if more messages are in flight than the server keeps. */
export function assertRoomInFlight(simulation: Simulation): void {
  const { inFlight } = simulation.status();
  if (inFlight <= IN_FLIGHT_MAX) return;
  const detail =
    `${inFlight} messages are in flight, more than the ${IN_FLIGHT_MAX} this server keeps; ` +
    'delete the election and make a smaller one';
  throw new LabError('job.size', detail);
}

/** The advance with at most the events that are left. Throws LabError `job.size` if none are. */
export function bounded(action: AdvanceAction, left: number): AdvanceAction {
  const { events = EVENTS_PER_ADVANCE_MAX } = action;
  if (left >= events) return action;
  if (left > 0) return { ...action, events: left };
  const detail = `the advances of an election come to at most ${EVENTS_PER_ELECTION_MAX} events in all; make another`;
  throw new LabError('job.size', detail);
}

function* advance(stage: Stage, { until, events = EVENTS_PER_ADVANCE_MAX }: Advance): Parts<Rest> {
  const { simulation, eventsPerSlice, eventsPerPart } = stage;
  let left = events;
  const { outside, openings } = simulation.plan;
  const mayWait = outside.length > 0 || openings.length > 0;
  const isWaiting = mayWait && simulation.status().awaiting.length > 0;
  // If it may wait for a program, the number of events before that must be known exactly.
  const step = mayWait || stage.isSingle ? 1 : eventsPerSlice;
  for (let done = 0; ; ) {
    const slice = Math.min(left, step);
    const request = { until, events: slice };
    const parts = conflicting(
      () => '/until',
      () => simulation.advancing(request, eventsPerPart),
    );
    const bound = stage.isSingle ? whole(parts) : yield* parts;
    if (isWaiting) return { until, events: left };
    if (bound !== 'events' && bound !== 'outside') return null;
    stage.countEvents(slice);
    left -= slice;
    done += slice;
    if (left <= 0) return null;
    if (bound === 'outside') return { until, events: left };
    yield;
    // The slices so far remain. The next advance is refused.
    if (done % eventsPerSlice === 0 && simulation.status().inFlight > IN_FLIGHT_MAX) return null;
  }
}

/** The recipients of a message of a program outside; `all` are all other nodes that are up. */
export type Recipients = number | readonly number[] | 'all';

/** The ranks of the recipients of a message by this node. */
export function recipientsOf(simulation: Simulation, from: number, to: Recipients): number[] {
  if (to !== 'all') return [to].flat();
  const up = simulation.nodes().filter((node) => node.up && node.rank !== from);
  return up.map(({ rank }) => rank);
}

function inject(
  simulation: Simulation,
  { from, to, message }: ElectionAction & { readonly type: 'inject' },
): void {
  const ranks = recipientsOf(simulation, from, to);
  const effects = ranks.map((rank) => ({ type: 'send', to: rank, message }) as const);
  try {
    simulation.inject(from, effects);
  } catch (error) {
    // The action has one message, and a list of recipients only if the caller has sent one.
    const change = (pointer: string) =>
      pointer.replace(/^\/effects\/(\d+)\/to$/, typeof to === 'object' ? '/to/$1' : '/to');
    throw repointed(error, change);
  }
}

/** What can be refused comes first, so that all or nothing happens. */
function answer(simulation: Simulation, { node, through, effects }: OutboxAction): void {
  const { events, answered } = simulation.inbox(node);
  const last = events.at(-1)?.number ?? answered;
  if (through !== undefined && through > last) {
    const detail = `node ${node} has received ${last} events so far`;
    throw faultAt('election.conflict', '/through', detail);
  }
  if (effects.length > 0) simulation.inject(node, effects);
  if (through !== undefined) simulation.answered(node, through);
}

function cutOf(text: string): Cut {
  const cut = parseCut(text);
  if (cut === null) throw new LabError('arguments', `cut is ${CUT_FORMS}`);
  return cut;
}

/** Whether a text is a cut of some election, of different ranks. */
export function isCut(text: string): boolean {
  const cut = parseCut(text);
  if (cut === null) return false;
  if (cut.kind === 'one-way') return cut.from !== cut.to;
  return cut.kind !== 'links' || cut.links.every(([one, other]) => one !== other);
}

export const CUT_FORMS =
  'halves, minority, majorities-ring, isolate:3, one-way:1>2, or links:1-2,3-4';

/**
 * Bytes of canonical JSON. The longest honest message, with the candidacies of a ring, has half of them. The
 * messages and effects of programs outside. A message may have any form that can be signed, because its receivers
 * judge it. What no machine could do is refused here.
 */
export const MESSAGE_BYTES_MAX = 8 * 1024;
/** The body of a request has room for fewer signed messages. */
export const EFFECTS_MAX = 1_000;
/** Longest timer in ticks, as for messages that are held back. */
const TIMER_TICKS_MAX = 10_000;

const TYPE_RULE = 'must be text of 1 to 64 characters';
const TIMER_RULE = 'must be the name of a timer, 1 to 64 characters';
const ticksRule = `must be a whole number of ticks, from 0 to ${TIMER_TICKS_MAX}`;

const sealDescription =
  'The proof of the message, from L2 on. `by`: the rank that signed. `number`: at L3, above all numbers of earlier messages to this recipient. `signature`: in lower-case hex. `candidacies`: by rank, for each candidate that the message names; the sender signs its own and copies those of others from the messages that it received.';

/** A message of a caller. It may have any form that can be signed. */
export const outsideMessageSchema = z
  .looseObject({
    type: z.string(TYPE_RULE).min(1, TYPE_RULE).max(64, TYPE_RULE),
    seal: z.looseObject({}).optional().describe(sealDescription),
  })
  .superRefine((message, context) => {
    const fault = messageFault(message);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({
    id: 'OutsideMessage',
    description: `Its members depend on the protocol; GET /v1/protocols lists them under \`messages\`. Names are ASCII, numbers are integers, and the whole has at most ${MESSAGE_BYTES_MAX} bytes.`,
    example: { type: 'COORDINATOR', leader: 5 },
  });

const timerSchema = z.string(TIMER_RULE).min(1, TIMER_RULE).max(64, TIMER_RULE);

const setTimerSchema = z
  .strictObject({
    type: z.literal('set-timer'),
    timer: timerSchema,
    ticks: wholeNumber(0, TIMER_TICKS_MAX, ticksRule),
    periodic: z.boolean().default(false),
  })
  // Otherwise virtual time would stop.
  .refine(({ ticks, periodic }) => !periodic || ticks > 0, 'periodic needs ticks from 1');

const TO_RULE = 'must be a rank, a list of ranks, or all';

/** The recipients of a message. */
export const recipientsSchema = z
  .union(
    [rankSchema, z.array(rankSchema).min(1, TO_RULE).max(NODES_MAX, TO_RULE), z.literal('all')],
    TO_RULE,
  )
  .describe(
    'A rank; a list of ranks, which may name one several times; or all: all other nodes that are up.',
  );

/** An effect of a node. */
export const outsideEffectSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('send'),
      to: recipientsSchema,
      message: outsideMessageSchema,
    }),
    setTimerSchema,
    z.strictObject({ type: z.literal('cancel-timer'), timer: timerSchema }),
    z
      .strictObject({
        type: z.literal('elect'),
        leader: rankSchema,
        epoch: wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be a whole number, from 0'),
      })
      .describe('From now on the node follows this leader, which may be itself.'),
    z.strictObject({ type: z.literal('step-down') }),
  ])
  .meta({ id: 'OutsideEffect' });

export type OutsideMessage = z.output<typeof outsideMessageSchema>;

/** Why a message cannot be signed or stored; null if it can. */
function messageFault(message: object): string | null {
  if (hasPrototypeName(message)) return 'must have no member __proto__';
  try {
    // The message was parsed from JSON, so it has no values of other types. Fractions are found here.
    const bytes = messageBytes(message as MessageValue);
    if (bytes.length <= MESSAGE_BYTES_MAX) return null;
    return `must have at most ${MESSAGE_BYTES_MAX} bytes, has ${bytes.length}`;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message.replace(/^"value([^"]*)"/, 'member "$1"');
  }
}

/** Whether it has a name that copies would lose. It limits its depth, because it runs before other checks. */
function hasPrototypeName(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > MESSAGE_DEPTH_MAX) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some((member) => hasPrototypeName(member, depth + 1));
}

/** The message without its seal, which is what is signed. */
export function bodyOf({ seal: _seal, ...body }: SealedMessage): Message {
  return body;
}
