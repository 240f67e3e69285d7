/**
 * @module
 * How defences follow tokens round a ring, by the facts that a protocol states about its messages: which
 * members identify a token, and whether the node that receives it must pass it on.
 */

import type { TokenFacts } from '../definition/message-definition.ts';
import type { Protocol, RingTokens } from '../definition/protocol.ts';
import type { Message, Rank } from '../machine.ts';
import { memberOf } from '../message-members.ts';

/** A protocol whose tokens can be followed. */
export interface Tokens extends RingTokens {
  /** By message type. */
  readonly kinds: Readonly<Record<string, TokenFacts>>;
}

/** The tokens of a protocol. Null if it has none or they cannot be followed. */
export function tokensOf({ messages, tokens }: Protocol): Tokens | null {
  if (typeof tokens === 'string') return null;
  const kinds = Object.entries(messages).flatMap(([type, { token }]) =>
    token === null ? [] : [[type, token] as const],
  );
  return { ...tokens, kinds: Object.fromEntries(kinds) };
}

/** The text that identifies a token on its way. Null if the message is not a token. */
export function tokenName({ kinds }: Tokens, message: Message): string | null {
  const kind = kindOf(kinds, message);
  if (kind === null) return null;
  return JSON.stringify([
    message.type,
    ...kind.identifiedBy.map((name) => memberOf(message, name)),
  ]);
}

/** Whether the node `next`, when it receives this message, must pass it on. */
export function mustPassOn({ kinds, unowed }: Tokens, message: Message, next: Rank): boolean {
  const kind = kindOf(kinds, message);
  if (kind === null || unowed !== null) return false;
  const home = memberOf(message, kind.endsAt);
  if (typeof home !== typeof next || home === next) return false;
  return !kind.stopsAtHigher || isAbove(home, next);
}

function kindOf(kinds: Tokens['kinds'], { type }: Message): TokenFacts | null {
  return Object.hasOwn(kinds, type) ? (kinds[type] ?? null) : null;
}

function isAbove(home: unknown, next: Rank): boolean {
  if (typeof home === 'number' && typeof next === 'number') return home > next;
  return typeof home === 'string' && typeof next === 'string' && home > next;
}
