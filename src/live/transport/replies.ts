/**
 * @module
 * Messages in answers: what a node sends to a peer while it takes a message of this peer goes back with the answer, and needs
 * no request of its own. Only one message does, and only a detector's: the others keep their order.
 */

import { isDetectorType } from '../../election/detectors/detector.ts';
import type { Message, Rank } from '../../election/machine.ts';

export class Replies {
  #awaited: Rank | null = null;
  #reply: string | null = null;

  /** What was sent to this peer while `act` ran, if it can go with the answer; null without one. */
  during<Outcome>(to: Rank, act: () => Outcome): readonly [Outcome, reply: string | null] {
    this.#awaited = to;
    const outcome = act();
    const reply = this.#reply;
    this.#awaited = null;
    this.#reply = null;
    return [outcome, reply];
  }

  /** Whether the message goes with an answer. `body` is its envelope. */
  take(to: Rank, { type }: Message, body: string): boolean {
    const isTaken = to === this.#awaited && this.#reply === null && isDetectorType(type);
    if (isTaken) this.#reply = body;
    return isTaken;
  }
}
