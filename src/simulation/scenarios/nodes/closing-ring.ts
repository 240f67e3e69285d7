/**
 * @module
 * A ring that closes around its dead, and does no more: each node sends to the next one clockwise
 * that its detector does not suspect. The protocol on top of it is the original, which knows nothing
 * of crashes; what was under way to the dead node is lost. (ring-robust is the careful way.)
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import type { Event, Json, Machine, Message, Rank, Self } from '../../../election/machine.ts';
import { fromRank, toRank } from '../../../election/world/cast.ts';

type ClosingState = {
  suspected: readonly Rank[];
  wrapped: Json;
};

/** `wrapped` on a ring whose nodes, `ring` clockwise, skip whom they suspect. */
export function createClosingRing(wrapped: AnyMachine, ring: readonly number[]): AnyMachine {
  const machine: Machine<ClosingState, Message> = {
    init: (self) => ({ suspected: [], wrapped: wrapped.init(self) }),
    step(self, state, event, effects) {
      state.suspected = suspectedAfter(state.suspected, event);
      wrapped.step(closed(self, ring, state.suspected), state.wrapped, event, effects);
    },
  };
  return machine as AnyMachine; // Its state is plain JSON data.
}

function suspectedAfter(suspected: readonly Rank[], event: Event<Message>): readonly Rank[] {
  if (event.type === 'suspect') return [...suspected, event.node];
  if (event.type === 'trust') return suspected.filter((rank) => rank !== event.node);
  return suspected;
}

function closed(self: Self, ring: readonly number[], suspected: readonly Rank[]): Self {
  const place = ring.indexOf(fromRank(self.rank));
  const clockwise = [...ring.slice(place + 1), ...ring.slice(0, place)].map(toRank);
  const next = clockwise.find((rank) => !suspected.includes(rank)) ?? self.rank;
  return { ...self, successors: [next] };
}
