/**
 * @module
 * Whether a message has the members that its type requires. Protocols trust the messages that they
 * receive, so that a malformed message is dropped before it reaches them, at every level of
 * authentication. A type that no definition lists passes: machines ignore it.
 */

import type { Kind } from '../definition/message-definition.ts';
import type { Protocol } from '../definition/protocol.ts';
import { DETECTOR_MESSAGES } from '../detectors/registry.ts';
import type { Message, Rank, Self } from '../machine.ts';
import { memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import { RETURN_BACK_OFF_MESSAGES } from '../return-back-off.ts';

/** Kind of each member, by message type. */
export type Forms = Readonly<Record<string, Readonly<Record<string, Kind>>>>;

/** Which ranks a message can name. */
export interface RankRange {
  readonly self: Self;
  /** The highest rank, where ranks are integers. Undefined if it is not known. */
  readonly highestRank?: number | undefined;
}

/** Messages that accompany every protocol: those of detectors and of nodes that back off. */
export const ACCOMPANYING: Forms = { ...DETECTOR_MESSAGES, ...RETURN_BACK_OFF_MESSAGES };

/** Whether an honest node could have sent this message. */
export function isWellFormed(name: ProtocolName, message: unknown, range: RankRange): boolean {
  if (!isObject(message) || typeof message.type !== 'string') return false;
  const protocol = PROTOCOLS[name];
  const form = formOf(protocol, message.type);
  // A robust ring identifies its tokens by this member, whatever their type.
  const isToken = protocol.carries !== null && Object.hasOwn(message, 'token');
  if (isToken && form?.message !== 'carried') return false;
  return form === null || hasForm(message, form, { protocol, type: message.type, range });
}

/** What is wrong with a message that a machine of this protocol sends, as words that follow it. Null if nothing is. */
export function sentProblem(protocol: Protocol, message: Message, range: RankRange): string | null {
  const { type } = message;
  // Messages between a node and its store are listed by type alone.
  if (protocol.store?.messageTypes.includes(type)) return null;
  if (!Object.hasOwn(protocol.messages, type)) return 'a type that its definition does not list';
  const form = protocol.messages[type]?.members ?? {};
  const unlisted = Reflect.ownKeys(message).find(
    (name) => name !== 'type' && !Object.hasOwn(form, name),
  );
  if (unlisted !== undefined) {
    return `whose member ${String(unlisted)} its definition does not list`;
  }
  return hasForm({ ...message }, form, { protocol, type, range })
    ? null
    : 'which has not the members that its definition states';
}

/** The longest lists that honest nodes send. */
export interface ListLimits {
  /** Most ranks of a list: honest nodes list each member once. */
  readonly ranks: number;
  /** Most entries of a table: the sender can know newer members, whose entries the receiver ignores. */
  readonly tables: number;
}

/** Whether no list of ranks and no table in a message, or in the one that it carries, is longer than this. */
export function hasShortLists(name: ProtocolName, message: Message, limits: ListLimits): boolean {
  return hasListsWithin(PROTOCOLS[name], message, limits);
}

function hasListsWithin(protocol: Protocol, message: Message, limits: ListLimits): boolean {
  return Object.entries(formOf(protocol, message.type) ?? {}).every(([member, kind]) => {
    if (kind === 'ranks') return listed(memberOf(message, member)).length <= limits.ranks;
    if (kind === 'table') return listed(memberOf(message, member)).length <= limits.tables;
    if (kind === 'configuration') return nodesIn(message, member).length <= limits.tables;
    const { carries } = protocol;
    const carried = kind === 'carried' && carries !== null ? carriedIn(message) : null;
    return carried === null || carries === null || hasListsWithin(carries, carried, limits);
  });
}

/** Whether a type is one of the protocol, of a detector, or of nodes that back off. Machines ignore others. */
export function isKnownType(name: ProtocolName, type: string): boolean {
  return formOf(PROTOCOLS[name], type) !== null;
}

/** Characters of JSON that a message may have beside the members that its type states. */
export const EXCESS_LENGTH_MAX = 1_024;

/**
 * The message without the members that its type does not state, if they are longer than honest nodes send, those of a
 * message that it carries included. Machines ignore them, and pass them on. A type that no definition lists states no members.
 */
export function withoutExcess(name: ProtocolName, message: Message): Message {
  const stated = statedIn(PROTOCOLS[name], message);
  if (stated === message) return message;
  const excess = JSON.stringify(message).length - JSON.stringify(stated).length;
  return excess > EXCESS_LENGTH_MAX ? stated : message;
}

/** The message with the members that its type states, in their order. It is the same if it has no others. */
function statedIn(protocol: Protocol, message: Message): Message {
  const form = formOf(protocol, message.type) ?? {};
  const { carries } = protocol;
  const members = Object.entries(message);
  const stated = members.flatMap(([member, value]): [string, unknown][] => {
    if (member === 'type') return [[member, value]];
    if (!Object.hasOwn(form, member)) return [];
    const carried = form[member] === 'carried' && carries !== null ? carriedIn(message) : null;
    if (carried === null || carries === null) return [[member, value]];
    const inner = statedIn(carries, carried);
    return [[member, inner === carried ? value : inner]];
  });
  const isSame =
    stated.length === members.length &&
    stated.every(([, value], index) => value === members[index]?.[1]);
  return isSame ? message : { ...Object.fromEntries(stated), type: message.type };
}

/** The message that a token of a robust ring carries. Null in any other protocol. */
export function carriedBy(protocol: ProtocolName, message: Message): Message | null {
  return PROTOCOLS[protocol].carries === null ? null : carriedIn(message);
}

/** The message that another one carries in its member `message`. Null if there is none. */
export function carriedIn(message: Message): Message | null {
  if (!('message' in message)) return null;
  const { message: carried } = message;
  if (!isObject(carried) || typeof carried.type !== 'string') return null;
  return { ...carried, type: carried.type };
}

/** What a message has in the members that hold ranks by the definition of its type. Machines look for ranks nowhere else. */
export function ranksIn(name: ProtocolName, message: Message): readonly unknown[] {
  return ranksBy(PROTOCOLS[name], message);
}

function ranksBy({ messages, carries }: Protocol, message: Message): readonly unknown[] {
  const form = Object.hasOwn(messages, message.type) ? messages[message.type]?.members : {};
  return Object.entries(form ?? {}).flatMap(([member, kind]): readonly unknown[] => {
    const value = memberOf(message, member);
    if (kind === 'rank') return [value];
    if (kind === 'token') return listed(value).slice(0, 1);
    if (kind === 'ranks') return listed(value);
    if (kind === 'table') return listed(value).flatMap((each) => listed(each).slice(0, 1));
    if (kind === 'configuration') return nodesIn(message, member);
    const carried = kind === 'carried' && carries !== null ? carriedIn(message) : null;
    return carried === null || carries === null ? [] : ranksBy(carries, carried);
  });
}

/** The nodes of a configuration; none without one. */
function nodesIn(message: Message, member: string): readonly unknown[] {
  const value = memberOf(message, member);
  return isObject(value) ? [...listed(value.members), ...listed(value.removed)] : [];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether a value is a rank of this network. */
export function isRank(value: unknown, { self, highestRank }: RankRange): value is Rank {
  if (typeof value !== typeof self.rank) return false;
  if (typeof value === 'string') {
    return value.length === String(self.rank).length && /^[0-9a-f]+$/.test(value);
  }
  return isCount(value) && value >= 1 && (highestRank === undefined || value <= highestRank);
}

function formOf({ messages }: Protocol, type: string): Readonly<Record<string, Kind>> | null {
  if (Object.hasOwn(messages, type)) return messages[type]?.members ?? null;
  return Object.hasOwn(ACCOMPANYING, type) ? (ACCOMPANYING[type] ?? null) : null;
}

interface Context {
  readonly protocol: Protocol;
  readonly type: string;
  readonly range: RankRange;
}

type Members = Readonly<Record<string, unknown>>;

function hasForm(
  message: Members,
  form: Readonly<Record<string, Kind>>,
  context: Context,
): boolean {
  for (const name in form) {
    const kind = form[name];
    const isPresent = kind !== undefined && Object.hasOwn(message, name);
    if (kind === 'configuration' && !isPresent) continue;
    if (!isPresent || !isOfKind(message[name], kind, context)) return false;
  }
  return true;
}

function isOfKind(value: unknown, kind: Kind, context: Context): boolean {
  const { range } = context;
  switch (kind) {
    case 'rank':
      return isRank(value, range);
    case 'ranks':
      return Array.isArray(value) && value.every((each) => isRank(each, range));
    case 'integer':
    case 'epoch':
      return isCount(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'token':
      return isCounted(value, range);
    case 'table':
      return Array.isArray(value) && value.every((each) => isCounted(each, range));
    case 'configuration':
      return (
        isObject(value) &&
        isCount(value.term) &&
        isCount(value.version) &&
        isOfKind(value.members, 'ranks', context) &&
        isOfKind(value.removed, 'ranks', context)
      );
    case 'carried':
      return isCarried(value, context);
    default:
      return typeof value === 'string' && kind.includes(value);
  }
}

/** A rank and a count. */
function isCounted(value: unknown, range: RankRange): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [rank, count]: readonly unknown[] = value;
  return isRank(rank, range) && isCount(count);
}

/** The carried message is of another protocol, which carries nothing, so that this goes one level deep. */
function isCarried(value: unknown, { protocol, type, range }: Context): boolean {
  const { carries } = protocol;
  if (carries === null || !isObject(value) || value.type !== type) return false;
  const form = Object.hasOwn(carries.messages, type) ? carries.messages[type]?.members : undefined;
  return form !== undefined && hasForm(value, form, { protocol: carries, type, range });
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
