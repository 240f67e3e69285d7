/**
 * @module
 * The form of every message that nodes send each other: which members it has and what they hold. No
 * honest node sends another, so that a receiver drops it before anything else is looked at, at every
 * level: protocols may then trust the types of their messages. Members beside those listed are let
 * through, since defences add their own; so are types that are listed nowhere, which are theirs. What a
 * member says is not judged, only whether it is of its kind.
 */

import type { Message, Rank, Self } from './machine.ts';
import type { ProtocolName } from './registry.ts';

/** What a member holds; `count` is a number 0..2^53−1 without a fraction. */
export type Kind =
  | 'rank'
  | 'ranks'
  | 'count'
  | 'amount'
  | 'flag'
  /** The maker of a token and its number. */
  | 'token'
  /** A message of the protocol that a robust ring carries, of the type of the one that carries it. */
  | 'carried'
  /** Ranks and a count of each. */
  | 'table'
  | readonly string[];

type Form = Readonly<Record<string, Kind>>;
/** By type. */
type Forms = Readonly<Record<string, Form>>;

/** Whom a rank can name. */
export interface Places {
  readonly self: Self;
  /** The highest place that there is, where ranks are positions; not known where absent. */
  readonly places?: number | undefined;
}

const BARE: Form = {};
const BULLY: Forms = { ELECTION: BARE, OK: BARE, COORDINATOR: { leader: 'rank' } };
const CALL: Form = { call: 'count' };
const PREPARED: Form = { leader: 'rank', election: 'count' };
const ASKED: Form = { election: 'count' };
const GATHERED: Form = { round: 'count' };
const PROBES: Forms = { PROBE: { candidate: 'rank' }, SELECTED: { leader: 'rank' } };
const TIDS: Forms = {
  TID: { tid: 'rank', election: 'count' },
  ELECTED: { leader: 'rank', tid: 'rank', election: 'count' },
};
const LAP: Form = { initiator: 'rank', leader: 'rank' };
const BEST: Form = { election: 'count', initiator: 'rank', id: 'rank', attr: 'amount' };
const ANSWERED: Form = { candidate: 'rank', hopsMax: 'count', clockwise: 'flag' };
const ECHOES: Forms = {
  FROM: { ...ANSWERED, hops: 'count' },
  OK: ANSWERED,
  NO: ANSWERED,
  ELECTED: { leader: 'rank' },
};
const CARRIED: Form = { election: 'count', token: 'token', message: 'carried' };
const LISTS: Form = { successors: 'ranks', suspected: 'ranks', life: 'count' };
const ROBUST: Forms = { LOOKUP: LISTS, SUCCESSORS: LISTS };
const TERM: Form = { term: 'count' };
const QUESTION: Form = { term: 'count', lastIndex: 'count' };
const VOTE: Form = { term: 'count', granted: 'flag' };
const LEADER: Form = { epoch: 'count', id: 'rank' };
const EPOCH: Form = { epoch: 'count' };
/** Its nodes speak to a store alone. */
const SILENT: Forms = {};

const FORMS: Readonly<Record<ProtocolName, Forms>> = {
  'bully-oneshot': BULLY,
  'bully-gm82': {
    ...{
      ARE_YOU_THERE: CALL,
      ARE_YOU_NORMAL: CALL,
      HALT: CALL,
      NEW_COORDINATOR: CALL,
      READY: CALL,
    },
    ...{ ARE_YOU_THERE_REPLY: CALL, HALT_REPLY: CALL, NEW_COORDINATOR_REPLY: CALL },
    READY_REPLY: CALL,
    ARE_YOU_NORMAL_REPLY: { call: 'count', normal: 'flag' },
  },
  'bully-2phase': {
    ...{ ELECTION: BARE, OK: BARE },
    ...{ PREPARE: PREPARED, READY: PREPARED, ANNOUNCE: PREPARED },
  },
  'bully-nextinline': BULLY,
  'bully-improved': {
    ...BULLY,
    ...{ INFO_REQ: GATHERED, INFO: GATHERED },
    NEXT: { next: 'rank', round: 'count' },
    CRASH: { leader: 'rank' },
  },
  'bully-modified': {
    ...{ ELECTION: ASKED, GRANT: ASKED },
    OK: { priority: 'rank', election: 'count' },
    COORDINATOR: { leader: 'rank' },
  },
  'ring-lelann': { ELECT: { candidate: 'rank', election: 'count' } },
  'ring-collect': { ELECTION: { initiator: 'rank', ids: 'ranks' }, COORDINATOR: LAP },
  'ring-maxtoken': { TOKEN: { initiator: 'rank', max: 'rank' }, COORDINATOR: LAP },
  'cr-join': PROBES,
  'cr-replace': PROBES,
  'cr-always': PROBES,
  'ring-attr': { ELECTION: BEST, ELECTED: BEST },
  'hs-wake': ECHOES,
  'hs-slide': ECHOES,
  peterson: TIDS,
  'peterson-prose': TIDS,
  'ring-robust': { ...ROBUST, PROBE: CARRIED, SELECTED: CARRIED },
  'ring-robust:peterson': { ...ROBUST, TID: CARRIED, ELECTED: CARRIED },
  'itai-rodeh': {
    TOKEN: { round: 'count', id: 'count', hops: 'count', unique: 'flag' },
    ELECTED: { round: 'count', leader: 'rank' },
  },
  raft: {
    ...{ VOTE: QUESTION, PRE_VOTE: QUESTION, VOTE_REPLY: VOTE, PRE_VOTE_REPLY: VOTE },
    ...{ HEARTBEAT: TERM, HEARTBEAT_REPLY: TERM },
  },
  'quorum-lease': {
    REQ: { term: 'count', round: 'count', leads: 'flag' },
    GRANT: { term: 'count', round: 'count' },
    ...{ DENY: TERM, MASTER: TERM },
  },
  'zk-slide-quorum': { NEW_LEADER: LEADER, ACK: LEADER, COMMIT: LEADER, NACK: EPOCH },
  'zab-fle': {
    NOTIFICATION: {
      ...{ leader: 'rank', zxid: 'count', peerEpoch: 'count', round: 'count' },
      state: ['LOOKING', 'FOLLOWING', 'LEADING'],
    },
    ...{ CEPOCH: EPOCH, NEWEPOCH: EPOCH, NEWLEADER: EPOCH, COMMIT: EPOCH, PING: EPOCH },
    ACKEPOCH: { epoch: 'count', promised: 'flag', currentEpoch: 'count', zxid: 'count' },
    ...{ ACK: EPOCH, PONG: EPOCH },
  },
  'db-lease': SILENT,
  'lease-local': SILENT,
  'zk-recipe': SILENT,
};

/** What is said beside any protocol: by detectors, and by nodes that hold back. */
const BESIDE: Forms = {
  FD_HEARTBEAT: { seq: 'count' },
  FD_GOSSIP: { table: 'table' },
  HOLD_ASK: BARE,
  HOLD_LEADER: { leader: 'rank', epoch: 'count' },
  HOLD_STAND: BARE,
};

/** Of a protocol that a robust ring carries. */
const INSIDE: Partial<Record<ProtocolName, ProtocolName>> = {
  'ring-robust': 'cr-join',
  'ring-robust:peterson': 'peterson',
};

/** Types whose form is known, of those that nodes of this protocol send each other. */
export function formedTypes(protocol: ProtocolName): readonly string[] {
  return Object.keys(FORMS[protocol]);
}

/** What a message of this type has and what each holds, beside the type; null for types of others. */
export function formOfType(
  protocol: ProtocolName,
  type: string,
): Readonly<Record<string, Kind>> | null {
  return formOf(FORMS[protocol], type);
}

/** The protocol whose messages the tokens of this one carry; null for all but robust rings. */
export function protocolCarried(protocol: ProtocolName): ProtocolName | null {
  return INSIDE[protocol] ?? null;
}

/** Whether a message, whatever its type says, is one that an honest node could have sent. */
export function isWellFormed(protocol: ProtocolName, message: unknown, places: Places): boolean {
  if (!isObject(message) || typeof message.type !== 'string') return false;
  const { type } = message;
  const form = formOf(FORMS[protocol], type) ?? formOf(BESIDE, type);
  // A robust ring tells its tokens by this member, whatever their type.
  const isToken = INSIDE[protocol] !== undefined && Object.hasOwn(message, 'token');
  if (isToken && form !== CARRIED) return false;
  return form === null || hasForm(message, form, { protocol, type, places });
}

/** The message that a token of a robust ring carries in it; null in any other protocol. */
export function carriedBy(protocol: ProtocolName, message: Message): Message | null {
  if (INSIDE[protocol] === undefined || !('message' in message)) return null;
  const { message: carried } = message;
  if (!isObject(carried) || typeof carried.type !== 'string') return null;
  return { ...carried, type: carried.type };
}

/** Whether a value is a rank as those of this network are. */
export function isRank(value: unknown, { self, places }: Places): value is Rank {
  if (typeof value !== typeof self.rank) return false;
  if (typeof value === 'string') {
    return value.length === String(self.rank).length && /^[0-9a-f]+$/.test(value);
  }
  return isCount(value) && value >= 1 && (places === undefined || value <= places);
}

function formOf(forms: Forms, type: string): Form | null {
  return Object.hasOwn(forms, type) ? (forms[type] ?? null) : null;
}

interface Context {
  readonly protocol: ProtocolName;
  readonly type: string;
  readonly places: Places;
}

function hasForm(message: Members, form: Form, context: Context): boolean {
  for (const name in form) {
    const kind = form[name];
    const isThere = kind !== undefined && Object.hasOwn(message, name);
    if (!isThere || !isOfKind(message[name], kind, context)) return false;
  }
  return true;
}

function isOfKind(value: unknown, kind: Kind, context: Context): boolean {
  const { places } = context;
  switch (kind) {
    case 'rank':
      return isRank(value, places);
    case 'ranks':
      return Array.isArray(value) && value.every((each) => isRank(each, places));
    case 'count':
      return isCount(value);
    case 'amount':
      return typeof value === 'number' && Number.isFinite(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'token':
      return isCounted(value, places);
    case 'table':
      return Array.isArray(value) && value.every((each) => isCounted(each, places));
    case 'carried':
      return isCarried(value, context);
    default:
      return typeof value === 'string' && kind.includes(value);
  }
}

/** A rank and a count. */
function isCounted(value: unknown, places: Places): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [rank, count]: readonly unknown[] = value;
  return isRank(rank, places) && isCount(count);
}

/** What is inside is of another protocol, which carries nothing, so that this goes one deep. */
function isCarried(value: unknown, { protocol, type, places }: Context): boolean {
  const inside = INSIDE[protocol];
  if (inside === undefined || !isObject(value) || value.type !== type) return false;
  const form = formOf(FORMS[inside], type);
  return form !== null && hasForm(value, form, { protocol: inside, type, places });
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
