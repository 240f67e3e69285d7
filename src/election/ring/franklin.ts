/**
 * @module
 * Franklin (1982), "On an improved algorithm for decentralized extrema finding in circular configurations
 * of processors", CACM 25(5). In each round an active node sends its rank both ways and waits for the
 * ranks of the nearest active nodes on both sides. It stays active if it is higher than both, and else
 * only relays. A node that receives its own rank is the only active one: it leads.
 *
 * Invariants, on FIFO links: (1) an active node sends one RANK each way in a round, and passive nodes
 * relay, so that the k-th RANK from a side belongs to round k; (2) of two neighbouring active nodes at
 * most one stays; (3) the highest node stays active, so that it leads; (4) LEADER goes round once, n
 * hops. Message bound: at most floor(lg n) + 1 rounds of 2n RANK (Franklin 1982) and n LEADER.
 * The paper does not treat crashes. Elections are numbered here, the number is on disk, and the return of
 * a node begins the next one. A message that is overtaken, lost or doubled shifts the rounds.
 */

import { live, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import {
  electionOnDisk,
  HOLE,
  PLAIN_RING,
  PLAIN_RING_FAULTS,
  RING_FORGERY,
  successor,
} from './ring-facts.ts';

export type FranklinMessage =
  | {
      readonly type: 'RANK';
      readonly rank: Rank;
      readonly election: number;
      /** Which way it travels. */
      readonly clockwise: boolean;
    }
  | { readonly type: 'LEADER'; readonly leader: Rank; readonly election: number };

export type FranklinState = {
  /** 0 before the first. */
  election: number;
  role: 'passive' | 'active' | 'leader';
  /** Ranks that arrived from each side and whose round is not over. */
  clockwise: Rank[];
  counterclockwise: Rank[];
  leader: Rank | null;
};

type Own = Step<FranklinState, FranklinMessage>;

export const FRANKLIN = defineProtocol({
  name: 'franklin',
  fifo: true,
  assumes:
    'Asynchronous; static membership; a stable store; FIFO links both ways that lose and double nothing between live nodes; to finish, a whole ring.',
  messageBound: '2n*(floor(lg n)+1) RANK + n LEADER',
  messagesAbout: (nodes) => 2 * nodes * (Math.floor(Math.log2(nodes)) + 1) + nodes,
  entriesAbout: null,
  source:
    'W. R. Franklin, On an improved algorithm for decentralized extrema finding in circular configurations of processors, CACM 25(5), 1982',
  messages: {
    RANK: {
      members: { rank: 'rank', election: 'integer', clockwise: 'boolean' },
      candidates: ['rank'],
      token: {
        identifiedBy: ['rank', 'election', 'clockwise'],
        endsAt: 'rank',
        stopsAtHigher: false,
      },
      alterations: { rank: 'highest-rank', election: 'none', clockwise: 'none' },
      ...RELAYED,
    },
    LEADER: {
      members: { leader: 'rank', election: 'integer' },
      candidates: ['leader'],
      token: { identifiedBy: ['leader', 'election'], endsAt: 'leader', stopsAtHigher: false },
      alterations: null,
      ...RELAYED,
    },
  },
  tokens: {
    // Each round sends every link one message each way, and n can be halved so often.
    laps: (nodes) => Math.floor(Math.log2(nodes)) + 1,
    isReplaced: false,
    outbidsLeaders: false,
    unowed: 'an active node keeps a rank to itself, and no other node knows which nodes are active',
  },
  forgery: {
    numbering: 'election',
    announcement: naming(({ about, epoch }) => [
      { type: 'LEADER', leader: about, election: epoch },
    ]),
    candidacy: naming(({ about, epoch }) => [
      { type: 'RANK', rank: about, election: epoch, clockwise: true },
    ]),
    answer: 'no node answers a candidate',
    ...RING_FORGERY,
  },
  faults: {
    drop: stop('A RANK that is lost leaves two active nodes waiting.'),
    // A copy of a message that every node relays is taken off the ring by none.
    duplicate: stop('A second copy counts as the next round.', { storms: true }),
    reorder: stop('A RANK that is overtaken counts for another round.'),
    'swizzle-clog': stop(HOLE),
    amnesia: live('As restart: the next message contains what was forgotten.'),
    ...PLAIN_RING_FAULTS,
  },
  create: createFranklin,
  ...PLAIN_RING,
});

/** The machine of every node. It sets no timers. */
export function createFranklin() {
  return createMachine<FranklinState, FranklinMessage>({
    settings: null,
    init: (self) => ({
      election: 0,
      role: 'passive',
      clockwise: [],
      counterclockwise: [],
      leader: self.incumbent,
    }),
    on: {
      start(step) {
        if (step.state.role !== 'active') begin(step, step.state.election + 1);
      },
      recover(step, persisted) {
        step.state.leader = null;
        begin(step, electionOnDisk(persisted) + 1);
      },
      suspect(step, node) {
        if (node === step.state.leader) begin(step, step.state.election + 1);
      },
      trust(step, node) {
        const { self, state } = step;
        // What was running has lost messages in the node that has returned.
        const isRunning = state.role === 'active' || state.leader === null;
        if (isRunning || node === state.leader) begin(step, state.election + 1);
        else if (state.leader === self.rank) announce(step);
      },
      deliver: {
        RANK(step, message) {
          const { state } = step;
          if (message.election > state.election) begin(step, message.election);
          if (message.election < state.election) return;
          if (state.role === 'passive') relay(step, message);
          else if (state.role === 'active') collect(step, message);
        },
        LEADER(step, message) {
          const { self, state, effects } = step;
          if (message.leader === self.rank || message.election < state.election) return;
          if (message.election > state.election) effects.persist(message.election);
          state.election = message.election;
          state.role = 'passive';
          state.clockwise = [];
          state.counterclockwise = [];
          state.leader = message.leader;
          effects.elect(message.leader, message.election);
          effects.send(successor(self), message);
        },
      },
    },
  });
}

type RankMessage = FranklinMessage & { readonly type: 'RANK' };

/** Takes part in an election from its beginning. What is left of older ones is ignored from now on. */
function begin(step: Own, election: number): void {
  const { self, state, effects } = step;
  if (state.leader === self.rank) effects.stepDown();
  state.election = election;
  state.role = 'active';
  state.clockwise = [];
  state.counterclockwise = [];
  state.leader = null;
  // Before anything is sent: in one election a node sends the RANK of its first round once.
  effects.persist(election);
  propose(step);
}

/** Sends the own rank both ways. */
function propose({ self, state, effects }: Own): void {
  for (const clockwise of [true, false]) {
    const to = clockwise ? successor(self) : self.predecessor;
    effects.send(to, { type: 'RANK', rank: self.rank, election: state.election, clockwise });
  }
}

function relay({ self, effects }: Own, message: RankMessage): void {
  effects.send(message.clockwise ? successor(self) : self.predecessor, message);
}

/** Ends a round when a rank has arrived from each side. */
function collect(step: Own, message: RankMessage): void {
  const { self, state, effects } = step;
  if (message.clockwise) state.clockwise.push(message.rank);
  else state.counterclockwise.push(message.rank);
  const [before] = state.clockwise;
  const [after] = state.counterclockwise;
  if (before === undefined || after === undefined) return;
  state.clockwise.shift();
  state.counterclockwise.shift();
  if (before === self.rank) {
    state.role = 'leader';
    state.leader = self.rank;
    effects.elect(self.rank, state.election);
    announce(step);
  } else if (before < self.rank && after < self.rank) {
    propose(step);
  } else {
    yieldTo(step);
  }
}

/** From now on it relays, also the ranks of later rounds that have arrived already. */
function yieldTo(step: Own): void {
  const { state } = step;
  const { election, clockwise, counterclockwise } = state;
  state.role = 'passive';
  state.clockwise = [];
  state.counterclockwise = [];
  for (const rank of clockwise) relay(step, { type: 'RANK', rank, election, clockwise: true });
  for (const rank of counterclockwise) {
    relay(step, { type: 'RANK', rank, election, clockwise: false });
  }
}

function announce({ self, state, effects }: Own): void {
  effects.send(successor(self), { type: 'LEADER', leader: self.rank, election: state.election });
}
