/**
 * @module
 * Members of a message that need not be what its type promises, because a Byzantine node may have sent it.
 */

import type { Message } from './machine.ts';

/** The member of this name. Undefined if the message has none of its own. */
export function memberOf(message: Message, name: string): unknown {
  const members: Readonly<Record<string, unknown>> = { ...message };
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The member of this name, if it is an integer that JSON carries exactly. Otherwise 0. */
export function integerIn(message: Message, name: string): number {
  const value = memberOf(message, name);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : 0;
}

/** The value, if it is an integer 0..2^53−1. Otherwise null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
