/**
 * @module
 * Bully in two phases, in the form of lectures (states Normal, Election, Waiting). It combines the
 * Halt, Reorganization and Ready of Garcia-Molina (1982), "Elections in a Distributed Computing System".
 * The highest node makes every lower one stand by (PREPARE) and announces itself (ANNOUNCE) when all
 * live nodes have answered READY or T is over. Lectures leave that answer open.
 *
 * Invariants: (1) a node follows a leader in `normal` only, so that two nodes in `normal` follow the
 * same one at every moment; (2) ANNOUNCE counts only for the election that this node stands by for;
 * (3) each phase but `normal` has one timer, whose end restarts the election; (4) no node stands by for
 * a lower one. A leader that forgets its election numbers breaks (2).
 */

import { breaks } from '../definition/fault-row.ts';
import { bySender, naming } from '../definition/forgery.ts';
import { DIRECT, UNRELAYED_STATEMENT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Json, Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks, standbyTicks } from '../timing.ts';
import {
  BULLY_FAULTS,
  BULLY_FORGERY,
  GARCIA_MOLINA,
  HELD_BACK,
  higherMembers,
  LATE_OK,
  LEADS_ITSELF,
  lowerMembers,
  NORMAL_STATES,
  SILENT_BULLY,
  SYNCHRONOUS,
} from './bully-facts.ts';

export type TwoPhaseMessage =
  | { readonly type: 'ELECTION' | 'OK' }
  | {
      readonly type: 'PREPARE' | 'READY' | 'ANNOUNCE';
      readonly leader: Rank;
      /** Number of this election among those of its leader. */
      readonly election: number;
    };

type Prepared = Extract<TwoPhaseMessage, { leader: Rank }>;

export type TwoPhaseState = {
  phase: 'normal' | 'await-ok' | 'await-prepare' | 'preparing' | 'waiting';
  /** The node that it follows in `normal` or stands by for in `waiting`. Null in other phases. */
  leader: Rank | null;
  /** The leader's number of the election that it stands by for or has settled. */
  election: number;
  /** Number of elections that this node has prepared. On disk, so that no number is used twice. */
  prepared: number;
  /** While preparing, the lower members that have not answered. */
  unready: Rank[];
};

type Own = Step<TwoPhaseState, TwoPhaseMessage, Timing>;

const ELECTION: TwoPhaseMessage = { type: 'ELECTION' };
const OK: TwoPhaseMessage = { type: 'OK' };
/** Each leader numbers its own elections. There is no common epoch. */
const EPOCH = 0;
const MEMBERS = { leader: 'rank', election: 'integer' } as const;

export const BULLY_2PHASE = defineProtocol({
  name: 'bully-2phase',
  assumes: SYNCHRONOUS,
  decided: null,
  messageBound: 'as bully-oneshot, and 2(n-2) for PREPARE and READY',
  messagesAbout: (nodes) => nodes ** 2 + 2 * nodes,
  source: `${GARCIA_MOLINA}; in the two phases of lectures`,
  flags: {},
  forgery: {
    numbering: 'election',
    announcement: naming(({ about, epoch }) =>
      ['PREPARE', 'ANNOUNCE'].map((type) => ({ type, leader: about, election: epoch })),
    ),
    candidacy: bySender(() => [ELECTION]),
    answer: bySender(() => [OK]),
    ...BULLY_FORGERY,
  },
  messages: {
    ELECTION: { members: {}, ...DIRECT },
    OK: { members: {}, ...DIRECT },
    PREPARE: { members: MEMBERS, ...LEADS_ITSELF },
    READY: { members: MEMBERS, candidates: ['leader'], ...UNRELAYED_STATEMENT },
    ANNOUNCE: { members: MEMBERS, ...LEADS_ITSELF },
  },
  waiting: { answers: ['OK', 'PREPARE'], announcements: [], roundTicks: announcementTicks },
  stall: { withheld: ['ANNOUNCE'], hastened: [] },
  faults: {
    reorder: breaks(['S1'], HELD_BACK),
    // Searches find the violations of S2 and S3. Drawn runs rarely do.
    delay: breaks(['S1'], LATE_OK, { rarely: ['S2', 'S3'] }),
    pause: breaks(
      ['S1'],
      'A leader that wakes up still leads. One that wakes up while it prepares leads beside its successor.',
      { rarely: ['S2', 'S3'] },
    ),
    ...NORMAL_STATES,
    ...BULLY_FAULTS,
  },
  create: createBullyTwoPhase,
  ...SILENT_BULLY,
});

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyTwoPhase(timing: Timing): Machine<TwoPhaseState, TwoPhaseMessage> {
  return createMachine<TwoPhaseState, TwoPhaseMessage, Timing>({
    settings: timing,
    init: (self) => ({
      phase: 'normal',
      leader: self.incumbent,
      election: 0,
      prepared: 0,
      unready: [],
    }),
    on: {
      start(step) {
        if (step.state.phase === 'normal') begin(step);
      },
      recover(step, persisted) {
        step.state.prepared = numberOnDisk(persisted);
        step.state.leader = null;
        begin(step);
      },
      suspect(step, node) {
        if (node === step.state.leader) begin(step);
      },
      deliver: {
        ELECTION(step, _message, from) {
          if (from > step.self.rank) return;
          step.effects.send(from, OK);
          if (step.state.phase === 'normal') begin(step);
        },
        OK(step, _message, from) {
          if (from > step.self.rank && step.state.phase === 'await-ok') {
            enter(step, 'await-prepare', announcementTicks(step.settings));
          }
        },
        PREPARE(step, message) {
          const { self, state } = step;
          if (message.leader > self.rank) onPrepare(step, message);
          // Bully back: a node that prepares a lower one does not know of this one.
          else if (message.leader < self.rank && state.phase === 'normal') begin(step);
        },
        READY(step, { leader, election }, from) {
          if (leader === step.self.rank && election === step.state.election) onReady(step, from);
        },
        ANNOUNCE(step, message) {
          const { state } = step;
          if (state.phase !== 'waiting' || message.leader !== state.leader) return;
          if (message.election === state.election) settle(step, message.leader);
        },
      },
      timeout: {
        'await-ok': ending('await-ok', prepare),
        'await-prepare': ending('await-prepare', begin),
        preparing: ending('preparing', announce),
        waiting: ending('waiting', begin),
      },
    },
  });
}

/** The timer of a phase ends it. `next` follows if the node is still in that phase. */
function ending(phase: TwoPhaseState['phase'], next: (step: Own) => void) {
  return (step: Own): void => {
    if (step.state.phase !== phase) return;
    step.state.phase = 'normal';
    step.state.leader = null;
    next(step);
  };
}

/** Asks all higher members. The highest has none to ask. */
function begin(step: Own): void {
  const { self, settings, effects } = step;
  const higher = higherMembers(self);
  if (higher.length === 0) {
    prepare(step);
    return;
  }
  for (const member of higher) effects.send(member, ELECTION);
  enter(step, 'await-ok', answerTicks(settings));
}

/** No higher node answers: all lower members must stand by. */
function prepare(step: Own): void {
  const { self, state, effects, settings } = step;
  const lower = lowerMembers(self);
  enter(step, 'preparing', answerTicks(settings));
  state.prepared += 1;
  state.election = state.prepared;
  state.unready = [...lower];
  effects.persist({ prepared: state.prepared });
  const { election } = state;
  for (const member of lower)
    effects.send(member, { type: 'PREPARE', leader: self.rank, election });
  if (lower.length === 0) announce(step);
}

/**
 * A higher node prepares. If two do, only the higher one counts. Of two elections of one node only the
 * later counts.
 */
function onPrepare(step: Own, message: Prepared): void {
  const { state, effects, settings } = step;
  const { leader, election } = message;
  if (state.phase === 'waiting' && state.leader !== null) {
    if (leader < state.leader) return;
    if (leader === state.leader && election < state.election) return;
  }
  enter(step, 'waiting', standbyTicks(settings));
  state.leader = leader;
  state.election = election;
  effects.send(leader, { type: 'READY', leader, election });
}

function onReady(step: Own, from: Rank): void {
  const { state } = step;
  if (state.phase !== 'preparing') return;
  state.unready = state.unready.filter((member) => member !== from);
  if (state.unready.length === 0) announce(step);
}

/** All live nodes stand by, so that no node follows another one: this node leads. */
function announce(step: Own): void {
  const { self, state, effects } = step;
  const { election, unready } = state;
  settle(step, self.rank);
  for (const member of lowerMembers(self)) {
    if (unready.includes(member)) continue;
    effects.send(member, { type: 'ANNOUNCE', leader: self.rank, election });
  }
}

function settle(step: Own, leader: Rank): void {
  const { state, effects } = step;
  if (state.phase !== 'normal') effects.cancelTimer(state.phase);
  state.phase = 'normal';
  state.leader = leader;
  state.unready = [];
  effects.elect(leader, EPOCH);
}

/** Enters a phase, which the timer of its name ends. The node no longer follows its leader. */
function enter(
  { state, effects }: Own,
  phase: Exclude<TwoPhaseState['phase'], 'normal'>,
  ticks: number,
): void {
  if (state.phase !== 'normal') effects.cancelTimer(state.phase);
  else if (state.leader !== null) effects.stepDown();
  state.phase = phase;
  state.leader = null;
  state.unready = [];
  effects.setTimer(phase, ticks, false);
}

function numberOnDisk(persisted: Json): number {
  if (persisted === null || typeof persisted !== 'object' || !('prepared' in persisted)) return 0;
  return typeof persisted.prepared === 'number' ? persisted.prepared : 0;
}
