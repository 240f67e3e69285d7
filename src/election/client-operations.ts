/**
 * @module
 * The operations of clients, which ask nodes to read, write, and compare and set one register, and the messages between a
 * client and a node.
 *
 * A client has a node of its own, which it asks first. A node that does not lead names the leader that it follows, and
 * the client asks that node. An answer is certain: the operation took effect between question and answer. A node that
 * redirects a client has done nothing. A client that gives up does not know whether its operation takes effect.
 */

import type { Json, Message, Rank } from './machine.ts';
import { countOf, memberOf } from './message-members.ts';

/** What the register contains. Null before the first write. */
export type Content = number | null;

export type RegisterInput =
  | { readonly type: 'read' }
  | { readonly type: 'write'; readonly value: number }
  /** Writes `value` if the register contains `expected`. */
  | { readonly type: 'compare-and-set'; readonly expected: Content; readonly value: number };

/** What a read finds, and whether a change took effect. */
export type RegisterOutput = { readonly value: Content } | { readonly done: boolean };

/** One operation of a client. `serial` counts the operations of the client, those that were refused included. */
export type Asked = {
  readonly client: number;
  readonly serial: number;
  readonly input: RegisterInput;
};

/** What a leader knows of an operation. Without an output it has not happened, and never will. */
export type Answered = Pick<Asked, 'client' | 'serial'> & {
  readonly output: RegisterOutput | null;
};

export type ClientMessage =
  | (Asked & { readonly type: 'ASK' })
  | (Answered & { readonly type: 'ANSWER' })
  /** The node does not lead, and has done nothing. `leader` is the one that it follows. */
  | (Pick<Asked, 'client' | 'serial'> & {
      readonly type: 'REDIRECT';
      readonly leader: Rank | null;
    })
  /** The node follows a leader from now on, so that it is worthwhile to ask. */
  | { readonly type: 'FOLLOWS' };

/** The operation in a question of a client. Null for another value. */
export function askedIn(value: Message | Json): Asked | null {
  if (value === null || typeof value !== 'object') return null;
  const message = { type: '', ...value };
  const [client, serial] = [
    countOf(memberOf(message, 'client')),
    countOf(memberOf(message, 'serial')),
  ];
  const input = inputIn(memberOf(message, 'input'));
  return client === null || serial === null || input === null ? null : { client, serial, input };
}

/** The answer of a leader. Null for another value. */
export function answeredIn(value: Message | Json): Answered | null {
  if (value === null || typeof value !== 'object') return null;
  const message = { type: '', ...value };
  const [client, serial] = [
    countOf(memberOf(message, 'client')),
    countOf(memberOf(message, 'serial')),
  ];
  const output = outputIn(memberOf(message, 'output'));
  return client === null || serial === null || output === undefined
    ? null
    : { client, serial, output };
}

function inputIn(value: unknown): RegisterInput | null {
  if (value === null || typeof value !== 'object' || !('type' in value)) return null;
  if (value.type === 'read') return { type: 'read' };
  const written = 'value' in value ? countOf(value.value) : null;
  if (written === null) return null;
  if (value.type === 'write') return { type: 'write', value: written };
  const expected = 'expected' in value ? contentIn(value.expected) : undefined;
  if (value.type !== 'compare-and-set' || expected === undefined) return null;
  return { type: 'compare-and-set', expected, value: written };
}

function outputIn(value: unknown): RegisterOutput | null | undefined {
  if (value === null) return null;
  if (typeof value !== 'object') return undefined;
  if ('done' in value) return typeof value.done === 'boolean' ? { done: value.done } : undefined;
  const content = 'value' in value ? contentIn(value.value) : undefined;
  return content === undefined ? undefined : { value: content };
}

/** Undefined for what no register contains. */
export function contentIn(value: unknown): Content | undefined {
  return value === null ? null : (countOf(value) ?? undefined);
}

/** What a register does in one operation, and what it contains then. */
export function operated(
  content: Content,
  input: RegisterInput,
): { readonly content: Content; readonly output: RegisterOutput } {
  if (input.type === 'read') return { content, output: { value: content } };
  const done = input.type === 'write' || input.expected === content;
  return { content: done ? input.value : content, output: { done } };
}
