/**
 * @module
 * What the plain ring protocols share: those that set no timers and number no elections. They differ
 * in what they send and how they treat it; when a node begins is the same for all.
 */

import type { Effects, Machine, Message, Rank, Self } from '../machine.ts';

/** These protocols number no elections. */
export const EPOCH = 0;

type Reaction<State, M extends Message> = (self: Self, state: State, effects: Effects<M>) => void;

/** What tells one plain ring protocol from another. */
export interface PlainRing<State, M extends Message> {
  init(self: Self): State;
  readonly deliver: (self: Self, state: State, message: M, effects: Effects<M>) => void;
  readonly start: Reaction<State, M>;
  /** Begins an election whatever is under way: it has returned, or its leader is suspected. */
  readonly launch: Reaction<State, M>;
  /** A node has returned, and what this one sent may have died in it. */
  readonly trust: Reaction<State, M>;
}

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createPlainRing<State extends { leader: Rank | null }, M extends Message>(
  protocol: PlainRing<State, M>,
): Machine<State, M> {
  const { deliver, start, launch, trust } = protocol;
  return {
    init: protocol.init,
    step(self, state, event, effects) {
      switch (event.type) {
        case 'deliver':
          deliver(self, state, event.message, effects);
          break;
        case 'start':
          start(self, state, effects);
          break;
        case 'recover':
          state.leader = null;
          launch(self, state, effects);
          break;
        case 'suspect':
          if (event.node === state.leader) launch(self, state, effects);
          break;
        case 'trust':
          trust(self, state, effects);
          break;
        case 'timeout':
        case 'join':
        case 'leave':
        case 'chosen':
        case 'reply':
        case 'request':
          break;
        default:
          event satisfies never;
      }
    },
  };
}
