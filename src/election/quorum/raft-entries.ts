/**
 * @module
 * The entries of Raft's log, and what two logs have in common (D. Ongaro and J. Ousterhout, USENIX ATC 2014, sections
 * 5.3 and 5.4). All members are numbers and words, so that each entry is one message.
 */

import type { Asked, Content, RegisterInput, RegisterOutput } from '../client-operations.ts';
import { operated } from '../client-operations.ts';
import { DIRECT } from '../definition/message-definition.ts';
import type { Json, Rank } from '../machine.ts';
import { isTerm } from './majority.ts';
import type { Configured } from './raft-members.ts';

/** What an entry does to the register. A new leader begins its term with an entry that does nothing. */
export const ENTRY_OPERATIONS = ['none', 'write', 'compare-and-set'] as const;

/** An entry of a log. Values are 0 for nothing, and else the content of the register plus 1. */
export type Entry = {
  readonly entryTerm: number;
  readonly operation: (typeof ENTRY_OPERATIONS)[number];
  readonly client: number;
  readonly serial: number;
  readonly value: number;
  readonly expected: number;
};

/** The entry of a client's operation, which must be no read. */
export function entryOf({ client, serial, input }: Asked, entryTerm: number): Entry {
  const nothing = { value: 0, expected: 0 };
  if (input.type === 'read') return { ...nothing, entryTerm, operation: 'none', client, serial };
  const expected = input.type === 'write' ? 0 : 1 + (input.expected ?? -1);
  const { type: operation, value } = input;
  return { entryTerm, operation, client, serial, value: 1 + value, expected };
}

/** The first entry of a leader. */
export function firstEntry(entryTerm: number): Entry {
  return { entryTerm, operation: 'none', client: 0, serial: 0, value: 0, expected: 0 };
}

/** What a register does at an entry. Null for an entry that does nothing. */
export function applied(
  content: Content,
  { operation, value, expected }: Entry,
): { readonly content: Content; readonly output: RegisterOutput } | null {
  if (operation === 'none' || value === 0) return null;
  const written = value - 1;
  const input: RegisterInput =
    operation === 'write'
      ? { type: 'write', value: written }
      : {
          type: 'compare-and-set',
          expected: expected === 0 ? null : expected - 1,
          value: written,
        };
  return operated(content, input);
}

/** The end of a log, by which voters compare candidates. */
export interface LogEnd {
  readonly lastIndex: number;
  readonly lastTerm: number;
}

/** The end of these entries. Indices begin at 1, and an empty log ends at 0. */
export function endOf(entries: readonly Entry[]): LogEnd {
  return { lastIndex: entries.length, lastTerm: termAt(entries, entries.length) };
}

/** Whether a log is at least as up to date as another: its last term is higher, or equal and the log is no shorter. */
export function isUpToDate(one: LogEnd, other: LogEnd): boolean {
  if (one.lastTerm !== other.lastTerm) return one.lastTerm > other.lastTerm;
  return one.lastIndex >= other.lastIndex;
}

/** The term of the entry at an index. 0 if there is none. */
export function termAt(entries: readonly Entry[], index: number): number {
  return entries[index - 1]?.entryTerm ?? 0;
}

/** The entries in a record. Empty for a record without, which is one of a node without a log. */
export function entriesIn(persisted: Json): Entry[] {
  if (persisted === null || typeof persisted !== 'object' || !('log' in persisted)) return [];
  const { log } = persisted;
  return Array.isArray(log) ? log.flatMap((entry: Json) => entryIn(entry) ?? []) : [];
}

/** The entry in a message or record. Null for another value, and for a message without an entry. */
export function entryIn(value: object | Json): Entry | null {
  if (value === null || typeof value !== 'object') return null;
  const members: Readonly<Record<string, unknown>> = { ...value };
  const operation = ENTRY_OPERATIONS.find((each) => each === members.operation);
  const numbers = ['entryTerm', 'client', 'serial', 'value', 'expected'].map(
    (name) => members[name],
  );
  if (operation === undefined || !numbers.every(isTerm)) return null;
  const [entryTerm = 0, client = 0, serial = 0, written = 0, expected = 0] = numbers;
  if (entryTerm === 0) return null;
  return { entryTerm, operation, client, serial, value: written, expected };
}

/** What a node knows of its log. */
export type RaftLog = {
  entries: Entry[];
  /** Index of the last entry that a majority has. It and what is before it is applied. */
  commit: number;
  content: Content;
  /** What a leader knows of each node: the next entry to send, and the last entry that the node has. */
  next: Record<string, number>;
  matched: Record<string, number>;
  /** The round of a leader's messages, and the last round that each node has answered. */
  round: number;
  answered: Record<string, number>;
  /** The round whose majority begins a lease. */
  leaseRound: number;
  /** Reads that wait for a majority of their round. */
  reads: { client: number; serial: number; round: number }[];
};

/** The log of a node with these entries, of which it does not know whether they are committed. */
export function createLog(entries: Entry[]): RaftLog {
  return { entries, commit: 0, content: null, ...leadership() };
}

/** What a leader knows at the beginning of its term. */
export function leadership() {
  return { next: {}, matched: {}, round: 0, answered: {}, leaseRound: 0, reads: [] };
}

/** The messages of the log. APPEND is a heartbeat with one entry, or none if `entryTerm` is 0. */
export type LogMessage =
  | ({
      readonly type: 'APPEND';
      readonly term: number;
      readonly prevIndex: number;
      readonly prevTerm: number;
      readonly commit: number;
      readonly round: number;
    } & Entry &
      Configured)
  /** `matched`: the last index that is known to be equal, or before which the logs may be equal. */
  | ({
      readonly type: 'APPEND_REPLY';
      readonly term: number;
      readonly fits: boolean;
      readonly matched: number;
      readonly round: number;
    } & Configured)
  /** The leader asks a follower to stand at once. */
  | { readonly type: 'TIMEOUT_NOW'; readonly term: number };

const APPEND = {
  term: 'epoch',
  prevIndex: 'integer',
  prevTerm: 'integer',
  commit: 'integer',
  round: 'integer',
  entryTerm: 'integer',
  operation: ENTRY_OPERATIONS,
  client: 'integer',
  serial: 'integer',
  value: 'integer',
  expected: 'integer',
  configuration: 'configuration',
} as const;

/** The facts of these messages. */
export const LOG_MESSAGES = {
  APPEND: { members: APPEND, ...DIRECT },
  APPEND_REPLY: {
    members: {
      term: 'epoch',
      fits: 'boolean',
      matched: 'integer',
      round: 'integer',
      configuration: 'configuration',
    },
    ...DIRECT,
  },
  TIMEOUT_NOW: { members: { term: 'epoch' }, ...DIRECT },
} as const;

/** The recipient of a leader's request to hand over. Null for another request. */
export function transferIn(value: Json): Rank | null {
  if (value === null || typeof value !== 'object' || !('transfer' in value)) return null;
  const { transfer } = value;
  // The caller compares the rank with the members before it is used.
  return typeof transfer === 'number' || typeof transfer === 'string' ? (transfer as Rank) : null;
}
