/**
 * @module
 * Itai and Rodeh (1990), "Symmetry breaking in distributed networks", Information and Computation
 * 88(1) (FOCS 1981): a ring whose nodes have no IDs but know their number n. Each node chooses one of n IDs. The
 * highest goes on, and several highest nodes choose again in the next round, in the mean less than e·n/(n−1)
 * rounds. It shows what an ID without a proof is worth: any node may lead. Ranks are not compared. ELECTED
 * carries the leader's, so that drivers know which node is followed.
 *
 * Invariants: (1) a TOKEN passes only nodes that are passive, or behind it in (round, ID), or equal to it,
 * which makes `unique` false; (2) its owner recognises it by its n hops; (3) so an active node whose TOKEN returns
 * unique is the only one, and there is at most one leader, under any schedule; (4) while a choice is open,
 * TOKENs wait in `held`. The paper does not treat crashes. Here a TOKEN or an ELECTED that a node may have lost
 * is sent again when the node is trusted. A TOKEN whose owner crashed may silence all others.
 */

import { AFFECTED_BUT_BY_CLOCKS } from '../definition/drawn-faults.ts';
import { live, ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import {
  HOLE,
  ONE_NEIGHBOUR,
  plainRing,
  RING_FAULTS,
  successor,
  UNANSWERED,
} from './ring-facts.ts';

type ItaiRodehMessage =
  | {
      readonly type: 'TOKEN';
      readonly round: number;
      readonly id: number;
      /** How many links it has travelled when it arrives. */
      readonly hops: number;
      /** Whether the token has met no other active node with its ID. */
      readonly unique: boolean;
    }
  | { readonly type: 'ELECTED'; readonly round: number; readonly leader: Rank };

type ItaiRodehState = {
  /** `idle`: before its first election. `passive`: it relays. `follower`: it knows the end. */
  role: 'idle' | 'choosing' | 'active' | 'passive' | 'leader' | 'follower';
  round: number;
  /** The ID chosen for this round. */
  id: number;
  held: Token[];
  leader: Rank | null;
  /** A node has returned that may have forgotten its round: the next TOKEN or ELECTED counts, whatever its round. */
  isOpen: boolean;
};

type Token = ItaiRodehMessage & { readonly type: 'TOKEN' };
type Elected = ItaiRodehMessage & { readonly type: 'ELECTED' };

type Own = Step<ItaiRodehState, ItaiRodehMessage>;

export const ITAI_RODEH = defineProtocol({
  name: 'itai-rodeh',
  elects: 'any',
  fifo: false,
  assumes:
    'Asynchronous; static membership; nodes without IDs that know how many they are; reliable links and a whole ring.',
  messageBound: 'O(n log n) TOKEN in the mean, without a worst case; + n ELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 8),
  source:
    'A. Itai and M. Rodeh, Symmetry breaking in distributed networks, Information and Computation 88(1), 1990',
  attributes: null,
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
    ...UNANSWERED,
  },
  faults: {
    drop: stop('A TOKEN is sent once.'),
    duplicate: ok('A copy that comes home late is of an older round.'),
    reorder: ok('As cr-join; rounds are numbered.'),
    'clean-majority': stop(HOLE),
    'one-way': stop(HOLE),
    'majorities-ring': stop(HOLE),
    'swizzle-clog': stop(HOLE),
    'crash-best': stop('The dead leave a hole in the ring.'),
    restart: stop('A TOKEN whose owner has crashed silences all others.'),
    amnesia: live('As restart: it keeps nothing to forget.', { rarely: ['L'] }),
    pause: live('A ring waits for a node that is paused.'),
    ...RING_FAULTS,
  },
  create: () =>
    createMachine<ItaiRodehState, ItaiRodehMessage>({
      settings: null,
      init: ({ incumbent: leader }) => {
        return { role: 'idle', round: 0, id: 0, held: [], leader, isOpen: false };
      },
      on: {
        ...plainRing<ItaiRodehState, ItaiRodehMessage>({
          start: begin,
          launch: begin,
          trust: repeat,
        }),
        chosen: onChosen,
        deliver: { TOKEN: onToken, ELECTED: onElected },
      },
    }),
  unaffected: AFFECTED_BUT_BY_CLOCKS,
  symmetry: { of: 'ring', state: ['leader'], persisted: [], store: null },
  ...ONE_NEIGHBOUR,
  counters: [
    {
      name: 'rounds',
      state: ['round', 'held.*.round'],
      persisted: [],
      messages: ['round'],
      unset: [],
    },
  ],
  isRanked: false,
});

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
      // A node that chose another ID in this round has lost. A later round is another election.
      if (token.round > state.round) yieldTo(context, token);
      break;
    case 'follower':
      if (state.isOpen || token.round > state.round) yieldTo(context, token);
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
    // A TOKEN that was sent again and returns twice is no longer of this round.
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
  // The ELECTED of an older election may arrive late. A winner that a crash set back to round 1 is followed, too: `repeat`.
  if (state.isOpen || message.round >= state.round) {
    state.role = 'follower';
    state.isOpen = false;
    state.round = message.round;
    state.held = [];
    state.leader = message.leader;
    effects.elect(message.leader, message.round);
  }
  effects.send(successor(self), message);
}

/** From now on it relays. The owner of this TOKEN, or another node ahead of this one, will lead. */
function yieldTo(context: Own, token: Token): void {
  const { state } = context;
  state.role = 'passive';
  if (state.isOpen || token.round > state.round) state.round = token.round;
  state.isOpen = false;
  leaveLeader(context);
  forward(context, token, token.unique);
}

/** Another election has begun. Its winner is followed, or no node. */
function leaveLeader({ state, effects }: Own): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}

function forward({ self, effects }: Own, token: Token, unique: boolean): void {
  // It has returned to a node that has given up.
  if (token.hops >= self.ringNodes) return;
  effects.send(successor(self), { ...token, hops: token.hops + 1, unique });
}

function begin(context: Own): void {
  const { role, round } = context.state;
  if (role === 'idle' || role === 'leader' || role === 'follower') choose(context, round + 1);
}

function choose(context: Own, round: number): void {
  const { self, state, effects } = context;
  leaveLeader(context);
  state.role = 'choosing';
  state.round = round;
  state.isOpen = false;
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

/** A node has returned, and may have lost what this one sent. */
function repeat(context: Own): void {
  if (context.state.role === 'active') launch(context);
  else if (context.state.role === 'leader') announce(context);
  // The node that has returned may win in round 1.
  else if (context.state.role !== 'choosing') context.state.isOpen = true;
}

function announce({ self, state, effects }: Own): void {
  effects.send(successor(self), { type: 'ELECTED', round: state.round, leader: self.rank });
}
