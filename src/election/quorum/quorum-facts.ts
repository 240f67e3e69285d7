/**
 * @module
 * This folder contains the quorum protocols, and this file the facts that they share. A majority of all members votes, once in an epoch, and each vote
 * is on disk before it is sent. Two majorities have a common voter, so that an epoch has one leader,
 * whatever network, pauses and clocks do, until a disk forgets (Ongaro and Ousterhout 2014, section 5).
 * A definition spreads these facts after its own.
 */

import { AFFECTED_BY_ALL } from '../definition/drawn-faults.ts';
import type { FaultCell, FaultName } from '../definition/fault-row.ts';
import { live, none, ok } from '../definition/fault-row.ts';
import type { MessageFacts } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';

/** The facts of every quorum protocol. */
export const QUORUM = {
  family: 'quorum',
  overLinks: false,
  elects: 'any',
  isRanked: false,
  unique: 'epoch',
  fifo: false,
  entriesAbout: null,
  successors: 1,
  returnsToOrigin: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  waiting: null,
  store: null,
  unaffected: AFFECTED_BY_ALL,
} as const satisfies Partial<ProtocolFacts>;

/** The forgery facts of every quorum protocol. */
export const QUORUM_FORGERY = { route: 'each-node', believes: 'any-rank' } as const;

/** The forgery facts of a protocol that follows members only and replaces a silent leader. */
export const MEMBERS_ONLY = {
  acceptsStrangers: false,
  replacesSilentLeaders: true,
  ...QUORUM_FORGERY,
} as const;

/** The facts of every message that can be a claim: no node stands by it, and no node passes it on. */
export const UNRELAYED = {
  senderStands: false,
  token: null,
  alterations: null,
} as const satisfies Partial<MessageFacts>;

/** The facts of a claim that names no candidate. */
export const ANONYMOUS = {
  candidates: [],
  statementOf: 'sender',
  ...UNRELAYED,
} as const satisfies Partial<MessageFacts>;

export const MINORITY = 'The side without a majority elects no leader.';
export const TWO_VOTES = 'A voter that has forgotten its vote votes twice in a term.';

type Cells = Partial<Readonly<Record<FaultName, FaultCell>>>;

/** What these faults do to every quorum protocol. */
export const QUORUM_FAULTS = {
  duplicate: ok('Voters are counted, not messages.'),
  reorder: ok('A message of an older term or round does not count.'),
  delay: live('Time-outs that are too short cost terms, not safety.'),
  'one-way': live('The others ask again while a node cannot reach them.'),
  'crash-best': live('A majority remains.'),
  restart: live('Term and vote are on disk.'),
  'fail-over': none('No node calls a store.'),
  'unknown-message': ok('A machine ignores an unknown message.'),
} satisfies Cells;

/** What these faults do to a protocol whose nodes ask again until there is a leader. */
export const TIRELESS_FAULTS = {
  drop: live('A lost message is asked for again, in the next term if necessary.'),
  'clean-majority': live(MINORITY),
  'majorities-ring': live('Majorities overlap, and a node in both votes once.'),
  'leader-isolated': live('The old leader may continue to lead, in an epoch that is over.'),
  'swizzle-clog': live('A majority elects as soon as it can communicate.'),
  ...QUORUM_FAULTS,
} satisfies Cells;

/** What these faults do to a protocol whose clocks affect only when a node asks. */
export const CLOCKLESS_FAULTS = {
  pause: live('A leader that wakes up leads in an epoch that is over.'),
  'clock-skew': live(
    'Wrong clocks end time-outs too early or too late, which does not affect safety.',
  ),
  'clock-jump': live('As clock-skew.'),
} satisfies Cells;
