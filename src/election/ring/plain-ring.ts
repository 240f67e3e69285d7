/**
 * @module
 * What nodes of a plain ring have in common: where they send, and when they begin an election. Plain rings set
 * no timers and number no elections. They differ in what they send and in how they handle it.
 */

import type { Handlers, Step } from '../handlers.ts';
import type { Message, Rank, Self } from '../machine.ts';

/** These protocols do not number elections. */
export const EPOCH = 0;

/** The next node clockwise. A node that is alone in its ring is its own successor. */
export function successor(self: Self): Rank {
  return self.successors[0] ?? self.rank;
}

type Reaction<State, M extends Message, Settings> = (step: Step<State, M, Settings>) => void;

/** The handlers of a plain ring, but for its messages. */
export function plainRing<
  State extends { leader: Rank | null },
  M extends Message,
  Settings = null,
>({
  start,
  launch,
  trust,
}: {
  readonly start: Reaction<State, M, Settings>;
  /** Begins an election although one may be running: the node has returned, or it suspects its leader. */
  readonly launch: Reaction<State, M, Settings>;
  /** A node has returned, and messages of this node may have been lost in it. */
  readonly trust: Reaction<State, M, Settings>;
}): Handlers<State, M, Settings> {
  return {
    start,
    trust,
    recover(step) {
      step.state.leader = null;
      launch(step);
    },
    suspect(step, node) {
      if (node === step.state.leader) launch(step);
    },
  };
}
