/**
 * @module
 * Arghavani, Ahmadi and Haghighat (2011), "Improved Bully Election Algorithm in Distributed Systems",
 * as lectures give it: while it is well the coordinator asks who is up (INFO_REQ, INFO) and declares
 * who comes next (NEXT). Whoever notices its crash tells that one (CRASH), which announces itself; if
 * nothing comes of it within T', the one-shot election is held.
 *
 * A leader gathers when its detector has news, not by the clock, so a network at rest is silent; until
 * then the member right below the leader is next, as if declared before. Invariants: those of
 * bully-oneshot, and (6) NEXT counts only from the leader one follows, newest first, and names no one
 * below oneself; (7) CRASH counts only for a leader of before this election that has not come back:
 * for any other the next in line has a detector of its own. Message bound at a crash: n−2 COORDINATOR
 * and a CRASH from each other detector; 3(n−1) to gather; the fallback as bully-oneshot.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import { heedReturn, noticesFailure } from './bully-nextinline.ts';
import type { BullyFlags, BullyMessage, BullyState } from './bully-oneshot.ts';
import {
  announce,
  awaitCoordinator,
  forgetUp,
  initBully,
  isOvertaken,
  stepBully,
} from './bully-oneshot.ts';

export type ImprovedMessage =
  | BullyMessage
  /** `round`: the leader's gatherings so far, this one included. */
  | { readonly type: 'INFO_REQ' | 'INFO'; readonly round: number }
  | { readonly type: 'NEXT'; readonly next: Rank; readonly round: number }
  | { readonly type: 'CRASH'; readonly leader: Rank };

export type ImprovedState = BullyState & {
  /** Who is to lead when the leader fails. */
  next: Rank | null;
  /** Gatherings of this node while it leads, otherwise the newest of its leader's. */
  round: number;
  /** The highest lower node that has answered this node's present gathering. */
  highestInfo: Rank | null;
};

const FLAGS: BullyFlags = { rejoin: 'dedup', coordTo: 'lower', aliveTop: 'reannounce' };

interface Step {
  readonly timing: Timing;
  readonly flags: BullyFlags;
  readonly self: Self;
  readonly state: ImprovedState;
  readonly effects: Effects<ImprovedMessage>;
}

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyImproved(timing: Timing): Machine<ImprovedState, ImprovedMessage> {
  return {
    init: (self) => ({
      ...initBully(self),
      next: memberBelow(self, self.incumbent),
      round: 0,
      highestInfo: null,
    }),
    step(self, state, event, effects) {
      const leaderBefore = state.leader;
      step({ timing, flags: FLAGS, self, state, effects }, event);
      if (state.leader !== leaderBefore) expectNextBelow(self, state);
    },
  };
}

function step(context: Step, event: Event<ImprovedMessage>): void {
  const { self, state } = context;
  if (event.type === 'suspect') forgetUp(state, event.node);
  heedReturn(context, event);
  if (noticesFailure(self, state, event)) {
    onFailure(context);
    return;
  }
  switch (event.type) {
    case 'deliver':
      onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      if (event.timer === 'info') declareNext(context);
      else stepBully(context, event);
      break;
    case 'suspect':
    case 'trust':
      // A returned leader numbers its gatherings anew.
      if (event.node === state.leader) expectNextBelow(self, state);
      stepBully(context, event);
      if (leads(context) && event.node !== self.rank) gather(context);
      break;
    case 'start':
    case 'recover':
    case 'join':
    case 'leave':
    case 'chosen':
    case 'reply':
    case 'request':
      stepBully(context, event);
      break;
    default:
      event satisfies never;
  }
}

function onMessage(context: Step, from: Rank, message: ImprovedMessage): void {
  const { self, state, effects } = context;
  switch (message.type) {
    case 'INFO_REQ':
      effects.send(from, { type: 'INFO', round: message.round });
      break;
    case 'INFO':
      if (message.round !== state.round || !leads(context) || from > self.rank) break;
      if (state.highestInfo === null || from > state.highestInfo) state.highestInfo = from;
      break;
    case 'NEXT':
      if (from === state.leader) onNext(context, message);
      break;
    case 'CRASH':
      onCrash(context, message.leader);
      break;
    case 'ELECTION':
    case 'OK':
    case 'COORDINATOR':
      stepBully(context, { type: 'deliver', from, message });
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

/** The leader is down: the declared one takes over, the others tell it. */
function onFailure(context: Step): void {
  const { self, state, effects } = context;
  const { leader } = state;
  const next = trustedNext(state);
  if (next === self.rank) {
    announce(context);
  } else if (next !== null && leader !== null && self.rank < next) {
    effects.send(next, { type: 'CRASH', leader });
    awaitCoordinator(context);
  } else {
    stepBully(context, { type: 'start' });
  }
}

function onCrash(context: Step, leader: Rank): void {
  const { self, state } = context;
  const isBelieved = noticesFailure(self, state, { type: 'start' }) && state.leader === leader;
  if (isBelieved && trustedNext(state) === self.rank) announce(context);
}

/** The declared next, unless a higher one has returned since: it was declared without that one. */
function trustedNext(state: ImprovedState): Rank | null {
  const { next } = state;
  return next === null || isOvertaken(state, next) ? null : next;
}

/** A leader's declaration, unless it is old, names no member or denies that this node is up. */
function onNext(context: Step, message: ImprovedMessage & { readonly type: 'NEXT' }): void {
  const { self, state } = context;
  const { next, round } = message;
  if (state.leader === null || round <= state.round) return;
  if (next < self.rank || next >= state.leader || !self.members.includes(next)) return;
  state.round = round;
  state.next = next;
}

function gather({ timing, self, state, effects }: Step): void {
  state.round += 1;
  state.highestInfo = null;
  for (const member of otherMembers(self)) {
    effects.send(member, { type: 'INFO_REQ', round: state.round });
  }
  effects.setTimer('info', answerTicks(timing), false);
}

function declareNext(context: Step): void {
  const { self, state, effects } = context;
  const next = state.highestInfo;
  state.highestInfo = null;
  if (next === null || !leads(context)) return;
  for (const member of otherMembers(self)) {
    effects.send(member, { type: 'NEXT', next, round: state.round });
  }
}

function leads({ self, state }: Step): boolean {
  return state.leader === self.rank;
}

/** What everybody may expect of a leader that has declared nothing yet. */
function expectNextBelow(self: Self, state: ImprovedState): void {
  state.next = memberBelow(self, state.leader);
  state.round = 0;
  state.highestInfo = null;
}

function memberBelow(self: Self, leader: Rank | null): Rank | null {
  if (leader === null) return null;
  return self.members[self.members.indexOf(leader) - 1] ?? null;
}

function otherMembers(self: Self): readonly Rank[] {
  return self.members.filter((member) => member !== self.rank);
}
