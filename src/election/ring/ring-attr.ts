/**
 * @module
 * A ring election by attribute: the member with the best (attribute, rank) leads, compared in that
 * order, so that ties end at the rank. After Chang and Roberts (1979), CACM 22(5), in the form of
 * lectures that say "id:attr"; several initiators, where those are silent, are told apart by number
 * and rank: a run is (election, initiator), and a node serves only the highest run it has met.
 *
 * Invariants: (1) in one run an ELECTION passes only nodes worse than what it carries; (2) so only the
 * best member of a closed ring is elected, whatever the schedule; (3) a node puts itself into a run
 * once; (4) ELECTED goes round once, n hops, and ends at the leader; (5) `running` holds timer
 * "elected", until `retriesLeft` is used up. Message bound: one initiator d places before the best, n+d
 * ELECTION and n ELECTED, 2n to 3n−1 in all; several, at most n(n−1)/2 + n² ELECTION. No FIFO needed.
 * An attribute is what its owner says it is: any lie wins. Liveness needs a whole ring: a run without
 * an end is repeated after its longest time, a few times, and again when a node is trusted or a
 * leader suspected, also when it is announced only then.
 */

import type { Effects, Machine, Rank, Self } from '../machine.ts';
import type { AttributeOf } from '../protocol.ts';
import type { Timing } from '../timing.ts';
import { ringElectionTicks } from '../timing.ts';
import { successor } from './neighbours.ts';

export type AttributeMessage = {
  readonly type: 'ELECTION' | 'ELECTED';
  readonly election: number;
  readonly initiator: Rank;
  /** The best so far, or the leader, and its attribute. */
  readonly id: Rank;
  readonly attr: number;
};

export type AttributeState = {
  /** The highest run it has met: 0 and null before the first. */
  election: number;
  initiator: Rank | null;
  /** It has sent an ELECTION of this run. */
  forwarded: boolean;
  /** It has met this run and does not know its end. */
  running: boolean;
  retriesLeft: number;
  leader: Rank | null;
  suspected: Rank[];
};

/** Against a lost message one retry would do; against a hole in the ring none does. */
const RETRIES_MAX = 3;

/** Everything one step works with. */
interface Step {
  readonly timing: Timing;
  readonly attributeOf: AttributeOf;
  readonly self: Self;
  readonly state: AttributeState;
  readonly effects: Effects<AttributeMessage>;
}

/** The machine of every node; by default all attributes are equal, and the highest rank leads. */
export function createRingAttribute(
  timing: Timing,
  attributeOf: AttributeOf = () => 0,
): Machine<AttributeState, AttributeMessage> {
  return {
    init: (self) => ({
      election: 0,
      initiator: null,
      forwarded: false,
      running: false,
      retriesLeft: RETRIES_MAX,
      leader: self.incumbent,
      suspected: [],
    }),
    step(self, state, event, effects) {
      const context = { timing, attributeOf, self, state, effects };
      switch (event.type) {
        case 'deliver':
          onMessage(context, event.message);
          break;
        case 'timeout':
          if (event.timer === 'elected') onTimeout(context);
          break;
        case 'start':
          if (!state.running) begin(context);
          break;
        case 'recover':
          state.leader = null;
          begin(context);
          break;
        case 'suspect':
          onSuspect(context, event.node);
          break;
        case 'trust':
          onTrust(context, event.node);
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
    },
  };
}

function onMessage(context: Step, message: AttributeMessage): void {
  switch (message.type) {
    case 'ELECTION':
      onElection(context, message);
      break;
    case 'ELECTED':
      onElected(context, message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message.type satisfies never;
  }
}

function onElection(context: Step, message: AttributeMessage): void {
  const { self, state, effects } = context;
  const order = compareRuns(message, state);
  if (order < 0 || (order === 0 && !state.running)) return;
  if (order > 0) enter(context, message);
  const own = { ...message, id: self.rank, attr: context.attributeOf(self.rank) };
  if (message.id === self.rank) {
    win(context, own);
  } else if (isBetter(message, own)) {
    state.forwarded = true;
    effects.send(successor(self), message);
  } else if (!state.forwarded) {
    state.forwarded = true;
    effects.send(successor(self), own);
  }
}

function win(context: Step, own: AttributeMessage): void {
  settle(context, context.self.rank);
  context.effects.send(successor(context.self), { ...own, type: 'ELECTED' });
}

function onElected(context: Step, message: AttributeMessage): void {
  const { self, state, effects } = context;
  if (message.id === self.rank || compareRuns(message, state) < 0) return;
  if (compareRuns(message, state) > 0) enter(context, message);
  if (state.suspected.includes(message.id)) {
    begin(context);
    return;
  }
  settle(context, message.id);
  effects.send(successor(self), message);
}

function onTimeout(context: Step): void {
  const { state } = context;
  if (!state.running || state.retriesLeft === 0) return;
  state.retriesLeft -= 1;
  begin(context);
}

function onSuspect(context: Step, node: Rank): void {
  const { state } = context;
  if (!state.suspected.includes(node)) state.suspected.push(node);
  if (node !== state.leader) return;
  state.retriesLeft = RETRIES_MAX;
  begin(context);
}

/** A run may have died in that node, and it does not know who leads. */
function onTrust(context: Step, node: Rank): void {
  const { self, state } = context;
  state.suspected = state.suspected.filter((each) => each !== node);
  if (!state.running && state.leader !== self.rank && state.leader !== node) return;
  state.retriesLeft = RETRIES_MAX;
  begin(context);
}

/** Starts the next run, with itself as the best so far. */
function begin(context: Step): void {
  const { self, state, effects } = context;
  const run = { election: state.election + 1, initiator: self.rank };
  enter(context, run);
  state.forwarded = true;
  const attr = context.attributeOf(self.rank);
  effects.send(successor(self), { type: 'ELECTION', ...run, id: self.rank, attr });
}

function enter(
  { timing, self, state, effects }: Step,
  run: Pick<AttributeMessage, 'election' | 'initiator'>,
): void {
  state.election = run.election;
  state.initiator = run.initiator;
  state.forwarded = false;
  state.running = true;
  effects.setTimer('elected', ringElectionTicks(timing, self.ringNodes), false);
}

function settle({ state, effects }: Step, leader: Rank): void {
  if (state.running) effects.cancelTimer('elected');
  state.running = false;
  state.leader = leader;
  effects.elect(leader, state.election);
}

/** Below, at or above 0, as the message's run is older than the node's, the same or newer. */
function compareRuns(
  message: AttributeMessage,
  { election, initiator }: Pick<AttributeState, 'election' | 'initiator'>,
): number {
  if (message.election !== election) return message.election - election;
  if (initiator === null || message.initiator > initiator) return 1;
  return message.initiator < initiator ? -1 : 0;
}

function isBetter(one: AttributeMessage, other: AttributeMessage): boolean {
  return one.attr > other.attr || (one.attr === other.attr && one.id > other.id);
}
