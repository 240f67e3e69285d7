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

export type MaxTokenMessage =
  | { readonly type: 'TOKEN'; readonly initiator: Rank; readonly max: Rank }
  | CoordinatorMessage;

export const RING_MAXTOKEN = defineProtocol({
  name: 'ring-maxtoken',
  messageBound: 'm initiators: m*n TOKEN + m*n COORDINATOR',
  entriesAbout: null,
  source:
    'After G. Le Lann, Information Processing 77 (IFIP), 1977, in the form of lectures, where a token carries the maximum',
  messages: {
    TOKEN: {
      members: { initiator: 'rank', max: 'rank' },
      candidates: ['max'],
      token: LAP,
      alterations: { initiator: 'none', max: 'highest-rank' },
      ...RELAYED,
    },
    COORDINATOR,
  },
  forgery: {
    candidacy: naming(({ about, home }) => [{ type: 'TOKEN', initiator: home, max: about }]),
    ...LAP_FORGERY,
  },
  create: createRingMaxToken,
  ...LAPS,
});

/** The machine of every node. It sets no timers. */
export function createRingMaxToken() {
  return createMachine<LapState, MaxTokenMessage>({
    settings: null,
    init: (self) => ({ waiting: false, leader: self.incumbent }),
    on: {
      ...lapHandlers<MaxTokenMessage>(({ self, state, effects }) => {
        state.waiting = true;
        effects.send(successor(self), { type: 'TOKEN', initiator: self.rank, max: self.rank });
      }),
      deliver: {
        TOKEN(step, message) {
          const { self, effects } = step;
          const { initiator } = message;
          const max = message.max > self.rank ? message.max : self.rank;
          if (initiator === self.rank) comeHome(step, max);
          else effects.send(successor(self), { type: 'TOKEN', initiator, max });
        },
        COORDINATOR: onCoordinator,
      },
    },
  });
}
