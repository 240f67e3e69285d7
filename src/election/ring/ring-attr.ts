/**
 * @module
 * A ring election by attribute: the member with the best (attribute, rank) leads, compared in that order. After
 * Chang and Roberts (1979), CACM 22(5), in the form of lectures that write "id:attr". Lectures leave several
 * initiators open. Here a run is (election, initiator), and a node serves only the highest run that it has met.
 *
 * Invariants: (1) in one run an ELECTION passes only nodes worse than what it carries; (2) so only the best
 * member of a closed ring is elected, under any schedule; (3) a node enters itself into a run once; (4)
 * ELECTED goes round once, n hops, and ends at the leader; (5) a node that is `running` has timer "elected",
 * until no retries are left. With several initiators at most n(n−1)/2 + n² ELECTION are sent. No node can
 * check an attribute. Liveness needs a whole ring: a run without an end is repeated a few times after its
 * longest time, and again when a node is trusted or a leader is suspected.
 */

import { AFFECTED_BY_ALL } from '../definition/drawn-faults.ts';
import { ok, stop } from '../definition/fault-row.ts';
import type { Flags } from '../definition/flags.ts';
import { GREATEST, naming } from '../definition/forgery.ts';
import { RELAYED } from '../definition/message-definition.ts';
import type { AttributeOf } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { ringElectionTicks } from '../timing.ts';
import { ONE_NEIGHBOUR, REPEATING_RING_FAULTS, successor, UNANSWERED } from './ring-facts.ts';

type AttributeMessage = {
  readonly type: 'ELECTION' | 'ELECTED';
  readonly election: number;
  readonly initiator: Rank;
  /** The best so far, or the leader, and its attribute. */
  readonly id: Rank;
  readonly attr: number;
};

type AttributeState = {
  /** The highest run that it has met. 0 and null before the first. */
  election: number;
  initiator: Rank | null;
  /** Whether it has sent an ELECTION of this run. */
  forwarded: boolean;
  /** Whether it does not know the end of this run. */
  running: boolean;
  retriesLeft: number;
  leader: Rank | null;
  suspected: Rank[];
};

/** One retry is enough against a lost message, and none helps against a gap in the ring. */
const RETRIES_MAX = 3;

interface Settings {
  readonly timing: Timing;
  readonly attributeOf: AttributeOf;
}

type Own = Step<AttributeState, AttributeMessage, Settings>;

const MEMBERS = { election: 'integer', initiator: 'rank', id: 'rank', attr: 'number' } as const;
/** A better ID may replace another one on the way. */
const TOKEN = { identifiedBy: ['election', 'initiator'], endsAt: 'id', stopsAtHigher: false };

export const RING_ATTR = defineProtocol({
  name: 'ring-attr',
  elects: 'attribute',
  fifo: false,
  assumes:
    'Asynchronous but for a retry timer; static membership; honest attributes; to finish, reliable links and a whole ring.',
  messageBound: 'one initiator: n to 2n-1 ELECTION + n ELECTED',
  messagesAbout: (nodes) => nodes * (Math.log(nodes) + 4),
  source:
    'After E. Chang and R. Roberts, CACM 22(5), 1979, in the form of lectures that elect by attribute and ID',
  attributes: 'what a node claims of itself; the best of it leads',
  messages: {
    ELECTION: {
      members: MEMBERS,
      candidates: ['id'],
      token: TOKEN,
      // No node can check what another claims of itself, so that no rank need be forged.
      alterations: { election: 'none', initiator: 'none', id: 'own-rank', attr: 'greatest' },
      ...RELAYED,
    },
    ELECTED: { members: MEMBERS, candidates: ['id'], token: TOKEN, alterations: null, ...RELAYED },
  },
  tokens: {
    laps: () => 1,
    isReplaced: false,
    outbidsLeaders: false,
    unowed: 'a better one may replace it on the way, by what its sender claims of itself',
  },
  forgery: {
    numbering: 'election',
    announcement: claiming('ELECTED'),
    candidacy: claiming('ELECTION'),
    ...UNANSWERED,
  },
  faults: {
    drop: stop('A run is repeated a few times, until all of them have lost something.'),
    duplicate: ok('A second copy meets a state that has moved on.'),
    reorder: ok('One token at a time decides: no order.'),
    ...REPEATING_RING_FAULTS,
  },
  create: (timing: Timing, _flags: Flags, attributeOf?: AttributeOf) =>
    createRingAttribute(timing, attributeOf),
  unaffected: AFFECTED_BY_ALL,
  symmetry: 'the highest rank wins if attributes are equal',
  ...ONE_NEIGHBOUR,
});

function claiming(type: AttributeMessage['type']) {
  return naming(({ about, home, epoch }) => [
    { type, election: epoch, initiator: home, id: about, attr: GREATEST },
  ]);
}

/** The machine of every node. By default all attributes are equal, so that the highest rank leads. */
export function createRingAttribute(timing: Timing, attributeOf: AttributeOf = () => 0) {
  return createMachine<AttributeState, AttributeMessage, Settings>({
    settings: { timing, attributeOf },
    init: (self) => ({
      election: 0,
      initiator: null,
      forwarded: false,
      running: false,
      retriesLeft: RETRIES_MAX,
      leader: self.incumbent,
      suspected: [],
    }),
    on: {
      start(step) {
        if (!step.state.running) begin(step);
      },
      recover(step) {
        step.state.leader = null;
        begin(step);
      },
      suspect: onSuspect,
      trust: onTrust,
      timeout: { elected: onTimeout },
      deliver: { ELECTION: onElection, ELECTED: onElected },
    },
  });
}

function onElection(context: Own, message: AttributeMessage): void {
  const { self, state, effects } = context;
  const order = compareRuns(message, state);
  if (order < 0 || (order === 0 && !state.running)) return;
  if (order > 0) enter(context, message);
  const own = { ...message, id: self.rank, attr: context.settings.attributeOf(self.rank) };
  if (message.id === self.rank) {
    win(context, own);
  } else if (isBetter(message, own)) {
    state.forwarded = true;
    effects.send(successor(self), message);
  } else if (!state.forwarded) {
    state.forwarded = true;
    effects.send(successor(self), own);
  }
}

function win(context: Own, own: AttributeMessage): void {
  settle(context, context.self.rank);
  context.effects.send(successor(context.self), { ...own, type: 'ELECTED' });
}

function onElected(context: Own, message: AttributeMessage): void {
  const { self, state, effects } = context;
  if (message.id === self.rank || compareRuns(message, state) < 0) return;
  if (compareRuns(message, state) > 0) enter(context, message);
  if (state.suspected.includes(message.id)) {
    begin(context);
    return;
  }
  settle(context, message.id);
  effects.send(successor(self), message);
}

function onTimeout(context: Own): void {
  const { state } = context;
  if (!state.running || state.retriesLeft === 0) return;
  state.retriesLeft -= 1;
  begin(context);
}

function onSuspect(context: Own, node: Rank): void {
  const { state } = context;
  if (!state.suspected.includes(node)) state.suspected.push(node);
  if (node !== state.leader) return;
  state.retriesLeft = RETRIES_MAX;
  begin(context);
}

/** A node that is up again may have lost messages of a run, and does not know the leader. */
function onTrust(context: Own, node: Rank): void {
  const { self, state } = context;
  state.suspected = state.suspected.filter((each) => each !== node);
  if (!state.running && state.leader !== self.rank && state.leader !== node) return;
  state.retriesLeft = RETRIES_MAX;
  begin(context);
}

/** Starts the next run, with itself as the best so far. */
function begin(context: Own): void {
  const { self, state, effects } = context;
  const run = { election: state.election + 1, initiator: self.rank };
  enter(context, run);
  state.forwarded = true;
  const attr = context.settings.attributeOf(self.rank);
  effects.send(successor(self), { type: 'ELECTION', ...run, id: self.rank, attr });
}

function enter(
  { settings, self, state, effects }: Own,
  run: Pick<AttributeMessage, 'election' | 'initiator'>,
): void {
  state.election = run.election;
  state.initiator = run.initiator;
  state.forwarded = false;
  state.running = true;
  effects.setTimer('elected', ringElectionTicks(settings.timing, self.ringNodes), false);
}

function settle({ state, effects }: Own, leader: Rank): void {
  if (state.running) effects.cancelTimer('elected');
  state.running = false;
  state.leader = leader;
  effects.elect(leader, state.election);
}

/** Negative, 0 or positive: the message's run is older than the node's, the same, or newer. */
function compareRuns(
  message: AttributeMessage,
  { election, initiator }: Pick<AttributeState, 'election' | 'initiator'>,
): number {
  if (message.election !== election) return message.election - election;
  if (initiator === null || message.initiator > initiator) return 1;
  return message.initiator < initiator ? -1 : 0;
}

function isBetter(one: AttributeMessage, other: AttributeMessage): boolean {
  return one.attr > other.attr || (one.attr === other.attr && one.id > other.id);
}
