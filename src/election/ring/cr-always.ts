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

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import type { RingMessage } from './cr-join.ts';
import { successor } from './neighbours.ts';
import { createPlainRing, EPOCH } from './plain-ring.ts';

export type AlwaysState = {
  /** Own PROBE sent since it was up. */
  probing: boolean;
  leader: Rank | null;
};

type Out = Effects<RingMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createChangRobertsAlways(): Machine<AlwaysState, RingMessage> {
  return createPlainRing({
    init: (self) => ({ probing: false, leader: self.incumbent }),
    deliver: onMessage,
    start: probe,
    launch: probe,
    trust: (self, state, effects) => {
      if (state.leader === self.rank) select(self, effects);
    },
  });
}

function onMessage(self: Self, state: AlwaysState, message: RingMessage, effects: Out): void {
  switch (message.type) {
    case 'PROBE':
      if (message.candidate > self.rank) effects.send(successor(self), message);
      else if (message.candidate < self.rank) probe(self, state, effects);
      else comeHome(self, state, effects);
      break;
    case 'SELECTED':
      if (message.leader === self.rank) break;
      state.leader = message.leader;
      effects.elect(message.leader, EPOCH);
      effects.send(successor(self), message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

/** Every other node has let its PROBE pass. */
function comeHome(self: Self, state: AlwaysState, effects: Out): void {
  if (!state.probing || state.leader === self.rank) return;
  state.leader = self.rank;
  effects.elect(self.rank, EPOCH);
  select(self, effects);
}

function probe(self: Self, state: AlwaysState, effects: Out): void {
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

function select(self: Self, effects: Out): void {
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}
