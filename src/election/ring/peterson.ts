/**
 * @module
 * Peterson (1982), "An O(n log n) unidirectional algorithm for the circular extrema problem", ACM
 * TOPLAS 4(4). In each phase an active node learns the temporary IDs (tids) of the two active nodes before it,
 * goes on with the nearer one if that is the highest of the three, and otherwise only relays. Rule `owner`
 * ends when an ID reaches its owner: the highest member leads. Rule `last-active` (as lectures describe it in
 * prose) ends when an active node's tid has gone round: that node leads, for n ≥ 2 never the highest member.
 *
 * Invariants, on FIFO links: (1) first in each election a node sends its own ID; (2) of two neighbouring active
 * nodes at most one goes on; (3) the highest ID survives each phase; (4) an election has one leader; (5) ELECTED
 * goes round once, n hops. The paper does not treat crashes. Here elections are numbered, the number is on
 * disk, and the return of a node begins the next one. A message that is overtaken, lost or doubled shifts the
 * pairs, and a wrong leader may result.
 */

import { AFFECTED_BUT_BY_CLOCKS } from '../definition/drawn-faults.ts';
import { breaks, stop } from '../definition/fault-row.ts';
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
  ONE_NEIGHBOUR,
  PLAIN_RING_FAULTS,
  REPEATING_RING_FAULTS,
  successor,
  UNANSWERED,
} from './ring-facts.ts';

type PetersonMessage =
  | { readonly type: 'TID'; readonly tid: Rank; readonly election: number }
  | {
      readonly type: 'ELECTED';
      readonly leader: Rank;
      /** The ID that went round: the leader's own under `owner`, the highest under `last-active`. */
      readonly tid: Rank;
      readonly election: number;
    };

type PetersonState = {
  /** 0 before the first. */
  election: number;
  role: 'active' | 'relay' | 'leader';
  /** The ID of an active node in this phase, and the first of the two that it has received. */
  tid: Rank;
  nearer: Rank | null;
  /** Whether it has begun this election and does not know its end. */
  running: boolean;
  leader: Rank | null;
};

/** When an election ends: an ID has come to its owner, or to the only node still active. */
type EndRule = 'owner' | 'last-active';

type Tid = PetersonMessage & { readonly type: 'TID' };
type Elected = PetersonMessage & { readonly type: 'ELECTED' };

type Own = Step<PetersonState, PetersonMessage, EndRule>;

/** The facts of both rules. */
const BOTH_RULES = {
  fifo: true,
  messageBound: '2n*floor(lg n) + n TID + n ELECTED',
  messagesAbout: (nodes: number) => 2 * nodes * (Math.log2(nodes) + 1),
  attributes: null,
  messages: {
    TID: {
      members: { tid: 'rank', election: 'integer' },
      candidates: ['tid'],
      token: circling('tid', 'election'),
      alterations: { tid: 'highest-rank', election: 'none' },
      ...RELAYED,
    },
    ELECTED: {
      members: { leader: 'rank', tid: 'rank', election: 'integer' },
      candidates: ['leader', 'tid'],
      token: circling('leader', 'election'),
      alterations: null,
      ...RELAYED,
    },
  },
  tokens: {
    // Each phase sends two messages over every link, and halves the number of active nodes.
    laps: (nodes: number) => 2 * (Math.floor(Math.log2(nodes)) + 1),
    isReplaced: false,
    outbidsLeaders: false,
    unowed: 'an active node keeps an ID to itself, and no other node knows which nodes are active',
  },
  forgery: {
    numbering: 'election',
    announcement: naming(({ about, epoch }) => [
      { type: 'ELECTED', leader: about, tid: about, election: epoch },
    ]),
    candidacy: naming(({ about, epoch }) => [{ type: 'TID', tid: about, election: epoch }]),
    ...UNANSWERED,
  },
  unaffected: AFFECTED_BUT_BY_CLOCKS,
  symmetry: 'nodes compare the ranks that messages carry',
  ...ONE_NEIGHBOUR,
} as const;

const ONE_PAIR = 'Two copies of one TID are a pair.';

export const PETERSON = defineProtocol({
  name: 'peterson',
  elects: 'highest',
  assumes:
    'Asynchronous; static membership; a stable store; FIFO links that lose and double nothing between live nodes; to finish, a whole ring.',
  source:
    'G. L. Peterson, An O(n log n) unidirectional algorithm for the circular extrema problem, ACM TOPLAS 4(4), 1982',
  faults: {
    drop: breaks(['S3'], 'A lost TID shifts the pairs.'),
    duplicate: breaks(['S1', 'S2'], ONE_PAIR, { rarely: ['S3'] }),
    reorder: breaks(['S1', 'S2', 'S3'], 'Pairs need FIFO links.'),
    ...REPEATING_RING_FAULTS,
  },
  create: () => createPeterson('owner'),
  ...BOTH_RULES,
});

export const PETERSON_PROSE = defineProtocol({
  name: 'peterson-prose',
  elects: 'any',
  assumes:
    'As peterson; the node that remains active leads, never the highest of two members or more.',
  source:
    'G. L. Peterson, ACM TOPLAS 4(4), 1982, in the form that lectures describe in prose: the last active process is elected',
  faults: {
    drop: stop('As peterson, but any node may lead.', { late: ['S1'] }),
    // Where all nodes relay, none takes a TID off the ring, and each lap has more of them.
    duplicate: breaks(['S1', 'S2'], ONE_PAIR, { storms: true }),
    reorder: breaks(['S1', 'S2'], 'Pairs need FIFO links.'),
    'swizzle-clog': stop(HOLE, { rarely: ['S1'] }),
    amnesia: breaks(
      ['S1'],
      'The next election may have another winner, and the old one leads until it receives its announcement.',
    ),
    ...PLAIN_RING_FAULTS,
  },
  create: () => createPeterson('last-active'),
  ...BOTH_RULES,
  isRanked: false,
});

function createPeterson(rule: EndRule) {
  return createMachine<PetersonState, PetersonMessage, EndRule>({
    settings: rule,
    init: (self) => ({
      election: 0,
      role: 'relay',
      tid: self.rank,
      nearer: null,
      running: false,
      leader: self.incumbent,
    }),
    on: {
      start: beginNext,
      recover(step, persisted) {
        step.state.leader = null;
        begin(step, electionOnDisk(persisted) + 1);
      },
      suspect(step, node) {
        if (node === step.state.leader) beginNext(step);
      },
      trust: onReturn,
      deliver: { TID: onTid, ELECTED: onElected },
    },
  });
}

function onTid(context: Own, message: Tid): void {
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
      // It is of an election that is over.
      break;
    default:
      state.role satisfies never;
  }
}

function onTidActive(context: Own, tid: Rank): void {
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

function isHome({ settings: rule, self, state }: Own, tid: Rank): boolean {
  if (rule === 'owner') return tid === self.rank;
  // The second ID of a phase may equal its own while another node is still active.
  return state.role === 'active' && state.nearer === null && tid === state.tid;
}

function onElected({ self, state, effects }: Own, message: Elected): void {
  if (message.leader === self.rank || message.election < state.election) return;
  // Only after amnesia or on a link that reorders does a node learn of an election by its end.
  if (message.election > state.election) enter({ state, effects }, message.election, 'relay');
  state.running = false;
  state.leader = message.leader;
  effects.elect(message.leader, message.election);
  effects.send(successor(self), message);
}

function beginNext(context: Own): void {
  if (!context.state.running) begin(context, context.state.election + 1);
}

/** Takes part in an election from its beginning. Messages of older ones are ignored from now on. */
function begin(context: Own, election: number): void {
  const { self, state } = context;
  enter(context, election, 'active');
  state.tid = self.rank;
  state.nearer = null;
  state.running = true;
  pass(context, self.rank);
}

function enter(
  { state, effects }: Pick<Own, 'state' | 'effects'>,
  election: number,
  role: PetersonState['role'],
): void {
  state.election = election;
  state.role = role;
  // Before anything is sent: in one election no node sends its own ID twice.
  effects.persist(election);
}

function win(context: Own, tid: Rank): void {
  const { self, state, effects } = context;
  state.role = 'leader';
  state.tid = tid;
  state.running = false;
  state.leader = self.rank;
  effects.elect(self.rank, state.election);
  announce(context);
}

/**
 * The returned node may have lost messages of a running election, and has missed the end of one that is over.
 * A leader may have forgotten that it leads, so that it must be elected again.
 */
function onReturn(context: Own, node: Rank): void {
  const { self, state } = context;
  if (state.running || node === state.leader) begin(context, state.election + 1);
  else if (state.leader === self.rank) announce(context);
}

function announce({ self, state, effects }: Own): void {
  const { tid, election } = state;
  effects.send(successor(self), { type: 'ELECTED', leader: self.rank, tid, election });
}

function pass({ self, state, effects }: Own, tid: Rank): void {
  effects.send(successor(self), { type: 'TID', tid, election: state.election });
}

function higher(left: Rank, right: Rank): Rank {
  return left > right ? left : right;
}
