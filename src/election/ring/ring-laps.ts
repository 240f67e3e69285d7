/**
 * @module
 * Two ring elections of textbooks in which a message goes once round to its initiator. `ring-collect`: each
 * node adds itself to a list (Tanenbaum and van Steen, "Distributed Systems", section 6.5, where a node also skips
 * successors that are down, which here only ring-robust does, and COORDINATOR carries the list). `ring-maxtoken`: a
 * token keeps the highest rank (the "modified ring" of lectures, after Le Lann 1977). Then COORDINATOR goes
 * round. Both messages end at the initiator, and not at the highest node, as in Chang and Roberts (1979).
 *
 * Invariants: (1) a message that returns has met every member of the ring, since a node that is down loses
 * it; (2) so all initiators elect the same node; (3) `waiting`: a message of its own is on its way. Liveness needs
 * a whole ring: when a node is trusted again, a message that it may have lost is sent again, and its own
 * election shows it the leader.
 */

import { ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Handlers, Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Message, Rank, Self } from '../machine.ts';
import {
  circling,
  EPOCH,
  ONE_LAP,
  PLAIN_RING,
  plainRing,
  RELIABLE_RING,
  REPEATING_RING_FAULTS,
  successor,
  UNANSWERED,
} from './ring-facts.ts';

type LapState = { waiting: boolean; leader: Rank | null };

type CoordinatorMessage = {
  readonly type: 'COORDINATOR';
  readonly initiator: Rank;
  readonly leader: Rank;
};

type CollectMessage =
  | { readonly type: 'ELECTION'; readonly initiator: Rank; readonly ids: readonly Rank[] }
  | CoordinatorMessage;

type MaxTokenMessage =
  | { readonly type: 'TOKEN'; readonly initiator: Rank; readonly max: Rank }
  | CoordinatorMessage;

/** The facts of each message, which ends at its initiator. */
const LAP = { token: circling('initiator'), ...RELAYED } as const;

const COORDINATOR = {
  members: { initiator: 'rank', leader: 'rank' },
  candidates: ['leader'],
  alterations: null,
  ...LAP,
} as const;

const LAP_FORGERY = {
  numbering: null,
  announcement: naming(({ about, home }) => [
    { type: 'COORDINATOR', initiator: home, leader: about },
  ]),
  ...UNANSWERED,
} as const;

const LAPS = {
  fifo: false,
  assumes: RELIABLE_RING,
  messagesAbout: (nodes: number) => 2 * nodes ** 2,
  tokens: ONE_LAP,
  faults: {
    drop: stop('The token goes round once.'),
    duplicate: ok('A list and a maximum are the same with an entry twice.'),
    reorder: ok('One token at a time decides: no order.'),
    ...REPEATING_RING_FAULTS,
  },
  ...PLAIN_RING,
} as const satisfies Partial<ProtocolFacts>;

export const RING_COLLECT = defineProtocol({
  name: 'ring-collect',
  messageBound: 'm initiators: m*n ELECTION + m*n COORDINATOR',
  entriesAbout: (nodes) => nodes ** 3 / 2,
  source:
    'A. S. Tanenbaum and M. van Steen, Distributed Systems: Principles and Paradigms, section 6.5, 2007, without the way around successors that are down',
  messages: {
    ELECTION: {
      members: { initiator: 'rank', ids: 'ranks' },
      candidates: ['ids'],
      alterations: { initiator: 'none', ids: 'own-ranks' },
      ...LAP,
    },
    COORDINATOR,
  },
  forgery: {
    candidacy: naming(({ about, home }) => [{ type: 'ELECTION', initiator: home, ids: [about] }]),
    ...LAP_FORGERY,
  },
  create: () =>
    createMachine<LapState, CollectMessage>({
      settings: null,
      init,
      on: {
        ...lapHandlers<CollectMessage>((rank) => ({
          type: 'ELECTION',
          initiator: rank,
          ids: [rank],
        })),
        deliver: {
          ELECTION(step, { initiator, ids }) {
            const { self, effects } = step;
            if (initiator === self.rank) {
              const highest = ids.reduce((one, other) => (other > one ? other : one), self.rank);
              onReturned(step, highest);
            } else {
              const longer = [...ids, self.rank];
              effects.send(successor(self), { type: 'ELECTION', initiator, ids: longer });
            }
          },
          COORDINATOR: onCoordinator,
        },
      },
    }),
  ...LAPS,
});

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
      alterations: { initiator: 'none', max: 'highest-rank' },
      ...LAP,
    },
    COORDINATOR,
  },
  forgery: {
    candidacy: naming(({ about, home }) => [{ type: 'TOKEN', initiator: home, max: about }]),
    ...LAP_FORGERY,
  },
  create: () =>
    createMachine<LapState, MaxTokenMessage>({
      settings: null,
      init,
      on: {
        ...lapHandlers<MaxTokenMessage>((rank) => ({ type: 'TOKEN', initiator: rank, max: rank })),
        deliver: {
          TOKEN(step, message) {
            const { self, effects } = step;
            const { initiator } = message;
            const max = message.max > self.rank ? message.max : self.rank;
            if (initiator === self.rank) onReturned(step, max);
            else effects.send(successor(self), { type: 'TOKEN', initiator, max });
          },
          COORDINATOR: onCoordinator,
        },
      },
    }),
  ...LAPS,
});

function init(self: Self): LapState {
  return { waiting: false, leader: self.incumbent };
}

/** When a node sends its message round. */
function lapHandlers<M extends Message>(first: (rank: Rank) => M): Handlers<LapState, M> {
  const circulate = ({ self, state, effects }: Step<LapState, M>) => {
    state.waiting = true;
    effects.send(successor(self), first(self.rank));
  };
  return plainRing<LapState, M>({
    start(step) {
      if (!step.state.waiting) circulate(step);
    },
    launch: circulate,
    trust(step) {
      if (step.state.waiting) circulate(step);
    },
  });
}

/** The node's own message has returned. A message that was sent again may return twice. */
function onReturned(
  { self, state, effects }: Step<LapState, CoordinatorMessage>,
  leader: Rank,
): void {
  if (!state.waiting) return;
  state.waiting = false;
  state.leader = leader;
  effects.elect(leader, EPOCH);
  effects.send(successor(self), { type: 'COORDINATOR', initiator: self.rank, leader });
}

/** Follows the leader and passes the message on, unless it has returned. */
function onCoordinator(
  { self, state, effects }: Step<LapState, CoordinatorMessage>,
  message: CoordinatorMessage,
): void {
  if (message.initiator === self.rank) return;
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}
