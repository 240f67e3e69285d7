/**
 * @module
 * ZooKeeper's recipe for leader election, as a client of a coordination store: P. Hunt et al.,
 * ZooKeeper, USENIX ATC 2010, section 2.4 (locks without herd effect), and the project's "ZooKeeper
 * Recipes and Solutions". Everybody creates an ephemeral sequential znode; the lowest sequence number
 * leads, every other watches the next lower and looks again when that is gone.
 *
 * Silence is the only sign of a lost connection: pings keep the session, and who has had no answer to
 * a ping sent within leaseTicks acts as deposed (suspended), before the store gives its place away. A
 * message may be lost one by one here, and not with its connection: so what is not answered within T
 * is asked again, and each ping renews the watch, as SET_WATCHES does when a client reconnects.
 *
 * Invariants: (1) it leads only with a znode of its own that was the first, whose sequence number is
 * the epoch, and none is used twice: one leader an epoch, whatever the schedule; (2) `lease` is the
 * last request answered whose timer has not fired, set when it was sent; without one it follows
 * nobody; (3) at most one operation beside pings is open, `open`; answers to others mean nothing. (4)
 * With drift corrected, clocks off by at most driftPpm and no pauses: one leader at a moment. Messages
 * per change of leader: 1 watch event and 1 getChildren, n−1 of each in a herd; 8n to begin; pings.
 */

import type { Effects, Event, Machine, Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';
import type { CoordinationOperation, CoordinationReply, Znode } from './coordination-store.ts';
import { sequenceOf } from './coordination-store.ts';
import { placeInLine } from './zk-line.ts';
import type { ZkRecipeSettings } from './zk-recipe-settings.ts';

export type ZkRecipeState = {
  /**
   * `stopped` before its start; `won` knows itself first and has yet to lead; `suspended` has a
   * session, perhaps, and no lease.
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
  /** Of this attempt at a session, and in the names of its znodes; null while it is being drawn. */
  guid: string | null;
  session: number | null;
  /** The number of the last request. */
  request: number;
  /** The operation that an answer is awaited to; 0 for none. */
  open: number;
  /** The answered request that the lease counts from; 0 without a lease. */
  lease: number;
  /** The last request whose lease is over, answered or not. */
  lapsed: number;
  /** The name of the znode on which it sets a watch or has set one. */
  watched: string | null;
  /** Whom it follows, itself when it leads. */
  leader: Rank | null;
  /** The sequence number of the last leader it knew of; while it leads or has won, its own. */
  epoch: number;
};

/** Everything one step works with. */
interface Step {
  readonly timing: Timing;
  readonly settings: ZkRecipeSettings;
  readonly self: Self;
  readonly state: ZkRecipeState;
  readonly effects: Effects<Message>;
}

/** How many guids there are to choose from: no client draws one of its own twice. */
const GUIDS = 2 ** 32;
const LEASE_TIMER = 'lease:';

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createZkRecipe(
  timing: Timing,
  settings: ZkRecipeSettings,
): Machine<ZkRecipeState, Message> {
  return {
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
    step: (self, state, event, effects) => step({ timing, settings, self, state, effects }, event),
  };
}

function step(context: Step, event: Event<Message>): void {
  const { state } = context;
  switch (event.type) {
    case 'start':
    case 'recover':
      if (state.phase === 'stopped') begin(context);
      break;
    case 'chosen':
      if (state.phase === 'connecting' && state.guid === null) {
        state.guid = event.value.toString(16);
        connect(context, state.guid);
      }
      break;
    case 'reply':
      // A reply of another store has another type.
      onReply(context, event.value as CoordinationReply);
      break;
    case 'timeout':
      onTimeout(context, event.timer);
      break;
    // The store's word is what counts, and nodes send each other nothing.
    case 'deliver':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onReply(context: Step, reply: CoordinationReply): void {
  const { state } = context;
  switch (reply.type) {
    case 'CONNECTED':
      if (isAwaited(state, 'connecting', reply) && reply.guid === state.guid) {
        onConnected(context, reply);
      }
      break;
    case 'PONG':
      onPong(context, reply);
      break;
    case 'CREATED':
      if (isAwaited(state, 'creating', reply)) read(context);
      break;
    case 'CHILDREN':
      if (isAwaited(state, 'reading', reply)) onChildren(context, reply.children);
      break;
    case 'STAT':
      if (!isAwaited(state, 'placing-watch', reply)) break;
      if (reply.exists) rest(context, 'watching');
      else read(context);
      break;
    case 'DELETED':
      if (reply.session === state.session) onGone(context, reply.name);
      break;
    case 'EXPIRED':
      if (reply.session === state.session) onExpired(context);
      break;
    // The recipe deletes nothing.
    case 'REMOVED':
      break;
    default:
      // Another store may speak; there is nothing to do.
      reply satisfies never;
  }
}

function onTimeout(context: Step, timer: string): void {
  const { state } = context;
  if (timer.startsWith(LEASE_TIMER)) {
    onLapse(context, Number(timer.slice(LEASE_TIMER.length)));
  } else if (timer === 'ping') {
    ping(context);
  } else if (timer === 'answer' && state.open !== 0) {
    // Whether a znode was created, only its guid among the others tells.
    if (state.phase === 'connecting' && state.guid !== null) connect(context, state.guid);
    else read(context);
  } else if (timer === 'lead' && state.phase === 'won') {
    state.phase = 'leading';
    follow(context, context.self.rank, state.epoch);
  }
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

/** Draws a guid for a new session: what is on its way to an older life or session has another. */
function begin({ state, effects }: Step): void {
  state.phase = 'connecting';
  state.guid = null;
  state.session = null;
  state.watched = null;
  effects.choose(GUIDS);
}

function connect(context: Step, guid: string): void {
  const request = ask(context, 'connecting');
  countLease(context, request);
  call(context, { type: 'CONNECT', request, guid });
}

function onConnected(
  context: Step,
  { session, request }: { readonly session: number; readonly request: number },
): void {
  const { state } = context;
  if (request <= state.lapsed) return;
  state.session = session;
  state.lease = request;
  setPing(context);
  create(context);
}

function create(context: Step): void {
  const { session, guid } = context.state;
  if (session === null || guid === null) return;
  const request = ask(context, 'creating');
  call(context, { type: 'CREATE', session, request, guid });
}

function read(context: Step): void {
  const { session } = context.state;
  if (session === null) return;
  const request = ask(context, 'reading');
  call(context, { type: 'GET_CHILDREN', session, request });
}

/** Numbers the operation that is sent now, and sets the time by which it is answered. */
function ask({ state, timing, effects }: Step, phase: ZkRecipeState['phase']): number {
  state.phase = phase;
  state.request += 1;
  state.open = state.request;
  effects.setTimer('answer', answerTicks(timing), false);
  return state.request;
}

/** Waits for nothing but pings, watch and lease. */
function rest({ state, effects }: Step, phase: ZkRecipeState['phase']): void {
  state.phase = phase;
  if (state.open !== 0) effects.cancelTimer('answer');
  state.open = 0;
}

function onChildren(context: Step, children: readonly Znode[]): void {
  const { self, state, settings, effects } = context;
  const place = placeInLine(children, { owner: self.rank, guid: state.guid ?? '' });
  if (place === null) {
    create(context);
    return;
  }
  const { sequence, ahead } = place;
  if (ahead === null) {
    state.epoch = sequence;
    rest(context, 'won');
    // After what is overdue: a node that was paused finds out first that its lease is over.
    effects.setTimer('lead', 0, false);
    return;
  }
  noteOldest(context, ahead.first);
  watch(context, settings.herd === 'on' ? ahead.first.name : ahead.next.name);
}

function watch(context: Step, name: string): void {
  const { state } = context;
  if (state.session === null) return;
  const request = ask(context, 'placing-watch');
  state.watched = name;
  call(context, { type: 'EXISTS', session: state.session, request, name });
}

function onGone(context: Step, name: string): void {
  const { phase, watched } = context.state;
  const isWatching = phase === 'watching' || phase === 'placing-watch';
  if (isWatching && name === watched) read(context);
}

function ping(context: Step): void {
  const { state } = context;
  if (state.session === null) return;
  state.request += 1;
  countLease(context, state.request);
  setPing(context);
  const watch = state.phase === 'watching' ? state.watched : null;
  call(context, { type: 'PING', session: state.session, request: state.request, watch });
}

/** Each time anew, so that one set by a clock that was off is the last that is late. */
function setPing({ settings, effects }: Step): void {
  effects.setTimer('ping', settings.pingTicks, false);
}

/** A lease counts from the sending of what is answered: from before the store heard of it. */
function countLease({ settings, effects }: Step, request: number): void {
  effects.setTimer(`${LEASE_TIMER}${request}`, settings.leaseTicks, false);
}

function onPong(context: Step, pong: CoordinationReply & { readonly type: 'PONG' }): void {
  const { state, effects } = context;
  const { request } = pong;
  if (pong.session !== state.session || request <= state.lease || request <= state.lapsed) return;
  if (state.lease !== 0) effects.cancelTimer(`${LEASE_TIMER}${state.lease}`);
  state.lease = request;
  if (state.phase === 'suspended') read(context);
  else if (state.phase === 'leading') confirm(context, pong.oldest);
  else if (pong.gone !== null) onGone(context, pong.gone);
  else if (pong.oldest !== null) noteOldest(context, pong.oldest);
}

/** Somebody may have deleted the leader's znode; one from before it is an older answer's. */
function confirm(context: Step, oldest: Znode | null): void {
  if (oldest !== null && sequenceOf(oldest.name) <= context.state.epoch) return;
  yieldLead(context);
  read(context);
}

function onLapse(context: Step, request: number): void {
  const { state } = context;
  state.lapsed = Math.max(state.lapsed, request);
  if (request !== state.lease) return;
  state.lease = 0;
  suspend(context);
}

/** No word of the store's counts any more; the pings go on, and one that is answered ends it. */
function suspend(context: Step): void {
  yieldLead(context);
  rest(context, 'suspended');
}

function onExpired(context: Step): void {
  const { state, effects } = context;
  suspend(context);
  effects.cancelTimer('ping');
  if (state.lease !== 0) effects.cancelTimer(`${LEASE_TIMER}${state.lease}`);
  state.lease = 0;
  begin(context);
}

/** The first in line leads, if it is up; who is itself in line knows better when its own turn is. */
function noteOldest(context: Step, { name, owner }: Znode): void {
  const { self, state } = context;
  const epoch = sequenceOf(name);
  if (owner === self.rank || state.phase === 'won' || epoch < state.epoch) return;
  if (epoch === state.epoch && owner === state.leader) return;
  state.epoch = epoch;
  follow(context, owner, epoch);
}

function follow({ state, effects }: Step, leader: Rank, epoch: number): void {
  state.leader = leader;
  effects.elect(leader, epoch);
}

function yieldLead({ state, effects }: Step): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}

function call({ effects }: Step, operation: CoordinationOperation): void {
  effects.call(operation);
}
