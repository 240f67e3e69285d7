/**
 * @module
 * What a protocol states about forging its messages: what announces a leader, what makes a candidate,
 * what answers one, and how the honest nodes react. A message that cannot be forged is replaced by the
 * reason. Nothing is signed or sent here.
 */

import type { Message, Rank } from '../machine.ts';

/** What a forged message is about. */
export interface ForgerySubject {
  /** The leader or candidate. In an answer, the node that answers. */
  readonly about: Rank;
  /** The node at which a lap ends, in rings whose messages name it. */
  readonly home: Rank;
  /** Number of the election, term, epoch or round. */
  readonly epoch: number;
  /** Serial number of the forged token, in rings whose tokens are numbered. */
  readonly serial: number;
  readonly ringNodes: number;
}

/** How one kind of statement is forged. */
export interface ForgedMessages {
  /** Whether the messages name the node that they are about, or are about their sender. */
  readonly names: 'subject' | 'sender';
  /** What each recipient is sent, in this order. */
  readonly messages: (subject: ForgerySubject) => readonly Message[];
}

/** Why something does not exist in a protocol, as a clause: "no node answers a candidate". */
export type Reason = string;

/** All facts about forging a protocol's messages. */
export interface Forgery {
  /** How a message reaches every node: sent to each, or sent once round the ring. */
  readonly route: 'each-node' | 'successor';
  /** Whether members follow any leader, or only one above themselves. */
  readonly believes: 'any-rank' | 'higher-ranks';
  /** Whether a node that is not a member may send or be named. */
  readonly acceptsStrangers: boolean;
  /** Whether a silent leader is replaced, so that it must announce itself again and again. */
  readonly replacesSilentLeaders: boolean;
  /** The member that numbers elections. Null if each node numbers its own or none does. */
  readonly numbering: string | null;
  readonly announcement: ForgedMessages | Reason;
  readonly candidacy: ForgedMessages | Reason;
  readonly answer: ForgedMessages | Reason;
}

/** The greatest number that JSON carries exactly. */
export const GREATEST = Number.MAX_SAFE_INTEGER;

/** Messages that name the node that they are about. */
export function naming(messages: ForgedMessages['messages']): ForgedMessages {
  return { names: 'subject', messages };
}

/** Messages that are about their sender. */
export function bySender(messages: ForgedMessages['messages']): ForgedMessages {
  return { names: 'sender', messages };
}

/** The reason why something does not exist. Null if it exists. */
export function reasonIn(fact: object | Reason): Reason | null {
  return typeof fact === 'string' ? fact : null;
}

/** Why nothing can be forged between nodes that only call a store. */
export const STORE_ALONE = 'its nodes send messages only to a store, which knows the caller';
