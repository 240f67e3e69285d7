/**
 * @module
 * Hirschberg and Sinclair (1980), "Decentralized extrema-finding in circular configurations of
 * processors", CACM 23(11). A candidate asks both ways, 1, 2, 4, … nodes far; a higher node on the way
 * answers NO, the last node of the way OK. Rule `wake`: whoever is reached asleep is a candidate first.
 * Without it (`slide`, as lectures print it) a sleeping maximum only says NO, and nobody is elected.
 *
 * Invariants: (1) a FROM passes only nodes lower than its candidate; (2) so only the highest member of
 * a closed ring is elected, whatever the schedule; (3) a candidate goes on only when both its questions
 * of this reach came back OK; (4) a FROM that comes home wins, the second one home changes nothing;
 * (5) ELECTED goes round once, clockwise, n hops, and its leader absorbs it. No FIFO needed.
 * Message bound: 8n(1 + ⌈lg n⌉) FROM, OK and NO (Hirschberg and Sinclair 1980), and n ELECTED.
 * Liveness needs a whole ring, as cr-join; what may have died in a node is sent again when it returns.
 */

import type { Effects, Machine, Rank, Self } from '../machine.ts';

export type HirschbergSinclairMessage =
  | {
      readonly type: 'FROM';
      readonly candidate: Rank;
      /** Nodes it has passed, and how many it shall reach. */
      readonly hops: number;
      readonly hopsMax: number;
      /** Which way it travels; in a ring of two both ways lead to the same node. */
      readonly clockwise: boolean;
    }
  | {
      readonly type: 'OK' | 'NO';
      readonly candidate: Rank;
      /** Of the FROM that it answers, so that an answer counts for one reach only. */
      readonly hopsMax: number;
      readonly clockwise: boolean;
    }
  | { readonly type: 'ELECTED'; readonly leader: Rank };

export type HirschbergSinclairState = {
  phase: 'asleep' | 'candidate' | 'lost' | 'leader';
  hopsMax: number;
  /** Which of the two questions of this reach has come back OK. */
  clockwiseOk: boolean;
  counterclockwiseOk: boolean;
  leader: Rank | null;
};

/** What a sleeping node does at its first FROM. */
export type WakeRule = 'wake' | 'slide';

/** The protocol numbers no elections. */
const EPOCH = 0;
/** No ring is longer; whatever a liar answers, the reach remains an exact number. */
const HOPS_LIMIT = 2 ** 52;

type From = HirschbergSinclairMessage & { readonly type: 'FROM' };
type Answer = HirschbergSinclairMessage & { readonly type: 'OK' | 'NO' };

/** Everything one step works with. */
interface Step {
  readonly self: Self;
  readonly state: HirschbergSinclairState;
  readonly effects: Effects<HirschbergSinclairMessage>;
}

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createHirschbergSinclair(
  rule: WakeRule,
): Machine<HirschbergSinclairState, HirschbergSinclairMessage> {
  return {
    init: (self) => ({
      phase: 'asleep',
      hopsMax: 0,
      clockwiseOk: false,
      counterclockwiseOk: false,
      leader: self.incumbent,
    }),
    step(self, state, event, effects) {
      const context = { self, state, effects };
      switch (event.type) {
        case 'deliver':
          onMessage(context, event.message, rule);
          break;
        case 'start':
          if (state.phase !== 'candidate') stand(context);
          break;
        case 'recover':
          state.leader = null;
          stand(context);
          break;
        case 'suspect':
          if (event.node === state.leader) stand(context);
          break;
        case 'trust':
          repeat(context);
          break;
        case 'timeout':
        case 'join':
        case 'leave':
        case 'chosen':
        case 'reply':
        case 'request':
          break;
        default:
          event satisfies never;
      }
    },
  };
}

function onMessage(context: Step, message: HirschbergSinclairMessage, rule: WakeRule): void {
  switch (message.type) {
    case 'FROM':
      if (rule === 'wake' && context.state.phase === 'asleep') stand(context);
      onFrom(context, message);
      break;
    case 'OK':
    case 'NO':
      // An answer goes where its question has been, so it finds nobody asleep.
      if (message.candidate === context.self.rank) onAnswer(context, message);
      else pass(context, message);
      break;
    case 'ELECTED':
      onElected(context, message.leader);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onFrom(context: Step, message: From): void {
  const { self, state } = context;
  const { candidate } = message;
  const hops = message.hops + 1;
  if (candidate < self.rank) {
    answer(context, 'NO', message);
  } else if (candidate === self.rank) {
    if (state.phase === 'candidate') win(context);
  } else {
    state.phase = 'lost';
    if (hops < message.hopsMax) pass(context, { ...message, hops });
    else answer(context, 'OK', message);
  }
}

function onAnswer(context: Step, message: Answer): void {
  const { state } = context;
  if (state.phase !== 'candidate' || message.hopsMax !== state.hopsMax) return;
  if (message.type === 'NO') {
    state.phase = 'lost';
    return;
  }
  // The question went the other way.
  if (message.clockwise) state.counterclockwiseOk = true;
  else state.clockwiseOk = true;
  if (state.clockwiseOk && state.counterclockwiseOk) {
    ask(context, Math.min(2 * state.hopsMax, HOPS_LIMIT));
  }
}

function onElected({ self, state, effects }: Step, leader: Rank): void {
  if (leader === self.rank) return;
  // A lower leader's lap cannot have ended this node's candidacy: it lets no lower FROM pass.
  if (leader > self.rank) state.phase = 'lost';
  state.leader = leader;
  effects.elect(leader, EPOCH);
  effects.send(neighbour(self, true), { type: 'ELECTED', leader });
}

/** From now on this node is a candidate, of the smallest reach. */
function stand(context: Step): void {
  context.state.phase = 'candidate';
  ask(context, 1);
}

function ask({ self, state, effects }: Step, hopsMax: number): void {
  state.hopsMax = hopsMax;
  state.clockwiseOk = false;
  state.counterclockwiseOk = false;
  for (const clockwise of [false, true]) {
    const candidate = self.rank;
    effects.send(neighbour(self, clockwise), {
      type: 'FROM',
      candidate,
      hops: 0,
      hopsMax,
      clockwise,
    });
  }
}

/** Every other node has let this one's FROM pass. */
function win(context: Step): void {
  const { self, state, effects } = context;
  state.phase = 'leader';
  state.leader = self.rank;
  effects.elect(self.rank, EPOCH);
  announce(context);
}

function announce({ self, effects }: Step): void {
  effects.send(neighbour(self, true), { type: 'ELECTED', leader: self.rank });
}

/** A node has returned, and what this one sent, or was to be answered, may have died in it. */
function repeat(context: Step): void {
  const { state } = context;
  if (state.phase === 'candidate') ask(context, state.hopsMax);
  else if (state.phase === 'leader') announce(context);
}

function answer({ self, effects }: Step, type: Answer['type'], question: From): void {
  const { candidate, hopsMax } = question;
  const clockwise = !question.clockwise;
  effects.send(neighbour(self, clockwise), { type, candidate, hopsMax, clockwise });
}

function pass({ self, effects }: Step, message: From | Answer): void {
  effects.send(neighbour(self, message.clockwise), message);
}

function neighbour(self: Self, clockwise: boolean): Rank {
  return clockwise ? (self.successors[0] ?? self.rank) : self.predecessor;
}
