/**
 * @module
 * Hirschberg and Sinclair (1980), "Decentralized extrema-finding in circular configurations of
 * processors", CACM 23(11). A candidate asks both ways, 1, 2, 4, … nodes far. A higher node on the way answers
 * NO, and the last node of the way OK. Rule `wake`: a node that a question reaches asleep becomes a candidate
 * first. Without it (`slide`, as in lectures) a sleeping maximum only answers NO, and no node is elected.
 *
 * Invariants: (1) a FROM passes only nodes lower than its candidate; (2) so only the highest member of a closed
 * ring is elected, under any schedule; (3) a candidate goes on only when both its questions of this reach
 * are answered OK; (4) a FROM that returns wins, and the second one changes nothing; (5) ELECTED goes round
 * once, clockwise, n hops, and ends at its leader. Liveness needs a whole ring: what a node that is down may have
 * lost is sent again when it returns.
 */

import { ok, stop } from '../definition/fault-row.ts';
import { naming } from '../definition/forgery.ts';
import type { MessageFacts } from '../definition/message-definition.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { ProtocolFacts } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank, Self } from '../machine.ts';
import {
  circling,
  EPOCH,
  PLAIN_RING,
  plainRing,
  REPEATING_RING_FAULTS,
  RING_FORGERY,
  successor,
} from './ring-facts.ts';

type HirschbergSinclairMessage =
  | {
      readonly type: 'FROM';
      readonly candidate: Rank;
      /** Number of nodes that it has passed, and that it must reach. */
      readonly hops: number;
      readonly hopsMax: number;
      /** Which way it travels. In a ring of two both ways lead to the same node. */
      readonly clockwise: boolean;
    }
  | {
      readonly type: 'OK' | 'NO';
      readonly candidate: Rank;
      /** The reach of the FROM that it answers, so that an answer counts for one reach only. */
      readonly hopsMax: number;
      readonly clockwise: boolean;
    }
  | { readonly type: 'ELECTED'; readonly leader: Rank };

type HirschbergSinclairState = {
  phase: 'asleep' | 'candidate' | 'lost' | 'leader';
  hopsMax: number;
  /** Which of the two questions of this reach has come back OK. */
  clockwiseOk: boolean;
  counterclockwiseOk: boolean;
  leader: Rank | null;
};

/** What a sleeping node does at its first FROM. */
type WakeRule = 'wake' | 'slide';

/** No ring is longer. Whatever a Byzantine node answers, the reach remains an exact number. */
const HOPS_LIMIT = 2 ** 52;

type From = HirschbergSinclairMessage & { readonly type: 'FROM' };
type Answer = HirschbergSinclairMessage & { readonly type: 'OK' | 'NO' };

type Own = Step<HirschbergSinclairState, HirschbergSinclairMessage, WakeRule>;

const ANSWER_MEMBERS = { candidate: 'rank', hopsMax: 'integer', clockwise: 'boolean' } as const;
const QUESTION_TOKEN = circling('candidate', 'hopsMax', 'clockwise');
const ANSWER = {
  members: ANSWER_MEMBERS,
  candidates: ['candidate'],
  token: QUESTION_TOKEN,
  alterations: null,
  ...RELAYED,
} as const satisfies MessageFacts;

const HIRSCHBERG_SINCLAIR = {
  fifo: false,
  messageBound: '8n(1+ceil(lg n)) FROM, OK and NO + n ELECTED',
  // The mean of random rings. The bound is more than twice as high.
  messagesAbout: (nodes: number) => 4 * nodes * (Math.log2(nodes) + 2),
  entriesAbout: null,
  messages: {
    FROM: {
      members: { ...ANSWER_MEMBERS, hops: 'integer' },
      candidates: ['candidate'],
      token: QUESTION_TOKEN,
      alterations: { candidate: 'highest-rank', hopsMax: 'none', clockwise: 'none', hops: 'none' },
      ...RELAYED,
    },
    OK: ANSWER,
    NO: ANSWER,
    ELECTED: {
      members: { leader: 'rank' },
      candidates: ['leader'],
      token: circling('leader'),
      alterations: null,
      ...RELAYED,
    },
  },
  tokens: {
    laps: () => 1,
    isReplaced: false,
    outbidsLeaders: true,
    unowed: 'the node at the end of its reach answers a candidate instead of passing it on',
  },
  forgery: {
    numbering: null,
    announcement: naming(({ about }) => [{ type: 'ELECTED', leader: about }]),
    candidacy: naming(({ about, ringNodes }) => {
      const hopsMax = 2 ** Math.ceil(Math.log2(ringNodes));
      return [{ type: 'FROM', candidate: about, hops: 0, hopsMax, clockwise: true }];
    }),
    answer: 'an answer is to one question, whose reach a forger would have to know',
    ...RING_FORGERY,
  },
  faults: {
    drop: stop('An answer that never comes leaves its candidate waiting.'),
    duplicate: ok('A second copy meets a state that has moved on.'),
    reorder: ok('One token at a time decides: no order.'),
    ...REPEATING_RING_FAULTS,
  },
  ...PLAIN_RING,
} as const satisfies Partial<ProtocolFacts> & { readonly messages: object };

export const HS_WAKE = defineProtocol({
  name: 'hs-wake',
  assumes:
    'Asynchronous; static membership; links both ways; to finish, reliable links and a whole ring.',
  source:
    'D. S. Hirschberg and J. B. Sinclair, Decentralized extrema-finding in circular configurations of processors, CACM 23(11), 1980',
  create: () => createHirschbergSinclair('wake'),
  ...HIRSCHBERG_SINCLAIR,
});

/** Only hs-slide needs this optional fact. Its type is stated here, so that it cannot be left out. */
const WAKES_NO_NODE = { needsStart: 'highest' } as const satisfies {
  readonly needsStart: 'highest';
};

export const HS_SLIDE = defineProtocol({
  name: 'hs-slide',
  assumes: 'As hs-wake, and that the highest member is among those who start.',
  ...WAKES_NO_NODE,
  source:
    'D. S. Hirschberg and J. B. Sinclair, CACM 23(11), 1980, in the form of lectures, where no node wakes another',
  create: () => createHirschbergSinclair('slide'),
  ...HIRSCHBERG_SINCLAIR,
});

function createHirschbergSinclair(rule: WakeRule) {
  return createMachine<HirschbergSinclairState, HirschbergSinclairMessage, WakeRule>({
    settings: rule,
    init: (self) => ({
      phase: 'asleep',
      hopsMax: 0,
      clockwiseOk: false,
      counterclockwiseOk: false,
      leader: self.incumbent,
    }),
    on: {
      ...plainRing<HirschbergSinclairState, HirschbergSinclairMessage, WakeRule>({
        start(step) {
          if (step.state.phase !== 'candidate') stand(step);
        },
        launch: stand,
        trust: repeat,
      }),
      deliver: {
        FROM(step, message) {
          if (step.settings === 'wake' && step.state.phase === 'asleep') stand(step);
          onFrom(step, message);
        },
        OK: onAnswerOrPass,
        NO: onAnswerOrPass,
        ELECTED: (step, message) => onElected(step, message.leader),
      },
    },
  });
}

/** An answer goes where its question has been, so that every node on its way is awake. */
function onAnswerOrPass(step: Own, message: Answer): void {
  if (message.candidate === step.self.rank) onAnswer(step, message);
  else pass(step, message);
}

function onFrom(context: Own, message: From): void {
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

function onAnswer(context: Own, message: Answer): void {
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

function onElected({ self, state, effects }: Own, leader: Rank): void {
  if (leader === self.rank) return;
  // The lap of a lower leader cannot have ended this node's candidacy: this node lets no lower FROM pass.
  if (leader > self.rank) state.phase = 'lost';
  state.leader = leader;
  effects.elect(leader, EPOCH);
  effects.send(successor(self), { type: 'ELECTED', leader });
}

/** From now on this node is a candidate, of the smallest reach. */
function stand(context: Own): void {
  context.state.phase = 'candidate';
  ask(context, 1);
}

function ask({ self, state, effects }: Own, hopsMax: number): void {
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

/** Every other node has passed this node's FROM on. */
function win(context: Own): void {
  const { self, state, effects } = context;
  state.phase = 'leader';
  state.leader = self.rank;
  effects.elect(self.rank, EPOCH);
  announce(context);
}

function announce({ self, effects }: Own): void {
  effects.send(successor(self), { type: 'ELECTED', leader: self.rank });
}

/** A node has returned, and may have lost what this node sent, or an answer to it. */
function repeat(context: Own): void {
  const { state } = context;
  if (state.phase === 'candidate') ask(context, state.hopsMax);
  else if (state.phase === 'leader') announce(context);
}

function answer({ self, effects }: Own, type: Answer['type'], question: From): void {
  const { candidate, hopsMax } = question;
  const clockwise = !question.clockwise;
  effects.send(neighbour(self, clockwise), { type, candidate, hopsMax, clockwise });
}

function pass({ self, effects }: Own, message: From | Answer): void {
  effects.send(neighbour(self, message.clockwise), message);
}

function neighbour(self: Self, clockwise: boolean): Rank {
  return clockwise ? successor(self) : self.predecessor;
}
