/**
 * @module
 * The part of receipts that a robust ring needs inside its authentication, where messages are sealed: a
 * token without a receipt is sent to the node after the previous recipient. A robust ring accepts each
 * token once, so that a duplicate does no harm. No node is removed from the ring, so that a false
 * accusation excludes none. It gets past one Byzantine node in a row fewer than the successor list has
 * entries.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Event, Machine, Message, Rank } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';

export type SendingAgainState = Guarded & {
  election: number;
  /** Last recipient of each token of this election, by the name of the token. */
  sent: Record<string, { readonly to: Rank; readonly message: { readonly type: string } }>;
};

const AGAIN = 'again:';

/** The timer that reports a token without a receipt. */
export function againTimer(token: string): string {
  return `${AGAIN}${token}`;
}

/** The name of a token of a robust ring. Null if the message is not a token. */
export function carrierName(message: Message): string | null {
  const election = countOf(memberOf(message, 'election'));
  const token = memberOf(message, 'token');
  return election === null || !Array.isArray(token) ? null : JSON.stringify([election, token]);
}

/** The machine of every node of a robust ring. */
export function createSendingAgain(machine: AnyMachine): Machine<SendingAgainState, Message> {
  return {
    init: (self) => ({ ...initGuarded(machine, self), election: 0, sent: {} }),
    step(self, state, event, effects) {
      const context = { machine, self, state, effects };
      if (event.type === 'timeout' && event.timer.startsWith(AGAIN)) {
        sendAgain(context, event.timer.slice(AGAIN.length));
      } else {
        passOn(context, event);
      }
    },
  };
}

type Step = GuardStep<SendingAgainState>;

function passOn(context: Step, event: Event<Message>): void {
  const { state, effects } = context;
  stepInner(context, event, {
    send(to, message) {
      const name = carrierName(message);
      if (name !== null) keep(state, name, { to, message });
      effects.send(to, message);
    },
  });
}

function keep(
  state: SendingAgainState,
  name: string,
  { to, message }: { readonly to: Rank; readonly message: Message },
): void {
  const election = countOf(memberOf(message, 'election')) ?? 0;
  if (election > state.election) {
    state.election = election;
    state.sent = {};
  }
  state.sent[name] = { to, message };
}

function sendAgain({ self, state, effects }: Step, name: string): void {
  const sent = Object.hasOwn(state.sent, name) ? state.sent[name] : undefined;
  if (sent === undefined) return;
  const { to: accused, message } = sent;
  const next = self.successors[self.successors.indexOf(accused) + 1];
  if (next === undefined || next === self.rank) return;
  state.sent[name] = { to: next, message };
  effects.send(next, message);
}
