/**
 * @module
 * The Bully protocol as Garcia-Molina published it (1982), "Elections in a Distributed Computing
 * System", IEEE Trans. Computers C-31(1), section on synchronous systems. A node polls those above it.
 * If none answers, it halts those below it, one after the other from the highest on, installs itself
 * (NEW_COORDINATOR) and makes all ready (READY). A poll starts no election where it arrives. Calls are
 * messages here, with answers and one time-out T. All calls but HALT are made to all nodes at once, and a node that does
 * not accept NEW_COORDINATOR or READY does not answer. The paper calls one node after the other, and such a call returns. A node that returns halts a lower organizer
 * before any node that both could halt; this order is what Assertion 1 needs when nodes return.
 *
 * The paper runs Check (at the coordinator) and Timeout (at the others) by the clock: `checks=clock`. By default,
 * `checks=report`, they run only for a reason, because a detector vouches for what is normal (Stoller 1997,
 * "Leader Election in Distributed Systems with Crash Failures"). A detector reports a change once, so that
 * nodes which follow a silent coordinator after a wrong report then follow it to the end.
 *
 * Invariants: (1) a node follows a leader in `normal` only, and all nodes in `normal` follow the same
 * one (Assertion 1); (2) NEW_COORDINATOR and READY count only from the node that halted this one last,
 * others are not answered, and a caller without an answer restarts its election; (3) outside `normal` a
 * timer "call" or "watch" is set; (4) an answer counts only for the present call.
 */

import { breaks } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf, TICKS } from '../definition/flags.ts';
import { bySender } from '../definition/forgery.ts';
import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, reorganisationTicks, silenceTicks } from '../timing.ts';
import {
  BULLY,
  BULLY_FAULTS,
  BULLY_FORGERY,
  GARCIA_MOLINA,
  HELD_BACK,
  higherMembers,
  lowerMembers,
  NORMAL_STATES,
  STILL_LEADS,
  SYNCHRONOUS,
  TWO_NORMAL,
} from './bully-facts.ts';

/**
 * A node that has received no Check of its coordinator for this many of them asks it. When Check and Timeout of
 * bully-gm82 run: by the clock, as H. Garcia-Molina (1982) has them, or only for a reason, where a detector vouches
 * for what is normal.
 */
const TIMEOUT_CHECKS = 2;

/** Whether Check and Timeout run by the clock, as in the paper, or only for a reason. */
const GM82_FLAGS = { checks: ['report', 'clock'] } as const;

const GM82_NUMBERS = {
  checkTicks: {
    ...TICKS,
    meaning:
      'ticks from one Check of a coordinator to the next, of which a node waits for two before its Timeout; only with checks=clock',
    byDefault: silenceTicks,
    shortTicks: 15,
  },
} as const satisfies NumberFlags;

interface GarciaMolinaSettings {
  readonly timing: Timing;
  /** Null if Check and Timeout do not run by the clock. */
  readonly checkTicks: number | null;
}

/** Long enough for a node to miss its coordinator, to ask it, and to hold an election. */
function gm82SteadyTicks(timing: Timing, flags: Flags, nodes: number): number | null {
  const { checkTicks } = gm82Settings(timing, flags);
  if (checkTicks === null) return null;
  return TIMEOUT_CHECKS * checkTicks + answerTicks(timing) + reorganisationTicks(timing, nodes);
}

function gm82Settings(timing: Timing, flags: Flags): GarciaMolinaSettings {
  const isClocked = chosenFlag('checks', GM82_FLAGS.checks, flags) === 'clock';
  const { checkTicks } = numbersOf(GM82_NUMBERS, timing, flags);
  return { timing, checkTicks: isClocked ? checkTicks : null };
}

type Own = Step<GarciaMolinaState, GarciaMolinaMessage, GarciaMolinaSettings>;

/** Elections have no numbers. The paper's h distinguishes them. */
const EPOCH = 0;

const CALL = { members: { call: 'integer' }, ...DIRECT } as const;

export const BULLY_GM82 = defineProtocol({
  name: 'bully-gm82',
  assumes: SYNCHRONOUS,
  decided: null,
  messageBound:
    '6n-11 calls and answers when n-1 alone notices that the highest is dead; 6n-9+k(k+5) when one with k > 0 live nodes above it does, n^2+7n-15 for the lowest; n^2+4n-11 when all do; then 2(n-1) every checkTicks with checks=clock',
  messagesAbout: (nodes) => nodes ** 2 + 7 * nodes,
  steadyTicks: gm82SteadyTicks,
  source: `${GARCIA_MOLINA}, with checks=clock; by default Check and Timeout run on reports of a failure detector, after S. D. Stoller, Leader Election in Distributed Systems with Crash Failures, Indiana University TR 481, 1997`,
  flags: GM82_FLAGS,
  numbers: GM82_NUMBERS,
  forgery: {
    numbering: null,
    announcement: bySender(() =>
      ['HALT', 'NEW_COORDINATOR', 'READY'].map((type) => ({ type, call: 1 })),
    ),
    candidacy: bySender(() => [{ type: 'ARE_YOU_THERE', call: 1 }]),
    answer: bySender(() => [{ type: 'ARE_YOU_THERE_REPLY', call: 1 }]),
    ...BULLY_FORGERY,
  },
  // The coordinator is the sender of a message, so that no member names it.
  messages: {
    ARE_YOU_THERE: CALL,
    ARE_YOU_THERE_REPLY: CALL,
    ARE_YOU_NORMAL: CALL,
    ARE_YOU_NORMAL_REPLY: { members: { call: 'integer', normal: 'boolean' }, ...DIRECT },
    HALT: CALL,
    HALT_REPLY: CALL,
    NEW_COORDINATOR: CALL,
    NEW_COORDINATOR_REPLY: CALL,
    READY: CALL,
    READY_REPLY: CALL,
  },
  waiting: {
    answers: ['ARE_YOU_THERE_REPLY', 'HALT'],
    announcements: [],
    roundTicks: (timing, nodes) => 2 * reorganisationTicks(timing, nodes),
  },
  stall: { withheld: ['NEW_COORDINATOR', 'READY'], hastened: [] },
  faults: {
    reorder: breaks(['S1', 'S2', 'S3'], HELD_BACK),
    delay: breaks(['S1', 'S2', 'S3'], 'An answer that arrives after T counts as none.'),
    pause: breaks(['S1', 'S2', 'S3'], `${STILL_LEADS} ${TWO_NORMAL}`),
    ...NORMAL_STATES,
    ...BULLY_FAULTS,
  },
  create: createBullyGarciaMolina,
  ...BULLY,
});

/** The machine of every node, for a network whose messages keep to `timing`. */
export function createBullyGarciaMolina(
  timing: Timing,
  flags: Flags,
): Machine<GarciaMolinaState, GarciaMolinaMessage> {
  return createMachine<GarciaMolinaState, GarciaMolinaMessage, GarciaMolinaSettings>({
    settings: gm82Settings(timing, flags),
    init: (self) => ({
      status: 'normal',
      coordinator: self.incumbent,
      halter: null,
      up: [],
      calls: 0,
      call: null,
      watching: false,
    }),
    on: {
      start(step) {
        if (!isElecting(step.state)) elect(step);
      },
      recover(step) {
        step.state.status = 'election';
        step.state.coordinator = null;
        elect(step);
      },
      suspect(step, node) {
        if (!isElecting(step.state) && node === superiorOf(step.state)) elect(step);
      },
      trust(step) {
        // The returned node is not normal, and only the coordinator can make it so.
        if (leads(step)) check(step);
      },
      deliver: {
        ARE_YOU_THERE(step, { call }, from) {
          step.effects.send(from, { type: 'ARE_YOU_THERE_REPLY', call });
          // The sender has a reason to ask: check later, but start no election because of another node.
          watch(step);
        },
        ARE_YOU_NORMAL(step, { call }, from) {
          const { state, effects } = step;
          const normal = state.status === 'normal' && state.coordinator !== null;
          effects.send(from, { type: 'ARE_YOU_NORMAL_REPLY', call, normal });
          // The coordinator is there, so that the time until Timeout begins again.
          if (normal && from === state.coordinator) keepChecking(step);
        },
        HALT: onHalt,
        NEW_COORDINATOR: onNewCoordinator,
        READY: onReady,
        ARE_YOU_THERE_REPLY: onReply,
        ARE_YOU_NORMAL_REPLY: onReply,
        HALT_REPLY: onReply,
        NEW_COORDINATOR_REPLY: onReply,
        READY_REPLY: onReply,
      },
      timeout: { call: onCallOver, watch: onWatch },
    },
  });
}

function onHalt(step: Own, { call }: GarciaMolinaMessage, from: Rank): void {
  const { self, state, effects } = step;
  if (from < self.rank) {
    // In the paper any node halts this one. An honest node halts no higher one.
    if (!isElecting(state)) elect(step);
    return;
  }
  endCall(step);
  leaveNormal(step);
  state.status = 'election';
  state.halter = from;
  effects.send(from, { type: 'HALT_REPLY', call });
  stopWatching(step);
  watch(step);
}

function onNewCoordinator(step: Own, { call }: GarciaMolinaMessage, from: Rank): void {
  const { state, effects } = step;
  if (state.status !== 'election' || state.halter !== from) return;
  endCall(step);
  state.coordinator = from;
  state.status = 'reorganization';
  effects.send(from, { type: 'NEW_COORDINATOR_REPLY', call });
  watch(step);
}

function onReady(step: Own, { call }: GarciaMolinaMessage, from: Rank): void {
  const { state, effects } = step;
  if (state.status !== 'reorganization' || state.coordinator !== from) return;
  endCall(step);
  state.status = 'normal';
  keepChecking(step);
  effects.elect(from, EPOCH);
  effects.send(from, { type: 'READY_REPLY', call });
}

/** The paper's Election: (1) poll those above. */
function elect(step: Own): void {
  makeCall(step, 'poll', higherMembers(step.self));
}

/** An answer to the present call. Any other answer is late. */
function onReply(step: Own, reply: Reply, from: Rank): void {
  const { state, effects } = step;
  const { call } = state;
  if (call === null || reply.call !== state.calls || !calledNow(call).includes(from)) return;
  if (reply.type !== `${CALL_OF[call.purpose]}_REPLY`) return;
  if (call.purpose === 'poll') {
    // A higher node is up and holds the election: "if any answers, stop and wait".
    endCall(step);
    watch(step);
    return;
  }
  if (reply.type === 'ARE_YOU_NORMAL_REPLY' && !reply.normal) {
    elect(step);
    return;
  }
  if (call.purpose === 'halt') {
    state.up.push(from);
    haltNext(step, call.waiting);
    return;
  }
  const waiting = call.waiting.filter((member) => member !== from);
  state.call = { purpose: call.purpose, waiting };
  if (waiting.length > 0) return;
  effects.cancelTimer('call');
  onCallOver(step);
}

/** Every node has answered the present call, or T is over. */
function onCallOver(step: Own): void {
  const { self, state } = step;
  const { call } = state;
  if (call === null) return;
  const isAnswered = call.waiting.length === 0;
  state.call = null;
  switch (call.purpose) {
    case 'poll':
      leaveNormal(step);
      state.status = 'election';
      state.halter = self.rank;
      state.up = [];
      halt(step, lowerMembers(self).toReversed());
      break;
    case 'halt':
      haltNext(step, call.waiting);
      break;
    case 'install':
      if (isAnswered) makeCall(step, 'ready', state.up);
      else elect(step);
      break;
    case 'ready':
      if (isAnswered) lead(step);
      else elect(step);
      break;
    case 'probe':
      if (!isAnswered) elect(step);
      else if (state.status !== 'normal') watch(step);
      else keepChecking(step);
      break;
    case 'check':
      // A node that does not answer is down, and reports itself when it returns.
      keepChecking(step);
      break;
    default:
      call.purpose satisfies never;
  }
}

/** (2) Halts these nodes, one call after the other, and (3) installs itself at those that answered. */
function halt(step: Own, members: readonly Rank[]): void {
  const { self, state } = step;
  if (members.length > 0) {
    makeCall(step, 'halt', members);
    return;
  }
  state.coordinator = self.rank;
  state.status = 'reorganization';
  makeCall(step, 'install', state.up);
}

/** The first of `waiting` has answered HALT, or its T is over. */
function haltNext(step: Own, waiting: readonly Rank[]): void {
  halt(step, waiting.slice(1));
}

/** The paper's Check at a coordinator, and its Timeout at the others. */
function onWatch(step: Own): void {
  const { state } = step;
  if (!state.watching) return;
  state.watching = false;
  if (state.call !== null) return;
  if (leads(step)) check(step);
  else if (state.status === 'election' || isOnItsOwn(step)) elect(step);
  else if (state.coordinator !== null) makeCall(step, 'probe', [state.coordinator]);
}

function check(step: Own): void {
  const { self } = step;
  const others = self.members.filter((member) => member !== self.rank);
  makeCall(step, 'check', others);
}

function lead(step: Own): void {
  const { self, state, effects } = step;
  state.status = 'normal';
  keepChecking(step);
  effects.elect(self.rank, EPOCH);
}

/** Calls `members` and waits for their answers. An earlier call is given up. */
function makeCall(step: Own, purpose: Purpose, members: readonly Rank[]): void {
  const { settings, state, effects } = step;
  endCall(step);
  state.calls += 1;
  const call = { purpose, waiting: [...members] };
  state.call = call;
  for (const member of calledNow(call)) {
    effects.send(member, { type: CALL_OF[purpose], call: state.calls });
  }
  if (members.length === 0) onCallOver(step);
  else effects.setTimer('call', answerTicks(settings.timing), false);
}

function endCall({ state, effects }: Own): void {
  if (state.call === null) return;
  state.call = null;
  effects.cancelTimer('call');
}

function leaveNormal({ state, effects }: Own): void {
  if (state.status === 'normal' && state.coordinator !== null) effects.stepDown();
  state.coordinator = null;
}

function watch({ self, settings, state, effects }: Own): void {
  if (state.watching) return;
  state.watching = true;
  const ticks = reorganisationTicks(settings.timing, self.members.length);
  effects.setTimer('watch', ticks, false);
}

/** In normal, Check or Timeout runs again after its time if they run by the clock. */
function keepChecking(step: Own): void {
  const { settings, state, effects } = step;
  stopWatching(step);
  if (settings.checkTicks === null) return;
  state.watching = true;
  const checks = leads(step) ? 1 : TIMEOUT_CHECKS;
  effects.setTimer('watch', checks * settings.checkTicks, true);
}

function stopWatching({ state, effects }: Own): void {
  if (state.watching) effects.cancelTimer('watch');
  state.watching = false;
}

function leads({ self, state }: Own): boolean {
  return state.status === 'normal' && state.coordinator === self.rank;
}

/** Whether it has no coordinator to probe: it knows none, or broke off its own election. */
function isOnItsOwn({ self, state }: Own): boolean {
  return state.coordinator === null || state.coordinator === self.rank;
}

/** `call` numbers the caller's calls. The answer repeats it. */
type Numbered<Type extends string> = { readonly type: Type; readonly call: number };

/** The messages and the state of bully-gm82: the paper's s, c, h and Up, and the present call. */
type GarciaMolinaMessage =
  | Numbered<'ARE_YOU_THERE' | 'ARE_YOU_NORMAL' | 'HALT' | 'NEW_COORDINATOR' | 'READY'>
  | Numbered<'ARE_YOU_THERE_REPLY' | 'HALT_REPLY' | 'NEW_COORDINATOR_REPLY' | 'READY_REPLY'>
  | { readonly type: 'ARE_YOU_NORMAL_REPLY'; readonly call: number; readonly normal: boolean };

type Reply = Extract<GarciaMolinaMessage, { type: `${string}_REPLY` }>;

/** Purposes of calls, in the order of an election. `check` and `probe` are no part of one. */
type Purpose = 'poll' | 'halt' | 'install' | 'ready' | 'check' | 'probe';

/** Calls of one purpose under one number. */
interface Call {
  readonly purpose: Purpose;
  readonly waiting: readonly Rank[];
}

type GarciaMolinaState = {
  /** The paper's s. Its Down is a node without state. */
  status: 'election' | 'reorganization' | 'normal';
  /** The paper's c. */
  coordinator: Rank | null;
  /** The paper's h: the node that halted this one last, itself in its own election. */
  halter: Rank | null;
  /** The paper's Up: the nodes that answered this node's HALT. */
  up: Rank[];
  /** Number of calls that this node has made. */
  calls: number;
  /** The present call, and the nodes that have not answered it. HALT is called of the first of them only. */
  call: Call | null;
  /** Timer "watch" is set: the paper's Check or Timeout is to run. */
  watching: boolean;
};

/** The call of each purpose. The type of its answer is the same with _REPLY. */
const CALL_OF = {
  poll: 'ARE_YOU_THERE',
  probe: 'ARE_YOU_THERE',
  check: 'ARE_YOU_NORMAL',
  halt: 'HALT',
  install: 'NEW_COORDINATOR',
  ready: 'READY',
} as const satisfies Record<Purpose, GarciaMolinaMessage['type']>;

/** The nodes that the present call asks: a single node to halt, or all at once. */
function calledNow({ purpose, waiting }: Call): readonly Rank[] {
  return purpose === 'halt' ? waiting.slice(0, 1) : waiting;
}

/** Whether the present call of a node is part of an election. */
function isElecting({ call }: GarciaMolinaState): boolean {
  return call !== null && call.purpose !== 'check' && call.purpose !== 'probe';
}

/** The node that this one depends on: its coordinator, or the node that halted it. */
function superiorOf(state: GarciaMolinaState): Rank | null {
  return state.status === 'election' ? state.halter : state.coordinator;
}
