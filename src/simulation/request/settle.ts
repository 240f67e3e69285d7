/**
 * @module
 * Runs a simulation to rest in slices of events. Between slices it prints progress, lets an interrupt arrive, and stops a
 * run with too many messages in flight, which would fill the memory.
 */

import { LabError } from '../../errors.ts';
import { MESSAGES_LIMIT } from '../plan/plan.ts';
import type { Advance } from '../run/advance.ts';
import type { Simulation } from '../run/simulation.ts';

/** Where a run reports its progress, and what ends it. */
export interface Watcher {
  /** A message for people: one line. */
  note(line: string): void;
  progress(line: () => string): void;
  /** Lets an interrupt arrive, if the last pause was long enough ago. */
  pause(): Promise<void>;
  /** Aborts at an interrupt. */
  readonly signal: AbortSignal;
}

/** Events between two pauses: 20 ms at 10 µs an event. */
const SLICE_EVENTS = 2_000;

/**
 * Advances until rest, the tick `until`, a bound or an interrupt. The progress line begins with `before`.
 */
export async function settle(
  simulation: Simulation,
  watcher: Watcher,
  before = 'electing',
  until: Advance['until'] = 'idle',
): Promise<void> {
  while (simulation.advance({ until, events: SLICE_EVENTS }) === 'events') {
    const { ticks, messages, inFlight } = simulation.progress();
    if (inFlight > MESSAGES_LIMIT) {
      watcher.note(`stopped at tick ${ticks}: over ${MESSAGES_LIMIT} messages are in flight`);
      return;
    }
    watcher.progress(
      () => `${before}: tick ${ticks}, ${messages.total} messages sent, ${inFlight} in flight`,
    );
    await watcher.pause();
    if (watcher.signal.aborted) return;
  }
}

/**
 * The same for one of several runs. Prints a note and returns false if the run exceeds the memory limit,
 * so that the other runs continue.
 */
export async function settleIfHeld(
  simulation: Simulation,
  watcher: Watcher,
  { name, until }: { readonly name: string; readonly until?: Advance['until'] },
): Promise<boolean> {
  try {
    await settle(simulation, watcher, name, until);
    return true;
  } catch (error) {
    if (!(error instanceof LabError) || error.code !== 'job.size') throw error;
    const { protocol, seed } = simulation.plan;
    watcher.note(`${protocol} under seed ${seed} does not finish: ${error.message}`);
    return false;
  }
}
