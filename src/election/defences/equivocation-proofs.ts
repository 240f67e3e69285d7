/**
 * @module
 * Proofs of equivocation: recipients show the signed claims of a node about leader or vote to all others.
 * A node that holds two signed messages of one sender that contradict each other expels the sender: it
 * ignores the sender, shows both messages to all and begins its election anew. As A. Haeberlen, P.
 * Kouznetsov and P. Druschel, "PeerReview: practical accountability for distributed systems", SOSP 2007,
 * where witnesses collect what a node has signed.
 *
 * Invariants: (1) a node is expelled only for two messages that its own keys have signed; (2) once two
 * honest nodes that can reach each other hold one message each, all that they can reach expel the sender;
 * (3) a node begins anew at most once for every other. Message bound: (n − 2) for each claim that is
 * received, and n − 1 for each sender that is expelled. It is around an authenticated machine, because it
 * needs seals; what is shown proves itself. Two leaders may lead until the proof exists, and a Byzantine
 * node that sends the same to all is not detected.
 */

import type { SealedMessage } from '../authentication/authenticated.ts';
import { namedIn } from '../authentication/candidacies.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Event, Json, Machine, Message, Rank } from '../machine.ts';
import { memberOf } from '../message-members.ts';
import { PROTOCOLS } from '../registry.ts';
import type { SealedDefenceContext } from './defence.ts';
import { defineDefence } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { beginAnew, initGuarded, stepInner } from './guarded.ts';
import type { Evidence } from './signed-claims.ts';
import { claimIn, evidenceIn, evidenceOf, hasClaims, isKept, isSigned } from './signed-claims.ts';

type Held = { readonly slot: string; readonly content: string; readonly word: Evidence };

export type EquivocationState = Guarded & {
  /** By rank, the last claims of each other node, oldest first. */
  held: Record<string, Held[]>;
  expelled: Rank[];
};

const SHOWN = 'CLAIM_SHOWN';
const PROVED = 'LIE_PROVED';
/** Claims kept of one sender. Older ones are about elections that are over. */
const HELD_MAX = 16;

export const EQUIVOCATION_PROOFS = defineDefence({
  kind: 'around',
  name: 'equivocation-proofs',
  code: 'D7',
  summary:
    'Shows claims about leaders and votes to all nodes and expels a node that has signed two that contradict each other; costs n − 2 messages for each claim, and an election for each Byzantine node.',
  unsupportedReason(protocol) {
    if (hasClaims(protocol)) return null;
    return PROTOCOLS[protocol].family === 'bully'
      ? 'an announcement of another node is ignored already'
      : 'a node signs what it passes on for others, or sends messages only to a store: its messages do not contradict each other';
  },
  limit: (protocol) =>
    Object.values(PROTOCOLS[protocol].messages).some(
      ({ claim }) => (claim?.states ?? null) !== null,
    )
      ? null
      : 'a vote of each of two leaders is compared only when both lead already',
  needsLevel: 'L2',
  response: { newcomers: 'admitted', ranks: 'by-id' },
  inside: null,
  guard: createEquivocationProofs,
  isRunByAll: false,
});

/** Around an authenticated machine. */
export function createEquivocationProofs(
  machine: AnyMachine,
  context: SealedDefenceContext,
): Machine<EquivocationState, Message> {
  return {
    init: (self) => ({ ...initGuarded(machine, self), held: {}, expelled: [] }),
    step: (self, state, event, effects) =>
      react(REACTIONS, stepInner, { ...context, machine, self, state, effects }, event),
  };
}

type Step = SealedDefenceContext & GuardStep<EquivocationState>;

const REACTIONS: Reactions<Step> = {
  deliver: onMessage,
  trust(context, event) {
    if (!context.state.expelled.includes(event.node)) stepInner(context, event);
  },
};

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { protocol, self, state } = context;
  const { from, message } = event;
  const sealed: SealedMessage = message;
  const by = sealed.seal?.by ?? from;
  if (message.type === SHOWN || message.type === PROVED) {
    const words = message.type === SHOWN ? [memberOf(message, 'word')] : wordsIn(message);
    for (const word of words) receive(context, evidenceOf(self, word), 'shown');
    return;
  }
  if (isExpelled(state, by)) return;
  receive(context, evidenceIn(sealed, by, self.rank), 'said');
  if (isExpelled(state, by)) return;
  // What an honest node passes on may name one that it has not expelled yet.
  if (namedIn(protocol, message).some((rank) => isExpelled(state, rank))) return;
  stepInner(context, event);
}

function isExpelled({ expelled }: EquivocationState, rank: Rank): boolean {
  return expelled.includes(rank);
}

/** Compares a claim with earlier ones of its sender. Checks the signature last. */
function receive(context: Step, word: Evidence | null, how: 'said' | 'shown'): void {
  const { self, state, protocol, effects } = context;
  if (word === null || word.by === self.rank || !self.members.includes(word.by)) return;
  const claim = claimIn(protocol, word);
  if (claim === null || isExpelled(state, word.by) || !isKept(protocol, self, word)) return;
  const held = state.held[String(word.by)] ?? [];
  const same = held.find(({ slot }) => slot === claim.slot);
  if (same?.content === claim.content || !isSigned(context.authentication, self, word)) return;
  if (same !== undefined) {
    expel(context, [same.word, word]);
    return;
  }
  state.held[String(word.by)] = [...held, { ...claim, word }].slice(-HELD_MAX);
  if (how === 'shown') return;
  const message = { type: SHOWN, word };
  for (const member of self.members) {
    if (member !== self.rank && member !== word.by) effects.send(member, message);
  }
}

/** Ignores the node from now on, and undoes the effects of its messages. */
function expel(context: Step, words: readonly [Evidence, Evidence]): void {
  const { self, state, effects } = context;
  const [{ by }] = words;
  state.expelled.push(by);
  delete state.held[String(by)];
  effects.accuse({ type: 'equivocation', by, words });
  const message = { type: PROVED, words };
  for (const member of self.members) {
    if (member !== self.rank && member !== by) effects.send(member, message);
  }
  const before = state.inner;
  beginAnew(context);
  state.inner = withMemory(state.inner, before);
  stepInner(context, { type: 'suspect', node: by });
}

/** An authenticated machine must not accept a message twice, even if its protocol forgets it. */
function withMemory(inner: Json, before: Json): Json {
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
  if (typeof before !== 'object' || before === null || !('heard' in before)) return inner;
  if (!('candidacies' in before)) return inner;
  const { heard, candidacies } = before;
  return { ...inner, heard, candidacies };
}

function wordsIn(message: Message): readonly unknown[] {
  const words = memberOf(message, 'words');
  return Array.isArray(words) ? words.slice(0, 2) : [];
}
