/**
 * @module
 * Bully in two phases, as lectures tell it (states Normal, Election, Waiting), a fold of the Halt,
 * Reorganization and Ready of Garcia-Molina (1982), "Elections in a Distributed Computing System". The
 * highest has everybody stand by (PREPARE) and announces (ANNOUNCE) when all who live have answered
 * READY or T is over; the lectures do not say how it learns that all wait, READY is that answer.
 *
 * Invariants: (1) a node follows a leader in `normal` alone, so two in `normal` follow the same one at
 * every instant; (2) ANNOUNCE counts only for the very election this node stands by for; (3) each
 * phase but `normal` holds one timer, whose end restarts the election; (4) no node stands by for one
 * below itself. Message bound: n² − n − 1 as bully-oneshot, and 2(n−2) for PREPARE and READY. Needs
 * synchrony and reliable links; a leader that forgets its election numbers breaks (2).
 */

import type { Effects, Event, Json, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks, standbyTicks } from '../timing.ts';
import { higherMembers, lowerMembers } from './seniority.ts';

export type TwoPhaseMessage =
  | { readonly type: 'ELECTION' | 'OK' }
  | {
      readonly type: 'PREPARE' | 'READY' | 'ANNOUNCE';
      readonly leader: Rank;
      /** The how manieth of this leader. */
      readonly election: number;
    };

export type TwoPhaseState = {
  phase: 'normal' | 'await-ok' | 'await-prepare' | 'preparing' | 'waiting';
  /** Whom it follows in `normal`, whom it stands by for in `waiting`; null in the others. */
  leader: Rank | null;
  /** Its leader's number of the election it stands by for or has settled. */
  election: number;
  /** Elections this node has prepared; on disk, so that no number is used twice. */
  prepared: number;
  /** While preparing, the lower members that have not answered. */
  unready: Rank[];
};

const ELECTION: TwoPhaseMessage = { type: 'ELECTION' };
const OK: TwoPhaseMessage = { type: 'OK' };
/** Elections are numbered by each leader for itself; there is no common epoch. */
const EPOCH = 0;

interface Step {
  readonly timing: Timing;
  readonly self: Self;
  readonly state: TwoPhaseState;
  readonly effects: Effects<TwoPhaseMessage>;
}

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyTwoPhase(timing: Timing): Machine<TwoPhaseState, TwoPhaseMessage> {
  return {
    init: (self) => ({
      phase: 'normal',
      leader: self.incumbent,
      election: 0,
      prepared: 0,
      unready: [],
    }),
    step: (self, state, event, effects) => step({ timing, self, state, effects }, event),
  };
}

function step(context: Step, event: Event<TwoPhaseMessage>): void {
  const { state } = context;
  switch (event.type) {
    case 'start':
      if (state.phase === 'normal') begin(context);
      break;
    case 'recover':
      state.prepared = numberOnDisk(event.persisted);
      state.leader = null;
      begin(context);
      break;
    case 'suspect':
      if (event.node === state.leader) begin(context);
      break;
    case 'deliver':
      onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      onTimeout(context, event.timer);
      break;
    case 'trust':
    case 'join':
    case 'leave':
    case 'chosen':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onMessage(context: Step, from: Rank, message: TwoPhaseMessage): void {
  const { self, state, effects } = context;
  switch (message.type) {
    case 'ELECTION':
      if (from > self.rank) break;
      effects.send(from, OK);
      if (state.phase === 'normal') begin(context);
      break;
    case 'OK':
      if (from > self.rank && state.phase === 'await-ok') {
        enter(context, 'await-prepare', announcementTicks(context.timing));
      }
      break;
    case 'PREPARE':
      if (message.leader > self.rank) onPrepare(context, message);
      // Bully back: whoever prepares a lower node has not heard of this one.
      else if (message.leader < self.rank && state.phase === 'normal') begin(context);
      break;
    case 'READY':
      if (message.leader === self.rank && message.election === state.election) {
        onReady(context, from);
      }
      break;
    case 'ANNOUNCE':
      if (state.phase !== 'waiting' || message.leader !== state.leader) break;
      if (message.election === state.election) settle(context, message.leader);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(context: Step, timer: string): void {
  const { state } = context;
  const { phase } = state;
  if (phase === 'normal' || timer !== phase) return;
  state.phase = 'normal';
  state.leader = null;
  if (phase === 'await-ok') prepare(context);
  else if (phase === 'preparing') announce(context);
  else begin(context);
}

/** Asks all higher members; the highest has nobody to ask. */
function begin(context: Step): void {
  const { self, timing, effects } = context;
  const higher = higherMembers(self);
  if (higher.length === 0) {
    prepare(context);
    return;
  }
  for (const member of higher) effects.send(member, ELECTION);
  enter(context, 'await-ok', answerTicks(timing));
}

/** Nobody higher answers: all lower members are to stand by. */
function prepare(context: Step): void {
  const { self, state, effects, timing } = context;
  const lower = lowerMembers(self);
  enter(context, 'preparing', answerTicks(timing));
  state.prepared += 1;
  state.election = state.prepared;
  state.unready = [...lower];
  effects.persist({ prepared: state.prepared });
  const { election } = state;
  for (const member of lower)
    effects.send(member, { type: 'PREPARE', leader: self.rank, election });
  if (lower.length === 0) announce(context);
}

/** A higher node prepares: of two that do, the higher counts, of two elections of one, the later. */
function onPrepare(context: Step, message: Extract<TwoPhaseMessage, { leader: Rank }>): void {
  const { state, effects, timing } = context;
  const { leader, election } = message;
  if (state.phase === 'waiting' && state.leader !== null) {
    if (leader < state.leader) return;
    if (leader === state.leader && election < state.election) return;
  }
  enter(context, 'waiting', standbyTicks(timing));
  state.leader = leader;
  state.election = election;
  effects.send(leader, { type: 'READY', leader, election });
}

function onReady(context: Step, from: Rank): void {
  const { state } = context;
  if (state.phase !== 'preparing') return;
  state.unready = state.unready.filter((member) => member !== from);
  if (state.unready.length === 0) announce(context);
}

/** All who live stand by, so nobody follows another: this node leads. */
function announce(context: Step): void {
  const { self, state, effects } = context;
  const { election, unready } = state;
  settle(context, self.rank);
  for (const member of lowerMembers(self)) {
    if (unready.includes(member)) continue;
    effects.send(member, { type: 'ANNOUNCE', leader: self.rank, election });
  }
}

function settle(context: Step, leader: Rank): void {
  const { state, effects } = context;
  if (state.phase !== 'normal') effects.cancelTimer(state.phase);
  state.phase = 'normal';
  state.leader = leader;
  state.unready = [];
  effects.elect(leader, EPOCH);
}

/** Goes over to a phase that a timer of its name ends; whom it followed it follows no more. */
function enter(
  { state, effects }: Step,
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
