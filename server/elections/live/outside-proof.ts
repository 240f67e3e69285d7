/**
 * @module
 * What a node that is played from outside has to prove of what it sends. Receivers would drop a message
 * that is not proved and say nothing; whoever plays a node by the rules is told of the mistake instead.
 * (Who means to send what does not hold injects it.) The checks that cost nothing come before the
 * signatures, and nothing is noted here.
 */

import type {
  Authentication,
  Keys,
  Seal,
  SealedMessage,
} from '../../../src/election/authenticated.ts';
import { candidacyText, messageText } from '../../../src/election/authenticated.ts';
import { candidatesIn } from '../../../src/election/candidacies.ts';
import { toRank } from '../../../src/election/cast.ts';
import { isWellFormed } from '../../../src/election/message-forms.ts';
import type { OutsideEffect } from '../../../src/election/outside.ts';
import { jsonPointer, LabError } from '../../../src/errors.ts';
import type { Plan } from '../../../src/simulation/plan/plan.ts';
import { bodyOf } from './outside-message.ts';

/** What a proof is made with and against. */
export interface ProofRules {
  readonly plan: Pick<Plan, 'protocol' | 'level' | 'nodes'>;
  /** The name of the election, as it is signed. */
  readonly election: string;
  /** Its names in words that may be under way still, the newest first. */
  readonly earlier: readonly string[];
}

/** Who said what to whom. */
export type Said = Pick<Proposed, 'by' | 'to' | 'message'>;

/** A message that is to be proved. */
export interface Proposed {
  readonly by: number;
  readonly to: number;
  readonly message: SealedMessage;
  /** Where it is among the effects, and in the request. */
  readonly index: number;
  readonly pointer: string;
}

/** A numbered message of one node to another. */
export interface Numbered {
  readonly by: number;
  readonly to: number;
  readonly number: number;
  /** What is said under it, in one form. */
  readonly text: string;
}

/** The messages among the effects of a node, with where they are. */
export function proposedIn(by: number, effects: readonly OutsideEffect[]): Proposed[] {
  return effects.flatMap((effect, index) => {
    if (effect.type !== 'send') return [];
    const { to, message } = effect;
    return [{ by, to, message, index, pointer: jsonPointer(['effects', index, 'message']) }];
  });
}

/** Whether messages are signed in this election. */
export function isSigned({ plan }: ProofRules): boolean {
  return plan.level === 'L2' || plan.level === 'L3';
}

/** Throws LabError `schema` for a message that no node of the protocol could send, or whose seal is none. */
export function assertForm(rules: ProofRules, { by, message, pointer }: Proposed): void {
  const { protocol, nodes } = rules.plan;
  const self = { rank: toRank(by), members: [], successors: [], predecessor: toRank(by) };
  const places = { self: { ...self, ringNodes: nodes, incumbent: null }, places: nodes };
  if (!isWellFormed(protocol, bodyOf(message), places)) {
    throw refusal(pointer, `is no ${message.type} as nodes of ${protocol} send it`);
  }
  if (!isSigned(rules)) return;
  const seal = `${pointer}/seal`;
  const { signature, number, candidacies = {} } = sealOf(message);
  if (typeof signature !== 'string') throw refusal(seal, 'must have a signature at this level');
  if (typeof candidacies !== 'object' || candidacies === null || Array.isArray(candidacies)) {
    throw refusal(`${seal}/candidacies`, 'must be signatures by rank');
  }
  const isCount = typeof number === 'number' && Number.isSafeInteger(number) && number >= 1;
  if (rules.plan.level === 'L3' && !isCount) {
    throw refusal(`${seal}/number`, 'must be an integer from 1 at L3');
  }
}

/**
 * The number that a message takes, and what is said under it; null where messages have none. Of the
 * election it says nothing, whose name changes while the numbers go on.
 */
export function numberedOf(rules: ProofRules, proposed: Proposed): Numbered | null {
  if (rules.plan.level !== 'L3') return null;
  const { by, to, message } = proposed;
  const { number } = sealOf(message);
  if (typeof number !== 'number') return null;
  return { by, to, number, text: textOf(rules, proposed, '') };
}

/**
 * The name of the election that a message is signed for, by whom it says and for its recipient: the
 * present one, else one of which something may be under way; null where it is signed for none of them.
 */
export function nameSigned(rules: ProofRules, said: Said, verify: Keys['verify']): string | null {
  const { by = said.by, signature } = sealOf(said.message);
  const isPlace = typeof by === 'number' && Number.isSafeInteger(by) && by >= 1;
  if (!isPlace || typeof signature !== 'string') return null;
  const names = [rules.election, ...rules.earlier];
  const isFor = (name: string) =>
    verify(toRank(by), textOf(rules, { ...said, by }, name), signature);
  return names.find(isFor) ?? null;
}

/**
 * Throws LabError `message.signature` unless the message is signed by its node for its recipient, and
 * every candidacy that comes along by whom it is of, all for one election of which something may be
 * under way; where it names its own node, that one has to come along.
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

/** What the sender has to sign for the election of this name. */
function textOf(rules: ProofRules, { by, to, message }: Said, election: string): string {
  const { number } = sealOf(message);
  return messageText(authenticationOf(rules, election), {
    by: toRank(by),
    to: toRank(to),
    number: typeof number === 'number' ? number : 0,
    body: bodyOf(message),
  });
}

/** As far as texts are made of it. */
function authenticationOf({ plan }: ProofRules, election: string): Authentication {
  const { protocol, level } = plan;
  return { protocol, level: level ?? 'L0', election, keysOf: noKeys };
}

function noKeys(): never {
  throw new RangeError('"keysOf" expected not to be asked while a text is made');
}

/** The members of a seal, of whatever kind they are: it is the caller's. */
function sealOf({ seal }: SealedMessage): { readonly [Name in keyof Seal]?: unknown } {
  return seal ?? {};
}

function refusal(pointer: string, assertThat: string): LabError {
  return new LabError('schema', `${pointer}: ${assertThat}`, [{ pointer, detail: assertThat }]);
}

function unsigned(detail: string): LabError {
  return new LabError('message.signature', detail);
}

const RANK_CHARACTERS_SHOWN = 16;
