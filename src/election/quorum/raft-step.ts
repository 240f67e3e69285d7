/**
 * @module
 * Messages and state of a Raft node (D. Ongaro and J. Ousterhout, USENIX ATC 2014, figure 2, without the log), and
 * what all its rules use: terms that only rise, the return to being a follower, and the election time-out, which
 * is drawn from a range, so that few nodes stand at once (section 5.2). Term and vote are one record on disk.
 * If they were stored apart, a crash between the writes would free a vote that was given.
 */

import type { NumberFlags } from '../definition/flags.ts';
import { TICKS } from '../definition/flags.ts';
import type { Step } from '../handlers.ts';
import type { Tenure } from '../lease/tenure.ts';
import type { Json, Rank, Self } from '../machine.ts';
import { silenceTicks } from '../timing.ts';
import { isTerm } from './majority.ts';
import type { LogMessage, RaftLog } from './raft-entries.ts';
import type { Configuration, Configured } from './raft-members.ts';
import { configured, storedConfiguration } from './raft-members.ts';

/**
 * - rules: figure2 follows figure 2 of the paper: a HEARTBEAT and a VOTE of an earlier term are answered with
 *   the own term, at which an old leader steps down, and a node may vote that has not voted in the term. etcd
 *   ignores such a VOTE, answers such a HEARTBEAT only with preVote or checkQuorum, and gives no vote in a term
 *   whose leader it follows. Without the other flags its old leader leads on where no later term reaches it.
 * - preVote: whether a node asks if it could win before it raises the term, so that a node that receives no messages
 *   deposes no leader. A node that has received a heartbeat of its leader within the shortest time-out refuses
 *   (dissertation, section 9.6). With the rules of etcd it refuses only with checkQuorum.
 * - checkQuorum: whether a leader steps down if it receives messages of no majority for an election
 *   time-out. A node that has received a heartbeat within one then helps no other node to lead.
 * - reconfiguration: whether a leader changes the members only when a majority has the present ones in its term, and
 *   no node votes for a candidate with older ones (raft-changes.ts). Without that an epoch can have two leaders.
 * - log: whether the leader replicates a log (raft-log.ts), with which it serves clients.
 * - reads: how such a leader answers reads: by index after a majority has confirmed it, by a lease of one election
 *   time-out, which needs checkQuorum and clocks of equal speed, or by what it knows, which is a mistake.
 * - lastTerm: whether votes compare the terms of last entries first. Without that committed entries can be lost.
 */
export const RAFT_FLAGS = {
  rules: ['figure2', 'etcd'],
  preVote: ['off', 'on'],
  checkQuorum: ['off', 'on'],
  reconfiguration: ['guarded', 'unguarded'],
  log: ['off', 'on'],
  reads: ['index', 'lease', 'local'],
  lastTerm: ['compared', 'ignored'],
} as const;

/**
 * The range is as long as the shortest time-out (Ongaro and Ousterhout have 150 to 300 ms), which is
 * ten heartbeats, as etcd advises.
 */
export const RAFT_NUMBERS = {
  electionTicks: {
    ...TICKS,
    meaning: 'ticks of the shortest election time-out',
    byDefault: silenceTicks,
    shortTicks: 30,
  },
  spreadTicks: {
    ...TICKS,
    meaning: 'how many lengths of a time-out there are, one tick apart; 1 leaves nothing to chance',
    byDefault: (_timing, numberOf) => numberOf('electionTicks'),
    shortTicks: 30,
  },
  heartbeatTicks: {
    ...TICKS,
    meaning: 'ticks from one heartbeat of a leader to the next',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('electionTicks') / 10)),
    shortTicks: 10,
  },
} as const satisfies NumberFlags;

export interface RaftOptions {
  readonly rules: (typeof RAFT_FLAGS.rules)[number];
  readonly preVote: (typeof RAFT_FLAGS.preVote)[number];
  readonly checkQuorum: (typeof RAFT_FLAGS.checkQuorum)[number];
  readonly reconfiguration: (typeof RAFT_FLAGS.reconfiguration)[number];
  readonly electionTicks: number;
  readonly spreadTicks: number;
  readonly heartbeatTicks: number;
  /** The index of a node's last log entry. All entries are of one term. */
  readonly lastIndexOf: (rank: Rank) => number;
}

/** What a log adds to the options. */
export interface LogOptions {
  readonly reads: (typeof RAFT_FLAGS.reads)[number];
  readonly lastTerm: (typeof RAFT_FLAGS.lastTerm)[number];
  /** How long a lease for reads is. */
  readonly electionTicks: number;
}

export type RaftStep = Step<RaftState, RaftMessage, RaftOptions>;

/** A message with a higher term ends whatever role this node had in its own term. */
export function adoptTerm(step: RaftStep, term: number): void {
  if (term <= step.state.term) return;
  enterTerm(step, term);
  save(step);
  unfollow(step);
}

/** The caller must set the leader and write the disk. */
export function enterTerm(step: RaftStep, term: number): void {
  step.state.term = term;
  step.state.votedFor = null;
  // Otherwise a neighbour that cannot win could always prevent a node with a long time-out from standing.
  step.state.timeoutTicks = 0;
  retire(step);
}

/** Becomes a follower. A candidate's election timer continues. A leader had none. */
export function retire(step: RaftStep): void {
  const { state, effects } = step;
  const led = state.role === 'leader';
  state.role = 'follower';
  state.granted = [];
  state.refused = [];
  state.active = [];
  if (!led) return;
  effects.cancelTimer('heartbeat');
  effects.cancelTimer('quorum');
  draw(step);
}

/** Follows no leader, and reports it if it followed one. */
export function unfollow({ state, effects }: RaftStep): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}

/** Puts term and vote on disk, before any message that depends on them is sent. */
export function save({ state, effects }: RaftStep): void {
  effects.persist(recordOf(state));
}

/** Draws a new election time-out, which begins when the number arrives. */
export function draw({ state, effects, settings }: RaftStep): void {
  if (state.drawing) return;
  state.drawing = true;
  effects.choose(settings.spreadTicks);
}

/** Starts the election timer with the drawn number. A number that was not asked for is ignored. */
export function onDrawn({ state, effects, settings }: RaftStep, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  state.timeoutTicks = settings.electionTicks + value;
  effects.setTimer('election', state.timeoutTicks, false);
}

/** Restarts the election time-out. Within a term it is the one that the node has drawn. */
export function restartTimer(step: RaftStep): void {
  const { state, effects } = step;
  if (state.timeoutTicks === 0) draw(step);
  else if (!state.drawing) effects.setTimer('election', state.timeoutTicks, false);
}

/** RequestVote, and its dry run PRE_VOTE, whose term is the one that its sender would begin. */
export interface VoteQuestion<Type extends 'VOTE' | 'PRE_VOTE'> extends Configured {
  readonly type: Type;
  readonly term: number;
  readonly lastIndex: number;
}

export interface VoteReply<Type extends 'VOTE_REPLY' | 'PRE_VOTE_REPLY'> {
  readonly type: Type;
  readonly term: number;
  readonly granted: boolean;
}

export type RaftMessage =
  | VoteQuestion<'VOTE'>
  | VoteQuestion<'PRE_VOTE'>
  | VoteReply<'VOTE_REPLY'>
  | VoteReply<'PRE_VOTE_REPLY'>
  /** An empty AppendEntries. Its sender is the leader. */
  | ({ readonly type: 'HEARTBEAT' | 'HEARTBEAT_REPLY'; readonly term: number } & Configured)
  | LogMessage;

export type RaftState = {
  /** `halted`: its disk has no record of its own, so that it may have voted. */
  role: 'follower' | 'pre-candidate' | 'candidate' | 'leader' | 'halted';
  /** 0 before the first election. */
  term: number;
  votedFor: Rank | null;
  leader: Rank | null;
  /** Voters of the running candidacy, each once, however often their replies arrive. */
  granted: Rank[];
  refused: Rank[];
  /** Nodes that have answered the leader since it last checked. */
  active: Rank[];
  /** The election time-out as drawn in this term, in ticks. 0 until then. */
  timeoutTicks: number;
  /** Whether it has asked for a random number and not received it yet. */
  drawing: boolean;
  /** Whether it has received a leader's heartbeat within the shortest election time-out. */
  leased: boolean;
  /** Who counts; null while these are the founders. */
  configuration: Configuration | null;
  /** Members that have told this leader that they have its configuration. */
  confirmed: Rank[];
  /** Nodes that are to leave, by the reports that this node has received. */
  leaving: Rank[];
  /** Absent without a log, as is the lease by which a leader answers reads. */
  log?: RaftLog;
  tenure?: Tenure;
};

/** A node that has never voted and knows no leader. */
export function createRaftState(): RaftState {
  return {
    role: 'follower',
    term: 0,
    votedFor: null,
    leader: null,
    granted: [],
    refused: [],
    active: [],
    timeoutTicks: 0,
    drawing: false,
    leased: false,
    configuration: null,
    confirmed: [],
    leaving: [],
  };
}

/** A node that returns with what `recordOf` stored. With null it has forgotten term and vote. */
export function restoreRaftState(self: Self, persisted: Json): RaftState {
  const state = createRaftState();
  if (persisted === null) return state;
  if (typeof persisted === 'object' && 'term' in persisted && 'votedFor' in persisted) {
    const { term, votedFor } = persisted;
    const voted = votedFor === null ? null : self.members.find((member) => member === votedFor);
    const configuration = storedConfiguration(
      'configuration' in persisted ? persisted.configuration : null,
    );
    if (isTerm(term) && voted !== undefined && configuration !== undefined)
      return { ...state, term, votedFor: voted, configuration };
  }
  return { ...state, role: 'halted' };
}

/** What must be on disk before any message that depends on it is sent. */
export function recordOf({ term, votedFor, configuration, log }: RaftState): Json {
  const entries = log && { log: log.entries };
  return { term, votedFor, ...configured({ configuration }), ...entries };
}
