/**
 * @module
 * ZooKeeper's recipe for leader election, as a client of a coordination store: P. Hunt et al.,
 * ZooKeeper, USENIX ATC 2010, section 2.4 (locks without herd effect), and the project's "ZooKeeper
 * Recipes and Solutions". Every node creates an ephemeral sequential znode. The lowest sequence number
 * leads, and every other node watches the next lower one and reads again when that is gone.
 *
 * Silence is the only sign of a lost connection. Pings keep the session. A node that has no answer to
 * a ping sent within leaseTicks acts as deposed, before the store deletes its znode, as
 * the recipes of Apache Curator do when a connection is suspended. Here a
 * network loses single messages, not connections: a request that is not answered within T is repeated,
 * and each ping renews the watch, as SET_WATCHES does when a client reconnects.
 *
 * Invariants: (1) it leads only with its own znode that was the first, whose sequence number is the
 * epoch and is never used twice: one leader in an epoch, whatever the schedule; (2) `lease` is the
 * last answered request whose timer has not fired, set when it was sent, and without one the node
 * follows no leader; (3) at most one operation beside pings is open, `open`, and answers to others are
 * ignored. (4) With drift corrected, clocks off by at most driftPpm and no pauses: one leader at a
 * moment.
 */

import { none } from '../definition/fault-row.ts';
import type { Flags, FlagValues, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, faultUnlessBelow, numbersOf, TICKS } from '../definition/flags.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { FAULTS_BUT_FAIL_OVER, LEASE, STORE_NUMBERS } from './lease-facts.ts';
import type {
  CoordinationOperation,
  CoordinationReply,
  Znode,
} from './stores/coordination-store.ts';
import { createCoordinationStore, sequenceOf } from './stores/coordination-store.ts';
import { unfollow } from './tenure.ts';

/**
 * - herd: whether a client watches the next lower znode or the lowest. If all watch the lowest, its end
 *   is reported to all (the herd effect, which the recipe avoids).
 * - drift: whether a lease is shorter than the session by the drift of clocks.
 *
 * The options that ZooKeeper's recipe leaves open: which znode a client watches, how long sessions last, how often
 * pings keep them alive, and how much clocks may drift. Store and clients use the same ones.
 */
const ZK_RECIPE_FLAGS = {
  herd: ['off', 'on'],
  drift: ['corrected', 'ignored'],
} as const satisfies FlagValues;

const ZK_RECIPE_NUMBERS = {
  sessionTicks: {
    ...TICKS,
    min: 3,
    meaning: 'ticks after which the store ends the session of a client that it has not heard',
    byDefault: silenceTicks,
    shortTicks: 60,
  },
  pingTicks: {
    ...TICKS,
    meaning: 'ticks from one ping of a client to the next',
    // As in ZooKeeper's client: two of three may be lost.
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('sessionTicks') / 3)),
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'by how many millionths any clock may run fast or slow',
    byDefault: () => 10_000,
    shortTicks: null,
  },
} as const satisfies NumberFlags;

interface ZkRecipeSettings {
  readonly herd: (typeof ZK_RECIPE_FLAGS.herd)[number];
  readonly sessionTicks: number;
  /** How long an answered ping allows the node to lead, from the sending of the ping. */
  readonly leaseTicks: number;
  readonly pingTicks: number;
  /** Time after which a request without an answer is repeated. */
  readonly answerTicks: number;
}

/** The settings by the flags. Throws RangeError for a value that is not listed or out of bounds. */
export function zkRecipeSettings(timing: Timing, flags: Flags = {}): ZkRecipeSettings {
  const { sessionTicks, pingTicks, driftPpm } = numbersOf(ZK_RECIPE_NUMBERS, timing, flags);
  const isCorrected = chosenFlag('drift', ZK_RECIPE_FLAGS.drift, flags) === 'corrected';
  return {
    herd: chosenFlag('herd', ZK_RECIPE_FLAGS.herd, flags),
    sessionTicks,
    leaseTicks: isCorrected ? holderTicks({ leaseTicks: sessionTicks, driftPpm }) : sessionTicks,
    pingTicks,
    answerTicks: answerTicks(timing),
  };
}

export type ZkRecipeState = {
  /**
   * `stopped`: before its start. `won`: it knows that it is the first and does not lead yet.
   * `suspended`: it has no lease, and perhaps a session.
   */
  phase:
    | 'stopped'
    | 'connecting'
    | 'creating'
    | 'reading'
    | 'placing-watch'
    | 'watching'
    | 'won'
    | 'leading'
    | 'suspended';
  /** Identifies this attempt at a session and the names of its znodes. Null while it is drawn. */
  guid: string | null;
  session: number | null;
  /** The number of the last request. */
  request: number;
  /** Number of the request that is not answered yet. 0 for none. */
  open: number;
  /** Number of the answered request that the lease counts from. 0 without a lease. */
  lease: number;
  /** The last request whose lease is over, answered or not. */
  lapsed: number;
  /** The name of the znode on which it sets a watch or has set one. */
  watched: string | null;
  /** The node that it follows, itself if it leads. */
  leader: Rank | null;
  /** The sequence number of the last leader that it knew, or its own if it leads or has won. */
  epoch: number;
};

type Own = Step<ZkRecipeState, never, ZkRecipeSettings>;
type ReplyOf<Type> = CoordinationReply & { readonly type: Type };

/** Number of guids to choose from. A client does not draw one of its own twice. */
const GUIDS = 2 ** 32;
const LEASE_TIMER = 'lease:';
/** An entry that each of n clients looks at takes as long as 16 that are only copied. */
const ENTRIES = 16;

export const ZK_RECIPE = defineProtocol({
  name: 'zk-recipe',
  assumes:
    'Safe asynchronously, as the store never fails; to finish, messages that mostly arrive within the bound; one leader at a moment if clocks drift by at most driftPpm and no node pauses.',
  messageBound:
    '8n calls and answers to begin; a change of leader: 1 DELETED + 1 GET_CHILDREN, n-1 of each in a herd; 2n PING and PONG every pingTicks',
  messagesAbout: (nodes) => 20 * nodes,
  // Each client reads a list of all.
  entriesAbout: (nodes) => ENTRIES * nodes ** 2,
  steadyTicks: (timing, flags) =>
    zkRecipeSettings(timing, flags).sessionTicks + answerTicks(timing),
  source:
    'P. Hunt, M. Konar, F. P. Junqueira and B. Reed, ZooKeeper: Wait-free coordination for internet-scale systems, USENIX ATC 2010, section 2.4; ZooKeeper Recipes and Solutions, Leader Election; stepping down while suspended: Apache Curator, LeaderLatch',
  flags: ZK_RECIPE_FLAGS,
  numbers: ZK_RECIPE_NUMBERS,
  clash: (numberOf, flags) => faultUnlessBelow(['pingTicks', 'sessionTicks'], numberOf, flags),
  inflation: STORE_NUMBERS,
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['leader'],
    persisted: [],
    store: {
      state: ['sessions.*.owner', 'znodes.*.owner'],
      messages: ['children.*.owner', 'oldest.owner'],
    },
  },
  store: {
    messageTypes: [
      'CONNECT',
      'CONNECTED',
      'CREATE',
      'CREATED',
      'GET_CHILDREN',
      'CHILDREN',
      'EXISTS',
      'STAT',
      'PING',
      'PONG',
      'DELETED',
      'EXPIRED',
    ],
    create: (timing, flags) =>
      createCoordinationStore(zkRecipeSettings(timing, flags).sessionTicks),
  },
  create: createZkRecipe,
  ...LEASE,
  faults: {
    ...FAULTS_BUT_FAIL_OVER,
    'fail-over': none(
      'ZooKeeper answers when a majority has a write, so that no fail-over loses it.',
    ),
  },
});

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createZkRecipe(timing: Timing, flags: Flags = {}): Machine<ZkRecipeState, never> {
  return createMachine<ZkRecipeState, never, ZkRecipeSettings, CoordinationReply>({
    settings: zkRecipeSettings(timing, flags),
    init: () => ({
      phase: 'stopped',
      guid: null,
      session: null,
      request: 0,
      open: 0,
      lease: 0,
      lapsed: 0,
      watched: null,
      leader: null,
      epoch: 0,
    }),
    on: {
      start: beginIfStopped,
      recover: beginIfStopped,
      chosen(step, value) {
        const { state } = step;
        if (state.phase !== 'connecting' || state.guid !== null) return;
        state.guid = value.toString(16);
        connect(step, state.guid);
      },
      reply: {
        CONNECTED(step, reply) {
          const { state } = step;
          if (isAwaited(state, 'connecting', reply) && reply.guid === state.guid) {
            onConnected(step, reply);
          }
        },
        PONG: onPong,
        CREATED(step, reply) {
          if (isAwaited(step.state, 'creating', reply)) read(step);
        },
        CHILDREN(step, reply) {
          if (isAwaited(step.state, 'reading', reply)) onChildren(step, reply.children);
        },
        STAT(step, reply) {
          if (!isAwaited(step.state, 'placing-watch', reply)) return;
          if (reply.exists) rest(step, 'watching');
          else read(step);
        },
        DELETED(step, { session, name }) {
          if (session === step.state.session) onGone(step, name);
        },
        EXPIRED(step, { session }) {
          if (session === step.state.session) onExpired(step);
        },
      },
      timeout: {
        lease: (step, timer) => onLapse(step, Number(timer.slice(LEASE_TIMER.length))),
        ping,
        answer(step) {
          const { phase, guid, open } = step.state;
          if (open === 0) return;
          // Only its guid among the znodes shows whether its znode was created.
          if (phase === 'connecting' && guid !== null) connect(step, guid);
          else read(step);
        },
        lead(step) {
          const { self, state } = step;
          if (state.phase !== 'won') return;
          state.phase = 'leading';
          follow(step, self.rank, state.epoch);
        },
      },
    },
  });
}

function beginIfStopped(step: Own): void {
  if (step.state.phase === 'stopped') begin(step);
}

/** Whether it is the answer that this phase waits for. */
function isAwaited(
  state: ZkRecipeState,
  phase: ZkRecipeState['phase'],
  reply: { readonly request: number; readonly session: number },
): boolean {
  const isOfSession = phase === 'connecting' || reply.session === state.session;
  return state.phase === phase && isOfSession && reply.request === state.open;
}

/** Draws a guid for a new session. Replies to an older life or session carry another one. */
function begin({ state, effects }: Own): void {
  state.phase = 'connecting';
  state.guid = null;
  state.session = null;
  state.watched = null;
  effects.choose(GUIDS);
}

function connect(step: Own, guid: string): void {
  const request = ask(step, 'connecting');
  countLease(step, request);
  call(step, { type: 'CONNECT', request, guid });
}

function onConnected(step: Own, { session, request }: ReplyOf<'CONNECTED'>): void {
  const { state } = step;
  if (request <= state.lapsed) return;
  state.session = session;
  state.lease = request;
  setPing(step);
  create(step);
}

function create(step: Own): void {
  const { session, guid } = step.state;
  if (session === null || guid === null) return;
  const request = ask(step, 'creating');
  call(step, { type: 'CREATE', session, request, guid });
}

function read(step: Own): void {
  const { session } = step.state;
  if (session === null) return;
  const request = ask(step, 'reading');
  call(step, { type: 'GET_CHILDREN', session, request });
}

/** Numbers the operation that is sent now, and sets the timer for its answer. */
function ask({ state, effects, settings }: Own, phase: ZkRecipeState['phase']): number {
  state.phase = phase;
  state.request += 1;
  state.open = state.request;
  effects.setTimer('answer', settings.answerTicks, false);
  return state.request;
}

/** Waits only for pings, watch and lease. */
function rest({ state, effects }: Own, phase: ZkRecipeState['phase']): void {
  state.phase = phase;
  if (state.open !== 0) effects.cancelTimer('answer');
  state.open = 0;
}

function onChildren(step: Own, children: readonly Znode[]): void {
  const { self, state, settings, effects } = step;
  const position = positionInQueue(children, { owner: self.rank, guid: state.guid ?? '' });
  if (position === null) {
    create(step);
    return;
  }
  const { sequence, ahead } = position;
  if (ahead === null) {
    state.epoch = sequence;
    rest(step, 'won');
    // After overdue timers: a node that was paused notices first that its lease is over.
    effects.setTimer('lead', 0, false);
    return;
  }
  noteOldest(step, ahead.first);
  watch(step, settings.herd === 'on' ? ahead.first.name : ahead.next.name);
}

function watch(step: Own, name: string): void {
  const { state } = step;
  if (state.session === null) return;
  const request = ask(step, 'placing-watch');
  state.watched = name;
  call(step, { type: 'EXISTS', session: state.session, request, name });
}

function onGone(step: Own, name: string): void {
  const { phase, watched } = step.state;
  const isWatching = phase === 'watching' || phase === 'placing-watch';
  if (isWatching && name === watched) read(step);
}

function ping(step: Own): void {
  const { state } = step;
  if (state.session === null) return;
  state.request += 1;
  countLease(step, state.request);
  setPing(step);
  const watch = state.phase === 'watching' ? state.watched : null;
  call(step, { type: 'PING', session: state.session, request: state.request, watch });
}

/** Not periodic, so that a clock that was wrong delays only one ping. */
function setPing({ settings, effects }: Own): void {
  effects.setTimer('ping', settings.pingTicks, false);
}

/** A lease counts from the sending of the answered request, before the store received it. */
function countLease({ settings, effects }: Own, request: number): void {
  effects.setTimer(`${LEASE_TIMER}${request}`, settings.leaseTicks, false);
}

function onPong(step: Own, pong: ReplyOf<'PONG'>): void {
  const { state, effects } = step;
  const { request } = pong;
  if (pong.session !== state.session || request <= state.lease || request <= state.lapsed) return;
  if (state.lease !== 0) effects.cancelTimer(`${LEASE_TIMER}${state.lease}`);
  state.lease = request;
  if (state.phase === 'suspended') read(step);
  else if (state.phase === 'leading') confirm(step, pong.oldest);
  else if (pong.gone !== null) onGone(step, pong.gone);
  else if (pong.oldest !== null) noteOldest(step, pong.oldest);
}

/** The leader's znode may have been deleted. A lower sequence number comes from an older answer. */
function confirm(step: Own, oldest: Znode | null): void {
  if (oldest !== null && sequenceOf(oldest.name) <= step.state.epoch) return;
  unfollow(step);
  read(step);
}

function onLapse(step: Own, request: number): void {
  const { state } = step;
  state.lapsed = Math.max(state.lapsed, request);
  if (request !== state.lease) return;
  state.lease = 0;
  suspend(step);
}

/** No reply of the store counts any longer. Pings continue, and an answered ping ends this phase. */
function suspend(step: Own): void {
  unfollow(step);
  rest(step, 'suspended');
}

function onExpired(step: Own): void {
  const { state, effects } = step;
  suspend(step);
  effects.cancelTimer('ping');
  if (state.lease !== 0) effects.cancelTimer(`${LEASE_TIMER}${state.lease}`);
  state.lease = 0;
  begin(step);
}

/** The first in line leads, if it is up. A node that has won knows better itself. */
function noteOldest(step: Own, { name, owner }: Znode): void {
  const { self, state } = step;
  const epoch = sequenceOf(name);
  if (owner === self.rank || state.phase === 'won' || epoch < state.epoch) return;
  if (epoch === state.epoch && owner === state.leader) return;
  state.epoch = epoch;
  follow(step, owner, epoch);
}

function follow({ state, effects }: Own, leader: Rank, epoch: number): void {
  state.leader = leader;
  effects.elect(leader, epoch);
}

function call({ effects }: Own, operation: CoordinationOperation): void {
  effects.call(operation);
}

/**
 * The position of a znode. The line of the znodes of ZooKeeper's recipe, in the order of their sequence numbers.
 * Names do not have that order, because they begin with guids.
 */
interface QueuePosition {
  readonly sequence: number;
  /** The first in line and the next before this one. Null if it is the first itself. */
  readonly ahead: { readonly first: Znode; readonly next: Znode } | null;
}

/**
 * The position of the znode that `owner` created under `guid`. Null if there is none. The guid
 * distinguishes it from those of earlier sessions, the owner from one with the same random guid.
 */
function positionInQueue(
  znodes: readonly Znode[],
  { owner, guid }: { readonly owner: Rank; readonly guid: string },
): QueuePosition | null {
  const own = znodes.find((each) => each.owner === owner && each.name.startsWith(`${guid}-`));
  if (own === undefined) return null;
  const sequence = sequenceOf(own.name);
  let ahead: QueuePosition['ahead'] = null;
  for (const znode of znodes) {
    const number = sequenceOf(znode.name);
    if (number >= sequence) continue;
    ahead ??= { first: znode, next: znode };
    if (number < sequenceOf(ahead.first.name)) ahead = { ...ahead, first: znode };
    if (number > sequenceOf(ahead.next.name)) ahead = { ...ahead, next: znode };
  }
  return { sequence, ahead };
}
