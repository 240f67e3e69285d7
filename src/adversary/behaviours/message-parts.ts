/**
 * @module
 * The parts of a message, whatever its type promises of them.
 */

import type { Message } from '../../election/machine.ts';

/** Members of a message, which need not be what its type promises. */
export function fieldsOf(message: Message): Readonly<Record<string, unknown>> {
  return { ...message };
}

/** A member that is a whole number; else `otherwise`. */
export function numberIn(message: Message, name: string, otherwise = 0): number {
  const value = fieldsOf(message)[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
}
