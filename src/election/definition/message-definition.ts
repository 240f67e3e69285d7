/**
 * @module
 * What a protocol states about each of its message types. Everything that authentication, defences and
 * attacks do with a message is derived from these facts, so that a type without them does not compile.
 */

import type { Message } from '../machine.ts';

/**
 * What a member of a message holds. An integer is 0..2^53−1; `epoch` is one that numbers elections and
 * that receivers adopt when it is higher than their own. `carried` is a message of the protocol inside a
 * robust ring, with the type of the message that carries it. `token` is the rank of a token's maker and
 * its serial number; `table` is a list of such pairs. `configuration` is a term, a version, the members
 * and those that were removed, and is absent while the members are the founders. A list of strings is an enumeration.
 */
export type Kind =
  | 'rank'
  | 'ranks'
  | 'integer'
  | 'epoch'
  | 'number'
  | 'boolean'
  | 'token'
  | 'carried'
  | 'table'
  | 'configuration'
  | readonly string[];

/**
 * What a Byzantine relay puts in the place of a member: the highest rank it can name, its own rank, a
 * list of its own ranks only, or the greatest integer.
 */
export type Alteration = 'highest-rank' | 'own-rank' | 'own-ranks' | 'greatest';

/** A statement that a node may make only once in an election. Two different ones prove a lie. */
export interface Claim {
  /** Members that identify the election. Empty if the statement holds for ever. */
  readonly within: readonly string[];
  /** The member that must not differ. Null if the recipient must not differ. */
  readonly states: string | null;
  /** The value that each Boolean member must have for the message to be a claim. */
  readonly where: Readonly<Record<string, boolean | 'any'>>;
}

/** A message that travels round a ring. */
export interface TokenFacts {
  /** Members that stay the same on the way; together with the type they identify the token. */
  readonly identifiedBy: readonly string[];
  /** The member that names the node at which the token ends. */
  readonly endsAt: string;
  /** Whether only nodes below the rank in `endsAt` pass it on. */
  readonly stopsAtHigher: boolean;
}

/** All facts about one message type. */
export interface MessageFacts {
  /** Kind of each member beside `type`. */
  readonly members: Readonly<Record<string, Kind>>;
  /** Members that name a candidate or a leader. Each node that they name must have signed its candidacy. */
  readonly candidates: readonly string[];
  /** Whose statement it is: any sender's, or only that of the node that it names. */
  readonly statementOf: 'sender' | 'candidate';
  /** Whether the sender stands for election by it, so that its own candidacy must accompany it. */
  readonly senderStands: boolean;
  readonly claim: Claim | null;
  readonly token: TokenFacts | null;
  /** What a Byzantine relay alters in each member. Null if it alters none. */
  readonly alterations: Readonly<Record<string, Alteration | 'none'>> | null;
}

/** The names of a message's members. */
export type MemberOf<M extends Message> = Exclude<keyof M, 'type'> & string;
type BooleanOf<M extends Message> = {
  [Name in MemberOf<M>]: M[Name] extends boolean ? Name : never;
}[MemberOf<M>];

/** A claim in messages of type `M`, which must state a condition for each Boolean member. */
interface ClaimOf<M extends Message> extends Claim {
  readonly within: readonly MemberOf<M>[];
  readonly states: MemberOf<M> | null;
  readonly where: { readonly [Name in BooleanOf<M>]: boolean | 'any' };
}

/** The facts about messages of type `M`, which must list exactly its members. */
export interface MessageDefinition<M extends Message> extends MessageFacts {
  readonly members: { readonly [Name in MemberOf<M>]: Kind };
  readonly candidates: readonly MemberOf<M>[];
  readonly claim: ClaimOf<M> | null;
  readonly alterations: { readonly [Name in MemberOf<M>]: Alteration | 'none' } | null;
}

declare const computed: unique symbol;

/** Facts that code derives from those of another protocol, whose types the compiler does not know. */
export type ComputedMessages = Readonly<Record<string, MessageFacts>> & {
  readonly [computed]: true;
};

/** Marks facts as derived, so that a machine with messages of any type can be defined. */
export function computedMessages(
  messages: Readonly<Record<string, MessageFacts>>,
): ComputedMessages {
  // The mark exists in the type only.
  return messages as ComputedMessages;
}

/** The facts of a message between two nodes that is passed on by no node, beside what it names. */
export const UNRELAYED_STATEMENT = {
  statementOf: 'sender',
  senderStands: false,
  claim: null,
  token: null,
  alterations: null,
} as const satisfies Partial<MessageFacts>;

/** The facts of a message that no node passes on and that names no candidate. */
export const DIRECT = { candidates: [], ...UNRELAYED_STATEMENT } as const;

/** The facts of a message that each node passes on round a ring, beside what it names. */
export const RELAYED = {
  statementOf: 'sender',
  senderStands: false,
  claim: null,
} as const satisfies Partial<MessageFacts>;
