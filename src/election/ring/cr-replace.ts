/**
 * @module
 * Chang and Roberts (1979), "An improved algorithm for decentralized extrema-finding in circular
 * configurations of processes", CACM 22(5). Rule `replace`: a PROBE that is too low becomes the
 * node's own, unless the node is marked: it has sent a PROBE already, its own or a higher one.
 *
 * Invariants: (1) a PROBE passes only nodes lower than its candidate; (2) so only the highest member
 * of a closed ring is elected, at most one leader whatever the schedule; (3) a marked node has sent a
 * PROBE at least as high as itself; (4) SELECTED goes round once, n hops, and clears the marks; (5)
 * `probing` = own PROBE sent, not known settled. Message bound: from one initiator d places before the
 * highest, n+d PROBE (n to 2n−1); when all start, 2n−1 to n(n+1)/2, mean n·Hₙ; and n SELECTED.
 * FIFO is not needed for safety; without it a PROBE that SELECTED overtook starts others, and the
 * count depends on the schedule. Liveness needs a whole ring: when a node is trusted again, the marks
 * that what died in it has left are cleared, and whoever probed does so again.
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

export type ReplaceState = {
  marked: boolean;
  probing: boolean;
  leader: Rank | null;
};

type Own = Step<ReplaceState, ChangRobertsMessage>;

export const CR_REPLACE = defineProtocol({
  name: 'cr-replace',
  messageBound:
    'one initiator: n to 2n-1 PROBE; all: 2n-1 to n(n+1)/2 (mean n*H_n over all rings); + n SELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  source: `${CHANG_ROBERTS_SOURCE}; a marked node drops what is lower`,
  tokens: ONE_LAP,
  create: createChangRobertsReplace,
  ...CHANG_ROBERTS,
});

/** The machine of every node. It sets no timers. */
export function createChangRobertsReplace() {
  return createMachine<ReplaceState, ChangRobertsMessage>({
    settings: null,
    init: (self) => ({ marked: false, probing: false, leader: self.incumbent }),
    on: {
      ...plainRing<ReplaceState, ChangRobertsMessage>({
        start(step) {
          if (!step.state.marked) probe(step);
        },
        launch: probe,
        trust(step) {
          step.state.marked = false;
          if (step.state.probing) probe(step);
          else if (step.state.leader === step.self.rank) select(step);
        },
      }),
      deliver: {
        PROBE(step, message) {
          const { self, state, effects } = step;
          if (message.candidate > self.rank) {
            state.marked = true;
            effects.send(successor(self), message);
          } else if (message.candidate < self.rank) {
            if (!state.marked) probe(step);
          } else if (state.probing) {
            // Every other node has let it pass. A second copy finds `probing` false and ends here.
            state.probing = false;
            state.marked = false;
            lead(step);
          }
        },
        SELECTED(step, message) {
          const { self, state } = step;
          if (message.leader === self.rank) return;
          state.marked = false;
          // A lower leader's lap cannot have ended this node's candidacy: no lower node stops its PROBE.
          if (message.leader > self.rank) state.probing = false;
          passSelected(step, message);
        },
      },
    },
  });
}

function probe({ self, state, effects }: Own): void {
  state.marked = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}
