/**
 * @module
 * Chang and Roberts (1979), "An improved algorithm for decentralized extrema-finding in circular
 * configurations of processes", CACM 22(5). Rule `always`: a PROBE that is too low is replaced by the
 * node's own, whatever that node has sent before; none is ever dropped on the way.
 *
 * Invariants: (1) a PROBE passes only nodes lower than its candidate; (2) so only the highest member
 * of a closed ring is elected, at most one leader whatever the schedule; (3) every PROBE ends at the
 * highest, as its own; (4) SELECTED goes round once, n hops, for the first that comes home; what comes
 * home to a node that leads already is news to nobody. Message bound: from one initiator d places
 * before the highest n+d PROBE (n to 2n−1); when all start n² + n(n−1)/2 on every ring; and n SELECTED.
 * No FIFO needed. Liveness needs a whole ring: what dies in a node that is down is made good by that
 * node's own PROBE when it returns, and by the leader, who repeats SELECTED.
 */

import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import type { ChangRobertsMessage } from './chang-roberts.ts';
import {
  CHANG_ROBERTS,
  CHANG_ROBERTS_SOURCE,
  lead,
  passSelected,
  select,
} from './chang-roberts.ts';
import { successor } from './neighbours.ts';
import { plainRing } from './plain-ring.ts';
import { ONE_LAP } from './ring-facts.ts';

export type AlwaysState = {
  /** It has sent its own PROBE since it was up. */
  probing: boolean;
  leader: Rank | null;
};

type Own = Step<AlwaysState, ChangRobertsMessage>;

export const CR_ALWAYS = defineProtocol({
  name: 'cr-always',
  messageBound: 'one initiator: n to 2n-1 PROBE; all: n^2+n(n-1)/2 on every ring; + n SELECTED',
  messagesAbout: (nodes) => 1.5 * nodes ** 2,
  source: `${CHANG_ROBERTS_SOURCE}; what is lower is always replaced`,
  // A higher candidate replaces a lower one, which then never appears again.
  tokens: { ...ONE_LAP, isReplaced: true },
  create: createChangRobertsAlways,
  ...CHANG_ROBERTS,
});

/** The machine of every node. It sets no timers. */
export function createChangRobertsAlways() {
  return createMachine<AlwaysState, ChangRobertsMessage>({
    settings: null,
    init: (self) => ({ probing: false, leader: self.incumbent }),
    on: {
      ...plainRing<AlwaysState, ChangRobertsMessage>({
        start: probe,
        launch: probe,
        trust(step) {
          if (step.state.leader === step.self.rank) select(step);
        },
      }),
      deliver: {
        PROBE(step, message) {
          const { self, state, effects } = step;
          if (message.candidate > self.rank) effects.send(successor(self), message);
          else if (message.candidate < self.rank) probe(step);
          // Every other node has let its PROBE pass.
          else if (state.probing && state.leader !== self.rank) lead(step);
        },
        SELECTED(step, message) {
          if (message.leader !== step.self.rank) passSelected(step, message);
        },
      },
    },
  });
}

function probe({ self, state, effects }: Own): void {
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}
