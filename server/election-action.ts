/**
 * @module
 * What can be done to an election, and how it is done to its simulation: the one fold behind elections
 * as they go on, their restart, their forks and every later telling of what happened in them. A long
 * advance is cut into slices of the same size everywhere, so that all of them end alike.
 */

import { LabError } from '../src/errors.ts';
import { parseCut } from '../src/simulation/faults/text-cuts.ts';
import type { Advance, Simulation } from '../src/simulation/simulation.ts';
import { IN_FLIGHT_MAX } from './election-request.ts';

/** Deliveries, timers and faults of one advance; the answer then says `bound: events`. */
export const EVENTS_PER_ADVANCE_MAX = 1_000_000;

/** A few milliseconds at most, so that a long advance does not hold up other requests. */
export const EVENTS_PER_SLICE = 1_000;

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
  | ({ readonly type: 'advance' } & Advance);

/** Who starts when an action names nobody; undefined is every live node. */
export type Initiators = readonly number[] | undefined;

/**
 * Carries out an action; between two steps of the generator others may have their turn. Throws LabError
 * where it cannot be, of which an advance alone can have gone some way before.
 */
export function* carryOut(
  simulation: Simulation,
  action: ElectionAction,
  initiators: Initiators,
): Generator<void, void, void> {
  switch (action.type) {
    case 'start':
      return simulation.start(action.nodes ?? initiators);
    case 'crash':
      return simulation.crash(action.rank);
    case 'recover':
      return simulation.recover(action.rank);
    case 'suspect':
      return simulation.suspect(action.rank, action.by);
    case 'partition':
      return partition(simulation, action.cut);
    case 'heal':
      return simulation.heal();
    case 'deliver':
      return simulation.deliver(action.message);
    case 'drop':
      return simulation.drop(action.message);
    case 'delay':
      return simulation.delay(action.message, action.ticks);
    case 'advance':
      return yield* advance(simulation, action);
    default:
      return action satisfies never;
  }
}

/** Refuses to go on with more messages in flight than the server keeps: LabError `job.size`. */
export function demandRoomInFlight(simulation: Simulation): void {
  const { inFlight } = simulation.status();
  if (inFlight <= IN_FLIGHT_MAX) return;
  const detail =
    `${inFlight} messages are in flight, more than the ${IN_FLIGHT_MAX} this server keeps; ` +
    'delete the election and make a smaller one';
  throw new LabError('job.size', detail);
}

function* advance(
  simulation: Simulation,
  { until, events = EVENTS_PER_ADVANCE_MAX }: Advance,
): Generator<void, void, void> {
  let left = events;
  for (;;) {
    const slice = Math.min(left, EVENTS_PER_SLICE);
    if (simulation.advance({ until, events: slice }) !== 'events') return;
    left -= slice;
    if (left <= 0) return;
    yield;
    demandRoomInFlight(simulation);
  }
}

function partition(simulation: Simulation, text: string): void {
  const cut = parseCut(text);
  if (cut === null) throw new LabError('arguments', `cut is ${CUT_FORMS}`);
  simulation.partition(cut);
}

export const CUT_FORMS =
  'halves, minority, majorities-ring, isolate:3, one-way:1>2, or links:1-2,3-4';
