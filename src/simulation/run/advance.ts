/**
 * @module
 * Advances a run: carries out what is due, tick by tick, until the run is at rest, a tick is over, or an event
 * limit is reached. The parts of an advance change nothing of its order: whether the run is at rest is
 * examined once in each tick, wherever the parts end.
 */

import { assertInteger } from '../plan/assertions.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { applyIncident, deliverReport } from './environment.ts';
import type { Inboxes } from './inboxes.ts';
import type { Parts } from './parts.ts';
import { whole } from './parts.ts';
import type { Bound, Run } from './status.ts';
import { isIdle, patienceOf } from './status.ts';

export interface Advance {
  /**
   * Until the run is at rest (or `plan.untilTicks` after the last start or intervention), or until this tick
   * is over. An advance ends earlier if a node from outside must answer.
   */
  readonly until: 'idle' | number;
  /** Maximum number of deliveries, timers and faults. */
  readonly events?: number | undefined;
}

/** Advances in parts of at most `eventsPerPart` events. Throws LabError `arguments`. */
export function* advancing(run: Run, request: Advance, eventsPerPart: number): Parts<Bound> {
  const { engine, script, environment, inboxes } = run;
  const untilIdle = request.until === 'idle';
  const limit = request.until === 'idle' ? patienceOf(run) : request.until;
  if (!untilIdle) assertInteger('until', limit, { min: engine.now, max: TICKS_LIMIT });
  let eventsLeft = request.events ?? Number.POSITIVE_INFINITY;
  if (request.events !== undefined)
    assertInteger('events', eventsLeft, { min: 0, max: TICKS_LIMIT });
  for (;;) {
    if (inboxes?.isAwaiting() === true) return 'outside';
    if (untilIdle && isIdle(run)) return 'idle';
    const at = Math.min(engine.earliest(), script.earliest(), environment.detector.earliest());
    if (at > limit) {
      moveTo(run, limit);
      return isIdle(run) ? 'idle' : 'until';
    }
    if (eventsLeft <= 0) return 'events';
    moveTo(run, at);
    if (inboxes !== null) {
      eventsLeft -= eachDue(run, inboxes, eventsLeft);
      continue;
    }
    eventsLeft -= yield* happeningDue(run, eventsLeft);
    for (let most = 0, done = 0; done === most && eventsLeft > 0; eventsLeft -= done) {
      if (most > 0) yield;
      most = Math.min(eventsLeft, eventsPerPart);
      done = executeDue(run, most);
    }
  }
}

/**
 * Delivers messages and fires timers that are due now, at most `eventsMax`, in the order of the plan. Returns their
 * number. With `timers-first`, no message is delivered while a timer is due,
 * also if a message of this tick set this timer.
 */
function executeDue({ engine, plan }: Run, eventsMax: number): number {
  if (plan.sameTick === 'messages-first') {
    const delivered = engine.deliverDue(eventsMax);
    return delivered + engine.fireDue(eventsMax - delivered);
  }
  let events = 0;
  for (let done = 1; done > 0 && events < eventsMax; events += done) {
    done = engine.fireDue(eventsMax - events) || engine.deliverDue(1);
  }
  return events;
}

/**
 * Carries out at most `eventsMax` incidents and suspicions that are due now. Returns their number. Each is a part
 * of its own, because a detector may compare all pairs of nodes.
 */
export function* happeningDue(run: Run, eventsMax: number): Parts<number> {
  let events = 0;
  for (; events < eventsMax && (yield* happeningNext(run)); events += 1) yield;
  return events;
}

/** Carries out the next incident or suspicion that is due now; false if there is none. */
function* happeningNext({ engine, script, environment }: Run): Parts<boolean> {
  const incident = script.take(engine.now);
  if (incident !== null) {
    yield* applyIncident(environment, incident);
    return true;
  }
  const report = environment.detector.take(engine.now);
  if (report === null) return false;
  yield* deliverReport(environment, report);
  return true;
}

/** Executes due events one by one until a node from outside must answer. Returns their number. */
function eachDue(run: Run, inboxes: Inboxes, eventsMax: number): number {
  let events = 0;
  while (events < eventsMax && !inboxes.isAwaiting()) {
    const one = whole(happeningDue(run, 1)) || executeDue(run, 1);
    if (one === 0) break;
    events += one;
  }
  return events;
}

function moveTo({ engine, sendTimes }: Run, tick: number): void {
  engine.now = Math.max(engine.now, tick);
  sendTimes?.note(engine.now, engine.sent);
}
