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

import { breaks, live, ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import { successor } from './neighbours.ts';
import { HOLE, RING, RING_FAULTS, RING_FORGERY } from './ring-facts.ts';

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

type Own = Step<ItaiRodehState, ItaiRodehMessage>;

const OLD_WINNER =
  'A node that follows accepts the message of any winner; the first winner repeats ELECTED when it trusts again.';

export const ITAI_RODEH = defineProtocol({
  name: 'itai-rodeh',
  elects: 'any',
  fifo: false,
  assumes:
    'Asynchronous; static membership; nodes without IDs that know how many they are; reliable links and a whole ring.',
  messageBound: 'O(n log n) TOKEN in the mean, without a worst case; + n ELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 8),
  entriesAbout: null,
  source:
    'A. Itai and M. Rodeh, Symmetry breaking in distributed networks, Information and Computation 88(1), 1990',
  attributes: null,
  successors: 1,
  carries: null,
  messages: {
    TOKEN: {
      members: { round: 'integer', id: 'integer', hops: 'integer', unique: 'boolean' },
      // Its nodes have no IDs until one of them leads.
      candidates: [],
      token: null,
      alterations: { round: 'none', id: 'greatest', hops: 'none', unique: 'none' },
      ...RELAYED,
    },
    ELECTED: {
      members: { round: 'integer', leader: 'rank' },
      candidates: ['leader'],
      token: null,
      alterations: null,
      ...RELAYED,
    },
  },
  tokens: 'its tokens have no names and count their hops already',
  forgery: {
    numbering: 'round',
    announcement: naming(({ about, epoch }) => [{ type: 'ELECTED', round: epoch, leader: about }]),
    // An ID above all that can be drawn.
    candidacy: naming(({ epoch, ringNodes }) => [
      { type: 'TOKEN', round: epoch, id: ringNodes, hops: 1, unique: true },
    ]),
    answer: 'nobody answers a candidate',
    ...RING_FORGERY,
  },
  faults: {
    drop: stop('A TOKEN is sent once.'),
    duplicate: ok('A copy that comes home late is of an older round.'),
    reorder: ok('As cr-join; rounds are numbered.'),
    'clean-majority': breaks(['S2'], OLD_WINNER),
    'one-way': stop(HOLE),
    'majorities-ring': breaks(['S2'], OLD_WINNER),
    'swizzle-clog': breaks(['S2'], OLD_WINNER),
    'crash-best': stop('The dead leave a hole in the ring.'),
    restart: stop('A TOKEN whose owner has crashed silences all others.'),
    amnesia: live('As restart: it keeps nothing to forget.', { rarely: ['L'] }),
    pause: live('A ring waits for a node that is paused.'),
    ...RING_FAULTS,
  },
  create: createItaiRodeh,
  ...RING,
});

/** The machine of every node. It sets no timers. */
export function createItaiRodeh() {
  return createMachine<ItaiRodehState, ItaiRodehMessage>({
    settings: null,
    init: (self) => ({ role: 'idle', round: 0, id: 0, held: [], leader: self.incumbent }),
    on: {
      start: begin,
      recover(step) {
        step.state.leader = null;
        begin(step);
      },
      suspect(step, node) {
        if (node === step.state.leader) begin(step);
      },
      trust: repeat,
      chosen: onChosen,
      deliver: { TOKEN: onToken, ELECTED: onElected },
    },
  });
}

function onToken(context: Own, token: Token): void {
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

function onTokenActive(context: Own, token: Token): void {
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

function onElected({ self, state, effects }: Own, message: Elected): void {
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
function yieldTo(context: Own, token: Token): void {
  const { self, state, effects } = context;
  state.role = 'passive';
  state.round = Math.max(state.round, token.round);
  if (state.leader === self.rank) {
    state.leader = null;
    effects.stepDown();
  }
  forward(context, token, token.unique);
}

function forward({ self, effects }: Own, token: Token, unique: boolean): void {
  // At home with a node that has given up.
  if (token.hops >= self.ringNodes) return;
  effects.send(successor(self), { ...token, hops: token.hops + 1, unique });
}

function begin(context: Own): void {
  const { role, round } = context.state;
  if (role === 'idle' || role === 'leader' || role === 'follower') choose(context, round + 1);
}

function choose({ self, state, effects }: Own, round: number): void {
  state.role = 'choosing';
  state.round = round;
  effects.choose(self.ringNodes);
}

function onChosen(context: Own, value: number): void {
  const { state } = context;
  if (state.role !== 'choosing') return;
  state.role = 'active';
  state.id = value;
  launch(context);
  const { held } = state;
  state.held = [];
  for (const token of held) onToken(context, token);
}

function launch({ self, state, effects }: Own): void {
  const { round, id } = state;
  effects.send(successor(self), { type: 'TOKEN', round, id, hops: 1, unique: true });
}

function win(context: Own): void {
  const { self, state, effects } = context;
  state.role = 'leader';
  state.leader = self.rank;
  effects.elect(self.rank, state.round);
  announce(context);
}

/** A node has returned, and what this one sent may have died in it. */
function repeat(context: Own): void {
  if (context.state.role === 'active') launch(context);
  else if (context.state.role === 'leader') announce(context);
}

function announce({ self, state, effects }: Own): void {
  effects.send(successor(self), { type: 'ELECTED', round: state.round, leader: self.rank });
}
