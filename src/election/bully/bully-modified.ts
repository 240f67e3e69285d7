/**
 * @module
 * Kordafshari, Gholipour, Jahanshahi and Haghighat (2005), "Modified bully election algorithm in
 * distributed systems", as lectures give it: whoever is asked answers OK with its priority and starts
 * nothing; after T the one that asked grants the election to the highest that answered (GRANT), and
 * that one announces itself. Where they are silent: who is granted the election while it holds
 * one of its own says OK again and is granted it again after T; a grant that brings nothing within T
 * goes to the next highest and at last to oneself; all grants of a tick cost one announcement.
 *
 * Invariants: (1) one election at a time; an ELECTION from below changes nothing in one's own; (2)
 * `asking`, `granting` and `await-coordinator` each hold the timer of their name, `idle` none; (3) no
 * node elects one below itself; (4) none announces itself that knows of a higher one up; (5) who
 * answered asks for itself when the one that asked dies before a leader is heard. Message bound,
 * highest dead, one detector i: n−i ELECTION + n−1−i OK + GRANT + n−2 COORDINATOR, 3n − 4 for the
 * lowest; O(n²) when all detect. Needs synchrony, reliable links, a detector that never errs.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';
import { higherMembers, isHighest, lowerMembers } from './seniority.ts';

export type ModifiedMessage =
  /** `election`: the how manieth of the one that asks; answers and grants repeat it. */
  | { readonly type: 'ELECTION' | 'GRANT'; readonly election: number }
  | { readonly type: 'OK'; readonly priority: Rank; readonly election: number }
  | { readonly type: 'COORDINATOR'; readonly leader: Rank };

export type ModifiedState = {
  phase: 'idle' | 'asking' | 'granting' | 'await-coordinator';
  leader: Rank | null;
  /** Elections this node has started since it is up. */
  election: number;
  /** Who answered, ascending, without the one that was granted the election and has not answered it. */
  answers: Rank[];
  /** Who asked since this node last heard a leader; each owes it a grant or an announcement. */
  asked: Rank[];
  /** The last grant that was taken; the same one again is a copy. */
  granted: { readonly by: Rank; readonly election: number } | null;
  /** The highest that is known to be up: seen to return or heard to lead, not suspected since. */
  senior: Rank | null;
};

/** The protocol numbers no elections for all. */
const EPOCH = 0;

interface Step {
  readonly timing: Timing;
  readonly self: Self;
  readonly state: ModifiedState;
  readonly effects: Effects<ModifiedMessage>;
}

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyModified(timing: Timing): Machine<ModifiedState, ModifiedMessage> {
  return {
    init: (self) => ({
      phase: 'idle',
      leader: self.incumbent,
      election: 0,
      answers: [],
      asked: [],
      granted: null,
      senior: null,
    }),
    step: (self, state, event, effects) => step({ timing, self, state, effects }, event),
  };
}

function step(context: Step, event: Event<ModifiedMessage>): void {
  const { state } = context;
  switch (event.type) {
    case 'start':
      begin(context);
      break;
    case 'recover':
      state.leader = null;
      begin(context);
      break;
    case 'suspect':
      if (event.node === state.senior) state.senior = null;
      if (event.node === state.leader || state.asked.includes(event.node))
        onFailure(context, event.node);
      break;
    case 'trust':
      onReturned(context, event.node);
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

function onMessage(context: Step, from: Rank, message: ModifiedMessage): void {
  const { self, state, effects } = context;
  switch (message.type) {
    case 'ELECTION':
      if (from > self.rank) break;
      if (!state.asked.includes(from)) state.asked.push(from);
      effects.send(from, { type: 'OK', priority: self.rank, election: message.election });
      break;
    case 'OK':
      // Nobody answers for another: the grant would go to a node that has not spoken.
      if (message.priority === from && message.election === state.election) onAnswer(context, from);
      break;
    case 'GRANT':
      if (from < self.rank) onGrant(context, { by: from, election: message.election });
      break;
    case 'COORDINATOR':
      // Bully back: whoever announces a lower node has not heard of this one.
      if (message.leader < self.rank) begin(context);
      else if (!isOvertaken(state, message.leader)) {
        // A copy of an older announcement may still be on its way, and would be believed.
        state.senior = message.leader;
        settle(context, message.leader);
      }
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(context: Step, timer: string): void {
  const { self, state } = context;
  if (timer === 'announce') {
    if (state.phase === 'idle' && !isOvertaken(state, self.rank)) announce(context);
  } else if (state.phase !== 'idle' && timer === state.phase) {
    const { phase } = state;
    state.phase = 'idle';
    if (phase === 'await-coordinator') begin(context);
    else grantNext(context);
  }
}

/** Its leader is down, or one that asked and will neither grant the election nor hold it. */
function onFailure(context: Step, node: Rank): void {
  const { state } = context;
  state.asked = state.asked.filter((other) => other !== node);
  begin(context);
}

function begin(context: Step): void {
  const { self, state, effects, timing } = context;
  if (state.phase !== 'idle') return;
  if (isHighest(self)) {
    announce(context);
    return;
  }
  state.election += 1;
  state.answers = [];
  for (const member of higherMembers(self)) {
    effects.send(member, { type: 'ELECTION', election: state.election });
  }
  enter(context, 'asking', answerTicks(timing));
}

/**
 * While granting, it is the granted one that asks for patience. At rest it is late; from somebody
 * higher than the leader it says that this node believed an announcement that was overtaken.
 */
function onAnswer(context: Step, from: Rank): void {
  const { self, state } = context;
  if (state.phase === 'idle' && state.leader !== null && from > state.leader) begin(context);
  if (state.phase !== 'asking' && state.phase !== 'granting') return;
  if (from < self.rank || state.answers.includes(from)) return;
  const below = state.answers.filter((other) => other < from);
  const above = state.answers.filter((other) => other > from);
  state.answers = [...below, from, ...above];
}

/** T is over: the election goes to the highest that is left of those who answered, or to this node. */
function grantNext(context: Step): void {
  const { self, state, effects, timing } = context;
  const highest = state.answers.at(-1);
  if (highest !== undefined) {
    state.answers = state.answers.slice(0, -1);
    effects.send(highest, { type: 'GRANT', election: state.election });
    enter(context, 'granting', answerTicks(timing));
  } else if (isOvertaken(state, self.rank)) {
    awaitCoordinator(context);
  } else {
    announce(context);
  }
}

function onGrant(context: Step, grant: { readonly by: Rank; readonly election: number }): void {
  const { self, state, effects } = context;
  if (state.granted?.by === grant.by && state.granted.election === grant.election) return;
  const knowsHigher = isOvertaken(state, self.rank);
  if (state.phase === 'idle' && !knowsHigher) {
    state.granted = grant;
    // At the end of the tick, so that all grants of one tick cost one announcement.
    effects.setTimer('announce', 0, false);
  } else {
    effects.send(grant.by, { type: 'OK', priority: self.rank, election: grant.election });
    if (knowsHigher) begin(context);
  }
}

function announce(context: Step): void {
  const { self, effects } = context;
  settle(context, self.rank);
  for (const member of lowerMembers(self)) {
    effects.send(member, { type: 'COORDINATOR', leader: self.rank });
  }
}

function settle({ state, effects }: Step, leader: Rank): void {
  if (state.phase !== 'idle') effects.cancelTimer(state.phase);
  state.phase = 'idle';
  state.answers = [];
  state.asked = [];
  state.leader = leader;
  effects.elect(leader, EPOCH);
}

/**
 * A detector's word that a higher node is up is worth that node's OK, and somebody's announcement
 * follows. Without it a standing leader would lead beside the returned one for up to Δ.
 */
function onReturned(context: Step, node: Rank): void {
  const { self, state } = context;
  // What has returned numbers its elections anew.
  if (state.granted?.by === node) state.granted = null;
  if (node < self.rank) return;
  if (state.senior === null || node > state.senior) state.senior = node;
  const leads = state.phase === 'idle' && state.leader === self.rank;
  if (leads || state.phase === 'asking' || state.phase === 'granting') awaitCoordinator(context);
}

/** A lower node announced itself, or was to, before a higher one returned. */
function isOvertaken(state: ModifiedState, leader: Rank): boolean {
  return state.senior !== null && leader < state.senior;
}

/** Somebody higher is up: this node does not lead, and waits to hear who does. */
function awaitCoordinator(context: Step): void {
  const { self, state, effects, timing } = context;
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  enter(context, 'await-coordinator', announcementTicks(timing));
}

/** Goes over to a phase that a timer of its name ends. */
function enter(
  { state, effects }: Step,
  phase: Exclude<ModifiedState['phase'], 'idle'>,
  ticks: number,
): void {
  if (state.phase !== 'idle') effects.cancelTimer(state.phase);
  state.phase = phase;
  effects.setTimer(phase, ticks, false);
}
