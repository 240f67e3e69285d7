/**
 * @module
 * A protocol of your own. Replace these lines: who published it, its invariants, and its message bound.
 *
 * Nodes form a ring and send clockwise only. A node that looks for a leader sends its own rank. Each node
 * passes on the ranks above its own and keeps the lower ones, so that only the highest rank returns to
 * its node, which leads and announces itself round the ring (E. Chang and R. Roberts, CACM 22(5), 1979).
 */

import type { FaultRow, Rank, Step } from 'usurp';
import {
  AFFECTED_BUT_BY_CLOCKS,
  createMachine,
  defineProtocol,
  live,
  naming,
  none,
  ok,
  stop,
  successor,
} from 'usurp';

/** Every message that nodes send to each other. The contents are plain JSON data. */
export type ExampleMessage =
  | { readonly type: 'PROBE'; readonly candidate: Rank }
  | { readonly type: 'LEADER'; readonly leader: Rank };

/** What a node remembers. It is plain JSON data; a handler changes it in place. */
export type ExampleState = {
  /** Whether it has sent its own rank since it started. */
  joined: boolean;
  /** Whether its own rank is on its way. */
  probing: boolean;
  leader: Rank | null;
};

type Own = Step<ExampleState, ExampleMessage>;

const GAP =
  'A ring with a gap has no whole lap. A detector must report the gap before a node tries again.';

/** What each fault can do to it, and why: safe and live (ok), live later (live), or without a leader (stop). */
const FAULTS: FaultRow = {
  drop: stop('The rank of the highest node is sent once.'),
  duplicate: ok('A node that leads, or has passed the message on, ignores a copy.'),
  reorder: ok('Only the highest rank passes every node, in any order.'),
  delay: live('No node takes a time-out for an answer.'),
  'clean-majority': stop(GAP),
  'one-way': stop(GAP),
  'majorities-ring': stop(GAP),
  'leader-isolated': none('The leader of a ring has no standing duty.'),
  'swizzle-clog': stop(GAP),
  'crash-best': stop('The dead leave a gap in the ring.'),
  restart: live('A node that returns is trusted and begins again.'),
  amnesia: live('As restart: the next message contains what was forgotten.'),
  pause: live('A ring waits for a node that is paused.'),
  'clock-skew': ok('It sets no timers.'),
  'clock-jump': ok('It sets no timers.'),
  'fail-over': none('It has no store.'),
  'torn-record': none('It stores nothing.'),
  'unknown-message': ok('A machine ignores a message without a handler.'),
};

export const EXAMPLE_PROTOCOL = defineProtocol({
  name: 'example-protocol',
  // How leadership comes about: 'bully' (messages to higher ranks), 'ring', 'quorum' (votes), 'lease', or a word of yours.
  family: 'ring',
  // Which node must win: 'highest', 'attribute' (what members claim of themselves) or 'any'.
  elects: 'highest',
  // Whether a higher rank helps a node to lead.
  isRanked: true,
  // Where there is never more than one leader: at one 'moment', or in one 'epoch' that it numbers.
  unique: 'moment',
  // Whether links must keep the order of messages.
  fifo: false,
  // What safety and liveness need of the network and of the membership.
  assumes: 'Asynchronous; static membership; to finish, reliable links and a whole ring.',
  // The message bound in words. n is the number of members.
  messageBound: '2n-1 to n(n+1)/2 PROBE (mean n*H_n over all rings) + n LEADER',
  // About how many messages an election among n nodes sends at most. `conform` compares it with elections.
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 2),
  // About how many messages are in flight at once, if that is nearly all of them.
  inFlightAbout: null,
  // About how many entries the lists in all messages have. Null if messages carry no lists.
  entriesAbout: null,
  // For a protocol that never falls silent: ticks under one leader after which it counts as settled.
  steadyTicks: null,
  // Where it was published.
  source: 'your paper or your name',
  // Variants: each flag and its values, the default first. Users set them with --flags NAME=VALUE.
  flags: {},
  // Times and bounds that users set with --flags NAME=NUMBER.
  numbers: {},
  // Which of these numbers cannot be combined.
  clash: null,
  // What the attribute of a node means (--attributes). Null if nodes have none.
  attributes: null,
  // How many of its next neighbours a node knows.
  overLinks: false,
  votersIn: null,
  decided: null,
  successors: 1,
  // Whether nodes lead by a lease that they renew.
  leases: false,
  // The store that nodes call. Null if there is none.
  store: null,
  counters: [],
  // Where states contain drawn lengths of timers.
  drawnTicks: [],
  // Which nodes are exchangeable, and where states contain ranks; or why none are.
  symmetry: 'the highest rank wins',
  // Every message type: the kind of each member, and what authentication and attacks must know.
  messages: {
    PROBE: {
      members: { candidate: 'rank' },
      // Members that name a candidate or a leader. That node must have signed its candidacy.
      candidates: ['candidate'],
      // Whether any sender may state it, or only the node that it names ('candidate').
      statementOf: 'sender',
      // Whether the sender stands for election by it.
      senderStands: false,
      // A statement that a node may make only once in an election.
      claim: null,
      // How it travels round the ring: what identifies it, where it ends, whether higher nodes keep it.
      token: { identifiedBy: ['candidate'], endsAt: 'candidate', stopsAtHigher: true },
      // What a Byzantine node puts into each member when it passes the message on. Null: nothing.
      alterations: { candidate: 'highest-rank' },
    },
    LEADER: {
      members: { leader: 'rank' },
      candidates: ['leader'],
      statementOf: 'sender',
      senderStands: false,
      claim: null,
      token: { identifiedBy: ['leader'], endsAt: 'leader', stopsAtHigher: false },
      alterations: null,
    },
  },
  // Whether a message that names a node must return to that node.
  returnsToOrigin: true,
  // Laps that a token needs, whether nodes replace tokens, whether a higher token takes the lead from a
  // leader, and why a node may keep a token. A protocol without tokens states the reason in one clause.
  tokens: { laps: () => 1, isReplaced: false, outbidsLeaders: true, unowed: null },
  // The protocol whose messages its tokens carry.
  carries: null,
  // How an adversary forges its messages. What does not exist is replaced by the reason.
  forgery: {
    route: 'successor',
    believes: 'any-rank',
    acceptsStrangers: true,
    replacesSilentLeaders: false,
    numbering: null,
    announcement: naming(({ about }) => [{ type: 'LEADER', leader: about }]),
    candidacy: naming(({ about }) => [{ type: 'PROBE', candidate: about }]),
    answer: 'no node answers a candidate',
  },
  // Attacks that do not exist here, each with the reason.
  waiting: null,
  stall: 'no node waits for one node in particular',
  doubleVote: 'no node votes in it',
  inflation: 'it does not number elections',
  certificate: 'no node votes in it',
  faults: FAULTS,
  // Some drawn faults (`--random-faults`) cannot change any run of this protocol. Name each of them with the reason.
  unaffected: AFFECTED_BUT_BY_CLOCKS,
  create: () =>
    createMachine<ExampleState, ExampleMessage>({
      settings: null,
      init: (self) => ({ joined: false, probing: false, leader: self.incumbent }),
      // A handler for each event. A missing handler does nothing.
      on: {
        start(step) {
          if (!step.state.probing) probe(step);
        },
        recover(step) {
          step.state.leader = null;
          probe(step);
        },
        suspect(step, node) {
          if (node === step.state.leader) probe(step);
        },
        trust(step) {
          // Messages may have been lost in the node that has returned.
          if (step.state.probing) probe(step);
          else if (step.state.leader === step.self.rank) announce(step);
        },
        deliver: {
          PROBE(step, message) {
            const { self, state, effects } = step;
            if (!state.joined) probe(step);
            if (message.candidate > self.rank) {
              effects.send(successor(self), message);
            } else if (message.candidate === self.rank && state.probing) {
              state.probing = false;
              state.leader = self.rank;
              // From now on this node follows a leader: itself. 0 is the number of an unnumbered election.
              effects.elect(self.rank, 0);
              announce(step);
            }
          },
          LEADER(step, message) {
            const { self, state, effects } = step;
            if (message.leader === self.rank) return;
            if (message.leader > self.rank) state.probing = false;
            state.leader = message.leader;
            effects.elect(message.leader, 0);
            effects.send(successor(self), message);
          },
        },
      },
    }),
});

function probe({ self, state, effects }: Own): void {
  state.joined = true;
  state.probing = true;
  effects.send(successor(self), { type: 'PROBE', candidate: self.rank });
}

function announce({ self, effects }: Own): void {
  effects.send(successor(self), { type: 'LEADER', leader: self.rank });
}
