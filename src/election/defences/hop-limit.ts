/**
 * @module
 * A limit on how far a token travels, against tokens that no node removes from the ring: those of
 * candidates that are gone or never existed (a time to live, as in RFC 791, section 3.2). Each node counts
 * on the token itself. A token with more than twice the hops that its protocol needs is dropped, and all
 * nodes begin its election anew, because they may have accepted what it caused. A Byzantine node can reset
 * that count, so each node also counts how often it has received the same token.
 *
 * Invariants: (1) each copy and repetition of a token has its own age, and only more than `VISITS_MAX` of
 * them for each lap that is needed, without a pause of one lap, are too many; (2) between two reports of
 * its detector a node begins anew at most `ANEW_MAX` times, whichever nodes request it; beyond that it
 * only drops. Message bound: n − 1 for each new beginning, and the messages of the election.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Event, Machine, Message, Rank } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Timing } from '../timing.ts';
import { ringElectionTicks } from '../timing.ts';
import { defineDefence, WITHOUT_LIMITS } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';
import { tokenName, tokensOf } from './tokens.ts';

export type HopLimitState = Guarded & {
  /** New beginnings since the last report of its detector. */
  anew: number;
  /** Calls that it made itself in this life. */
  called: number;
  /** The last received call of each other node. */
  heard: Record<string, number>;
  /** Visits of each token since the ring was last quiet, by its name. */
  visits: Record<string, number>;
  /** How many names these are. */
  named: number;
  dropped: number;
};

/** Asks all nodes to forget this election. `call` counts the calls of the sender. */
export interface AnewMessage extends Message {
  readonly type: 'BEGIN_ANEW';
  readonly call: number;
}

/** Hops of a token before it is dropped, as a multiple of those that its protocol needs. */
export const HOPS_MULTIPLE_MAX = 2;
export const ANEW_MAX = 32;
/** More visits than duplicates of the network or elections in quick succession cause. */
export const VISITS_MAX = 16;
/** Names of tokens for each node of the ring. A Byzantine node can invent any number of them; beyond this all are forgotten. */
const NAMES_MAX = 64;
const QUIET_TIMER = 'hops:quiet';
/** The member of a token that counts its hops, beside a protocol's own `hops`. */
const TRAVELLED = 'travelled';

export const HOP_LIMIT = defineDefence({
  kind: 'inside',
  name: 'hop-limit',
  code: 'D5',
  summary:
    'Drops tokens that have travelled twice as far as any needs to and begins their election anew, which ends laps of candidates that do not exist; costs n messages and an election each time.',
  unsupportedReason: hopLimitUnsupportedReason,
  ...WITHOUT_LIMITS,
  guard: (machine, { protocol, timing }) => createHopLimit(machine, protocol, timing),
});

function hopLimitUnsupportedReason(protocol: ProtocolName): string | null {
  const { family, tokens } = PROTOCOLS[protocol];
  if (family !== 'ring') return 'no token travels round a ring in it';
  return typeof tokens === 'string' ? tokens : null;
}

/** The machine of every node of a ring. Throws RangeError for a protocol that it does not fit. */
export function createHopLimit(
  machine: AnyMachine,
  protocol: ProtocolName,
  timing: Timing,
): Machine<HopLimitState, Message> {
  const tokens = tokensOf(PROTOCOLS[protocol]);
  if (tokens === null) throw new RangeError(`"protocol" expected a ring, got ${protocol}`);
  return {
    init: (self) => ({
      ...initGuarded(machine, self),
      ...{ anew: 0, called: 0, heard: {}, visits: {}, named: 0, dropped: 0 },
    }),
    step: (self, state, event, effects) =>
      react(REACTIONS, stepInner, { machine, self, state, effects, tokens, timing }, event),
  };
}

const REACTIONS: Reactions<Step> = {
  deliver: onMessage,
  suspect: onDetection,
  trust: onDetection,
  timeout(context, event) {
    if (event.timer === QUIET_TIMER) forgetVisits(context.state);
    else stepInner(context, event);
  },
};

/** A node that was down counts its calls from the beginning. */
function onDetection(context: Step, event: Event<Message> & { readonly node: Rank }): void {
  const { state } = context;
  delete state.heard[String(event.node)];
  state.anew = 0;
  forgetVisits(state);
  stepInner(context, event);
}

interface Step extends GuardStep<HopLimitState> {
  readonly tokens: NonNullable<ReturnType<typeof tokensOf>>;
  readonly timing: Timing;
}

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { state, tokens } = context;
  const { from, message } = event;
  if (message.type === 'BEGIN_ANEW') {
    onCall(context, from, message);
    return;
  }
  const token = tokenName(tokens, message);
  const hops = (countOf(memberOf(message, TRAVELLED)) ?? 0) + 1;
  if (token !== null && isOrphan(context, token, hops)) {
    state.dropped += 1;
    call(context);
    return;
  }
  const { effects } = context;
  stepInner(
    context,
    { type: 'deliver', from, message: uncounted(message) },
    {
      send(to, sent) {
        const isPassedOn = token !== null && tokenName(tokens, sent) === token;
        effects.send(to, isPassedOn ? { ...sent, ...{ [TRAVELLED]: hops } } : sent);
      },
    },
  );
}

/** Counts the visit. Returns whether the token has made too many visits or hops. */
function isOrphan(
  { self, state, tokens, timing, effects }: Step,
  token: string,
  hops: number,
): boolean {
  const { ringNodes } = self;
  const laps = tokens.laps(ringNodes);
  if (!Object.hasOwn(state.visits, token)) {
    if (state.named >= NAMES_MAX * ringNodes) forgetVisits(state);
    state.named += 1;
  }
  const visits = (state.visits[token] ?? 0) + 1;
  state.visits[token] = visits;
  effects.setTimer(QUIET_TIMER, ringElectionTicks(timing, ringNodes), false);
  const visitsMax = VISITS_MAX * laps * (tokens.isReplaced ? ringNodes : 1);
  return hops > HOPS_MULTIPLE_MAX * ringNodes * laps || visits > visitsMax;
}

function forgetVisits(state: HopLimitState): void {
  state.visits = {};
  state.named = 0;
}

function uncounted(message: Message): Message {
  if (!Object.hasOwn(message, TRAVELLED)) return message;
  const { [TRAVELLED]: _, ...body } = { ...message, [TRAVELLED]: null };
  return body;
}

/** This node dropped an orphan token: all nodes must undo its effects. A Byzantine node could block a message round the ring. */
function call(context: Step): void {
  const { self, state, effects } = context;
  if (state.anew >= ANEW_MAX) return;
  state.called += 1;
  const message: AnewMessage = { type: 'BEGIN_ANEW', call: state.called };
  for (const member of self.members) if (member !== self.rank) effects.send(member, message);
  forget(context);
}

function onCall(context: Step, from: Rank, message: Message): void {
  const { self, state } = context;
  const number = countOf(memberOf(message, 'call'));
  if (!self.members.includes(from) || from === self.rank || number === null) return;
  if (number <= (state.heard[String(from)] ?? 0)) return;
  state.heard[String(from)] = number;
  if (state.anew < ANEW_MAX) forget(context);
}

/**
 * Acts as after a return, but with its memory. A node that skips this would ignore an election whose number
 * is lower than the last.
 */
function forget(context: Step): void {
  const { state, effects } = context;
  state.anew += 1;
  forgetVisits(state);
  if (state.leader !== null) effects.stepDown();
  stepInner(context, { type: 'recover', persisted: state.kept });
}
