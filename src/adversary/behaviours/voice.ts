/**
 * @module
 * How a Byzantine node says words of its own among those of its machine: forging.ts seals them, here
 * they are sent.
 */

import type { Effects, Message, Rank } from '../../election/machine.ts';
import type { Hand } from '../forging.ts';
import { forge, passOn as passedOn } from '../forging.ts';
import type { ByzantineNode } from './behaviour.ts';

export interface Speaker {
  readonly byzantineNode: ByzantineNode;
  readonly hand: Hand;
  readonly effects: Effects<Message>;
}

/** Says something, in its own name unless another is given. */
export function speak(
  { byzantineNode, hand, effects }: Speaker,
  to: Rank,
  body: Message,
  by: Rank = byzantineNode.rank,
): void {
  effects.send(to, forge(hand, byzantineNode, { by, to, body }));
}

/** Passes on what the inner machine sends. */
export function passOn(
  { byzantineNode, hand, effects }: Speaker,
  to: Rank,
  message: Message,
): void {
  effects.send(to, passedOn(hand, byzantineNode, { to, message }));
}
