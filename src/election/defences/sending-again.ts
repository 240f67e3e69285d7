/**
 * @module
 * The part of receipts that a robust ring needs inside its authentication, where there is a seal for what
 * is said: a token of which no receipt came is handed to the node after the one that it was handed to. A
 * robust ring takes each token once, so that it does no harm if it came there after all; nobody is taken
 * out of the ring, so that a false accusation shuts nobody out. It gets past as many liars in a row as
 * the successor list is longer than one.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Event, Machine, Message, Rank } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';

export type SendingAgainState = Guarded & {
  election: number;
  /** Tokens of this election by name, and whom each was handed to last. */
  sent: Record<string, { readonly to: Rank; readonly message: { readonly type: string } }>;
};

const AGAIN = 'again:';

/** The timer that says of a token that no receipt came. */
export function againTimer(token: string): string {
  return `${AGAIN}${token}`;
}

/** By what a token of a robust ring is known; null for what is none. */
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
        tell(context, event);
      }
    },
  };
}

type Step = GuardStep<SendingAgainState>;

function tell(context: Step, event: Event<Message>): void {
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
