/**
 * @module
 * Signed receipts for the tokens of a ring. A node that passes on a token which the next node must pass on
 * too requires a receipt from the node after the next. Without a receipt in time it accuses the next node.
 * The next node or the one after it (which may withhold the receipt) is Byzantine: the node that two
 * neighbouring accusations share. This is detection only: a one-way ring has no second path, and the
 * election fails. On a ring with successor lists the node also sends the token to the node after the
 * accused (sending-again.ts). Compare the watchdog of S. Marti, T. J. Giuli, K. Lai and M. Baker,
 * "Mitigating routing misbehavior in mobile ad hoc networks", MobiCom 2000; here receipts are signed.
 *
 * Invariants: (1) a receipt is for one pass of a token in one life of a node, and for no other pass of that
 * life; (2) while a detector suspects a node, no node on a plain ring is accused, since the gap may be the
 * reason. Two Byzantine nodes in a row stay undetected. Message bound: one for each token that is passed
 * on. This guard is around an authenticated machine. It adds members to the seal, which protocols ignore.
 */

import type { Authentication, SealedMessage } from '../authentication/authenticated.ts';
import { messageText } from '../authentication/authenticated.ts';
import { carriedBy } from '../authentication/message-forms.ts';
import { RECEIPT } from '../authentication/numbered-elections.ts';
import type { AnyMachine, Protocol } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Event, Machine, Message, Rank } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { answerTicks } from '../timing.ts';
import type { SealedDefenceContext } from './defence.ts';
import { defineDefence } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';
import { mustPassOn, tokenName, tokensOf } from './tokens.ts';

type Due = { readonly next: Rank; readonly token: string; readonly election: number };

export type ReceiptsState = Guarded & {
  /** Number of tokens passed on in this life. */
  handed: number;
  /** Passes without a receipt yet, by number. */
  due: Record<string, Due>;
  /** Highest election number of a token. 0 if elections have no numbers. */
  election: number;
  /** Nodes that the detector suspects. Null after a recovery, since the node then knows only changes. */
  suspected: Rank[] | null;
  accused: Rank[];
};

/** What the seal of a token has besides its proof. */
interface Handing {
  /** Number of this pass among those of the sender. */
  readonly handing: number;
  /** The node that passed the token to the sender and gets the receipt, and the number of that pass. */
  readonly behind?: { readonly rank: Rank; readonly handing: number };
}

const TIMER = 'receipt:';

export const RECEIPTS = defineDefence({
  kind: 'around',
  name: 'receipts',
  code: 'D6',
  summary:
    'Requires for each token that a node passes on a signed receipt of the node after the next, and accuses the next one without it, which shows which node swallows tokens; costs one message for each token, and only a ring with successor lists gets past the accused.',
  unsupportedReason(protocol) {
    const tokens = tokensOf(tokenized(protocol));
    return tokens === null
      ? 'no token that can be identified travels round a ring in it'
      : tokens.unowed;
  },
  limit: (protocol) =>
    PROTOCOLS[protocol].successors > 1
      ? null
      : 'it shows which node swallows tokens, but a ring without successor lists does not get past that node',
  needsLevel: 'L2',
  response: { newcomers: 'admitted', ranks: 'by-id' },
  inside: (machine, { protocol }) =>
    PROTOCOLS[protocol].carries === null ? machine : createSendingAgain(machine),
  guard: createReceipts,
  isRunByAll: false,
});

/** The protocol whose tokens are followed. A robust ring carries the tokens of another protocol. */
function tokenized(protocol: ProtocolName): Protocol {
  return PROTOCOLS[protocol].carries ?? PROTOCOLS[protocol];
}

/** Around an authenticated machine of a ring. Throws RangeError for a protocol without tokens. */
export function createReceipts(
  machine: AnyMachine,
  context: SealedDefenceContext,
): Machine<ReceiptsState, Message> {
  const tokens = tokensOf(tokenized(context.protocol));
  if (tokens === null) throw new RangeError(`"protocol" expected a ring, got ${context.protocol}`);
  return {
    init: (self) => ({
      ...initGuarded(machine, self),
      ...{ handed: 0, due: {}, election: 0, suspected: [], accused: [] },
    }),
    step: (self, state, event, effects) =>
      react(REACTIONS, passOn, { ...context, machine, self, state, effects, tokens }, event),
  };
}

interface Step extends SealedDefenceContext, GuardStep<ReceiptsState> {
  readonly tokens: NonNullable<ReturnType<typeof tokensOf>>;
}

const REACTIONS: Reactions<Step> = {
  deliver(context, event) {
    if (event.message.type === RECEIPT) onReceipt(context, event.from, event.message);
    else onMessage(context, event);
  },
  suspect(context, event) {
    const { state } = context;
    state.suspected &&= [...state.suspected.filter((node) => node !== event.node), event.node];
    release(context);
    passOn(context, event);
  },
  trust(context, event) {
    const { state } = context;
    state.suspected &&= state.suspected.filter((node) => node !== event.node);
    state.accused = state.accused.filter((node) => node !== event.node);
    release(context);
    passOn(context, event);
  },
  recover(context, event) {
    context.state.suspected = null;
    passOn(context, event);
  },
  timeout(context, event) {
    if (event.timer.startsWith(TIMER)) onOverdue(context, event.timer.slice(TIMER.length));
    else passOn(context, event);
  },
};

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { message } = event;
  const token = nameOf(context, message);
  if (token === null) {
    passOn(context, event);
    return;
  }
  noteElection(context, message);
  const { seal }: SealedMessage = message;
  const by = seal?.by ?? event.from;
  const { handing, behind } = handingIn(context, message);
  if (behind !== null && isSigned(context, message, by)) sendReceipt(context, behind, token);
  passOn(context, event, handing === null ? null : { token, rank: by, handing });
}

/** The name of its token. A token that a robust ring carries is named by its number. */
function nameOf({ protocol, tokens }: Step, message: Message): string | null {
  const carried = followed(protocol, message);
  const name = carried === null ? null : tokenName(tokens, carried);
  return name === null || PROTOCOLS[protocol].carries === null ? name : carrierName(message);
}

/** The message whose token is followed. */
function followed(protocol: ProtocolName, message: Message): Message | null {
  return PROTOCOLS[protocol].carries === null ? message : carriedBy(protocol, message);
}

/** The machine's step. It marks the token of `came` with its origin when it passes it on. */
function passOn(
  context: Step,
  event: Event<Message>,
  came: { readonly token: string; readonly rank: Rank; readonly handing: number } | null = null,
): void {
  stepInner(context, event, {
    send(to, message) {
      const { effects } = context;
      const token = nameOf(context, message);
      if (token === null) effects.send(to, message);
      else
        effects.send(
          to,
          passTokenOn(context, { to, message, token }, came?.token === token ? came : null),
        );
    },
  });
}

function passTokenOn(
  context: Step,
  {
    to,
    message,
    token,
  }: { readonly to: Rank; readonly message: SealedMessage; readonly token: string },
  came: { readonly rank: Rank; readonly handing: number } | null,
): Message {
  const { protocol, self, state, tokens, timing, effects } = context;
  const { seal } = message;
  if (seal === undefined) return message;
  noteElection(context, message);
  state.handed += 1;
  const handing = state.handed;
  const carried = followed(protocol, message);
  const isDue = carried !== null && mustPassOn(tokens, carried, to) && self.ringNodes > 2;
  if (isDue && isWatched(context, to)) {
    state.due[String(handing)] = { next: to, token, election: state.election };
    effects.setTimer(`${TIMER}${handing}`, 2 * answerTicks(timing) + 1, false);
  }
  const added: Handing =
    came === null ? { handing } : { handing, behind: { rank: came.rank, handing: came.handing } };
  return { ...message, ...{ seal: { ...seal, ...added } } };
}

function noteElection({ state }: Step, message: Message): void {
  state.election = Math.max(state.election, countOf(memberOf(message, 'election')) ?? 0);
}

/** On a plain ring any node that is down may be the reason, and one accusation is enough. */
function isWatched({ protocol, state }: Step, node: Rank): boolean {
  const { suspected, accused } = state;
  if (PROTOCOLS[protocol].carries !== null) return suspected?.includes(node) !== true;
  return suspected?.length === 0 && !accused.includes(node);
}

function handingIn(
  { self }: Step,
  message: SealedMessage,
): { readonly handing: number | null; readonly behind: { rank: Rank; handing: number } | null } {
  const seal: Message = { type: 'SEAL', ...message.seal };
  const handing = countOf(memberOf(seal, 'handing'));
  const named = memberOf(seal, 'behind');
  const behind: Message = { type: 'BEHIND', ...(typeof named === 'object' ? named : {}) };
  const rank = self.members.find((member) => member === memberOf(behind, 'rank'));
  const number = countOf(memberOf(behind, 'handing'));
  const isWanted = rank !== undefined && rank !== self.rank && number !== null;
  return { handing, behind: isWanted ? { rank, handing: number } : null };
}

/** Whether `by` has signed it. Otherwise a node could pass on a message that no node accepts. */
function isSigned({ authentication, self }: Step, message: SealedMessage, by: Rank): boolean {
  const { seal, ...body } = message;
  if (typeof seal?.signature !== 'string') return false;
  const text = messageText(authentication, { by, to: self.rank, number: seal.number ?? 0, body });
  return authentication.keysOf(self.rank).verify(by, text, seal.signature);
}

function sendReceipt(
  { authentication, self, effects }: Step,
  behind: { readonly rank: Rank; readonly handing: number },
  token: string,
): void {
  const { rank: to, handing } = behind;
  const text = receiptText(authentication, { by: self.rank, to, handing, token });
  const signature = authentication.keysOf(self.rank).sign(text);
  const message = { type: RECEIPT, handing, by: self.rank, signature };
  effects.send(to, message);
}

function receiptText(
  { protocol, election, level }: Authentication,
  parts: { readonly by: Rank; readonly to: Rank; readonly handing: number; readonly token: string },
): string {
  const { by, to, handing, token } = parts;
  const fresh = level === 'L3' ? [election] : [];
  return JSON.stringify(['usurp/receipt/v1', protocol, by, to, handing, ...fresh, token]);
}

function onReceipt(context: Step, from: Rank, message: Message): void {
  const { authentication, self, state } = context;
  const handing = countOf(memberOf(message, 'handing'));
  const signature = memberOf(message, 'signature');
  const by = self.members.find((member) => member === memberOf(message, 'by')) ?? from;
  if (handing === null || typeof signature !== 'string') return;
  const due = state.due[String(handing)];
  // A receipt of the next node itself proves nothing.
  if (due === undefined || by === due.next || by === self.rank) return;
  const text = receiptText(authentication, { by, to: self.rank, handing, token: due.token });
  if (authentication.keysOf(self.rank).verify(by, text, signature))
    settle(context, String(handing));
}

function settle({ state, effects }: Step, handing: string): void {
  delete state.due[handing];
  effects.cancelTimer(`${TIMER}${handing}`);
}

/** A node that fell silent may have had the token or its receipt. */
function release(context: Step): void {
  for (const handing of Object.keys(context.state.due)) settle(context, handing);
}

function onOverdue(context: Step, handing: string): void {
  const { protocol, state, effects } = context;
  const due = Object.hasOwn(state.due, handing) ? state.due[handing] : undefined;
  if (due === undefined) return;
  delete state.due[handing];
  const { next: node, token, election } = due;
  // Nodes need not pass on tokens of an older election.
  if (election < state.election) return;
  if (state.suspected?.length === 0 && !state.accused.includes(node)) {
    state.accused.push(node);
    effects.accuse({ type: 'no-receipt', node, token });
  }
  if (PROTOCOLS[protocol].carries !== null)
    passOn(context, { type: 'timeout', timer: againTimer(token) });
}

/**
 * The part of receipts that a robust ring needs inside its authentication, where messages are sealed: a token
 * without a receipt is sent to the node after the previous recipient. A robust ring accepts each token once, so that
 * a duplicate does no harm. No node is removed from the ring, so that a false accusation excludes none. It gets past
 * one Byzantine node in a row fewer than the successor list has entries.
 */
type SendingAgainState = Guarded & {
  election: number;
  /** Last recipient of each token of this election, by the name of the token. */
  sent: Record<string, { readonly to: Rank; readonly message: { readonly type: string } }>;
};

const AGAIN = 'again:';

/** The timer that reports a token without a receipt. */
function againTimer(token: string): string {
  return `${AGAIN}${token}`;
}

/** The name of a token of a robust ring. Null if the message is not a token. */
function carrierName(message: Message): string | null {
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
        passOnAgain(context, event);
      }
    },
  };
}

type SendingAgainStep = GuardStep<SendingAgainState>;

function passOnAgain(context: SendingAgainStep, event: Event<Message>): void {
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

function sendAgain({ self, state, effects }: SendingAgainStep, name: string): void {
  const sent = Object.hasOwn(state.sent, name) ? state.sent[name] : undefined;
  if (sent === undefined) return;
  const { to: accused, message } = sent;
  const next = self.successors[self.successors.indexOf(accused) + 1];
  if (next === undefined || next === self.rank) return;
  state.sent[name] = { to: next, message };
  effects.send(next, message);
}
