/**
 * @module
 * Sends the messages of a Byzantine node, which forging.ts seals: its own among those of its machine.
 */

import type { Effects, Message, Rank } from '../../election/machine.ts';
import type { Observed } from '../forging.ts';
import { forge, passOn as passedOn } from '../forging.ts';
import type { ByzantineNode } from './behaviour.ts';

export interface Sender {
  readonly byzantineNode: ByzantineNode;
  readonly observed: Observed;
  readonly effects: Effects<Message>;
}

/** Sends a message, in its own name unless another is given. */
export function sendAs(
  { byzantineNode, observed, effects }: Sender,
  to: Rank,
  body: Message,
  by: Rank = byzantineNode.rank,
): void {
  effects.send(to, forge(observed, byzantineNode, { by, to, body }));
}

/** Passes on what the inner machine sends. */
export function passOn(
  { byzantineNode, observed, effects }: Sender,
  to: Rank,
  message: Message,
): void {
  effects.send(to, passedOn(observed, byzantineNode, { to, message }));
}
