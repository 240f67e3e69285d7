/**
 * @module
 * This folder contains what an adversary does: it forges IDs and controls Byzantine nodes.
 * What a forger can put on the wire: any body in any name, sealed as well as its keys allow, and beside
 * it the node's own sealed messages. From L3 on both are numbered in one row, else the higher number
 * of the one would make old words of the other. It signs with the keys of its accomplices and no other's;
 * a candidacy that it was shown it can show.
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

/** What a forger remembers; plain data. */
export type Hand = {
  /** The number of the last message to each, from L3 on. */
  numbers: Record<string, number>;
  /** Candidacies that others have signed and that were shown to it, by rank. */
  proofs: Record<string, string>;
  /** The highest election that it has heard of, and the one it speaks of. */
  heard: number;
  said: number;
  /** Words forged so far. */
  forged: number;
};

export function emptyHand(): Hand {
  return { numbers: {}, proofs: {}, heard: 0, said: 0, forged: 0 };
}

/** Takes from a message what can be used: its election's number and proved candidacies. */
export function overhear(
  hand: Hand,
  byzantineNode: ByzantineNode,
  { from, sealed }: { readonly from: Rank; readonly sealed: SealedMessage },
): void {
  const { protocol, authentication } = byzantineNode;
  const { numbering } = PROTOCOLS[protocol].forgery;
  const fields: Readonly<Record<string, unknown>> = { ...sealed };
  const number = numbering === null ? 0 : fields[numbering];
  if (Number.isSafeInteger(number)) hand.heard = Math.max(hand.heard, Number(number));
  const { candidacies } = sealed.seal ?? {};
  if (typeof candidacies !== 'object' || candidacies === null) return;
  const { verify } = authentication.keysOf(byzantineNode.rank);
  for (const rank of candidatesIn(protocol, bodyOf(sealed), sealed.seal?.by ?? from)) {
    const name = String(rank);
    const proof = Object.hasOwn(candidacies, name) ? candidacies[name] : undefined;
    if (typeof proof !== 'string' || proof === hand.proofs[name]) continue;
    // In a newer election the newer one counts, and no other verifies.
    if (verify(rank, candidacyText(authentication, rank), proof)) hand.proofs[name] = proof;
  }
}

/**
 * The election that it speaks of: above all that others have begun. Where leaders have to be heard again
 * and again it is the same one for as long as nobody begins a higher, else everybody would change over.
 */
export function epochOf(hand: Hand, { protocol }: ByzantineNode): number {
  const isOver = PROTOCOLS[protocol].forgery.replacesSilentLeaders
    ? hand.heard > hand.said
    : hand.heard >= hand.said;
  if (hand.said === 0 || isOver) hand.said = Math.min(hand.heard + 1, Number.MAX_SAFE_INTEGER);
  return hand.said;
}

/** `body` to `to` in the name of `by`: what no key of its own can prove it sends unproved. */
export function forge(
  hand: Hand,
  byzantineNode: ByzantineNode,
  { by, to, body }: { readonly by: Rank; readonly to: Rank; readonly body: Message },
): SealedMessage {
  const { rank, accomplices, authentication, protocol } = byzantineNode;
  const { level } = authentication;
  if (level === 'L0' || level === 'L1') return by === rank ? body : { ...body, seal: { by } };
  const number = level === 'L3' ? nextNumber(hand, to) : 0;
  const signer = accomplices.includes(by) ? by : rank;
  const { sign } = authentication.keysOf(signer);
  const signature = sign(messageText(authentication, { by, to, number, body }));
  const numbered = level === 'L3' ? { number } : {};
  const proofs = proofsOf(hand, byzantineNode, candidatesIn(protocol, body, by));
  const candidacies = Object.keys(proofs).length === 0 ? {} : { candidacies: proofs };
  return { ...body, seal: { by, ...numbered, signature, ...candidacies } };
}

/** A message of the node's own machine, numbered anew where a forged one has taken its number. */
export function passOn(
  hand: Hand,
  byzantineNode: ByzantineNode,
  { to, message }: { readonly to: Rank; readonly message: SealedMessage },
): SealedMessage {
  const { rank, authentication } = byzantineNode;
  const { seal } = message;
  if (authentication.level !== 'L3' || seal?.by !== rank || seal.number === undefined) {
    return message;
  }
  const last = hand.numbers[String(to)] ?? 0;
  if (seal.number > last) {
    hand.numbers[String(to)] = seal.number;
    return message;
  }
  const number = nextNumber(hand, to);
  const body = bodyOf(message);
  const text = messageText(authentication, { by: rank, to, number, body });
  return {
    ...body,
    seal: { ...seal, number, signature: authentication.keysOf(rank).sign(text) },
  };
}

/** Whether a word about `rank` would be believed of this forger. */
export function canSay(
  hand: Hand,
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
  return Object.hasOwn(hand.proofs, String(rank));
}

/** To be told of every event before anything is said: it returns with the numbers of a new life. */
export function heedReturn(hand: Hand, self: Self, event: Event<Message>): void {
  if (event.type !== 'recover') return;
  const { persisted } = event;
  const isKept = typeof persisted === 'object' && persisted !== null && 'life' in persisted;
  const life = isKept && typeof persisted.life === 'number' ? persisted.life : 0;
  // What the authenticated machine begins with in this life.
  for (const member of self.members) hand.numbers[String(member)] = (life + 1) * NUMBERS_PER_LIFE;
}

/** A message without its seal. */
export function bodyOf(sealed: SealedMessage): Message {
  const { seal: _, ...body } = sealed;
  return body;
}

function nextNumber(hand: Hand, to: Rank): number {
  const number = (hand.numbers[String(to)] ?? 0) + 1;
  hand.numbers[String(to)] = number;
  return number;
}

function proofsOf(
  hand: Hand,
  { accomplices, authentication }: ByzantineNode,
  named: readonly Rank[],
): Record<string, string> {
  const proofs: Record<string, string> = {};
  for (const rank of named) {
    const name = String(rank);
    const shown = hand.proofs[name];
    if (accomplices.includes(rank)) {
      proofs[name] = authentication.keysOf(rank).sign(candidacyText(authentication, rank));
    } else if (shown !== undefined) {
      proofs[name] = shown;
    }
  }
  return proofs;
}
