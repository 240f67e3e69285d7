/**
 * @module
 * The texts that nodes sign at L2 and L3, without the protocols, so that a browser can load them alone.
 */

import type { Message, Rank } from '../machine.ts';

/** The part of an authentication that texts contain. */
interface Signed {
  readonly level: string;
  readonly protocol: string;
  readonly election: string;
}

/** The text that a sender signs: canonical for every recipient, since both build it in this order. */
export function messageText(
  { level, protocol, election }: Signed,
  parts: { readonly by: Rank; readonly to: Rank; readonly number: number; readonly body: Message },
): string {
  const { by, to, number, body } = parts;
  const fresh = level === 'L3' ? [election, number] : [];
  return JSON.stringify(['usurp/election/v1', protocol, by, to, ...fresh, sorted(body)]);
}

/** The text that a candidate signs once, for all nodes that name it. */
export function candidacyText({ level, protocol, election }: Signed, candidate: Rank): string {
  const fresh = level === 'L3' ? [election] : [];
  return JSON.stringify(['usurp/candidacy/v1', protocol, candidate, ...fresh]);
}

/** The members in one order, so that sender and recipient use the same text. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}
