/** Passes over every node at its first answer, also honest ones. */

import type { AnyMachine, Effects, Guarded, Machine, Message, Rank } from 'usurp';
import { defineDefence, initGuarded, stepInner } from 'usurp';

type State = Guarded & {
  /** The highest node that has answered in this round. */
  answered: Rank | null;
  failures: number;
  skipped: Rank[];
};

const ROUND = 'impatience:round';
const ROUNDS_MAX = 1;

export const IMPATIENCE = defineDefence({
  kind: 'inside',
  name: 'impatience',
  code: 'D11',
  summary: 'Passes over a node as soon as it has answered.',
  unsupportedReason: () => null,
  limit: () => null,
  needsLevel: null,
  response: { newcomers: 'admitted', ranks: 'by-id' },
  guard: (machine) => impatient(machine, 0),
});

function impatient(machine: AnyMachine, roundTicks: number): Machine<State, Message> {
  return {
    init: (self) => ({ ...initGuarded(machine, self), answered: null, failures: 0, skipped: [] }),
    step(self, state, event, effects) {
      const context = { machine, self, state, effects };
      const taps: Partial<Effects<Message>> = {
        elect(leader, epoch) {
          state.answered = null;
          state.failures = 0;
          effects.elect(leader, epoch);
        },
      };
      if (event.type === 'timeout' && event.timer === ROUND) {
        const { answered } = state;
        state.answered = null;
        if (answered === null) return;
        state.failures += 1;
        if (state.failures < ROUNDS_MAX) return;
        state.failures = 0;
        state.skipped.push(answered);
        // To the protocol this node is down from now on.
        stepInner(context, { type: 'suspect', node: answered }, taps);
        return;
      }
      if (event.type === 'suspect' || event.type === 'trust') {
        state.failures = 0;
        state.skipped = state.skipped.filter((node) => node !== event.node);
      }
      if (event.type === 'deliver') {
        const { from, message } = event;
        if (message.type === 'COORDINATOR') {
          state.skipped = state.skipped.filter((node) => node !== from);
        }
        if (message.type === 'OK') {
          if (state.skipped.includes(from)) return;
          if (state.answered === null) effects.setTimer(ROUND, roundTicks, false);
          if (state.answered === null || from > state.answered) state.answered = from;
        }
      }
      stepInner(context, event, taps);
    },
  };
}
