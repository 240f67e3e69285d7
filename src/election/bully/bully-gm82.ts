/**
 * @module
 * The Bully protocol as Garcia-Molina published it (1982), "Elections in a Distributed Computing
 * System", IEEE Trans. Computers C-31(1), section on synchronous systems: poll those above; if none
 * answers, halt those below, install oneself (NEW_COORDINATOR) and make all ready (READY). A poll starts
 * no election where it arrives. Calls are messages here, with answers and one time-out T a call. His
 * Check and Timeout run by the clock; here a detector vouches for what is normal (Stoller 1997, "Leader
 * Election in Distributed Systems with Crash Failures") and they run when there is a reason to.
 *
 * Invariants: (1) a node follows a leader in `normal` alone, and then all in `normal` the same one
 * (Assertion 1); (2) NEW_COORDINATOR and READY count only from who halted this node last; what does
 * not count is not answered, and a call without an answer restarts its election; (3) outside `normal`
 * a timer "call" or "watch" is set; (4) an answer counts only for the present call. Message bound: the
 * winner n−1 starts, n dead: 1 + 3(n−2) calls and 3(n−2) answers, 6n − 11. Needs synchrony and
 * reliable links.
 */

import type { Effects, Event, Machine, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, reorganisationTicks } from '../timing.ts';
import { higherMembers, lowerMembers } from './seniority.ts';

export type GarciaMolinaMessage =
  /** `call` numbers the caller's calls; the answer repeats it. */
  | {
      readonly type: 'ARE_YOU_THERE' | 'ARE_YOU_NORMAL' | 'HALT' | 'NEW_COORDINATOR' | 'READY';
      readonly call: number;
    }
  | {
      readonly type: 'ARE_YOU_THERE_REPLY' | 'HALT_REPLY' | 'NEW_COORDINATOR_REPLY' | 'READY_REPLY';
      readonly call: number;
    }
  | { readonly type: 'ARE_YOU_NORMAL_REPLY'; readonly call: number; readonly normal: boolean };

/** What this node asks others for, in the order of an election; `check` and `probe` stand apart. */
type Purpose = 'poll' | 'halt' | 'install' | 'ready' | 'check' | 'probe';

export type GarciaMolinaState = {
  /** The paper's s; its Down is a node without state. */
  status: 'election' | 'reorganization' | 'normal';
  /** The paper's c. */
  coordinator: Rank | null;
  /** The paper's h: who halted this node last, itself in its own election. */
  halter: Rank | null;
  /** The paper's Up: who answered this node's HALT. */
  up: Rank[];
  /** Calls this node has made. */
  calls: number;
  /** The call that is out, and who has not answered it. */
  call: { readonly purpose: Purpose; readonly waiting: readonly Rank[] } | null;
  /** Timer "watch" is set: the paper's Check or Timeout is to run. */
  watching: boolean;
};

/** The call and the answer of each purpose. */
const CALL_OF = {
  poll: 'ARE_YOU_THERE',
  probe: 'ARE_YOU_THERE',
  check: 'ARE_YOU_NORMAL',
  halt: 'HALT',
  install: 'NEW_COORDINATOR',
  ready: 'READY',
} as const satisfies Record<Purpose, GarciaMolinaMessage['type']>;

/** Elections have no numbers; h tells them apart. */
const EPOCH = 0;

interface Step {
  readonly timing: Timing;
  readonly self: Self;
  readonly state: GarciaMolinaState;
  readonly effects: Effects<GarciaMolinaMessage>;
}

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyGarciaMolina(
  timing: Timing,
): Machine<GarciaMolinaState, GarciaMolinaMessage> {
  return {
    init: (self) => ({
      status: 'normal',
      coordinator: self.incumbent,
      halter: null,
      up: [],
      calls: 0,
      call: null,
      watching: false,
    }),
    step: (self, state, event, effects) => step({ timing, self, state, effects }, event),
  };
}

function step(context: Step, event: Event<GarciaMolinaMessage>): void {
  const { state } = context;
  switch (event.type) {
    case 'start':
      if (!isElecting(state)) elect(context);
      break;
    case 'recover':
      state.status = 'election';
      state.coordinator = null;
      elect(context);
      break;
    case 'suspect':
      if (!isElecting(state) && event.node === superiorOf(state)) elect(context);
      break;
    case 'trust':
      // The returned node is not normal, and only the coordinator can make it so.
      if (leads(context)) check(context);
      break;
    case 'deliver':
      onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      if (event.timer === 'call') onCallOver(context);
      if (event.timer === 'watch') onWatch(context);
      break;
    case 'join':
    case 'leave':
    case 'chosen':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onMessage(context: Step, from: Rank, message: GarciaMolinaMessage): void {
  const { state, effects } = context;
  const { call } = message;
  switch (message.type) {
    case 'ARE_YOU_THERE':
      effects.send(from, { type: 'ARE_YOU_THERE_REPLY', call });
      // Nobody asks who has no reason to: see to it, but start nothing on another's word.
      watch(context);
      break;
    case 'ARE_YOU_NORMAL': {
      const normal = state.status === 'normal' && state.coordinator !== null;
      effects.send(from, { type: 'ARE_YOU_NORMAL_REPLY', call, normal });
      break;
    }
    case 'HALT':
      onHalt(context, from, call);
      break;
    case 'NEW_COORDINATOR':
      onNewCoordinator(context, from, call);
      break;
    case 'READY':
      onReady(context, from, call);
      break;
    case 'ARE_YOU_THERE_REPLY':
    case 'ARE_YOU_NORMAL_REPLY':
    case 'HALT_REPLY':
    case 'NEW_COORDINATOR_REPLY':
    case 'READY_REPLY':
      onReply(context, from, message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onHalt(context: Step, from: Rank, call: number): void {
  const { self, state, effects } = context;
  if (from < self.rank) {
    // The paper halts for anybody; an honest node halts nobody above itself.
    if (!isElecting(state)) elect(context);
    return;
  }
  endCall(context);
  leaveNormal(context);
  state.status = 'election';
  state.halter = from;
  effects.send(from, { type: 'HALT_REPLY', call });
  stopWatching(context);
  watch(context);
}

function onNewCoordinator(context: Step, from: Rank, call: number): void {
  const { state, effects } = context;
  if (state.status !== 'election' || state.halter !== from) return;
  endCall(context);
  state.coordinator = from;
  state.status = 'reorganization';
  effects.send(from, { type: 'NEW_COORDINATOR_REPLY', call });
  watch(context);
}

function onReady(context: Step, from: Rank, call: number): void {
  const { state, effects } = context;
  if (state.status !== 'reorganization' || state.coordinator !== from) return;
  endCall(context);
  stopWatching(context);
  state.status = 'normal';
  effects.elect(from, EPOCH);
  effects.send(from, { type: 'READY_REPLY', call });
}

/** The paper's Election: (1) poll those above. */
function elect(context: Step): void {
  makeCall(context, 'poll', higherMembers(context.self));
}

/** An answer to the present call; any other is late. */
function onReply(
  context: Step,
  from: Rank,
  reply: Extract<GarciaMolinaMessage, { type: `${string}_REPLY` }>,
): void {
  const { self, state, effects } = context;
  const { call } = state;
  if (call === null || reply.call !== state.calls || !call.waiting.includes(from)) return;
  if (reply.type !== `${CALL_OF[call.purpose]}_REPLY`) return;
  if (call.purpose === 'poll') {
    // Somebody higher is up and is to elect; "if any answers, stop and wait".
    endCall(context);
    watch(context);
    return;
  }
  if (reply.type === 'ARE_YOU_NORMAL_REPLY' && !reply.normal) {
    elect(context);
    return;
  }
  if (call.purpose === 'halt' && from < self.rank) state.up.push(from);
  const waiting = call.waiting.filter((member) => member !== from);
  state.call = { purpose: call.purpose, waiting };
  if (waiting.length > 0) return;
  effects.cancelTimer('call');
  onCallOver(context);
}

/** All have answered the present call, or T is over. */
function onCallOver(context: Step): void {
  const { self, state } = context;
  const { call } = state;
  if (call === null) return;
  const isAnswered = call.waiting.length === 0;
  state.call = null;
  switch (call.purpose) {
    case 'poll':
      leaveNormal(context);
      state.status = 'election';
      state.halter = self.rank;
      state.up = [];
      makeCall(context, 'halt', lowerMembers(self));
      break;
    case 'halt':
      state.coordinator = self.rank;
      state.status = 'reorganization';
      makeCall(context, 'install', state.up);
      break;
    case 'install':
      if (isAnswered) makeCall(context, 'ready', state.up);
      else elect(context);
      break;
    case 'ready':
      if (isAnswered) lead(context);
      else elect(context);
      break;
    case 'probe':
      if (!isAnswered) elect(context);
      else if (state.status !== 'normal') watch(context);
      break;
    case 'check':
      // Who does not answer is down and will say so on return.
      break;
    default:
      call.purpose satisfies never;
  }
}

/** The paper's Check at a coordinator, its Timeout at the others. */
function onWatch(context: Step): void {
  const { state } = context;
  if (!state.watching) return;
  state.watching = false;
  if (state.call !== null) return;
  if (leads(context)) check(context);
  else if (state.status === 'election' || isOnItsOwn(context)) elect(context);
  else if (state.coordinator !== null) makeCall(context, 'probe', [state.coordinator]);
}

function check(context: Step): void {
  const { self } = context;
  const others = self.members.filter((member) => member !== self.rank);
  makeCall(context, 'check', others);
}

function lead(context: Step): void {
  const { self, state, effects } = context;
  stopWatching(context);
  state.status = 'normal';
  effects.elect(self.rank, EPOCH);
}

/** Calls all of `members` at once and waits for them; an earlier call is given up. */
function makeCall(context: Step, purpose: Purpose, members: readonly Rank[]): void {
  const { timing, state, effects } = context;
  endCall(context);
  state.calls += 1;
  state.call = { purpose, waiting: [...members] };
  for (const member of members) {
    effects.send(member, { type: CALL_OF[purpose], call: state.calls });
  }
  if (members.length === 0) onCallOver(context);
  else effects.setTimer('call', answerTicks(timing), false);
}

function endCall({ state, effects }: Step): void {
  if (state.call === null) return;
  state.call = null;
  effects.cancelTimer('call');
}

function leaveNormal({ state, effects }: Step): void {
  if (state.status === 'normal' && state.coordinator !== null) effects.stepDown();
  state.coordinator = null;
}

function watch({ timing, state, effects }: Step): void {
  if (state.watching) return;
  state.watching = true;
  effects.setTimer('watch', reorganisationTicks(timing), false);
}

function stopWatching({ state, effects }: Step): void {
  if (state.watching) effects.cancelTimer('watch');
  state.watching = false;
}

function isElecting({ call }: GarciaMolinaState): boolean {
  return call !== null && call.purpose !== 'check' && call.purpose !== 'probe';
}

function leads({ self, state }: Step): boolean {
  return state.status === 'normal' && state.coordinator === self.rank;
}

/** No coordinator to probe: none known, or itself in an election that it broke off. */
function isOnItsOwn({ self, state }: Step): boolean {
  return state.coordinator === null || state.coordinator === self.rank;
}

/** On whom this node depends: its coordinator, or who halted it. */
function superiorOf(state: GarciaMolinaState): Rank | null {
  return state.status === 'election' ? state.halter : state.coordinator;
}
