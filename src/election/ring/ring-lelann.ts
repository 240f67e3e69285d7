/**
 * @module
 * Le Lann (1977), "Distributed Systems: Towards a Formal Approach", Information Processing 77 (IFIP):
 * each node sends its own ID once round the ring and keeps a list of the IDs that pass. When its own ID
 * returns, the list is complete, and the highest in it is the leader.
 *
 * Invariants, on FIFO links: (1) a node sends its own ELECT before it passes another one on; (2) so every ELECT
 * passes a node before its own returns; (3) an ELECT goes round once and ends at its owner; (4) all lists are
 * complete, so that all nodes elect the same one. A link that reorders breaks (2). The paper does not treat
 * crashes. Elections are numbered here, so that no list lacks what an older election lost. The number is on
 * disk, and a node's return begins the next election at the leader, at nodes that follow the returned node,
 * and wherever an election is running.
 */

import { breaks, live, ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import {
  circling,
  electionOnDisk,
  HOLE,
  PLAIN_RING,
  RING_FAULTS,
  successor,
  UNANSWERED,
} from './ring-facts.ts';

type LeLannMessage = {
  readonly type: 'ELECT';
  readonly candidate: Rank;
  readonly election: number;
};

type LeLannState = {
  /** 0 before the first. */
  election: number;
  /** Whether the own ELECT is on its way. */
  running: boolean;
  /** The own ID and those that passed in this election. Empty after its end. */
  list: Rank[];
  leader: Rank | null;
};

type Own = Step<LeLannState, LeLannMessage>;

const SHORT_LISTS = `${HOLE} Lists may lack what was lost.`;

export const RING_LELANN = defineProtocol({
  name: 'ring-lelann',
  fifo: true,
  assumes:
    'Asynchronous; static membership; a stable store; FIFO links that lose nothing between live nodes; to finish, a whole ring.',
  messageBound: 'n^2 ELECT, whichever nodes start',
  messagesAbout: (nodes) => nodes ** 2,
  entriesAbout: null,
  source:
    'G. Le Lann, Distributed Systems: Towards a Formal Approach, Information Processing 77 (IFIP), 1977',
  messages: {
    ELECT: {
      members: { candidate: 'rank', election: 'integer' },
      candidates: ['candidate'],
      token: circling('candidate', 'election'),
      alterations: { candidate: 'highest-rank', election: 'none' },
      ...RELAYED,
    },
  },
  tokens: { laps: () => 1, isReplaced: false, outbidsLeaders: false, unowed: null },
  forgery: {
    numbering: 'election',
    announcement: 'no node announces a leader, each finds out for itself',
    candidacy: naming(({ about, epoch }) => [{ type: 'ELECT', candidate: about, election: epoch }]),
    ...UNANSWERED,
  },
  faults: {
    // A node whose own ELECT is lost waits, so that the highest does not lead beside the wrong one.
    drop: breaks(['S2', 'S3'], 'A node whose ELECT was lost is missing from lists.'),
    duplicate: ok('A list and a maximum are the same with an entry twice.'),
    reorder: breaks(['S1', 'S2', 'S3'], 'An ELECT comes home before a higher one has passed.'),
    'clean-majority': stop(SHORT_LISTS, { rarely: ['S2', 'S3'] }),
    'one-way': stop(SHORT_LISTS, { rarely: ['S2', 'S3'] }),
    'majorities-ring': stop(SHORT_LISTS, { rarely: ['S2', 'S3'] }),
    'swizzle-clog': stop(SHORT_LISTS, { rarely: ['S1', 'S2', 'S3'] }),
    'crash-best': stop('The dead leave a hole in the ring.'),
    restart: live('A node that returns is trusted and begins again.'),
    // Its own old ELECT returns and ends an election that the others have left.
    amnesia: live('As restart, but for old ELECTs.', { rarely: ['S1'] }),
    pause: live('A ring waits for a node that is paused.'),
    ...RING_FAULTS,
  },
  create: () =>
    createMachine<LeLannState, LeLannMessage>({
      settings: null,
      init: (self) => ({ election: 0, running: false, list: [], leader: self.incumbent }),
      on: {
        start(step) {
          if (!step.state.running) begin(step, step.state.election + 1);
        },
        recover(step, persisted) {
          step.state.leader = null;
          begin(step, electionOnDisk(persisted) + 1);
        },
        suspect(step, node) {
          const { state } = step;
          if (node === state.leader && !state.running) begin(step, state.election + 1);
        },
        trust(step, node) {
          const { self, state } = step;
          const isConcerned = state.running || state.leader === self.rank || state.leader === node;
          if (isConcerned) begin(step, state.election + 1);
        },
        deliver: { ELECT: onElect },
      },
    }),
  ...PLAIN_RING,
});

function onElect(step: Own, message: LeLannMessage): void {
  const { self, state, effects } = step;
  if (message.election > state.election) begin(step, message.election);
  if (message.election < state.election) return;
  if (message.candidate !== self.rank) {
    if (state.running && !state.list.includes(message.candidate))
      state.list.push(message.candidate);
    effects.send(successor(self), message);
  } else if (state.running) {
    // A second copy of its own ELECT finds no election running and ends here.
    const leader = highestOf(state.list, self.rank);
    state.running = false;
    state.list = [];
    state.leader = leader;
    effects.elect(leader, state.election);
  }
}

function begin({ self, state, effects }: Own, election: number): void {
  // Another node may lead as soon as the ELECT of this one has passed it.
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  state.election = election;
  state.running = true;
  state.list = [self.rank];
  // Before anything is sent: in one election no node sends its own ID twice.
  effects.persist(election);
  effects.send(successor(self), { type: 'ELECT', candidate: self.rank, election });
}

function highestOf(ranks: readonly Rank[], first: Rank): Rank {
  return ranks.reduce((highest, rank) => (rank > highest ? rank : highest), first);
}
