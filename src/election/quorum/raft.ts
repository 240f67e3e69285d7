/**
 * @module
 * Leader election of Raft (D. Ongaro and J. Ousterhout, USENIX ATC 2014, figure 2, sections 5.2 and 5.4.1),
 * or by the rules of etcd where they differ (`rules`), with PreVote and CheckQuorum (Ongaro's dissertation, 2014,
 * sections 4.2.3, 6.2, 9.6). A candidate that a majority has refused gives up, as
 * in etcd, which changes no message.
 *
 * Invariants: (1) the term never falls, a node votes once in a term, and both are on disk before any
 * message depends on them; (2) a leader has the votes of a majority of all members in its term, so that
 * no term has two leaders, whatever the network does; (3) a vote goes only to a log that is no shorter
 * than the voter's; (4) a PRE_VOTE changes no node's term or vote; (5) a node that does not lead has the
 * timer "election", a leader has "heartbeat" (and "quorum" under `checkQuorum`). Split votes repeat an
 * election.
 */

import { breaks } from '../definition/fault-row.ts';
import type { Flags } from '../definition/flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf } from '../definition/flags.ts';
import { bySender, GREATEST } from '../definition/forgery.ts';
import { DIRECT } from '../definition/message-definition.ts';
import type { AttributeOf } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Message, Rank } from '../machine.ts';
import { integerIn } from '../message-members.ts';
import type { Timing } from '../timing.ts';
import { broadcast, isPeer, isTerm, TERM_LIMIT } from './majority.ts';
import {
  ANONYMOUS,
  CLOCKLESS_FAULTS,
  MEMBERS_ONLY,
  QUORUM,
  TIRELESS_FAULTS,
  TWO_VOTES,
} from './quorum-facts.ts';
import {
  changeMembers,
  isConfigurationFit,
  isEligible,
  onConfirmed,
  onLeave,
  openConfiguration,
} from './raft-changes.ts';
import { LOG_MESSAGES } from './raft-entries.ts';
import { createRaftLog } from './raft-log.ts';
import type { Configured } from './raft-members.ts';
import {
  adoptConfiguration,
  configured,
  isMajority,
  isVoter,
  storedVoters,
} from './raft-members.ts';
import type {
  RaftMessage,
  RaftOptions,
  RaftState,
  RaftStep,
  VoteQuestion,
  VoteReply,
} from './raft-step.ts';
import {
  adoptTerm,
  createRaftState,
  draw,
  enterTerm,
  onDrawn,
  RAFT_FLAGS,
  RAFT_NUMBERS,
  restartTimer,
  restoreRaftState,
  retire,
  save,
  unfollow,
} from './raft-step.ts';

const QUESTION = {
  members: { term: 'epoch', lastIndex: 'integer', configuration: 'configuration' },
  ...DIRECT,
} as const;
const TERM = { members: { term: 'epoch', configuration: 'configuration' }, ...DIRECT } as const;

export const RAFT = defineProtocol({
  name: 'raft',
  assumes:
    'Safe asynchronously, while disks keep term and vote, also while nodes join and leave one at a time; to finish, a majority up whose messages take far less than an election time-out.',
  messageBound:
    'one candidate: n-1 VOTE + n-1 VOTE_REPLY, with preVote as many PRE_VOTE and PRE_VOTE_REPLY; then n-1 HEARTBEAT and their replies every heartbeat',
  messagesAbout: (nodes) => 4 * nodes ** 2,
  inFlightAbout: null,
  steadyTicks: raftSteadyTicks,
  source:
    'D. Ongaro and J. Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014; figure 2; preVote and checkQuorum: D. Ongaro, Consensus: Bridging Theory and Practice, Stanford 2014, sections 6.2 and 9.6; members: W. Schultz, S. Dardik and S. Tripakis, OPODIS 2021; rules=etcd: etcd-io/raft, raft.go',
  flags: RAFT_FLAGS,
  numbers: RAFT_NUMBERS,
  clash: (numberOf, flags) =>
    faultUnlessBelow(['heartbeatTicks', 'electionTicks'], numberOf, flags),
  servesClients: ({ log }) => log === 'on',
  attributes:
    'the index of its last log entry; no node votes for a log that is shorter than its own',
  leases: false,
  votersIn: storedVoters,
  decided: null,
  forgery: {
    numbering: 'term',
    announcement: bySender(({ epoch }) => [{ type: 'HEARTBEAT', term: epoch }]),
    candidacy: bySender(({ epoch }) => [{ type: 'VOTE', term: epoch, lastIndex: GREATEST }]),
    answer: bySender(({ epoch }) => [{ type: 'VOTE_REPLY', term: epoch, granted: true }]),
    ...MEMBERS_ONLY,
  },
  // The sender of a VOTE or a HEARTBEAT is the candidate or leader, so that no member names it.
  messages: {
    PRE_VOTE: QUESTION,
    PRE_VOTE_REPLY: { members: { term: 'epoch', granted: 'boolean' }, ...DIRECT },
    VOTE: QUESTION,
    VOTE_REPLY: {
      members: { term: 'epoch', granted: 'boolean' },
      claim: { within: ['term'], states: null, where: { granted: true } },
      ...ANONYMOUS,
    },
    HEARTBEAT: TERM,
    HEARTBEAT_REPLY: TERM,
    ...LOG_MESSAGES,
  },
  counters: [
    {
      name: 'terms',
      state: ['term', 'configuration.term', 'log.entries.*.entryTerm'],
      persisted: ['term', 'configuration.term', 'log.*.entryTerm'],
      messages: ['term', 'configuration.term', 'lastTerm', 'prevTerm', 'entryTerm'],
      unset: ['lastTerm', 'prevTerm', 'entryTerm'],
    },
  ],
  drawnTicks: ['timeoutTicks'],
  symmetry: {
    of: 'members',
    state: [
      ...['votedFor', 'leader', 'granted.*', 'refused.*', 'active.*'],
      ...['log.next.#', 'log.matched.#', 'log.answered.#'],
    ],
    persisted: ['votedFor'],
    store: null,
  },
  stall: { withheld: ['HEARTBEAT'], hastened: ['election'] },
  doubleVote: {
    answers: voteForAll,
    mutes: ['VOTE', 'PRE_VOTE', 'VOTE_REPLY', 'PRE_VOTE_REPLY'],
  },
  inflation: {
    sends: (_rank, epoch) => ({ type: 'VOTE', term: epoch, lastIndex: epoch }),
    raises: null,
  },
  certificate: {
    question: 'VOTE',
    vote: 'VOTE_REPLY',
    number: 'term',
    announces: ({ type }) => type === 'HEARTBEAT',
  },
  faults: {
    // Of two leaders of one term neither gives way, because nodes compare terms and not leaders.
    amnesia: breaks(['S1', 'S4'], TWO_VOTES, { rarely: ['S2'], splits: true }),
    'torn-record': breaks(
      ['S1', 'S4'],
      'A vote that is not on disk with its term is given again.',
      { rarely: ['S2'], splits: true },
    ),
    ...CLOCKLESS_FAULTS,
    ...TIRELESS_FAULTS,
  },
  create: (timing: Timing, flags: Flags, attributeOf: AttributeOf | undefined) =>
    createRaftOf(flags, {
      rules: chosenFlag('rules', RAFT_FLAGS.rules, flags),
      preVote: chosenFlag('preVote', RAFT_FLAGS.preVote, flags),
      checkQuorum: chosenFlag('checkQuorum', RAFT_FLAGS.checkQuorum, flags),
      reconfiguration: chosenFlag('reconfiguration', RAFT_FLAGS.reconfiguration, flags),
      ...numbersOf(RAFT_NUMBERS, timing, flags),
      lastIndexOf: attributeOf ?? (() => 0),
    }),
  ...QUORUM,
});

/** A silent leader is replaced within this time, and one without a majority steps down. */
function raftSteadyTicks(timing: Timing, flags: Flags): number {
  const { electionTicks, spreadTicks } = numbersOf(RAFT_NUMBERS, timing, flags);
  return 2 * electionTicks + spreadTicks;
}

/** The answer of a server that votes for every candidate, whatever its log and its term. Null for another message. */
export function voteForAll(question: Message): readonly RaftMessage[] | null {
  const term = integerIn(question, 'term');
  if (question.type === 'VOTE') return [{ type: 'VOTE_REPLY', term, granted: true }];
  if (question.type === 'PRE_VOTE') return [{ type: 'PRE_VOTE_REPLY', term, granted: true }];
  return null;
}

/** The machine of every node, with a log if the flags say so. */
function createRaftOf(flags: Flags, options: RaftOptions): Machine<RaftState, RaftMessage> {
  const machine = createRaft(options);
  return chosenFlag('log', RAFT_FLAGS.log, flags) === 'on'
    ? createRaftLog(machine, {
        reads: chosenFlag('reads', RAFT_FLAGS.reads, flags),
        lastTerm: chosenFlag('lastTerm', RAFT_FLAGS.lastTerm, flags),
        electionTicks: options.electionTicks,
      })
    : machine;
}

/** The machine of every node without a log. */
export function createRaft(options: RaftOptions): Machine<RaftState, RaftMessage> {
  return createMachine<RaftState, RaftMessage, RaftOptions>({
    settings: options,
    init: createRaftState,
    on: {
      start(step) {
        if (step.state.timeoutTicks === 0) draw(step);
      },
      recover(step, persisted) {
        Object.assign(step.state, restoreRaftState(step.self, persisted));
        if (step.state.role !== 'halted') draw(step);
      },
      chosen: onDrawn,
      join: changeMembers,
      leave: onLeave,
      deliver: {
        PRE_VOTE: onPreVote,
        PRE_VOTE_REPLY: onPreVoteReply,
        VOTE: onVote,
        VOTE_REPLY: onVoteReply,
        HEARTBEAT: onHeartbeat,
        HEARTBEAT_REPLY: onHeartbeatReply,
      },
      timeout: {
        lease({ state }) {
          state.leased = false;
        },
        heartbeat(step) {
          const { role, term } = step.state;
          const heartbeat = { type: 'HEARTBEAT', term, ...configured(step.state) } as const;
          if (role === 'leader') broadcast(step, heartbeat);
        },
        quorum(step) {
          if (step.state.role === 'leader') checkQuorum(step);
        },
        election(step) {
          if (step.state.role !== 'leader') campaign(step);
        },
      },
    },
    isBarred: ({ role }) => role === 'halted',
    isValid: ({ term }, self, from) => isPeer(self, from) && isTerm(term),
  });
}

type Heartbeat = { readonly term: number } & Configured;

function onHeartbeat(step: RaftStep, message: Heartbeat, from: Rank): void {
  const { self, state, effects, settings } = step;
  const { term } = message;
  if (term < state.term) {
    // The sender of a stale heartbeat steps down at the answer. etcd needs that only where a VOTE deposes no leader.
    if ([settings.preVote, settings.checkQuorum].includes('on') || settings.rules === 'figure2') {
      effects.send(from, { type: 'HEARTBEAT_REPLY', term: state.term });
    }
    return;
  }
  const isLater = term > state.term;
  // Two leaders of one term: a voter has forgotten its vote. Neither gives way to the other.
  if (!isLater && state.role === 'leader') return;
  if (isLater) enterTerm(step, term);
  const isChanged = adoptConfiguration(step, message);
  if (isLater || isChanged) save(step);
  if (state.role !== 'follower') retire(step);
  if (!isVoter(step, self.rank)) unfollow(step);
  else if (isLater || state.leader !== from) {
    state.leader = from;
    effects.elect(from, term);
  }
  restartTimer(step);
  if (settings.checkQuorum === 'on' || isGuarded(settings)) {
    state.leased = true;
    effects.setTimer('lease', settings.electionTicks, false);
  }
  effects.send(from, { type: 'HEARTBEAT_REPLY', term, ...configured(state) });
}

function onHeartbeatReply(step: RaftStep, message: Heartbeat, from: Rank): void {
  const { state } = step;
  adoptTerm(step, message.term);
  if (state.role !== 'leader' || message.term !== state.term) return;
  if (isVoter(step, from) && !state.active.includes(from)) state.active.push(from);
  onConfirmed(step, message, from);
}

function checkQuorum(step: RaftStep): void {
  const { self, state } = step;
  const heard = [self.rank, ...state.active.filter((node) => isVoter(step, node))];
  state.active = [];
  if (isMajority(step, heard)) return;
  retire(step);
  unfollow(step);
}

/**
 * The election timer has fired: a candidacy, or the question whether one would succeed. How a Raft node votes and
 * comes to lead (Ongaro and Ousterhout 2014, sections 5.2 and 5.4.1; PreVote: Ongaro's dissertation, 2014, section
 * 9.6). It must send no vote that is not on disk.
 */
function campaign(step: RaftStep): void {
  // In the last term no node can stand any more.
  if (step.state.term >= TERM_LIMIT) return;
  if (!isEligible(step)) {
    unfollow(step);
    draw(step);
    return;
  }
  if (step.settings.preVote === 'on') canvass(step);
  else stand(step);
}

/** Asks which nodes would vote for it, without raising the term. */
function canvass(step: RaftStep): void {
  const { self, state, settings } = step;
  unfollow(step);
  state.role = 'pre-candidate';
  openBallot(step);
  if (isWon(step)) {
    stand(step);
    return;
  }
  const lastIndex = settings.lastIndexOf(self.rank);
  const term = state.term + 1;
  broadcast(step, { type: 'PRE_VOTE', term, lastIndex, ...configured(state) });
  draw(step);
}

function stand(step: RaftStep): void {
  const { self, state, settings } = step;
  unfollow(step);
  state.role = 'candidate';
  state.term += 1;
  state.votedFor = self.rank;
  save(step);
  openBallot(step);
  if (isWon(step)) {
    lead(step);
    return;
  }
  const lastIndex = settings.lastIndexOf(self.rank);
  broadcast(step, { type: 'VOTE', term: state.term, lastIndex, ...configured(state) });
  draw(step);
}

/** Answers whether it would vote for the sender, and changes nothing. */
function onPreVote(step: RaftStep, message: VoteQuestion<'PRE_VOTE'>, from: Rank): void {
  const { state, effects, settings } = step;
  const isLater = message.term > state.term;
  const isHeld = isLeased(step);
  if (isLater && isHeld && settings.checkQuorum === 'on') return;
  const granted =
    (isLater || (message.term === state.term && mayVote(state, from, settings.rules))) &&
    !(isHeld && isGuarded(settings)) &&
    isFit(step, message);
  // A grant carries the term that it is for. A refusal carries the voter's own term.
  const term = granted ? message.term : state.term;
  effects.send(from, { type: 'PRE_VOTE_REPLY', term, granted });
}

/** A majority that would vote for this node makes it a candidate. */
function onPreVoteReply(
  step: RaftStep,
  { term, granted }: VoteReply<'PRE_VOTE_REPLY'>,
  from: Rank,
): void {
  const { state } = step;
  if (!granted) adoptTerm(step, term);
  if (state.role !== 'pre-candidate' || term !== state.term + (granted ? 1 : 0)) return;
  countBallot(step, from, granted);
  if (isWon(step)) stand(step);
  else if (isLost(step)) retire(step);
}

/** Votes for the first candidate of a term whose log is fit, or refuses. */
function onVote(step: RaftStep, message: VoteQuestion<'VOTE'>, from: Rank): void {
  const { state, effects, settings } = step;
  const isLater = message.term > state.term;
  const isHeld = settings.checkQuorum === 'on' && isLeased(step);
  if (isLater ? isHeld : message.term < state.term && settings.rules === 'etcd') return;
  if (isLater) {
    enterTerm(step, message.term);
    unfollow(step);
  }
  const granted =
    message.term === state.term && mayVote(state, from, settings.rules) && isFit(step, message);
  if (granted) {
    state.votedFor = from;
    restartTimer(step);
  }
  // Term and vote together, and before the answer.
  if (isLater || granted) save(step);
  effects.send(from, { type: 'VOTE_REPLY', term: state.term, granted });
}

/** A majority of votes makes this node the leader. */
function onVoteReply(step: RaftStep, message: VoteReply<'VOTE_REPLY'>, from: Rank): void {
  const { state } = step;
  adoptTerm(step, message.term);
  if (state.role !== 'candidate' || message.term !== state.term) return;
  countBallot(step, from, message.granted);
  if (isWon(step)) lead(step);
  else if (isLost(step)) retire(step);
}

function lead(step: RaftStep): void {
  const { self, state, effects, settings } = step;
  state.role = 'leader';
  state.leader = self.rank;
  state.active = [];
  effects.cancelTimer('election');
  openConfiguration(step);
  effects.elect(self.rank, state.term);
  broadcast(step, { type: 'HEARTBEAT', term: state.term, ...configured(state) });
  effects.setTimer('heartbeat', settings.heartbeatTicks, true);
  if (settings.checkQuorum === 'on') effects.setTimer('quorum', settings.electionTicks, true);
  changeMembers(step);
}

/** Whether the node assumes that its leader is alive. A leader always does, a follower for one time-out after a heartbeat. */
function isLeased({ state }: RaftStep): boolean {
  return state.leader !== null && (state.role === 'leader' || state.leased);
}

/** Whether the node refuses a PRE_VOTE while it assumes that its leader is alive (Ongaro's dissertation, section 9.6). */
function isGuarded({ preVote, rules }: RaftOptions): boolean {
  return preVote === 'on' && rules === 'figure2';
}

function mayVote(
  { votedFor, leader }: RaftState,
  candidate: Rank,
  rules: RaftOptions['rules'],
): boolean {
  if (votedFor !== null) return votedFor === candidate;
  return leader === null || rules === 'figure2';
}

function isFit(step: RaftStep, message: { readonly lastIndex: number } & Configured): boolean {
  const { self, settings } = step;
  return message.lastIndex >= settings.lastIndexOf(self.rank) && isConfigurationFit(step, message);
}

function openBallot({ self, state }: RaftStep): void {
  state.granted = [self.rank];
  state.refused = [];
}

function countBallot(step: RaftStep, voter: Rank, granted: boolean): void {
  const { state } = step;
  const isCounted = state.granted.includes(voter) || state.refused.includes(voter);
  if (isCounted || !isVoter(step, voter)) return;
  (granted ? state.granted : state.refused).push(voter);
}

function isWon(step: RaftStep): boolean {
  return isMajority(step, step.state.granted);
}

function isLost(step: RaftStep): boolean {
  return isMajority(step, step.state.refused);
}
