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

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';
import { createPlainRing, EPOCH } from './plain-ring.ts';

export type RingMessage =
  | { readonly type: 'PROBE'; readonly candidate: Rank }
  | { readonly type: 'SELECTED'; readonly leader: Rank };

export type RingState = {
  joined: boolean;
  probing: boolean;
  leader: Rank | null;
};

type Out = Effects<RingMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createChangRobertsJoin(): Machine<RingState, RingMessage> {
  return createPlainRing({
    init: (self) => ({ joined: false, probing: false, leader: self.incumbent }),
    deliver: onMessage,
    start: (self, state, effects) => {
      if (!state.probing) probe(self, state, effects);
    },
    launch: probe,
    trust: repeat,
  });
}

function onMessage(self: Self, state: RingState, message: RingMessage, effects: Out): void {
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

function onProbe(
  self: Self,
  state: RingState,
  message: RingMessage & { readonly type: 'PROBE' },
  effects: Out,
): void {
  if (!state.joined) probe(self, state, effects);
  if (message.candidate > self.rank) {
    effects.send(successor(self), message);
  } else if (message.candidate === self.rank && state.probing) {
    // Every other node has let it pass. A second copy finds `probing` down and ends here.
    state.probing = false;
    state.leader = self.rank;
    effects.elect(self.rank, EPOCH);
    select(self, effects);
  }
}

function onSelected(
  self: Self,
  state: RingState,
  message: RingMessage & { readonly type: 'SELECTED' },
  effects: Out,
): void {
  if (message.leader === self.rank) return;
  // A lower leader's lap cannot have ended this node's candidacy: no one lower stops its PROBE.
  if (message.leader > self.rank) state.probing = false;
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}

function probe(self: Self, state: RingState, effects: Out): void {
  state.joined = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

/** A node has returned, and what this one sent may have died in it. */
function repeat(self: Self, state: RingState, effects: Out): void {
  if (state.probing) probe(self, state, effects);
  else if (state.leader === self.rank) select(self, effects);
}

function select(self: Self, effects: Out): void {
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}
