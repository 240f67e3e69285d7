/**
 * @module
 * Checks the messages that a node played from outside sends. Receivers would drop a message without proof; here
 * the program receives the reason. (A program that intends to send such a message injects it.) Cheap checks
 * come before the signatures. At L3, the numbers that were used are remembered.
 */

import { hash } from 'node:crypto';
import type {
  Authentication,
  Keys,
  Seal,
  SealedMessage,
} from '../../../src/election/authentication/authenticated.ts';
import {
  candidacyText,
  isFresh,
  messageText,
  NUMBERS_WINDOW,
} from '../../../src/election/authentication/authenticated.ts';
import { candidatesIn } from '../../../src/election/authentication/candidacies.ts';
import { isWellFormed } from '../../../src/election/authentication/message-forms.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { OutsideEffect } from '../../../src/election/world/outside.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import { isSigned } from '../../../src/simulation/request/remote-limits.ts';
import { schemaFault } from '../../contract/faults.ts';
import type { OutboxAction } from './action.ts';
import { bodyOf } from './action.ts';

/** What a proof is checked against. */
export interface ProofRules {
  readonly plan: Pick<Plan, 'protocol' | 'level' | 'nodes'>;
  /** Name of the election in signatures. */
  readonly election: string;
  /** Earlier names, in messages that may still be in flight, the newest first. */
  readonly earlier: readonly string[];
}

/** A message with its sender and its recipient. */
type Addressed = Pick<Proposed, 'by' | 'to' | 'message'>;

/** A message whose proof is to be checked. */
interface Proposed {
  readonly by: number;
  readonly to: number;
  readonly message: SealedMessage;
  /** The index of the message among the effects, and its location in the request. */
  readonly index: number;
  readonly pointer: string;
}

/** A message with a number. */
interface Numbered extends Pick<Proposed, 'by' | 'to'> {
  readonly number: number;
  /** The signed content, without the name of the election. */
  readonly text: string;
}

/** The messages among the effects of a node. */
export function proposedIn(by: number, effects: readonly OutsideEffect[]): Proposed[] {
  return effects.flatMap((effect, index) => {
    if (effect.type !== 'send') return [];
    const { to, message } = effect;
    return [{ by, to, message, index, pointer: jsonPointer(['effects', index, 'message']) }];
  });
}

/** Throws LabError `schema` for a message without the form of its protocol, or with a malformed seal. */
export function assertForm(rules: ProofRules, { by, message, pointer }: Proposed): void {
  const { protocol, nodes } = rules.plan;
  const rank = toRank(by);
  const view = {
    rank,
    members: [],
    founders: [],
    successors: [],
    predecessor: rank,
    ringNodes: nodes,
    links: null,
  };
  const limits = { self: { ...view, incumbent: null }, highestRank: nodes };
  if (!isWellFormed(protocol, bodyOf(message), limits)) {
    throw schemaFault(pointer, `is no ${message.type} as nodes of ${protocol} send it`);
  }
  if (!isSigned(rules.plan.level)) return;
  const seal = `${pointer}/seal`;
  const { signature, number, candidacies = {} } = sealOf(message);
  if (typeof signature !== 'string') throw schemaFault(seal, 'must have a signature at this level');
  if (typeof candidacies !== 'object' || candidacies === null || Array.isArray(candidacies)) {
    throw schemaFault(`${seal}/candidacies`, 'must be signatures by rank');
  }
  const isCount = typeof number === 'number' && Number.isSafeInteger(number) && number >= 1;
  if (rules.plan.level === 'L3' && !isCount) {
    throw schemaFault(`${seal}/number`, 'must be an integer from 1 at L3');
  }
}

/**
 * The number of a message and its content; null if messages have no numbers. The content does not contain
 * the name of the election, which changes while the numbers continue.
 */
function numberedOf(rules: ProofRules, proposed: Proposed): Numbered | null {
  if (rules.plan.level !== 'L3') return null;
  const { by, to, message } = proposed;
  const { number } = sealOf(message);
  if (typeof number !== 'number') return null;
  return { by, to, number, text: textOf(rules, proposed, '') };
}

/**
 * The name of the election for which a message is signed by its sender to its recipient: the present name,
 * or an earlier one of which messages may be in flight; null if it is signed for none of them.
 */
export function nameSigned(
  rules: ProofRules,
  sent: Addressed,
  verify: Keys['verify'],
): string | null {
  const { by = sent.by, signature } = sealOf(sent.message);
  const isRank = typeof by === 'number' && Number.isSafeInteger(by) && by >= 1;
  if (!isRank || typeof signature !== 'string') return null;
  const names = [rules.election, ...rules.earlier];
  const isFor = (name: string) =>
    verify(toRank(by), textOf(rules, { ...sent, by }, name), signature);
  return names.find(isFor) ?? null;
}

/**
 * Throws LabError `message.signature` unless the message is signed by its node for its recipient, and each
 * of its candidacies by its candidate, all for one name of the election. If the message names its sender
 * as a candidate, it must contain that candidacy.
 */
export function assertSignatures(
  rules: ProofRules,
  proposed: Proposed,
  verify: Keys['verify'],
): void {
  const { by, message, pointer } = proposed;
  const { by: signer, candidacies = {} } = sealOf(message);
  if (signer !== by) {
    throw unsigned(`${pointer}/seal/by: must be ${by}, the rank of this node`);
  }
  const election = nameSigned(rules, proposed, verify);
  if (election === null) {
    const text = textOf(rules, proposed, rules.election);
    throw unsigned(`${pointer}/seal/signature: is no signature by node ${by} of ${text}`);
  }
  const named = candidatesIn(rules.plan.protocol, bodyOf(message), toRank(by));
  const shown: ReadonlySet<string> = new Set([
    ...Object.keys(Object(candidacies)),
    ...named.filter((rank) => rank === toRank(by)).map(String),
  ]);
  const under = { ...rules, election };
  for (const rank of shown) assertCandidacy(under, proposed, { rank, verify });
}

function assertCandidacy(
  rules: ProofRules,
  { message, pointer }: Proposed,
  { rank, verify }: { readonly rank: string; readonly verify: Keys['verify'] },
): void {
  const where = `${pointer}/seal/candidacies/${rank.slice(0, RANK_CHARACTERS_SHOWN)}`;
  if (!/^[1-9]\d{0,2}$/.test(rank)) throw unsigned(`${where}: is no rank`);
  const { candidacies } = sealOf(message);
  const candidate = toRank(Number(rank));
  const text = candidacyText(authenticationOf(rules, rules.election), candidate);
  const shown: unknown = Object.getOwnPropertyDescriptor(Object(candidacies), rank)?.value;
  if (verify(candidate, text, String(shown))) return;
  throw unsigned(`${where}: is no signature by that node of ${text}`);
}

/** The text that the sender signs, for an election with this name. */
function textOf(rules: ProofRules, { by, to, message }: Addressed, election: string): string {
  const { number } = sealOf(message);
  return messageText(authenticationOf(rules, election), {
    by: toRank(by),
    to: toRank(to),
    number: typeof number === 'number' ? number : 0,
    body: bodyOf(message),
  });
}

/** The part of the authentication that texts contain. */
function authenticationOf({ plan }: ProofRules, election: string): Authentication {
  const { protocol, level } = plan;
  const keysOf = () => {
    throw new RangeError('"keysOf" expected no call while a text is made');
  };
  return { protocol, level: level ?? 'L0', election, keysOf };
}

/** The members of a seal. Their types are unknown, because the caller supplies them. */
function sealOf({ seal }: SealedMessage): { readonly [Name in keyof Seal]?: unknown } {
  return seal ?? {};
}

function unsigned(detail: string): LabError {
  return new LabError('message.signature', detail);
}

const RANK_CHARACTERS_SHOWN = 16;

/** An outbox without the messages that were sent before. */
interface Sifted {
  /** Whether it contains numbered messages, all of which were sent before, with its other effects. */
  readonly isDuplicate: boolean;
  readonly fresh: OutboxAction;
  /** The numbers that it uses. */
  readonly numbered: readonly Numbered[];
}

/**
 * The used numbers of one election. The same message sent again has no effect. Another message with a used
 * number is refused, because it would be an equivocation. Receivers track as many numbers.
 */
export class OutboxNumbers {
  /** By sender and recipient: digests of texts by number, in the order of their use. */
  readonly #links = new Map<string, { readonly used: Map<number, string>; highest: number }>();

  /**
   * Removes the messages that were sent before, without using a number. Throws LabError
   * `message.equivocation` if another message had a number, or may have had it.
   */
  sift(rules: ProofRules, action: OutboxAction): Sifted {
    const taken = new Map<string, Numbered>();
    const repeated = new Set<number>();
    for (const proposed of proposedIn(action.node, action.effects)) {
      const numbered = numberedOf(rules, proposed);
      if (numbered === null) continue;
      const name = `${linkOf(numbered)}#${numbered.number}`;
      const other = taken.get(name);
      if (other !== undefined && other.text !== numbered.text) {
        throw equivocation(numbered, 'is here for two');
      }
      if (other !== undefined || this.#isRepeated(numbered)) repeated.add(proposed.index);
      else taken.set(name, numbered);
    }
    const isDuplicate = repeated.size > 0 && taken.size === 0;
    const effects = action.effects.filter((_, index) => !isDuplicate && !repeated.has(index));
    return { isDuplicate, fresh: { ...action, effects }, numbered: [...taken.values()] };
  }

  /** Marks a number as used. */
  note(numbered: Numbered): void {
    const link = this.#links.get(linkOf(numbered)) ?? {
      used: new Map<number, string>(),
      highest: 0,
    };
    this.#links.set(linkOf(numbered), link);
    link.used.set(numbered.number, hash('sha256', numbered.text));
    link.highest = Math.max(link.highest, numbered.number);
    // Numbers below the window are refused anyway.
    if (link.used.size <= 2 * NUMBERS_WINDOW) return;
    for (const used of link.used.keys()) {
      if (used <= link.highest - NUMBERS_WINDOW) link.used.delete(used);
    }
  }

  #isRepeated(numbered: Numbered): boolean {
    const { number, text } = numbered;
    const link = this.#links.get(linkOf(numbered));
    const before = link?.used.get(number);
    if (before === hash('sha256', text)) return true;
    const isOld = link !== undefined && number <= link.highest - NUMBERS_WINDOW;
    if (before === undefined && !isOld && isFresh({ highest: 0, missing: [] }, number))
      return false;
    const why = before === undefined ? 'is too far below those used' : 'was used for another';
    throw equivocation(numbered, `${why}; the highest so far is ${link?.highest ?? 0}`);
  }
}

function equivocation({ by, to, number }: Numbered, why: string): LabError {
  const detail = `the number ${number} of a message from ${by} to ${to} ${why}`;
  return new LabError('message.equivocation', detail);
}

function linkOf({ by, to }: Numbered): string {
  return `${by}>${to}`;
}
