/**
 * @module
 * This folder contains a protocol of the family `overlay`: the leader of a key in a distributed hash table. The rank of a
 * node is its closeness to the key, and the closest live node leads. No node knows all others, so that each looks the
 * leader up (P. Maymounkov and D. Mazières, Kademlia, IPTPS 2002; I. Baumgart and S. Mies, S/Kademlia, ICPADS 2007).
 *
 * A node knows `siblings` nodes that are next closer to the key, and one in the middle between itself and the key, as its
 * bucket for the key has nodes of the closer half. A lookup asks the closest known nodes for closer ones. It ends when the
 * `paths` closest live ones that it knows have answered.
 *
 * Invariants: (1) a node asks closer nodes only; (2) it elects no node that has not answered, except itself; (3) a lookup
 * that waits has a timer for each question. With one path and no failure it takes at most ⌈log2 n⌉ + 1 questions.
 */

import type { FaultRow, Flags, Machine, Rank, Step, Timing } from 'usurp';
import {
  AFFECTED_BY_ALL,
  answerTicks,
  breaks,
  createMachine,
  DIRECT,
  defineProtocol,
  live,
  naming,
  none,
  numbersOf,
  ok,
} from 'usurp';

export type KeyLeaderMessage =
  | { readonly type: 'FIND' }
  /** Nodes that the sender takes for live, and that are closer to the key than it. */
  | { readonly type: 'NODES'; readonly nodes: readonly Rank[] };

export type KeyLeaderState = {
  /** Whether a lookup is under way. */
  looking: boolean;
  /** Closer nodes that this lookup knows, in ascending order. */
  known: Rank[];
  asked: Rank[];
  answered: Rank[];
  /** Nodes that did not answer in time, or that the detector suspects. */
  dead: Rank[];
  leader: Rank | null;
};

const NUMBERS = {
  siblings: {
    ...{
      min: 1,
      max: 64,
      shortTicks: null,
      meaning: 'nodes next closer to the key that each node knows',
    },
    byDefault: () => 2,
  },
  paths: {
    ...{
      min: 1,
      max: 16,
      shortTicks: null,
      meaning: 'closest known nodes that must have answered',
    },
    byDefault: () => 1,
  },
} as const;

interface Settings {
  readonly timing: Timing;
  readonly siblings: number;
  readonly paths: number;
}

type Own = Step<KeyLeaderState, KeyLeaderMessage, Settings>;

const LATE = 'An answer that arrives after T counts as none.';
const TWO_SIDES = breaks(['S1', 'S2', 'S3'], 'Each side has a closest node.');

const FAULTS: FaultRow = {
  drop: breaks(['S1', 'S2', 'S3'], 'A node leads when the answers of all closer ones are lost.'),
  duplicate: ok('A second copy of an answer adds no node.'),
  reorder: breaks(
    ['S1', 'S2'],
    'An answer that is held back counts as none when the time-out ends.',
  ),
  delay: breaks(['S1', 'S2'], LATE),
  'clean-majority': TWO_SIDES,
  'one-way': TWO_SIDES,
  'majorities-ring': TWO_SIDES,
  'leader-isolated': TWO_SIDES,
  'swizzle-clog': TWO_SIDES,
  'crash-best': live('A node whose leader is suspected looks the key up again.'),
  restart: live('A node that returns is trusted, and lookups begin again.'),
  amnesia: live('A node stores nothing that a lookup does not find.'),
  pause: breaks(['S1'], 'A leader that wakes up still leads.', { late: ['S2'] }),
  'clock-skew': breaks(['S1', 'S2'], 'A fast clock ends T before the answer arrives.'),
  'clock-jump': breaks(['S1', 'S2'], 'A jump of a clock ends T before the answer arrives.'),
  'fail-over': none('It has no store.'),
  'torn-record': none('It stores nothing.'),
  'unknown-message': ok('A machine ignores a message without a handler.'),
};

export const KEY_LEADER = defineProtocol({
  name: 'key-leader',
  family: 'overlay',
  elects: 'highest',
  isRanked: true,
  unique: 'moment',
  fifo: false,
  assumes:
    'Synchronous: a known bound on latency and a detector that never errs; fewer than `siblings` neighbours fail at once.',
  needsStart: 'all',
  overLinks: false,
  votersIn: null,
  decided: null,
  messageBound: '2(⌈log2 n⌉ + 1) for each lookup with one path, without failures',
  messagesAbout: (nodes, flags) =>
    2 * nodes * (Math.ceil(Math.log2(nodes)) + Number(flags?.paths ?? 1)),
  inFlightAbout: (nodes) => 2 * nodes,
  entriesAbout: (nodes) => 3 * nodes * (Math.ceil(Math.log2(nodes)) + 1),
  steadyTicks: null,
  source:
    'P. Maymounkov and D. Mazières, Kademlia, IPTPS 2002; I. Baumgart and S. Mies, S/Kademlia, ICPADS 2007; as an election ours',
  flags: {},
  numbers: NUMBERS,
  clash: null,
  attributes: null,
  successors: 1,
  leases: false,
  store: null,
  counters: [],
  drawnTicks: [],
  symmetry: 'the highest rank wins',
  messages: {
    FIND: { members: {}, ...DIRECT },
    NODES: {
      members: { nodes: 'ranks' },
      candidates: [],
      statementOf: 'sender',
      senderStands: false,
      claim: null,
      token: null,
      alterations: null,
    },
  },
  returnsToOrigin: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  forgery: {
    route: 'each-node',
    believes: 'higher-ranks',
    acceptsStrangers: true,
    replacesSilentLeaders: false,
    numbering: null,
    announcement: 'no node announces a leader: each finds it',
    candidacy: 'no node stands for election',
    answer: naming(({ about }) => [{ type: 'NODES', nodes: [about] }]),
  },
  waiting: null,
  stall: 'no node waits longer than T for an answer',
  doubleVote: 'no node votes in it',
  inflation: 'it does not number elections',
  certificate: 'no node votes in it',
  faults: FAULTS,
  unaffected: AFFECTED_BY_ALL,
  create: createKeyLeader,
});

function createKeyLeader(timing: Timing, flags: Flags): Machine<KeyLeaderState, KeyLeaderMessage> {
  return createMachine<KeyLeaderState, KeyLeaderMessage, Settings>({
    settings: { timing, ...numbersOf(NUMBERS, timing, flags) },
    init: (self) => ({
      ...{ looking: false, known: [], asked: [], answered: [], dead: [] },
      leader: self.incumbent,
    }),
    on: {
      start: begin,
      recover(step) {
        step.state.leader = null;
        step.state.dead = [];
        begin(step);
      },
      suspect(step, node) {
        const { state } = step;
        if (!state.dead.includes(node)) state.dead.push(node);
        if (state.looking) proceed(step);
        else if (node === state.leader) begin(step);
      },
      trust(step, node) {
        revive(step.state, node);
        // A node that is back may lead, and may have missed questions.
        if (node > step.self.rank) begin(step);
      },
      deliver: {
        FIND({ self, state, effects, settings }, _message, from) {
          const nodes = contactsOf(self, settings).filter((node) => !state.dead.includes(node));
          effects.send(from, { type: 'NODES', nodes });
        },
        NODES(step, message, from) {
          const { self, state } = step;
          revive(state, from);
          const isNews = !state.known.includes(from) && from > self.rank;
          for (const node of [from, ...message.nodes]) learn(step, node);
          if (!state.answered.includes(from)) state.answered.push(from);
          step.effects.cancelTimer(`answer:${from}`);
          if (state.looking) proceed(step);
          else if (isNews || from > (state.leader ?? self.rank)) begin(step);
        },
      },
      timeout: {
        answer(step, timer) {
          const { state } = step;
          const late = state.asked.find((node) => timer === `answer:${node}`);
          if (late !== undefined && !state.dead.includes(late)) state.dead.push(late);
          if (state.looking) proceed(step);
        },
      },
    },
  });
}

/** The closer nodes that a node knows: its next neighbours, and one half-way to the key. */
function contactsOf(self: Own['self'], { siblings }: Settings): readonly Rank[] {
  const closer = self.members.slice(self.members.indexOf(self.rank) + 1);
  const middle = closer[Math.floor(closer.length / 2)];
  return [...new Set([...closer.slice(0, siblings), ...(middle === undefined ? [] : [middle])])];
}

/** Begins a lookup with the nodes that this node knows. */
function begin(step: Own): void {
  const { self, state, settings } = step;
  if (state.leader === self.rank) step.effects.stepDown();
  state.leader = null;
  for (const node of state.asked) step.effects.cancelTimer(`answer:${node}`);
  state.looking = true;
  state.known = [];
  state.asked = [];
  state.answered = [];
  for (const node of contactsOf(self, settings)) learn(step, node);
  proceed(step);
}

function learn({ self, state }: Own, node: Rank): void {
  if (node <= self.rank || state.known.includes(node)) return;
  state.known = [...state.known, node].sort((one, other) => (one < other ? -1 : 1));
}

function revive(state: KeyLeaderState, node: Rank): void {
  state.dead = state.dead.filter((other) => other !== node);
}

/** Asks the closest live nodes that it knows, or elects the closest if they have answered. */
function proceed(step: Own): void {
  const { self, state, effects, settings } = step;
  const alive = state.known.filter((node) => !state.dead.includes(node)).reverse();
  const wanted = alive.slice(0, settings.paths).filter((node) => !state.answered.includes(node));
  for (const node of wanted) {
    if (state.asked.includes(node)) continue;
    state.asked.push(node);
    effects.send(node, { type: 'FIND' });
    effects.setTimer(`answer:${node}`, answerTicks(settings.timing), false);
  }
  if (wanted.length > 0) return;
  state.looking = false;
  state.leader = alive[0] ?? self.rank;
  effects.elect(state.leader, 0);
}
