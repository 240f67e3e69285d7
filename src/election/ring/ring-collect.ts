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

import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import type { CoordinatorMessage, LapState } from './lap-facts.ts';
import {
  COORDINATOR,
  comeHome,
  LAP,
  LAP_FORGERY,
  LAPS,
  lapHandlers,
  onCoordinator,
} from './lap-facts.ts';
import { successor } from './neighbours.ts';

export type CollectMessage =
  | { readonly type: 'ELECTION'; readonly initiator: Rank; readonly ids: readonly Rank[] }
  | CoordinatorMessage;

export const RING_COLLECT = defineProtocol({
  name: 'ring-collect',
  messageBound: 'm initiators: m*n ELECTION + m*n COORDINATOR',
  entriesAbout: (nodes) => nodes ** 3 / 2,
  source:
    'A. S. Tanenbaum and M. van Steen, Distributed Systems: Principles and Paradigms, section 6.5, 2007',
  messages: {
    ELECTION: {
      members: { initiator: 'rank', ids: 'ranks' },
      candidates: ['ids'],
      token: LAP,
      alterations: { initiator: 'none', ids: 'own-ranks' },
      ...RELAYED,
    },
    COORDINATOR,
  },
  forgery: {
    candidacy: naming(({ about, home }) => [{ type: 'ELECTION', initiator: home, ids: [about] }]),
    ...LAP_FORGERY,
  },
  create: createRingCollect,
  ...LAPS,
});

/** The machine of every node. It sets no timers. */
export function createRingCollect() {
  return createMachine<LapState, CollectMessage>({
    settings: null,
    init: (self) => ({ waiting: false, leader: self.incumbent }),
    on: {
      ...lapHandlers<CollectMessage>(({ self, state, effects }) => {
        state.waiting = true;
        effects.send(successor(self), { type: 'ELECTION', initiator: self.rank, ids: [self.rank] });
      }),
      deliver: {
        ELECTION(step, { initiator, ids }) {
          const { self, effects } = step;
          if (initiator === self.rank) {
            comeHome(
              step,
              ids.reduce((highest, id) => (id > highest ? id : highest), self.rank),
            );
          } else {
            const longer = [...ids, self.rank];
            effects.send(successor(self), { type: 'ELECTION', initiator, ids: longer });
          }
        },
        COORDINATOR: onCoordinator,
      },
    },
  });
}
