/**
 * @module
 * The "modified ring" election of the lectures, in the reading that costs the m·n messages they give
 * it (after Le Lann 1977, Information Processing 77): an initiator's TOKEN goes once round and keeps
 * the highest rank it has met, then COORDINATOR goes round. It ends where it began, at the initiator,
 * and not at the highest node, where Chang and Roberts' (1979) ends.
 *
 * Invariants: (1) a TOKEN that comes home has met every member of the ring, since a node that is down
 * swallows it; (2) so all initiators elect the same; (3) either message ends at the initiator; (4)
 * `waiting` = a TOKEN of its own is out and has not come home. Message bound: m initiators send m·n
 * TOKEN and m·n COORDINATOR. No FIFO needed. Liveness needs a whole ring: when a node is trusted again,
 * a TOKEN that may have died in it is sent again, and that node's own election tells it who leads.
 */

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';
import { createPlainRing, EPOCH } from './plain-ring.ts';

export type MaxTokenMessage =
  | { readonly type: 'TOKEN'; readonly initiator: Rank; readonly max: Rank }
  | { readonly type: 'COORDINATOR'; readonly initiator: Rank; readonly leader: Rank };

export type MaxTokenState = {
  waiting: boolean;
  leader: Rank | null;
};

type Out = Effects<MaxTokenMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createRingMaxToken(): Machine<MaxTokenState, MaxTokenMessage> {
  return createPlainRing({
    init: (self) => ({ waiting: false, leader: self.incumbent }),
    deliver: onMessage,
    start: (self, state, effects) => {
      if (!state.waiting) circulate(self, state, effects);
    },
    launch: circulate,
    trust: (self, state, effects) => {
      if (state.waiting) circulate(self, state, effects);
    },
  });
}

function onMessage(self: Self, state: MaxTokenState, message: MaxTokenMessage, effects: Out): void {
  switch (message.type) {
    case 'TOKEN': {
      const { initiator } = message;
      const max = message.max > self.rank ? message.max : self.rank;
      if (initiator === self.rank) comeHome(self, state, max, effects);
      else effects.send(successor(self), { type: 'TOKEN', initiator, max });
      break;
    }
    case 'COORDINATOR':
      if (message.initiator === self.rank) break;
      follow(state, message.leader, effects);
      effects.send(successor(self), message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function comeHome(self: Self, state: MaxTokenState, leader: Rank, effects: Out): void {
  // A TOKEN that was sent again may come home twice.
  if (!state.waiting) return;
  state.waiting = false;
  follow(state, leader, effects);
  effects.send(successor(self), { type: 'COORDINATOR', initiator: self.rank, leader });
}

function circulate(self: Self, state: MaxTokenState, effects: Out): void {
  state.waiting = true;
  effects.send(successor(self), { type: 'TOKEN', initiator: self.rank, max: self.rank });
}

function follow(state: MaxTokenState, leader: Rank, effects: Out): void {
  state.leader = leader;
  effects.elect(leader, EPOCH);
}
