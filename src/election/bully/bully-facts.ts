/**
 * @module
 * This folder contains the Bully protocols, and this file the facts that they share. A node asks higher nodes, and the highest live node leads. A
 * definition spreads these facts after its own, so that the compiler refuses a fact that is given twice.
 */

import { AFFECTED_BY_ALL } from '../definition/drawn-faults.ts';
import type { FaultCell, FaultName } from '../definition/fault-row.ts';
import { breaks, live, none, ok } from '../definition/fault-row.ts';
import { bySender, naming } from '../definition/forgery.ts';
import type { MessageFacts } from '../definition/message-definition.ts';
import type { ProtocolFacts, Waiting } from '../definition/protocol.ts';
import type { Rank, Self } from '../machine.ts';
import { announcementTicks } from '../timing.ts';

export const GARCIA_MOLINA =
  'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982';

export const SYNCHRONOUS =
  'Synchronous: a known bound on latency and a detector that never errs; reliable links; every member known to all.';

/** The facts of every Bully protocol. */
export const BULLY = {
  family: 'bully',
  overLinks: false,
  votersIn: null,
  elects: 'highest',
  isRanked: true,
  unique: 'moment',
  fifo: false,
  inFlightAbout: null,
  entriesAbout: null,
  clash: null,
  attributes: null,
  successors: 1,
  leases: false,
  returnsToOrigin: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  doubleVote: 'no node votes in it',
  inflation: 'no node adopts the number of an election from another',
  certificate: 'no leader in it is elected by votes',
  store: null,
  counters: [],
  drawnTicks: [],
  symmetry: 'the highest rank wins',
  unaffected: AFFECTED_BY_ALL,
} as const satisfies Partial<ProtocolFacts>;

/** The facts of a Bully protocol that is silent after an election. */
export const SILENT_BULLY = {
  ...BULLY,
  steadyTicks: null,
  numbers: {},
} as const satisfies Partial<ProtocolFacts>;

/** The forgery facts of every Bully protocol. */
export const BULLY_FORGERY = {
  route: 'each-node',
  believes: 'higher-ranks',
  acceptsStrangers: true,
  replacesSilentLeaders: false,
} as const;

/** How the messages of the one-shot election are forged. */
export const ONESHOT_FORGERY = {
  numbering: null,
  announcement: naming(({ about }) => [{ type: 'COORDINATOR', leader: about }]),
  candidacy: bySender(() => [{ type: 'ELECTION' }]),
  answer: bySender(() => [{ type: 'OK' }]),
  ...BULLY_FORGERY,
} as const;

/** Nodes wait for a higher node that answers OK, until it sends COORDINATOR. */
export const WAITS_FOR_COORDINATOR = {
  waiting: {
    answers: ['OK'],
    announcements: ['COORDINATOR'],
    roundTicks: announcementTicks,
  } satisfies Waiting,
  stall: { withheld: ['COORDINATOR'], hastened: [] },
} as const;

/**
 * Why the leader of an election is certain before the election rests. A question that arrives after an announcement makes
 * its recipient ask again, so that the election goes on and sends up to a hundred times as many messages.
 */
export const ANNOUNCED_BY_HIGHEST =
  'If none fails, a node announces itself only if no higher node answers it in time. All answer in time, so that only the highest announces itself. Each announcement under way names it, and no other leader is ever followed.';

/** A message in which a node names itself as the leader. */
export const LEADS_ITSELF = {
  candidates: ['leader'],
  statementOf: 'candidate',
  senderStands: false,
  claim: null,
  token: null,
  alterations: null,
} as const satisfies Omit<MessageFacts, 'members'>;

type Cells<Names extends FaultName> = Readonly<Record<Names, FaultCell>>;

/** What these faults do to every Bully protocol. */
export const BULLY_FAULTS = {
  drop: breaks(
    ['S1', 'S2', 'S3'],
    'A node announces itself when the answer to its question is lost.',
  ),
  duplicate: ok('A second copy of a question, an answer or an announcement changes nothing.'),
  'crash-best': live(
    'The second highest node receives no answer from above, or a detector reports the crash.',
  ),
  restart: live('A node that returns asks or announces itself.'),
  amnesia: live('A node can forget only numbers, and it believes the numbers of others.'),
  'fail-over': none('No node calls a store.'),
  'torn-record': none('What they store is one number, which is one write.'),
  'unknown-message': ok('A machine ignores an unknown message.'),
} satisfies Partial<Cells<FaultName>>;

const TWO_SIDES = breaks(
  ['S1', 'S2', 'S3'],
  'Each side has a leader. A cut that is shorter than the time-out is never suspected, so that neither leader asks again.',
);

/** What partitions do to a protocol whose leader asks only when a detector reports a change. */
export const SIDES = {
  'clean-majority': TWO_SIDES,
  'one-way': breaks(['S1', 'S2', 'S3'], 'The highest node is asked, and its answers are lost.'),
  'leader-isolated': TWO_SIDES,
  'swizzle-clog': TWO_SIDES,
} satisfies Partial<Cells<FaultName>>;

export const TWO_NORMAL =
  'Each side follows a leader in its normal state and asks no node. The paper requires a network that does not partition.';

/** A jump ends a time-out before an answer can come. */
export const JUMPED = 'A clock that jumps forwards ends a time-out before the answer arrives.';

const NORMAL_SIDES = breaks(['S1', 'S2', 'S3'], TWO_NORMAL);

/** What these faults do to a protocol whose nodes follow a leader in a normal state only. */
export const NORMAL_STATES = {
  'clean-majority': NORMAL_SIDES,
  'one-way': NORMAL_SIDES,
  'majorities-ring': NORMAL_SIDES,
  'leader-isolated': NORMAL_SIDES,
  'swizzle-clog': NORMAL_SIDES,
  'clock-skew': breaks(
    ['S1', 'S2', 'S3'],
    'A node whose clock is fast takes a slow node for a dead one.',
  ),
  'clock-jump': breaks(['S1', 'S2', 'S3'], JUMPED),
} satisfies Partial<Cells<FaultName>>;

/** An answer that is held back has not arrived when its time-out ends. */
export const HELD_BACK = 'An answer that is held back counts as none when the time-out ends.';
export const LATE_OK = 'An OK that arrives after T counts as none.';
export const EARLY_END = 'A fast clock ends T before the OK arrives.';
export const STILL_LEADS = 'A leader that wakes up still leads.';

/** What faults do to the one-shot election. */
export const ONESHOT_FAULTS = {
  reorder: breaks(['S1', 'S2'], 'Nodes believe an old COORDINATOR, because it carries no epoch.'),
  delay: breaks(['S1', 'S2'], LATE_OK),
  'majorities-ring': breaks(
    ['S1', 'S2', 'S3'],
    'Two nodes lead that reach neither a higher node nor each other.',
  ),
  pause: breaks(['S1'], STILL_LEADS, { late: ['S2'] }),
  'clock-skew': breaks(['S1', 'S2'], EARLY_END),
  'clock-jump': breaks(['S1', 'S2'], JUMPED),
  ...SIDES,
  ...BULLY_FAULTS,
} satisfies Cells<FaultName>;

/**
 * Whether no member is higher, dead or alive. The order of the members that a node knows, the dead included: the
 * higher members, which a Bully node asks, and the lower members, to which it announces itself.
 */
export function isHighest(self: Self): boolean {
  return self.members.at(-1) === self.rank;
}

/** Ascending. */
export function higherMembers(self: Self): readonly Rank[] {
  return self.members.slice(self.members.indexOf(self.rank) + 1);
}

/** Ascending. */
export function lowerMembers(self: Self): readonly Rank[] {
  return self.members.slice(0, self.members.indexOf(self.rank));
}

/** Whether `leader` is the next higher member. This node replaces it when it fails. */
export function isNextAfter(self: Self, leader: Rank): boolean {
  return self.members[self.members.indexOf(self.rank) + 1] === leader;
}
