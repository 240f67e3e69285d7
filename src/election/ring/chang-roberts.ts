/**
 * @module
 * The facts that the three rules of Chang and Roberts share (1979, "An improved algorithm for
 * decentralized extrema-finding in circular configurations of processes", CACM 22(5)): their messages,
 * how these are forged, and what faults do to them.
 */

import { live, ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import { successor } from './neighbours.ts';
import { EPOCH } from './plain-ring.ts';
import { HOLE, PLAIN_RING, PLAIN_RING_FAULTS, RELIABLE_RING, RING_FORGERY } from './ring-facts.ts';

export type ChangRobertsMessage =
  | { readonly type: 'PROBE'; readonly candidate: Rank }
  | { readonly type: 'SELECTED'; readonly leader: Rank };

export type Selected = ChangRobertsMessage & { readonly type: 'SELECTED' };

export const CHANG_ROBERTS_SOURCE =
  'E. Chang and R. Roberts, An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5), 1979';

export const CHANG_ROBERTS = {
  fifo: false,
  assumes: RELIABLE_RING,
  entriesAbout: null,
  forgery: {
    announcement: naming(({ about }) => [{ type: 'SELECTED', leader: about }]),
    candidacy: naming(({ about }) => [{ type: 'PROBE', candidate: about }]),
    answer: 'nobody answers a candidate',
    numbering: null,
    ...RING_FORGERY,
  },
  messages: {
    PROBE: {
      members: { candidate: 'rank' },
      candidates: ['candidate'],
      token: { identifiedBy: ['candidate'], endsAt: 'candidate', stopsAtHigher: true },
      alterations: { candidate: 'highest-rank' },
      ...RELAYED,
    },
    SELECTED: {
      members: { leader: 'rank' },
      candidates: ['leader'],
      token: { identifiedBy: ['leader'], endsAt: 'leader', stopsAtHigher: false },
      alterations: null,
      ...RELAYED,
    },
  },
  faults: {
    drop: stop('The PROBE of the highest, or SELECTED, is sent once.'),
    duplicate: ok('A node that has led, or has passed the token on, ignores the second copy.'),
    reorder: ok('Only the highest PROBE can pass every node, in any order.'),
    'swizzle-clog': stop(HOLE),
    amnesia: live('As restart: the next message contains what was forgotten.'),
    ...PLAIN_RING_FAULTS,
  },
  ...PLAIN_RING,
} as const satisfies Partial<ProtocolFacts> & { readonly messages: object };

/** Announces this node round the ring. */
export function select<State>({ self, effects }: Step<State, ChangRobertsMessage>): void {
  effects.send(successor(self), { type: 'SELECTED', leader: self.rank });
}

/** Follows a leader and passes its announcement on. */
export function passSelected<State extends { leader: Rank | null }>(
  { self, state, effects }: Step<State, ChangRobertsMessage>,
  message: Selected,
): void {
  state.leader = message.leader;
  effects.elect(message.leader, EPOCH);
  effects.send(successor(self), message);
}

/** Leads, and announces it round the ring. */
export function lead<State extends { leader: Rank | null }>(
  step: Step<State, ChangRobertsMessage>,
): void {
  step.state.leader = step.self.rank;
  step.effects.elect(step.self.rank, EPOCH);
  select(step);
}
