/**
 * @module
 * This folder contains what an adversary does: it forges IDs and controls Byzantine nodes. This file seals
 * forged messages: any body in any name, with the signatures that the keys of accomplices can make, beside
 * the node's own messages. From L3 on both have one sequence of numbers, because a receiver takes a lower
 * number for a replay. A candidacy that the node was shown accompanies messages that name its candidate.
 */

import type { SealedMessage } from '../election/authentication/authenticated.ts';
import {
  candidacyText,
  messageText,
  NUMBERS_PER_LIFE,
} from '../election/authentication/authenticated.ts';
import { candidatesIn, isCandidatesOwn } from '../election/authentication/candidacies.ts';
import type { ForgedMessages } from '../election/definition/forgery.ts';
import type { Event, Message, Rank, Self } from '../election/machine.ts';
import { PROTOCOLS } from '../election/registry.ts';
import type { ByzantineNode } from './behaviours/behaviour.ts';

/** What a Byzantine node has observed of an election, as plain data. */
export type Observed = {
  /** The number of the last message to each, from L3 on. */
  numbers: Record<string, number>;
  /** Candidacies that others have signed and that were shown to it, by rank. */
  proofs: Record<string, string>;
  /** Numbers of the highest election that it has received, and of the one that it forges. */
  highestSeen: number;
  highestSent: number;
  /** Messages forged so far. */
  forged: number;
};

export function nothingObserved(): Observed {
  return { numbers: {}, proofs: {}, highestSeen: 0, highestSent: 0, forged: 0 };
}

/** Takes from a message what can be used: its election's number and proved candidacies. */
export function observe(
  observed: Observed,
  byzantineNode: ByzantineNode,
  { from, sealed }: { readonly from: Rank; readonly sealed: SealedMessage },
): void {
  const { protocol, authentication } = byzantineNode;
  const { numbering } = PROTOCOLS[protocol].forgery;
  const fields: Readonly<Record<string, unknown>> = { ...sealed };
  const number = numbering === null ? 0 : fields[numbering];
  if (Number.isSafeInteger(number))
    observed.highestSeen = Math.max(observed.highestSeen, Number(number));
  const { candidacies } = sealed.seal ?? {};
  if (typeof candidacies !== 'object' || candidacies === null) return;
  const { verify } = authentication.keysOf(byzantineNode.rank);
  for (const rank of candidatesIn(protocol, bodyOf(sealed), sealed.seal?.by ?? from)) {
    const name = String(rank);
    const proof = Object.hasOwn(candidacies, name) ? candidacies[name] : undefined;
    if (typeof proof !== 'string' || proof === observed.proofs[name]) continue;
    // In a newer election the newer one counts, and no other verifies.
    if (verify(rank, candidacyText(authentication, rank), proof)) observed.proofs[name] = proof;
  }
}

/**
 * The number of the election that it forges: above all that others have begun. If leaders must announce
 * themselves again and again it stays the same until another node begins a higher one.
 */
export function epochOf(observed: Observed, { protocol }: ByzantineNode): number {
  const isOver = PROTOCOLS[protocol].forgery.replacesSilentLeaders
    ? observed.highestSeen > observed.highestSent
    : observed.highestSeen >= observed.highestSent;
  if (observed.highestSent === 0 || isOver)
    observed.highestSent = Math.min(observed.highestSeen + 1, Number.MAX_SAFE_INTEGER);
  return observed.highestSent;
}

/** `body` to `to` in the name of `by`, with the proofs that its keys can make. */
export function forge(
  observed: Observed,
  byzantineNode: ByzantineNode,
  { by, to, body }: { readonly by: Rank; readonly to: Rank; readonly body: Message },
): SealedMessage {
  const { rank, accomplices, authentication, protocol } = byzantineNode;
  const { level } = authentication;
  if (level === 'L0' || level === 'L1') return by === rank ? body : { ...body, seal: { by } };
  const number = level === 'L3' ? nextNumber(observed, to) : 0;
  const signer = accomplices.includes(by) ? by : rank;
  const { sign } = authentication.keysOf(signer);
  const signature = sign(messageText(authentication, { by, to, number, body }));
  const numbered = level === 'L3' ? { number } : {};
  const proofs = proofsOf(observed, byzantineNode, candidatesIn(protocol, body, by));
  const candidacies = Object.keys(proofs).length === 0 ? {} : { candidacies: proofs };
  return { ...body, seal: { by, ...numbered, signature, ...candidacies } };
}

/** A message of the node's own machine, numbered anew where a forged one has taken its number. */
export function passOn(
  observed: Observed,
  byzantineNode: ByzantineNode,
  { to, message }: { readonly to: Rank; readonly message: SealedMessage },
): SealedMessage {
  const { rank, authentication } = byzantineNode;
  const { seal } = message;
  if (authentication.level !== 'L3' || seal?.by !== rank || seal.number === undefined) {
    return message;
  }
  const last = observed.numbers[String(to)] ?? 0;
  if (seal.number > last) {
    observed.numbers[String(to)] = seal.number;
    return message;
  }
  const number = nextNumber(observed, to);
  const body = bodyOf(message);
  const text = messageText(authentication, { by: rank, to, number, body });
  return {
    ...body,
    seal: { ...seal, number, signature: authentication.keysOf(rank).sign(text) },
  };
}

/** Whether a receiver would accept this node's message about `rank`. */
export function canForge(
  observed: Observed,
  byzantineNode: ByzantineNode,
  forged: ForgedMessages,
  rank: Rank,
): boolean {
  const { accomplices, authentication, protocol } = byzantineNode;
  const { level } = authentication;
  if (level === 'L0' || accomplices.includes(rank)) return true;
  if (forged.names === 'sender') return false;
  if (level === 'L1') return true;
  const messages = forged.messages({ about: rank, home: rank, epoch: 1, serial: 1, ringNodes: 1 });
  if (messages.some((message) => isCandidatesOwn(protocol, message))) return false;
  return Object.hasOwn(observed.proofs, String(rank));
}

/** To be called with each event before a message is sent: a return begins the numbers of a new life. */
export function observeReturn(observed: Observed, self: Self, event: Event<Message>): void {
  if (event.type !== 'recover') return;
  const { persisted } = event;
  const isKept = typeof persisted === 'object' && persisted !== null && 'life' in persisted;
  const life = isKept && typeof persisted.life === 'number' ? persisted.life : 0;
  // What the authenticated machine begins with in this life.
  for (const member of self.members)
    observed.numbers[String(member)] = (life + 1) * NUMBERS_PER_LIFE;
}

/** A message without its seal. */
export function bodyOf(sealed: SealedMessage): Message {
  const { seal: _, ...body } = sealed;
  return body;
}

function nextNumber(observed: Observed, to: Rank): number {
  const number = (observed.numbers[String(to)] ?? 0) + 1;
  observed.numbers[String(to)] = number;
  return number;
}

function proofsOf(
  observed: Observed,
  { accomplices, authentication }: ByzantineNode,
  named: readonly Rank[],
): Record<string, string> {
  const proofs: Record<string, string> = {};
  for (const rank of named) {
    const name = String(rank);
    const shown = observed.proofs[name];
    if (accomplices.includes(rank)) {
      proofs[name] = authentication.keysOf(rank).sign(candidacyText(authentication, rank));
    } else if (shown !== undefined) {
      proofs[name] = shown;
    }
  }
  return proofs;
}
