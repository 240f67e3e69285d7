/**
 * @module
 * Runs a simulation to rest in slices of time. Between slices it prints progress, checks for an interrupt,
 * and stops a run with too many messages in flight, which would fill the memory.
 */

import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

import { LabError } from '../../errors.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import type { Advance } from '../../simulation/run/advance.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import type { Bound } from '../../simulation/run/status.ts';

/** Where a run reports its progress, and what ends it. */
export interface Watcher {
  /** A message for people: one line. */
  note(line: string): void;
  progress(line: () => string): void;
  /** Aborts at an interrupt. */
  readonly signal: AbortSignal;
}

/** Length of a slice. An interrupt is noticed after one slice and at most EVENTS_PER_LOOK events. */
const SLICE_MS = 200;
/** Events between two readings of the clock: 20 ms at 10 µs an event. */
const EVENTS_PER_LOOK = 2_000;

/**
 * Advances until rest, the tick `until`, a bound or an interrupt. The progress line begins with `before`.
 */
export async function settle(
  simulation: Simulation,
  watcher: Watcher,
  before = 'electing',
  until: Advance['until'] = 'idle',
): Promise<void> {
  while (advanceSlice(simulation, until) === 'events') {
    const { ticks, messages, inFlight } = simulation.progress();
    if (inFlight > MESSAGES_LIMIT) {
      watcher.note(`stopped at tick ${ticks}: over ${MESSAGES_LIMIT} messages are in flight`);
      return;
    }
    watcher.progress(
      () => `${before}: tick ${ticks}, ${messages.total} messages sent, ${inFlight} in flight`,
    );
    await setImmediate();
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

function advanceSlice(simulation: Simulation, until: Advance['until']): Bound {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const bound = simulation.advance({ until, events: EVENTS_PER_LOOK });
    if (bound !== 'events' || performance.now() >= end) return bound;
  }
}
