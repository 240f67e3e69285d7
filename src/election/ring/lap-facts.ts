/**
 * @module
 * The facts that the two rings of laps share: a message goes once round to its initiator, and then
 * COORDINATOR does.
 */

import { live, ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import type { Handlers, Step } from '../handlers.ts';
import type { Message, Rank } from '../machine.ts';
import { successor } from './neighbours.ts';
import { EPOCH, plainRing } from './plain-ring.ts';
import {
  HOLE,
  ONE_LAP,
  PLAIN_RING,
  PLAIN_RING_FAULTS,
  RELIABLE_RING,
  RING_FORGERY,
} from './ring-facts.ts';

export type LapState = {
  /** A message of its own is on its way and has not come home. */
  waiting: boolean;
  leader: Rank | null;
};

export type CoordinatorMessage = {
  readonly type: 'COORDINATOR';
  readonly initiator: Rank;
  readonly leader: Rank;
};

/** Ends at its initiator. */
export const LAP = { identifiedBy: ['initiator'], endsAt: 'initiator', stopsAtHigher: false };

export const COORDINATOR = {
  members: { initiator: 'rank', leader: 'rank' },
  candidates: ['leader'],
  token: LAP,
  alterations: null,
  ...RELAYED,
} as const;

export const LAP_FORGERY = {
  numbering: null,
  announcement: naming(({ about, home }) => [
    { type: 'COORDINATOR', initiator: home, leader: about },
  ]),
  answer: 'nobody answers a candidate',
  ...RING_FORGERY,
} as const;

export const LAPS = {
  fifo: false,
  assumes: RELIABLE_RING,
  messagesAbout: (nodes: number) => 2 * nodes ** 2,
  tokens: ONE_LAP,
  faults: {
    drop: stop('The token goes round once.'),
    duplicate: ok('A list and a maximum are the same with an entry twice.'),
    reorder: ok('One token at a time decides: no order.'),
    'swizzle-clog': stop(HOLE),
    amnesia: live('As restart: the next message contains what was forgotten.'),
    ...PLAIN_RING_FAULTS,
  },
  ...PLAIN_RING,
} as const satisfies Partial<ProtocolFacts>;

/** When a node of such a ring sends its message round. */
export function lapHandlers<M extends Message>(
  circulate: (step: Step<LapState, M>) => void,
): Handlers<LapState, M> {
  const unlessHome = (step: Step<LapState, M>) => {
    if (step.state.waiting) circulate(step);
  };
  return plainRing<LapState, M>({
    start(step) {
      if (!step.state.waiting) circulate(step);
    },
    launch: circulate,
    trust: unlessHome,
  });
}

/** The node's own message has come home. A message that was sent again may come home twice. */
export function comeHome(
  { self, state, effects }: Step<LapState, CoordinatorMessage>,
  leader: Rank,
): void {
  if (!state.waiting) return;
  state.waiting = false;
  state.leader = leader;
  effects.elect(leader, EPOCH);
  effects.send(successor(self), { type: 'COORDINATOR', initiator: self.rank, leader });
}

/** Follows the leader and passes the message on, unless it is at home. */
export function onCoordinator(
  { self, state, effects }: Step<LapState, CoordinatorMessage>,
  message: CoordinatorMessage,
): void {
  if (message.initiator === self.rank) return;
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}
