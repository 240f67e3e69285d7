/**
 * @module
 * Chang and Roberts (1979), "An improved algorithm for decentralized extrema-finding in circular
 * configurations of processes", CACM 22(5). Rule `join`: a node reached by its first PROBE sends its
 * own before it treats that one, so the count does not depend on who started.
 *
 * Invariants: (1) a PROBE passes only nodes lower than its candidate; (2) so only the highest member
 * of a closed ring is elected, at most one leader whatever the schedule; (3) whoever has joined has
 * sent its own PROBE, and joins no second time (an overtaken PROBE starts nothing); (4) SELECTED goes
 * round once, n hops, and its leader absorbs it; (5) `probing` = own PROBE sent, not known settled.
 * Message bound: 2n−1 to n(n+1)/2 PROBE, mean n·Hₙ over all rings, and n SELECTED. No FIFO needed.
 * Liveness needs a whole ring: a node that is down swallows what it is sent; when it is trusted
 * again, what may have been lost in it is sent again.
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

export type JoinState = {
  joined: boolean;
  probing: boolean;
  leader: Rank | null;
};

type Own = Step<JoinState, ChangRobertsMessage>;

export const CR_JOIN = defineProtocol({
  name: 'cr-join',
  messageBound: '2n-1 to n(n+1)/2 PROBE (mean n*H_n over all rings) + n SELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  source: CHANG_ROBERTS_SOURCE,
  tokens: ONE_LAP,
  create: createChangRobertsJoin,
  ...CHANG_ROBERTS,
});

/** The machine of every node. It sets no timers. */
export function createChangRobertsJoin() {
  return createMachine<JoinState, ChangRobertsMessage>({
    settings: null,
    init: (self) => ({ joined: false, probing: false, leader: self.incumbent }),
    on: {
      ...plainRing<JoinState, ChangRobertsMessage>({
        start(step) {
          if (!step.state.probing) probe(step);
        },
        launch: probe,
        trust(step) {
          if (step.state.probing) probe(step);
          else if (step.state.leader === step.self.rank) select(step);
        },
      }),
      deliver: {
        PROBE(step, message) {
          const { self, state, effects } = step;
          if (!state.joined) probe(step);
          if (message.candidate > self.rank) {
            effects.send(successor(self), message);
          } else if (message.candidate === self.rank && state.probing) {
            // Every other node has let it pass. A second copy finds `probing` false and ends here.
            state.probing = false;
            lead(step);
          }
        },
        SELECTED(step, message) {
          const { self, state } = step;
          if (message.leader === self.rank) return;
          // A lower leader's lap cannot have ended this node's candidacy: no lower node stops its PROBE.
          if (message.leader > self.rank) state.probing = false;
          passSelected(step, message);
        },
      },
    },
  });
}

function probe({ self, state, effects }: Own): void {
  state.joined = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}
