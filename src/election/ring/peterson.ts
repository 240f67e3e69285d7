/**
 * @module
 * Peterson (1982), "An O(n log n) unidirectional algorithm for the circular extrema problem", ACM
 * TOPLAS 4(4). In each phase an active node learns the temporary IDs (tids) of the two active nodes
 * before it, goes on with the nearer one if that is the highest of the three, and else only relays.
 * Rule `owner` ends when an ID comes to its owner, so the highest member leads; rule `last-active`
 * (the protocol told in prose) ends when an active node's tid comes round: that node leads, and for
 * n ≥ 2 it is never the highest member.
 *
 * Invariants, on FIFO links: (1) first in each election a node sends its own ID; (2) of two neighbouring
 * active nodes at most one goes on; (3) the highest ID survives each phase; (4) one leader an election;
 * (5) a crash touches an election, and no ID comes round in it again; ELECTED goes round once, n hops.
 * The paper knows no crashes: here elections are numbered, the number survives in the stable store, and
 * a node's return begins the next one. Message bound: 2n⌊lg n⌋ + n TID (Peterson 1982) and n ELECTED.
 * A message that is overtaken, lost or doubled shifts the pairs, and a wrong leader may come out.
 */

import type { Effects, Json, Machine, Rank, Self } from '../machine.ts';
import { successor } from './neighbours.ts';

export type PetersonMessage =
  | { readonly type: 'TID'; readonly tid: Rank; readonly election: number }
  | {
      readonly type: 'ELECTED';
      readonly leader: Rank;
      /** The ID that came round: the leader's own under `owner`, the highest under `last-active`. */
      readonly tid: Rank;
      readonly election: number;
    };

export type PetersonState = {
  /** 0 before the first. */
  election: number;
  role: 'active' | 'relay' | 'leader';
  /** The ID an active node stands for in this phase, and the first of the two it has learnt. */
  tid: Rank;
  nearer: Rank | null;
  /** It has begun this election and does not know its end. */
  running: boolean;
  leader: Rank | null;
};

/** When an election ends: an ID has come to its owner, or to the only node still active. */
export type EndRule = 'owner' | 'last-active';

type Tid = PetersonMessage & { readonly type: 'TID' };
type Elected = PetersonMessage & { readonly type: 'ELECTED' };

/** Everything one step works with. */
interface Step {
  readonly rule: EndRule;
  readonly self: Self;
  readonly state: PetersonState;
  readonly effects: Effects<PetersonMessage>;
}

/** The machine of every node; it sets no timers, so it needs to know nothing of the network. */
export function createPeterson(rule: EndRule): Machine<PetersonState, PetersonMessage> {
  return {
    init: (self) => ({
      election: 0,
      role: 'relay',
      tid: self.rank,
      nearer: null,
      running: false,
      leader: self.incumbent,
    }),
    step(self, state, event, effects) {
      const context = { rule, self, state, effects };
      switch (event.type) {
        case 'deliver':
          onMessage(context, event.message);
          break;
        case 'start':
          beginNext(context);
          break;
        case 'recover':
          state.leader = null;
          begin(context, electionOf(event.persisted) + 1);
          break;
        case 'suspect':
          if (event.node === state.leader) beginNext(context);
          break;
        case 'trust':
          onReturn(context, event.node);
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

function onMessage(context: Step, message: PetersonMessage): void {
  switch (message.type) {
    case 'TID':
      onTid(context, message);
      break;
    case 'ELECTED':
      onElected(context, message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTid(context: Step, message: Tid): void {
  const { state } = context;
  if (message.election > state.election) begin(context, message.election);
  if (message.election < state.election) return;
  switch (state.role) {
    case 'active':
      onTidActive(context, message.tid);
      break;
    case 'relay':
      if (isHome(context, message.tid)) win(context, message.tid);
      else pass(context, message.tid);
      break;
    case 'leader':
      // Leftovers of an election that is over.
      break;
    default:
      state.role satisfies never;
  }
}

function onTidActive(context: Step, tid: Rank): void {
  const { state } = context;
  if (isHome(context, tid)) {
    win(context, tid);
  } else if (state.nearer === null) {
    state.nearer = tid;
    pass(context, higher(state.tid, tid));
  } else if (state.nearer >= higher(state.tid, tid)) {
    state.tid = state.nearer;
    state.nearer = null;
    pass(context, state.tid);
  } else {
    state.role = 'relay';
  }
}

function isHome({ rule, self, state }: Step, tid: Rank): boolean {
  if (rule === 'owner') return tid === self.rank;
  // The second ID of a phase may equal its own while another node is still active.
  return state.role === 'active' && state.nearer === null && tid === state.tid;
}

function onElected({ self, state, effects }: Step, message: Elected): void {
  if (message.leader === self.rank || message.election < state.election) return;
  // Only a node without a memory, or a link that reorders, hears of an election by its end.
  if (message.election > state.election) enter({ state, effects }, message.election, 'relay');
  state.running = false;
  state.leader = message.leader;
  effects.elect(message.leader, message.election);
  effects.send(successor(self), message);
}

function beginNext(context: Step): void {
  if (!context.state.running) begin(context, context.state.election + 1);
}

/** Takes part in an election from its beginning; what is left of older ones is ignored from now on. */
function begin(context: Step, election: number): void {
  const { self, state } = context;
  enter(context, election, 'active');
  state.tid = self.rank;
  state.nearer = null;
  state.running = true;
  pass(context, self.rank);
}

function enter(
  { state, effects }: Pick<Step, 'state' | 'effects'>,
  election: number,
  role: PetersonState['role'],
): void {
  state.election = election;
  state.role = role;
  // Before anything is sent: in one election no node sends its own ID twice.
  effects.persist(election);
}

function win(context: Step, tid: Rank): void {
  const { self, state, effects } = context;
  state.role = 'leader';
  state.tid = tid;
  state.running = false;
  state.leader = self.rank;
  effects.elect(self.rank, state.election);
  announce(context);
}

/**
 * What was running has lost messages in the node that has returned. What is over it has to be told,
 * but for a leader, which may have forgotten that it leads: it has to be elected again.
 */
function onReturn(context: Step, node: Rank): void {
  const { self, state } = context;
  if (state.running || node === state.leader) begin(context, state.election + 1);
  else if (state.leader === self.rank) announce(context);
}

function announce({ self, state, effects }: Step): void {
  const { tid, election } = state;
  effects.send(successor(self), { type: 'ELECTED', leader: self.rank, tid, election });
}

function pass({ self, state, effects }: Step, tid: Rank): void {
  effects.send(successor(self), { type: 'TID', tid, election: state.election });
}

function electionOf(persisted: Json): number {
  return typeof persisted === 'number' ? persisted : 0;
}

function higher(left: Rank, right: Rank): Rank {
  return left > right ? left : right;
}
