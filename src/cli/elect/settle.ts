/**
 * @module
 * Lets a simulation come to rest in slices of time, so that an interrupt is noticed however long an
 * event takes, progress is printed, and a network that doubles what never ends does not fill the memory.
 */

import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

import { LabError } from '../../errors.ts';
import { MESSAGES_LIMIT } from '../../simulation/plan/plan.ts';
import type { Advance, Simulation } from '../../simulation/run/simulation.ts';
import type { Bound } from '../../simulation/run/status.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Longest time until an interrupt is noticed, apart from one stretch of events. */
const SLICE_MS = 200;
/** Between two looks at the clock: at 10 µs an event, 20 ms. */
const EVENTS_PER_LOOK = 2_000;

/**
 * Advances to rest or to the tick `until`, to a bound, or to an interrupt. `before` is put in front of
 * the progress line.
 */
export async function settle(
  simulation: Simulation,
  terminal: Terminal,
  before = 'electing',
  until: Advance['until'] = 'idle',
): Promise<void> {
  while (advanceSlice(simulation, until) === 'events') {
    const { ticks, messages, inFlight } = simulation.status();
    if (inFlight > MESSAGES_LIMIT) {
      terminal.note(`stopped at tick ${ticks}: over ${MESSAGES_LIMIT} messages are in flight`);
      return;
    }
    terminal.progress(
      () => `${before}: tick ${ticks}, ${messages.total} messages sent, ${inFlight} in flight`,
    );
    await setImmediate();
    if (terminal.signal.aborted) return;
  }
}

/**
 * The same for one run of several: false, and a note of which it was, where it grows beyond what can be
 * held, so that the others are not lost with it.
 */
export async function settleIfHeld(
  simulation: Simulation,
  terminal: Terminal,
  { name, until }: { readonly name: string; readonly until?: Advance['until'] },
): Promise<boolean> {
  try {
    await settle(simulation, terminal, name, until);
    return true;
  } catch (error) {
    if (!(error instanceof LabError) || error.code !== 'job.size') throw error;
    const { protocol, seed } = simulation.plan;
    terminal.note(`${protocol} under seed ${seed} does not finish: ${error.message}`);
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
