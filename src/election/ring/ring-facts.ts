/**
 * @module
 * This folder contains the ring protocols, and this file the facts that they share. A definition spreads them after its own facts, so that the
 * compiler refuses a fact that is given twice.
 */

import { AFFECTED_BUT_BY_CLOCKS } from '../definition/drawn-faults.ts';
import type { FaultCell } from '../definition/fault-row.ts';
import { live, none, ok, stop } from '../definition/fault-row.ts';
import type { TokenFacts } from '../definition/message-definition.ts';
import type { ProtocolFacts, RingTokens } from '../definition/protocol.ts';
import type { Handlers, Step } from '../handlers.ts';
import type { Message, Rank, Self } from '../machine.ts';

/** The facts of every ring. */
export const RING = {
  family: 'ring',
  overLinks: false,
  votersIn: null,
  decided: null,
  unique: 'moment',
  inFlightAbout: null,
  steadyTicks: null,
  flags: {},
  numbers: {},
  clash: null,
  leases: false,
  returnsToOrigin: true,
  waiting: null,
  stall:
    'no node of a ring waits for one node in particular; a node that keeps a message swallows it',
  isRanked: true,
  doubleVote: 'no node votes in it',
  inflation: 'no node adopts the number of an election from another',
  certificate: 'no leader in it is elected by votes',
  store: null,
  counters: [],
  drawnTicks: [],
} as const satisfies Partial<ProtocolFacts>;

/** The facts of a ring whose nodes know one neighbour. */
export const ONE_NEIGHBOUR = {
  ...RING,
  successors: 1,
  carries: null,
  entriesAbout: null,
} as const satisfies Partial<ProtocolFacts>;

/** The facts of a ring whose nodes are ordered by rank and know one neighbour. */
export const PLAIN_RING = {
  ...RING,
  elects: 'highest',
  attributes: null,
  successors: 1,
  carries: null,
  symmetry: 'the highest rank wins',
  unaffected: AFFECTED_BUT_BY_CLOCKS,
} as const satisfies Partial<ProtocolFacts>;

/** How messages of every ring are forged. */
export const RING_FORGERY = {
  route: 'successor',
  believes: 'any-rank',
  acceptsStrangers: true,
  replacesSilentLeaders: false,
} as const;

/** The forgery facts of a ring in which a candidate has no answers. */
export const UNANSWERED = { answer: 'no node answers a candidate', ...RING_FORGERY } as const;

/** A token that these members identify. It ends at the node that the first one names. */
export function circling(...identifiedBy: readonly [string, ...string[]]): TokenFacts {
  return { identifiedBy, endsAt: identifiedBy[0], stopsAtHigher: false };
}

/** Tokens that need one lap and that each node must pass on. */
export const ONE_LAP: RingTokens = {
  laps: () => 1,
  isReplaced: false,
  outbidsLeaders: true,
  unowed: null,
};

export const RELIABLE_RING =
  'Asynchronous; static membership; to finish, reliable links and a whole ring.';

export const HOLE =
  'A ring with a gap has no lap. What was lost in it is repeated only if a detector reports a change.';

type Cells = Readonly<Record<string, FaultCell>>;

/** What faults do to every ring. */
export const RING_FAULTS = {
  delay: live('No ring takes a time-out for an answer.'),
  'leader-isolated': none(
    'The leader of a ring has no standing duty: it is a partition like any other.',
  ),
  'clock-skew': ok('No timers; the retry of ring-attr comes at any time.'),
  'clock-jump': ok('As clock-skew.'),
  'fail-over': none('No node calls a store.'),
  'torn-record': none('What they store is one number: one write.'),
  'unknown-message': ok('A machine ignores an unknown message.'),
} satisfies Cells;

/** What else faults do to a ring with one or two tokens, which only a loss can stop. */
export const PLAIN_RING_FAULTS = {
  ...RING_FAULTS,
  'clean-majority': stop(HOLE),
  'one-way': stop(HOLE),
  'majorities-ring': stop(HOLE),
  'crash-best': stop('The dead leave a hole in the ring.'),
  restart: live('A node that returns is trusted and begins again.'),
  pause: live('A ring waits for a node that is paused.'),
} satisfies Cells;

/** What else faults do to a plain ring that sends its messages again when a node returns. */
export const REPEATING_RING_FAULTS = {
  'swizzle-clog': stop(HOLE),
  amnesia: live('As restart: the next message contains what was forgotten.'),
  ...PLAIN_RING_FAULTS,
} satisfies Cells;

/** The number of an election that is on disk. 0 if the disk is empty. */
export function electionOnDisk(persisted: unknown): number {
  return typeof persisted === 'number' ? persisted : 0;
}

/**
 * These protocols do not number elections. What nodes of a plain ring have in common: where they send, and when they
 * begin an election. Plain rings set no timers and number no elections. They differ in what they send and in how
 * they handle it.
 */
export const EPOCH = 0;

/** The next node clockwise. A node that is alone in its ring is its own successor. */
export function successor(self: Self): Rank {
  return self.successors[0] ?? self.rank;
}

type Reaction<State, M extends Message, Settings> = (step: Step<State, M, Settings>) => void;

/** The handlers of a plain ring, but for its messages. */
export function plainRing<
  State extends { leader: Rank | null },
  M extends Message,
  Settings = null,
>({
  start,
  launch,
  trust,
}: {
  readonly start: Reaction<State, M, Settings>;
  /** Begins an election although one may be running: the node has returned, or it suspects its leader. */
  readonly launch: Reaction<State, M, Settings>;
  /** A node has returned, and messages of this node may have been lost in it. */
  readonly trust: Reaction<State, M, Settings>;
}): Handlers<State, M, Settings> {
  return {
    start,
    trust,
    recover(step) {
      step.state.leader = null;
      launch(step);
    },
    suspect(step, node) {
      if (node === step.state.leader) launch(step);
    },
  };
}
