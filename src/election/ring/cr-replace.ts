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

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import type { RingMessage } from './cr-join.ts';
import { successor } from './neighbours.ts';
import { createPlainRing, EPOCH } from './plain-ring.ts';

export type ReplaceState = {
  marked: boolean;
  probing: boolean;
  leader: Rank | null;
};

type Probe = RingMessage & { readonly type: 'PROBE' };
type Selected = RingMessage & { readonly type: 'SELECTED' };
type Out = Effects<RingMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createChangRobertsReplace(): Machine<ReplaceState, RingMessage> {
  return createPlainRing({
    init: (self) => ({ marked: false, probing: false, leader: self.incumbent }),
    deliver: onMessage,
    start: (self, state, effects) => {
      if (!state.marked) probe(self, state, effects);
    },
    launch: probe,
    trust: repeat,
  });
}

function onMessage(self: Self, state: ReplaceState, message: RingMessage, effects: Out): void {
  switch (message.type) {
    case 'PROBE':
      onProbe(self, state, message, effects);
      break;
    case 'SELECTED':
      onSelected(self, state, message, effects);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onProbe(self: Self, state: ReplaceState, message: Probe, effects: Out): void {
  if (message.candidate > self.rank) {
    state.marked = true;
    effects.send(successor(self), message);
  } else if (message.candidate < self.rank) {
    if (!state.marked) probe(self, state, effects);
  } else if (state.probing) {
    // Every other node has let it pass. A second copy finds `probing` down and ends here.
    state.probing = false;
    state.marked = false;
    state.leader = self.rank;
    effects.elect(self.rank, EPOCH);
    select(self, effects);
  }
}

function onSelected(self: Self, state: ReplaceState, message: Selected, effects: Out): void {
  if (message.leader === self.rank) return;
  state.marked = false;
  // A lower leader's lap cannot have ended this node's candidacy: no one lower stops its PROBE.
  if (message.leader > self.rank) state.probing = false;
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}

function probe(self: Self, state: ReplaceState, effects: Out): void {
  state.marked = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

/** A node has returned, and what this one sent may have died in it. */
function repeat(self: Self, state: ReplaceState, effects: Out): void {
  state.marked = false;
  if (state.probing) probe(self, state, effects);
  else if (state.leader === self.rank) select(self, effects);
}

function select(self: Self, effects: Out): void {
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}
