/**
 * @module
 * Why a node could not process a message that is sent to it now. The node's own machine receives the message on
 * a copy of its state, and its effects are discarded, so that nothing changes. Whether the message arrives later
 * also depends on what happens until then.
 */

import type { Refusal } from '../../election/authentication/authenticated.ts';
import { REFUSALS, refusedIn } from '../../election/authentication/authenticated.ts';
import { isKnownType } from '../../election/authentication/message-forms.ts';
import type { Effects, Message } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import { copyJson } from '../../election/world/copy-json.ts';
import type { Run } from './status.ts';

/** Each obstacle with its meaning. The refusals are those of the authentication. */
export const OBSTACLES = {
  absent: 'no node has the rank yet',
  down: 'the node is down, and the message is lost if it is still down then',
  cut: 'a partition separates the sender from the node',
  type: 'the protocol has no message of this type, so that the node ignores it',
  sender: 'the level does not admit the stated sender',
  malformed: 'the message has not the form of its type, or lacks its seal',
  replay: 'the number in the seal is not above those that the node has received',
  signature: 'the signature is not one of the stated sender for this node and this election',
  candidacy: 'a node that the message names has not signed its candidacy',
} as const satisfies Record<Refusal, string> & Record<string, string>;

export type Obstacle = keyof typeof OBSTACLES;

/** A message of one node to another. */
export interface Sent {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

/** The first obstacle; null if there is none, or if a program plays the node and decides. */
export function obstacleTo(
  { plan, engine, environment, inboxes }: Run,
  { from, to, message }: Sent,
): Obstacle | null {
  if (environment.absent.has(to)) return 'absent';
  if (!engine.isUp(to)) return 'down';
  if (engine.network?.isCut(engine.now, from, to) === true) return 'cut';
  if (inboxes?.has(to) === true) return null;
  if (!isKnownType(plan.protocol, message.type)) return 'type';
  const { machine, self, state } = engine.nodeOf(to);
  const copy = copyJson(state);
  const before = refusedIn(copy);
  machine.step(self, copy, { type: 'deliver', from: toRank(from), message }, DISCARDED);
  const after = refusedIn(copy);
  return REFUSALS.find((reason) => (after?.[reason] ?? 0) > (before?.[reason] ?? 0)) ?? null;
}

const DISCARDED: Effects<Message> = {
  send: () => undefined,
  setTimer: () => undefined,
  cancelTimer: () => undefined,
  choose: () => undefined,
  persist: () => undefined,
  call: () => undefined,
  elect: () => undefined,
  stepDown: () => undefined,
  accuse: () => undefined,
  respond: () => undefined,
};
