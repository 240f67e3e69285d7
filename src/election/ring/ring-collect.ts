/**
 * @module
 * The ring election that collects a list, as Tanenbaum and van Steen tell it ("Distributed Systems:
 * Principles and Paradigms", section 6.5): whoever starts sends a list once round, everybody adds
 * itself; when it is home the highest in it is the leader, and COORDINATOR goes round to say so.
 *
 * Invariants: (1) a list that comes home names every member of the ring, since a node that is down
 * swallows it; (2) so all initiators elect the same; (3) either message ends at the initiator; (4)
 * `waiting` = a list of its own is out and has not come home. Message bound: m initiators run m
 * independent elections, n ELECTION and n COORDINATOR each, 2·n·m; a list carries n(n+1)/2 IDs on its
 * lap. No FIFO needed. Liveness needs a whole ring: when a node is trusted again, a list that may have
 * died in it is sent again, and that node's own election tells it who leads.
 */

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';
import { createPlainRing, EPOCH } from './plain-ring.ts';

export type CollectMessage =
  | { readonly type: 'ELECTION'; readonly initiator: Rank; readonly ids: readonly Rank[] }
  | { readonly type: 'COORDINATOR'; readonly initiator: Rank; readonly leader: Rank };

export type CollectState = {
  waiting: boolean;
  leader: Rank | null;
};

type Out = Effects<CollectMessage>;

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createRingCollect(): Machine<CollectState, CollectMessage> {
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

function onMessage(self: Self, state: CollectState, message: CollectMessage, effects: Out): void {
  switch (message.type) {
    case 'ELECTION':
      if (message.initiator === self.rank) {
        comeHome(self, state, message.ids, effects);
      } else {
        const ids = [...message.ids, self.rank];
        effects.send(successor(self), { type: 'ELECTION', initiator: message.initiator, ids });
      }
      break;
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

function comeHome(self: Self, state: CollectState, ids: readonly Rank[], effects: Out): void {
  // A list that was sent again may come home twice.
  if (!state.waiting) return;
  state.waiting = false;
  const leader = ids.reduce((highest, id) => (id > highest ? id : highest), self.rank);
  follow(state, leader, effects);
  effects.send(successor(self), { type: 'COORDINATOR', initiator: self.rank, leader });
}

function circulate(self: Self, state: CollectState, effects: Out): void {
  state.waiting = true;
  effects.send(successor(self), { type: 'ELECTION', initiator: self.rank, ids: [self.rank] });
}

function follow(state: CollectState, leader: Rank, effects: Out): void {
  state.leader = leader;
  effects.elect(leader, EPOCH);
}
