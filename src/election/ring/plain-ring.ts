/**
 * @module
 * When the nodes of a plain ring begin an election. The plain ring protocols set no timers and number no
 * elections; they differ in what they send and in how they handle it.
 */

import type { Handlers, Step } from '../handlers.ts';
import type { Message, Rank } from '../machine.ts';

/** These protocols do not number elections. */
export const EPOCH = 0;

type Reaction<State, M extends Message> = (step: Step<State, M>) => void;

/** The handlers of a plain ring, but for its messages. */
export function plainRing<State extends { leader: Rank | null }, M extends Message>({
  start,
  launch,
  trust,
}: {
  readonly start: Reaction<State, M>;
  /** Begins an election although one may be running: the node has returned, or it suspects its leader. */
  readonly launch: Reaction<State, M>;
  /** A node has returned, and messages of this node may have been lost in it. */
  readonly trust: Reaction<State, M>;
}): Handlers<State, M> {
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
