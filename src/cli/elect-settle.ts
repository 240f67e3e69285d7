/**
 * @module
 * Lets a simulation come to rest in slices, so that an interrupt is heard, progress is told, and a
 * network that doubles what never ends does not fill the memory.
 */

import { setImmediate } from 'node:timers/promises';

import { MESSAGES_LIMIT } from '../simulation/options.ts';
import type { Simulation } from '../simulation/simulation.ts';
import type { Terminal } from './terminal.ts';

const EVENTS_PER_SLICE = 1_000_000;

/** Advances to rest, to a bound, or to an interrupt. `before` is put in front of the progress line. */
export async function settle(
  simulation: Simulation,
  terminal: Terminal,
  before = 'electing',
): Promise<void> {
  while (simulation.advance({ until: 'idle', events: EVENTS_PER_SLICE }) === 'events') {
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
