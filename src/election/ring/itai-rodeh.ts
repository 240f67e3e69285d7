/**
 * @module
 * Itai and Rodeh (1990), "Symmetry breaking in distributed networks", Information and Computation
 * 88(1) (FOCS 1981): a ring whose nodes have no IDs but know how many they are. Everybody chooses one
 * of n IDs; the highest goes on, and several highest choose again in the next round. What an unearned
 * ID is worth: anybody may lead. Ranks are not compared; ELECTED carries the leader's, so that drivers
 * can say who is followed.
 *
 * Invariants: (1) a TOKEN passes only nodes that are passive, or behind it in (round, ID), or equal to
 * it, which it then remembers as `unique` false; (2) hops tell its owner that it is home, n at most;
 * (3) so an active node whose TOKEN comes home unique is the only one, at most one leader whatever the
 * schedule; (4) while a choice is open, TOKENs wait in `held`. Message bound: O(n log n) TOKEN in the
 * mean, less than e·n/(n−1) rounds (Itai and Rodeh 1990), no worst case; and n ELECTED. The rounds are
 * numbered, so no FIFO is needed. The paper knows no crashes: when a node is trusted again, a TOKEN or
 * an ELECTED that may have died in it is sent again; but one whose owner crashed may silence all others.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';

export type ItaiRodehMessage =
  | {
      readonly type: 'TOKEN';
      readonly round: number;
      readonly id: number;
      /** How many links it has travelled when it arrives. */
      readonly hops: number;
      /** It has met no other active node with its ID. */
      readonly unique: boolean;
    }
  | { readonly type: 'ELECTED'; readonly round: number; readonly leader: Rank };

export type ItaiRodehState = {
  /** `idle` before its first election; `passive` relays; `follower` knows the end. */
  role: 'idle' | 'choosing' | 'active' | 'passive' | 'leader' | 'follower';
  round: number;
  /** The ID chosen for this round. */
  id: number;
  held: Token[];
  leader: Rank | null;
};

type Token = ItaiRodehMessage & { readonly type: 'TOKEN' };
type Elected = ItaiRodehMessage & { readonly type: 'ELECTED' };

/** Everything one step works with. */
interface Step {
  readonly self: Self;
  readonly state: ItaiRodehState;
  readonly effects: Effects<ItaiRodehMessage>;
}

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createItaiRodeh(): Machine<ItaiRodehState, ItaiRodehMessage> {
  return {
    init: (self) => ({ role: 'idle', round: 0, id: 0, held: [], leader: self.incumbent }),
    step: (self, state, event, effects) => step({ self, state, effects }, event),
  };
}

function step(context: Step, event: Event<ItaiRodehMessage>): void {
  const { state } = context;
  switch (event.type) {
    case 'deliver':
      onMessage(context, event.message);
      break;
    case 'start':
      begin(context);
      break;
    case 'recover':
      state.leader = null;
      begin(context);
      break;
    case 'suspect':
      if (event.node === state.leader) begin(context);
      break;
    case 'trust':
      repeat(context);
      break;
    case 'chosen':
      onChosen(context, event.value);
      break;
    case 'timeout':
    case 'join':
    case 'leave':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onMessage(context: Step, message: ItaiRodehMessage): void {
  switch (message.type) {
    case 'TOKEN':
      onToken(context, message);
      break;
    case 'ELECTED':
      onElected(context, message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onToken(context: Step, token: Token): void {
  const { state } = context;
  switch (state.role) {
    case 'choosing':
      state.held.push(token);
      break;
    case 'active':
      onTokenActive(context, token);
      break;
    case 'leader':
      // Whoever else chose in this round has lost it; a later round is another election.
      if (token.round > state.round) yieldTo(context, token);
      break;
    case 'follower':
      if (token.round > state.round) yieldTo(context, token);
      else forward(context, token, token.unique);
      break;
    case 'idle':
    case 'passive':
      yieldTo(context, token);
      break;
    default:
      state.role satisfies never;
  }
}

function onTokenActive(context: Step, token: Token): void {
  const { self, state } = context;
  const isEqual = token.round === state.round && token.id === state.id;
  if (token.hops >= self.ringNodes) {
    // One that comes home twice, since it was sent again, is not of this round any more.
    if (isEqual && token.unique) win(context);
    else if (isEqual) choose(context, state.round + 1);
  } else if (isEqual) {
    forward(context, token, false);
  } else if (token.round > state.round || (token.round === state.round && token.id > state.id)) {
    yieldTo(context, token);
  }
}

function onElected({ self, state, effects }: Step, message: Elected): void {
  if (message.leader === self.rank) return;
  const isRival = state.role === 'choosing' || state.role === 'active' || state.role === 'leader';
  // Who has no TOKEN of its own out follows any winner, also one that a crash set back to round 1.
  if (!isRival || message.round >= state.round) {
    state.role = 'follower';
    state.round = Math.max(state.round, message.round);
    state.held = [];
    state.leader = message.leader;
    effects.elect(message.leader, message.round);
  }
  effects.send(successor(self), message);
}

/** From now on it relays; whoever sent this TOKEN, or another node ahead of this one, will lead. */
function yieldTo(context: Step, token: Token): void {
  const { self, state, effects } = context;
  state.role = 'passive';
  state.round = Math.max(state.round, token.round);
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  forward(context, token, token.unique);
}

function forward({ self, effects }: Step, token: Token, unique: boolean): void {
  // At home with a node that has given up.
  if (token.hops >= self.ringNodes) return;
  effects.send(successor(self), { ...token, hops: token.hops + 1, unique });
}

function begin(context: Step): void {
  const { role, round } = context.state;
  if (role === 'idle' || role === 'leader' || role === 'follower') choose(context, round + 1);
}

function choose({ self, state, effects }: Step, round: number): void {
  state.role = 'choosing';
  state.round = round;
  effects.choose(self.ringNodes);
}

function onChosen(context: Step, value: number): void {
  const { state } = context;
  if (state.role !== 'choosing') return;
  state.role = 'active';
  state.id = value;
  launch(context);
  const { held } = state;
  state.held = [];
  for (const token of held) onToken(context, token);
}

function launch({ self, state, effects }: Step): void {
  const { round, id } = state;
  effects.send(successor(self), { type: 'TOKEN', round, id, hops: 1, unique: true });
}

function win(context: Step): void {
  const { self, state, effects } = context;
  state.role = 'leader';
  state.leader = self.rank;
  effects.elect(self.rank, state.round);
  announce(context);
}

/** A node has returned, and what this one sent may have died in it. */
function repeat(context: Step): void {
  if (context.state.role === 'active') launch(context);
  else if (context.state.role === 'leader') announce(context);
}

function announce({ self, state, effects }: Step): void {
  effects.send(successor(self), { type: 'ELECTED', round: state.round, leader: self.rank });
}
