/**
 * @module
 * The quorum protocols' part of the registry: leaders by the votes of a majority.
 */

import type { Flags, NumberOf } from '../flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf } from '../flags.ts';
import type { AttributeOf, Protocol } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { createQuorumLease } from './quorum-lease.ts';
import {
  QUORUM_LEASE_FLAGS,
  QUORUM_LEASE_NUMBERS,
  quorumLeaseOptions,
  quorumLeaseSteadyTicks,
} from './quorum-lease-options.ts';
import { createRaft } from './raft.ts';
import { RAFT_FLAGS, RAFT_NUMBERS } from './raft-step.ts';
import { createZab, ZAB_NUMBERS, zabSteadyTicks } from './zab-fle.ts';
import { createZkSlideQuorum, SLIDE_QUORUM_NUMBERS } from './zk-slide-quorum.ts';

export const QUORUM_PROTOCOLS = {
  raft: {
    name: 'raft',
    family: 'quorum',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'Safe asynchronously, while disks keep term and vote; static membership; to finish, a majority up whose messages take far less than an election time-out.',
    messageBound:
      'one candidate: n-1 VOTE + n-1 VOTE_REPLY, with preVote as many PRE_VOTE and PRE_VOTE_REPLY; then n-1 HEARTBEAT and their replies every heartbeat',
    messagesAbout: (nodes: number) => 4 * nodes ** 2,
    steadyTicks: raftSteadyTicks,
    source:
      'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Protocol, USENIX ATC 2014; preVote and checkQuorum: D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, sections 6.2 and 9.6, as in etcd',
    messageTypes: [
      'PRE_VOTE',
      'PRE_VOTE_REPLY',
      'VOTE',
      'VOTE_REPLY',
      'HEARTBEAT',
      'HEARTBEAT_REPLY',
    ],
    flags: RAFT_FLAGS,
    numbers: RAFT_NUMBERS,
    clash: (numberOf: NumberOf, flags: Flags) =>
      faultUnlessBelow(['heartbeatTicks', 'electionTicks'], numberOf, flags),
    attributes: 'the index of its last log entry; nobody votes for a shorter log than its own',
    successors: 1,
    create: (timing: Timing, flags: Flags = {}, attributeOf?: AttributeOf) =>
      createRaft({
        preVote: chosenFlag('preVote', RAFT_FLAGS.preVote, flags),
        checkQuorum: chosenFlag('checkQuorum', RAFT_FLAGS.checkQuorum, flags),
        ...numbersOf(RAFT_NUMBERS, timing, flags),
        lastIndexOf: attributeOf ?? (() => 0),
      }),
  },
  'zab-fle': {
    name: 'zab-fle',
    family: 'quorum',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'Asynchronous; static membership; a stable store; to finish, a majority up and in time, in touch with each other.',
    messageBound:
      'all start: (2n-1)(n-1) to n(n+1)/2*(n-1) NOTIFICATION; then 6(n-1) CEPOCH to COMMIT, and 2(n-1) a heartbeat',
    // Twice what is sent when all start: nearly all of that can be in flight in one tick.
    messagesAbout: (nodes: number) => nodes ** 3,
    inFlightAbout: (nodes: number) => nodes ** 3 / 2,
    steadyTicks: zabSteadyTicks,
    source:
      "F. Junqueira, B. Reed and M. Serafini, Zab, DSN 2011; A. Medeiros, ZooKeeper's atomic broadcast protocol: theory and practice, 2012",
    messageTypes: [
      'NOTIFICATION',
      'CEPOCH',
      'NEWEPOCH',
      'ACKEPOCH',
      'NEWLEADER',
      'ACK',
      'COMMIT',
      'PING',
      'PONG',
    ],
    flags: {},
    numbers: ZAB_NUMBERS,
    clash: (numberOf: NumberOf, flags: Flags) =>
      faultUnlessBelow(['heartbeatTicks', 'silenceTicks'], numberOf, flags),
    attributes: 'the last zxid in its log; of those of one epoch the newest leads',
    successors: 1,
    create: (timing: Timing, flags?: Flags, attributeOf?: AttributeOf) =>
      createZab(timing, flags, attributeOf),
  },
  'quorum-lease': {
    name: 'quorum-lease',
    family: 'quorum',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'One master a term asynchronously, while disks keep votes; one at a moment while clocks drift within bounds; static membership; to finish, a majority up and in time.',
    messageBound:
      'one candidate: n-1 REQ + n-1 GRANT + n-1 MASTER; then n-1 REQ + n-1 GRANT every half lease; DENY instead of GRANT where a vote is promised away',
    messagesAbout: (nodes: number) => 4 * nodes ** 2,
    steadyTicks: quorumLeaseSteadyTicks,
    source:
      'M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006; C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989',
    messageTypes: ['REQ', 'GRANT', 'DENY', 'MASTER'],
    flags: QUORUM_LEASE_FLAGS,
    numbers: QUORUM_LEASE_NUMBERS,
    successors: 1,
    create: (timing: Timing, flags: Flags = {}) =>
      createQuorumLease(quorumLeaseOptions(timing, flags)),
  },
  'zk-slide-quorum': {
    name: 'zk-slide-quorum',
    family: 'quorum',
    elects: 'any',
    unique: 'epoch',
    fifo: false,
    assumes:
      'Safe asynchronously, while disks keep what was acknowledged; static membership; to finish, a majority up, an eventually perfect detector, and links that lose nothing but what makes it suspect: nobody says a COMMIT again, so nodes may stay with leaders of different epochs.',
    messageBound:
      'one candidate: n-1 NEW_LEADER + n-1 ACK + n-1 COMMIT; 2(n-1) NEW_LEADER, ACK and NACK more for each round without a quorum; n-1 COMMIT for a node that is trusted again',
    messagesAbout: (nodes: number) => 4 * nodes ** 2,
    source:
      'P. Hunt et al., ZooKeeper: Wait-free coordination for Internet-scale systems, USENIX ATC 2010, in the form of lectures, where the highest live process asks a quorum',
    messageTypes: ['NEW_LEADER', 'ACK', 'NACK', 'COMMIT'],
    flags: {},
    numbers: SLIDE_QUORUM_NUMBERS,
    successors: 1,
    create: (timing: Timing, flags: Flags = {}) =>
      createZkSlideQuorum(numbersOf(SLIDE_QUORUM_NUMBERS, timing, flags)),
  },
} as const satisfies Readonly<Record<string, Protocol>>;

/** In which a leader that is not heard is replaced, and one that hears no majority steps down. */
function raftSteadyTicks(timing: Timing, flags: Flags): number {
  const { electionTicks, spreadTicks } = numbersOf(RAFT_NUMBERS, timing, flags);
  return 2 * electionTicks + spreadTicks;
}
