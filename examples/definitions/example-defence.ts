/**
 * @module
 * A defence of honest nodes. Replace these lines: what it stops, how, and what it costs.
 *
 * A node ignores a sender that has sent it more messages in a short time than any protocol needs.
 */

import type { AnyMachine, Json, Machine, Message } from 'usurp';
import { defineDefence } from 'usurp';

/** What a guarded node remembers. It is plain JSON data. */
type State = {
  /** The state of the protocol. */
  inner: Json;
  /** The number of messages from each sender in this window. */
  received: Record<string, number>;
};

const MESSAGES_MAX = 8;
/** Timers of a defence need a name that no protocol uses. */
const WINDOW_TIMER = 'example-defence:window';

export const EXAMPLE_DEFENCE = defineDefence({
  // 'inside' sees messages before they are signed, 'around' sees signatures, 'setting' changes the plan.
  kind: 'inside',
  name: 'example-defence',
  // Its number in the catalogue of defences, D1 to D13, or a code of your own.
  code: 'D5',
  // One sentence: what it stops and what it costs. `usurp attack --list` prints it.
  summary: `Ignores a sender after ${MESSAGES_MAX} messages in a short time, which limits what a flood costs; delays no honest node.`,
  // Why it means nothing for a protocol, in words. Null where it fits.
  unsupportedReason: () => null,
  // What of this effect is missing on a protocol that it fits. Null if nothing is.
  limit: () => null,
  // The lowest level of authentication that it needs: 'L1', 'L2', 'L3', or null for any.
  needsLevel: null,
  // What it changes for newcomers ('admitted', 'refused' or 'held-off') and for ranks ('by-id' or 'drawn').
  response: { newcomers: 'admitted', ranks: 'by-id' },
  // The machine of every honest node, around the machine of its protocol.
  guard: (machine, { timing }) => limitRate(machine, timing.latencyTicksMax + 1),
});

function limitRate(machine: AnyMachine, windowTicks: number): Machine<State, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), received: {} }),
    step(self, state, event, effects) {
      if (event.type === 'timeout' && event.timer === WINDOW_TIMER) {
        state.received = {};
        return;
      }
      if (event.type === 'deliver' && event.from !== self.rank) {
        const isFirst = Object.keys(state.received).length === 0;
        if (isFirst) effects.setTimer(WINDOW_TIMER, windowTicks, false);
        const sender = String(event.from);
        const count = (state.received[sender] ?? 0) + 1;
        state.received[sender] = count;
        if (count > MESSAGES_MAX) return;
      }
      // Everything else goes to the protocol.
      machine.step(self, state.inner, event, effects);
    },
  };
}
