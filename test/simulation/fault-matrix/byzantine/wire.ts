/**
 * @module
 * Message bytes that are flipped under way: one bit of one byte of a share of all messages, as they are
 * written down, half of the time in a digit, where it leaves a message. What has not the form of the message any more is for the parser at the edge to refuse
 * (RFC 8259 and a schema), and never reaches a protocol.
 */

import type { Message } from '../../../../src/election/machine.ts';
import type { Random } from '../../../../src/random.ts';

/** What arrives in the place of a message; null for nothing that has its form. */
export type Wire = (message: Message) => Message | null;

/** A wire that flips a bit in this share of the messages, in per cent. */
export function createFlippingWire(random: Random, percent: number): Wire {
  return (message) => (random.below(100) < percent ? flipped(message, random) : message);
}

function flipped(message: Message, random: Random): Message | null {
  const text = JSON.stringify(message);
  const digits = Array.from(text.matchAll(/[0-9]/g), ({ index }) => index);
  const anywhere = random.below(text.length);
  const inDigit = digits[random.below(Math.max(1, digits.length))] ?? anywhere;
  const index = random.below(2) === 0 ? inDigit : anywhere;
  const byte = String.fromCharCode(text.charCodeAt(index) ^ (1 << random.below(7)));
  try {
    const value: unknown = JSON.parse(text.slice(0, index) + byte + text.slice(index + 1));
    return isLike(value, message) ? value : null;
  } catch {
    return null;
  }
}

/** Whether a value has the members of a message, each of the same type. */
function isLike(value: unknown, message: Message): value is Message {
  return formOf(value) === formOf(message);
}

function formOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return typeof value;
  const members = Object.entries(value).map(([name, member]) => `${name}: ${formOf(member)}`);
  return `{${members.join()}}`;
}
