/**
 * @module
 * The Bully election in its one-shot textbook form, after Garcia-Molina (1982), "Elections in a
 * Distributed Computing System", IEEE Trans. Computers C-31(1); the original's Halt, Reorganization
 * and Ready steps are another protocol. Messages carry no epoch, so an old COORDINATOR is believed.
 *
 * Invariants: (1) one election at a time: a node outside `idle` starts no other (`dedup`); (2)
 * `await-ok` holds timer "answer", `await-coordinator` timer "coordinator", `idle` neither; (3) the
 * highest member never waits; (4) no node elects one below itself; (5) OK goes only downwards.
 * Message bound, highest dead, n members, detectors all or the lowest: n(n−1)/2 ELECTION +
 * (n−1)(n−2)/2 OK + n−2 COORDINATOR = n² − n − 1, O(n²) (Garcia-Molina 1982); at best n − 1.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';

export type BullyMessage =
  | { readonly type: 'ELECTION' | 'OK' }
  | { readonly type: 'COORDINATOR'; readonly leader: Rank };

export type BullyState = {
  phase: 'idle' | 'await-ok' | 'await-coordinator';
  leader: Rank | null;
  /** The highest node that a detector has seen return and not suspected since. */
  returned: Rank | null;
  /** The highest node has just announced itself and only answers (`announceOnce`). */
  quiet: boolean;
};

/** Where published descriptions differ, and message counts with them. */
export interface BullyFlags {
  /** Whom COORDINATOR is sent to: the lower members, or every other one. */
  readonly coordTo: 'lower' | 'all';
  /**
   * What the highest node does when it is asked: announce once for all questions of a tick, or
   * announce and then only answer for T, by when nobody asks who has not heard.
   */
  readonly aliveTop: 'reannounce' | 'announceOnce';
}

const DEFAULT_FLAGS: BullyFlags = { coordTo: 'lower', aliveTop: 'reannounce' };
const ELECTION: BullyMessage = { type: 'ELECTION' };
const OK: BullyMessage = { type: 'OK' };
/** The one-shot form numbers no elections. */
const EPOCH = 0;

type Out = Effects<BullyMessage>;

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyOneshot(
  timing: Timing,
  flags: BullyFlags = DEFAULT_FLAGS,
): Machine<BullyState, BullyMessage> {
  return {
    init: (self) => ({ phase: 'idle', leader: self.incumbent, returned: null, quiet: false }),
    step: (self, state, event, effects) => step({ timing, flags, self, state, effects }, event),
  };
}

/** Everything one step works with. */
interface Step {
  readonly timing: Timing;
  readonly flags: BullyFlags;
  readonly self: Self;
  readonly state: BullyState;
  readonly effects: Out;
}

function step(context: Step, event: Event<BullyMessage>): void {
  const { self, state } = context;
  switch (event.type) {
    case 'start':
      begin(context);
      break;
    case 'recover':
      state.leader = null;
      begin(context);
      break;
    case 'suspect':
      if (event.node === state.returned) state.returned = null;
      if (event.node === state.leader) begin(context);
      break;
    case 'trust':
      if (event.node > self.rank) onHigherReturned(context, event.node);
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

function onMessage(context: Step, from: Rank, message: BullyMessage): void {
  const { self, state } = context;
  switch (message.type) {
    case 'ELECTION':
      if (from < self.rank) onQuestion(context, from);
      break;
    case 'OK':
      if (from > self.rank && state.phase === 'await-ok') awaitCoordinator(context);
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

function onTimeout(context: Step, timer: string): void {
  const { state } = context;
  if (timer === 'answer' && state.phase === 'await-ok') announce(context);
  if (timer === 'announce' && state.phase === 'idle') announce(context);
  if (timer === 'quiet') state.quiet = false;
  if (timer === 'coordinator' && state.phase === 'await-coordinator') {
    state.phase = 'idle';
    begin(context);
  }
}

function begin(context: Step): void {
  const { self, state, effects } = context;
  if (state.phase !== 'idle') return;
  if (isHighest(self)) {
    announce(context);
    return;
  }
  for (const member of higherMembers(self)) effects.send(member, ELECTION);
  state.phase = 'await-ok';
  effects.setTimer('answer', answerTicks(context.timing), false);
}

function onQuestion(context: Step, from: Rank): void {
  const { self, state, effects } = context;
  effects.send(from, OK);
  if (!isHighest(self)) begin(context);
  // At the end of the tick, so that all questions of one tick cost one announcement.
  else if (!state.quiet) effects.setTimer('announce', 0, false);
}

function announce(context: Step): void {
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

function follow(context: Step, leader: Rank): void {
  const { state, effects } = context;
  if (state.phase === 'await-ok') effects.cancelTimer('answer');
  if (state.phase === 'await-coordinator') effects.cancelTimer('coordinator');
  settle(context, leader);
}

function settle(context: Step, leader: Rank): void {
  context.state.phase = 'idle';
  context.state.leader = leader;
  context.effects.elect(leader, EPOCH);
}

/**
 * A detector's word that a higher node is up is worth that node's OK, and its announcement is on
 * the way. Without it a standing leader would lead beside the returned one for up to Δ.
 */
function onHigherReturned(context: Step, node: Rank): void {
  const { self, state } = context;
  if (state.returned === null || node > state.returned) state.returned = node;
  const leads = state.phase === 'idle' && state.leader === self.rank;
  if (leads || state.phase === 'await-ok') awaitCoordinator(context);
}

/** A lower node announced itself before a higher one returned, and its message took longer. */
function isOvertaken(state: BullyState, leader: Rank): boolean {
  return state.returned !== null && leader < state.returned;
}

/** Somebody higher is up: this node does not lead, and waits to hear who does. */
function awaitCoordinator(context: Step): void {
  const { self, state, effects } = context;
  if (state.phase === 'await-ok') effects.cancelTimer('answer');
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  state.phase = 'await-coordinator';
  effects.setTimer('coordinator', announcementTicks(context.timing), false);
}

function isHighest(self: Self): boolean {
  return self.members.at(-1) === self.rank;
}

function higherMembers(self: Self): readonly Rank[] {
  return self.members.slice(self.members.indexOf(self.rank) + 1);
}
