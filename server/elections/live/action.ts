/**
 * @module
 * What can be done to an election, and how it is done to its simulation: the one fold behind elections
 * as they go on, their restart, their forks and every later telling of what happened in them. A long
 * advance is cut into slices of the same size everywhere, so that all of them end alike.
 */

import type { OutsideEffect } from '../../../src/election/outside.ts';
import { LabError } from '../../../src/errors.ts';
import { parseCut } from '../../../src/simulation/faults/cut-text.ts';
import type { Advance, Simulation } from '../../../src/simulation/run/simulation.ts';
import { charged } from '../../callers/principal.ts';
import type { OutsideMessage } from './outside-message.ts';
import type { JoinAction } from './plan.ts';
import { IN_FLIGHT_MAX } from './request.ts';
import type { Stage } from './stage.ts';
import { EVENTS_PER_ELECTION_MAX } from './stage.ts';

/** Deliveries, timers and faults of one advance; the answer then says `bound: events`. */
export const EVENTS_PER_ADVANCE_MAX = 1_000_000;

/** What can be done to an election. */
export type ElectionAction =
  | { readonly type: 'start'; readonly nodes?: readonly number[] | undefined }
  | { readonly type: 'crash' | 'recover'; readonly rank: number }
  /** Says that `rank` is dead; to all live nodes unless `by` names some. */
  | { readonly type: 'suspect'; readonly rank: number; readonly by?: readonly number[] | undefined }
  /** The cut in the form of `usurp elect --partition`. */
  | { readonly type: 'partition'; readonly cut: string }
  | { readonly type: 'heal' }
  | { readonly type: 'deliver' | 'drop'; readonly message: number }
  | { readonly type: 'delay'; readonly message: number; readonly ticks: number }
  /** A message of somebody outside in anybody's name; `all` are all others that are up. */
  | {
      readonly type: 'inject';
      readonly from: number;
      readonly to: number | readonly number[] | 'all';
      readonly message: OutsideMessage;
    }
  | OutboxAction
  | JoinAction
  /** Nobody waits any more for the program that plays this node, until it answers. */
  | { readonly type: 'lapse'; readonly node: number }
  | AdvanceAction;

export type AdvanceAction = { readonly type: 'advance' } & Advance;

/** What the program that plays a node does about what it was told up to event number `through`. */
export interface OutboxAction {
  readonly type: 'outbox';
  readonly node: number;
  /** Left out, it answers nothing: the node does something of its own accord. */
  readonly through?: number | undefined;
  readonly effects: readonly OutsideEffect[];
}

/**
 * What is left of an advance that stands still until somebody outside has answered; null of one that is
 * over, and of all else.
 */
export type Rest = Advance | null;

/**
 * Carries out an action; between two steps of the generator others may have their turn. Throws LabError
 * where it cannot be; nothing has happened then.
 */
export function* carryOut(stage: Stage, action: ElectionAction): Generator<void, Rest, void> {
  if (action.type === 'join') {
    charged(() => stage.join(action));
    return null;
  }
  if (action.type === 'advance') {
    stage.touch();
    return yield* advance(stage, action);
  }
  charged(() => happen(stage, action));
  stage.touch();
  return null;
}

/** What can take milliseconds at once: it waits for its turn. */
export function isHeavy({ type }: ElectionAction): boolean {
  return type === 'start' || type === 'advance' || type === 'join';
}

/** What takes no time. */
function happen(
  { simulation, initiators }: Stage,
  action: Exclude<ElectionAction, { type: 'advance' | 'join' }>,
): void {
  switch (action.type) {
    case 'start':
      simulation.start(action.nodes ?? initiators);
      break;
    case 'crash':
      simulation.crash(action.rank);
      break;
    case 'recover':
      simulation.recover(action.rank);
      break;
    case 'suspect':
      simulation.suspect(action.rank, action.by);
      break;
    case 'partition':
      partition(simulation, action.cut);
      break;
    case 'heal':
      simulation.heal();
      break;
    case 'deliver':
      simulation.deliver(action.message);
      break;
    case 'drop':
      simulation.drop(action.message);
      break;
    case 'delay':
      simulation.delay(action.message, action.ticks);
      break;
    case 'inject':
      inject(simulation, action);
      break;
    case 'outbox':
      answer(simulation, action);
      break;
    case 'lapse':
      simulation.lapse(action.node);
      break;
    default:
      action satisfies never;
  }
}

/** Refuses to go on with more messages in flight than the server keeps: LabError `job.size`. */
export function assertRoomInFlight(simulation: Simulation): void {
  if (hasRoomInFlight(simulation)) return;
  const { inFlight } = simulation.status();
  const detail =
    `${inFlight} messages are in flight, more than the ${IN_FLIGHT_MAX} this server keeps; ` +
    'delete the election and make a smaller one';
  throw new LabError('job.size', detail);
}

/** An advance within what is left of events. Throws LabError `job.size` when nothing is. */
export function bounded(action: AdvanceAction, left: number): AdvanceAction {
  const { events = EVENTS_PER_ADVANCE_MAX } = action;
  if (left >= events) return action;
  if (left > 0) return { ...action, events: left };
  const detail = `the advances of an election come to at most ${EVENTS_PER_ELECTION_MAX} events in all; make another`;
  throw new LabError('job.size', detail);
}

function hasRoomInFlight(simulation: Simulation): boolean {
  return simulation.status().inFlight <= IN_FLIGHT_MAX;
}

function* advance(
  stage: Stage,
  { until, events = EVENTS_PER_ADVANCE_MAX }: Advance,
): Generator<void, Rest, void> {
  const { simulation, eventsPerSlice } = stage;
  let left = events;
  const mayStandStill = isPlayedFromOutside(simulation);
  const standsStill = mayStandStill && simulation.status().awaiting.length > 0;
  // Where it may stand still in between, it has to be known after how many events.
  const step = mayStandStill ? 1 : eventsPerSlice;
  for (let done = 0; ; ) {
    const slice = Math.min(left, step);
    const bound = charged(() => simulation.advance({ until, events: slice }));
    if (standsStill) return { until, events: left };
    if (bound !== 'events' && bound !== 'outside') return null;
    stage.countEvents(slice);
    left -= slice;
    done += slice;
    if (left <= 0) return null;
    if (bound === 'outside') return { until, events: left };
    if (done % eventsPerSlice > 0) continue;
    yield;
    // What has happened is told as such; who goes on from there is refused.
    if (!hasRoomInFlight(simulation)) return null;
  }
}

function isPlayedFromOutside({ plan }: Simulation): boolean {
  return plan.outside.length > 0 || plan.openings.length > 0;
}

function inject(
  simulation: Simulation,
  { from, to, message }: ElectionAction & { readonly type: 'inject' },
): void {
  const { plan } = simulation;
  const ranks = to === 'all' ? othersUp(simulation, from) : [to].flat();
  const stranger = ranks.find((rank) => rank > plan.nodes);
  if (stranger !== undefined) {
    throw new LabError('arguments', `to: ranks are 1..${plan.nodes}, got ${stranger}`);
  }
  simulation.inject(
    from,
    ranks.map((rank) => ({ type: 'send', to: rank, message })),
  );
}

function othersUp(simulation: Simulation, from: number): number[] {
  const up = simulation.nodes().filter((node) => node.up && node.rank !== from);
  return up.map(({ rank }) => rank);
}

/** All or nothing: what can be refused comes first. */
function answer(simulation: Simulation, { node, through, effects }: OutboxAction): void {
  const { events, answered } = simulation.inbox(node);
  const last = events.at(-1)?.number ?? answered;
  if (through !== undefined && through > last) {
    throw new LabError('arguments', `through: node ${node} was told ${last} events so far`);
  }
  if (effects.length > 0) simulation.inject(node, effects);
  if (through !== undefined) simulation.answered(node, through);
}

function partition(simulation: Simulation, text: string): void {
  const cut = parseCut(text);
  if (cut === null) throw new LabError('arguments', `cut is ${CUT_FORMS}`);
  simulation.partition(cut);
}

export const CUT_FORMS =
  'halves, minority, majorities-ring, isolate:3, one-way:1>2, or links:1-2,3-4';
