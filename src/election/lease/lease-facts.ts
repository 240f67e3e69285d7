/**
 * @module
 * This folder contains the lease protocols, and this file the facts that they share. One store decides which node leads, and numbers the leaders: an
 * epoch has one leader, whatever else goes wrong. The store never fails, so that no memory is lost, and a
 * node that cannot reach it only waits. That no two nodes lead at one moment (M) depends on clocks, and
 * on no node sleeping while its lease runs out (Gray and Cheriton 1989; Kleppmann 2016). A definition
 * spreads these facts after its own.
 */

import { AFFECTED_BUT_BY_CUTS_BETWEEN_NODES } from '../definition/drawn-faults.ts';
import type { FaultRow } from '../definition/fault-row.ts';
import { breaks, live, none, ok } from '../definition/fault-row.ts';
import type { Forgery } from '../definition/forgery.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';

export const STORE_NUMBERS = 'its store numbers the elections';

const STORE_ONLY = 'its nodes send messages only to a store, which knows the caller';

const FORGERY: Forgery = {
  route: 'each-node',
  believes: 'any-rank',
  acceptsStrangers: false,
  replacesSilentLeaders: true,
  numbering: null,
  announcement: STORE_ONLY,
  candidacy: STORE_ONLY,
  answer: STORE_ONLY,
};

const OUT_OF_REACH = live(
  'A node that cannot reach the store leads until its lease is over at most, and then waits.',
);
const UNCONNECTED = ok('Nodes send each other no messages.');

const FAULTS: FaultRow = {
  drop: live('Calls are repeated. A holder whose renewals are all lost steps down.'),
  duplicate: ok('Requests are numbered, so that a second copy changes nothing.'),
  reorder: ok('A lease counts from its request, however late the answer arrives.'),
  delay: live('As reorder. A lease that arrives too late is not used.'),
  'clean-majority': OUT_OF_REACH,
  'one-way': UNCONNECTED,
  'majorities-ring': UNCONNECTED,
  'leader-isolated': OUT_OF_REACH,
  'swizzle-clog': OUT_OF_REACH,
  'crash-best': live('Its lease runs out, or it never had one.'),
  restart: live('A node that returns asks the store like any other node.'),
  amnesia: live('Nodes store nothing, so that it is like a restart.'),
  pause: breaks(
    ['M'],
    'A node that sleeps past the end of its lease leads until it wakes up. A fence refuses what it writes after the next leader.',
  ),
  'clock-skew': breaks(
    ['M'],
    'A clock that is slower than the allowed drift makes a lease longer.',
  ),
  'clock-jump': breaks(
    ['M'],
    'A clock that jumps back makes a lease longer, and one that jumps forwards a wait shorter.',
  ),
  'fail-over': breaks(
    ['S1', 'M'],
    'A replica that lacks the lease grants it again, with the same number.',
  ),
  'torn-record': none('Nodes store nothing.'),
  'unknown-message': ok('Machines and stores ignore an unknown message.'),
};

const { 'fail-over': _failOver, ...others } = FAULTS;
/** The facts of faults for a protocol that states itself what a fail-over does: a shared fact would hide a missing one. */
export const FAULTS_BUT_FAIL_OVER = others;

/** The facts of every lease protocol. */
export const LEASE = {
  family: 'lease',
  elects: 'any',
  isRanked: false,
  unique: 'epoch',
  fifo: false,
  inFlightAbout: null,
  attributes: null,
  successors: 1,
  leases: true,
  // A node that has not started calls no store, and learns no leader.
  needsStart: 'all',
  overLinks: false,
  votersIn: null,
  decided: null,
  returnsToOrigin: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  forgery: FORGERY,
  messages: {},
  waiting: null,
  stall: 'the store decides which node leads; a leader that does no work hogs its lease',
  doubleVote: 'no node votes in it',
  certificate: 'no leader in it is elected by votes',
  faults: FAULTS,
  unaffected: AFFECTED_BUT_BY_CUTS_BETWEEN_NODES,
} as const satisfies Partial<ProtocolFacts> & {
  readonly messages: object;
  readonly needsStart: 'all';
};
