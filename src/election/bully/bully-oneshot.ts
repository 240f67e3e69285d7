/**
 * @module
 * The Bully election in its one-shot textbook form, after Garcia-Molina (1982), "Elections in a
 * Distributed Computing System", IEEE Trans. Computers C-31(1); the original's Halt, Reorganization
 * and Ready steps are another protocol. Messages carry no epoch, so an old COORDINATOR is believed.
 *
 * Invariants: (1) one election at a time: a node outside `idle` starts no other (`dedup`); (2)
 * `await-ok` holds a timer for each open election, `await-coordinator` timer "coordinator", `idle`
 * neither; (3) the highest member never waits; (4) no node elects one below itself; (5) OK goes only
 * downwards. Message bound, highest dead, n members, detectors all or the lowest: n(n−1)/2 ELECTION +
 * (n−1)(n−2)/2 OK + n−2 COORDINATOR = n² − n − 1, O(n²) (Garcia-Molina 1982); at best n − 1. With
 * `naive` it is exponential: 2ⁿ⁻¹ − 1 ELECTION from one detector.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';
import { higherMembers, isHighest } from './seniority.ts';

export type BullyMessage =
  | { readonly type: 'ELECTION' | 'OK' }
  | { readonly type: 'COORDINATOR'; readonly leader: Rank };

export type BullyState = {
  phase: 'idle' | 'await-ok' | 'await-coordinator';
  /** The timers of elections that nobody has answered yet: one at most under `dedup`. */
  open: Record<string, true>;
  /** How many: half a million under `naive`, too many to look through at each step. */
  openCount: number;
  /** Elections that were ever open (`naive` only). */
  begun: number;
  leader: Rank | null;
  /** It was down, or has elected somebody: its leader is no longer the one of before the run. */
  settled: boolean;
  /** It has been down, and its detector did not tell it then who returned. */
  wasDown: boolean;
  /**
   * Higher nodes that a detector has seen return and not suspected since; those too that answered or
   * led, where it was down.
   */
  up: Rank[];
  /** Back for less than T: some that are up have not answered yet (short cuts only). */
  justBack: boolean;
  /** The highest node has just announced itself and only answers (`announceOnce`). */
  quiet: boolean;
};

/**
 * Where published descriptions differ, and message counts with them; the default comes first.
 *
 * - rejoin: whether a question starts an election only at a node that has none running, or each
 *   question another one, which is how one-page listings read when taken literally.
 * - coordTo: whom COORDINATOR is sent to, the lower members or every other one.
 * - aliveTop: what the highest node does when it is asked: announce once for all questions of a
 *   tick, or announce and then only answer for T, by when nobody asks who has not heard; whoever
 *   returns meanwhile has not, and ends it.
 */
export const BULLY_FLAGS = {
  rejoin: ['dedup', 'naive'],
  coordTo: ['lower', 'all'],
  aliveTop: ['reannounce', 'announceOnce'],
} as const;

export type BullyFlags = {
  readonly [Name in keyof typeof BULLY_FLAGS]: (typeof BULLY_FLAGS)[Name][number];
};

const DEFAULT_FLAGS: BullyFlags = { rejoin: 'dedup', coordTo: 'lower', aliveTop: 'reannounce' };
const ELECTION: BullyMessage = { type: 'ELECTION' };
const OK: BullyMessage = { type: 'OK' };
/** The one-shot form numbers no elections. */
const EPOCH = 0;

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyOneshot(
  timing: Timing,
  flags: Partial<BullyFlags> = {},
): Machine<BullyState, BullyMessage> {
  const allFlags = { ...DEFAULT_FLAGS, ...flags };
  return {
    init: initBully,
    step: (self, state, event, effects) =>
      stepBully({ timing, flags: allFlags, self, state, effects }, event),
  };
}

/** At rest, following whom everybody followed. */
export function initBully(self: Self): BullyState {
  return {
    phase: 'idle',
    open: {},
    openCount: 0,
    begun: 0,
    leader: self.incumbent,
    settled: false,
    wasDown: false,
    up: [],
    justBack: false,
    quiet: false,
  };
}

/** Everything one step works with. */
export interface BullyStep {
  readonly timing: Timing;
  readonly flags: BullyFlags;
  readonly self: Self;
  readonly state: BullyState;
  readonly effects: Effects<BullyMessage>;
}

/** One step, also of the variants that take a short cut before they ask. */
export function stepBully(context: BullyStep, event: Event<BullyMessage>): void {
  const { self, state } = context;
  switch (event.type) {
    case 'start':
      begin(context);
      break;
    case 'recover':
      state.leader = null;
      state.settled = true;
      state.wasDown = true;
      begin(context);
      break;
    case 'suspect':
      forgetUp(state, event.node);
      if (event.node === state.leader) begin(context);
      break;
    case 'trust':
      if (event.node > self.rank) onHigherReturned(context, event.node);
      // It was down and may not have heard: its question is to be answered in full.
      else if (state.quiet) endQuiet(context);
      break;
    case 'deliver':
      onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      onTimeout(context, event.timer);
      break;
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

function onMessage(context: BullyStep, from: Rank, message: BullyMessage): void {
  const { self, state } = context;
  switch (message.type) {
    case 'ELECTION':
      if (from < self.rank) onQuestion(context, from);
      break;
    case 'OK':
      if (from <= self.rank) break;
      if (state.wasDown) noteUp(state, from);
      if (state.phase === 'await-ok') awaitCoordinator(context);
      break;
    case 'COORDINATOR':
      // Bully back: whoever announces a lower node has not heard of this one.
      if (message.leader < self.rank) begin(context);
      else if (!isOvertaken(state, message.leader)) follow(context, message.leader);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(context: BullyStep, timer: string): void {
  const { state } = context;
  if (Object.hasOwn(state.open, timer)) {
    delete state.open[timer];
    state.openCount -= 1;
    announce(context);
  }
  if (timer === 'announce' && state.phase === 'idle') announce(context);
  if (timer === 'quiet') state.quiet = false;
  if (timer === 'coordinator' && state.phase === 'await-coordinator') {
    state.phase = 'idle';
    begin(context);
  }
}

function begin(context: BullyStep): void {
  const { self, state, effects } = context;
  if (state.phase !== 'idle' && context.flags.rejoin === 'dedup') return;
  if (isHighest(self)) {
    announce(context);
    return;
  }
  for (const member of higherMembers(self)) effects.send(member, ELECTION);
  if (state.phase === 'await-coordinator') effects.cancelTimer('coordinator');
  state.phase = 'await-ok';
  const timer = nameElection(context);
  state.open[timer] = true;
  state.openCount += 1;
  effects.setTimer(timer, answerTicks(context.timing), false);
}

/** The timer of the election that begins now; each has its own where several may be open. */
function nameElection({ state, flags }: BullyStep): string {
  if (flags.rejoin === 'dedup') return 'answer';
  state.begun += 1;
  return `answer:${state.begun}`;
}

function onQuestion(context: BullyStep, from: Rank): void {
  const { self, state, effects } = context;
  effects.send(from, OK);
  if (!isHighest(self)) begin(context);
  // At the end of the tick, so that all questions of one tick cost one announcement.
  else if (!state.quiet) effects.setTimer('announce', 0, false);
}

/** Leads, and says so. */
export function announce(context: BullyStep): void {
  const { self, effects, flags } = context;
  const announcement: BullyMessage = { type: 'COORDINATOR', leader: self.rank };
  settle(context, self.rank);
  for (const member of self.members) {
    if (member < self.rank || (member > self.rank && flags.coordTo === 'all')) {
      effects.send(member, announcement);
    }
  }
  if (flags.aliveTop === 'announceOnce' && isHighest(self)) {
    context.state.quiet = true;
    effects.setTimer('quiet', answerTicks(context.timing), false);
  }
}

function follow(context: BullyStep, leader: Rank): void {
  const { state, effects } = context;
  // An older announcement may still be on its way, and would be believed.
  if (state.wasDown && leader > context.self.rank) noteUp(state, leader);
  closeElections(context);
  if (state.phase === 'await-coordinator') effects.cancelTimer('coordinator');
  settle(context, leader);
}

function settle(context: BullyStep, leader: Rank): void {
  const { state } = context;
  state.phase = state.openCount === 0 ? 'idle' : 'await-ok';
  state.leader = leader;
  state.settled = true;
  context.effects.elect(leader, EPOCH);
}

function closeElections({ state, effects }: BullyStep): void {
  if (state.openCount === 0) return;
  for (const timer of Object.keys(state.open)) effects.cancelTimer(timer);
  state.open = {};
  state.openCount = 0;
}

/**
 * A detector's word that a higher node is up is worth that node's OK, and its announcement is on
 * the way. Without it a standing leader would lead beside the returned one for up to Δ.
 */
function onHigherReturned(context: BullyStep, node: Rank): void {
  const { self, state } = context;
  noteUp(state, node);
  const leads = state.phase === 'idle' && state.leader === self.rank;
  if (leads || state.phase === 'await-ok') awaitCoordinator(context);
}

function endQuiet({ state, effects }: BullyStep): void {
  state.quiet = false;
  effects.cancelTimer('quiet');
}

function noteUp(state: BullyState, node: Rank): void {
  if (!state.up.includes(node)) state.up.push(node);
}

/** A node that was up is down. */
export function forgetUp(state: BullyState, node: Rank): void {
  state.up = state.up.filter((other) => other !== node);
}

/** A lower node announced itself before a higher one returned, and its message took longer. */
export function isOvertaken(state: BullyState, leader: Rank): boolean {
  return state.up.some((node) => node > leader);
}

/** Somebody higher is up: this node does not lead, and waits to hear who does. */
export function awaitCoordinator(context: BullyStep): void {
  const { self, state, effects } = context;
  closeElections(context);
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  state.phase = 'await-coordinator';
  effects.setTimer('coordinator', announcementTicks(context.timing), false);
}
