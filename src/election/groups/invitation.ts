/**
 * @module
 * This folder contains protocols whose nodes form groups, each with a leader of its own. The Invitation algorithm of
 * H. Garcia-Molina (1982), "Elections in a Distributed Computing System", IEEE Trans. Computers C-31(1), section on
 * elections with communication failures. A coordinator asks all nodes from time to time whether they coordinate (Check).
 * If some do, it waits the longer the lower it is, and invites their groups into a new one (Merge). A node that accepts
 * waits for READY. A member that its coordinator does not confirm (Timeout) forms a group of its own (Recovery). After a
 * partition the groups of its sides become one, and while it lasts each side has a leader.
 *
 * Calls are messages here. READY is the answer of ACCEPT, and is not answered itself. A node takes part from its start or
 * its first message on, and runs Check at once when it has formed a group.
 *
 * Invariants: (1) a group is named by its coordinator and a number that its coordinator uses once, so that the nodes of a
 * group have one leader; (2) a node belongs to one group; (3) the numbers of groups are
 * on disk before they are sent; (4) outside a group that is ready the timer "call" is set.
 */

import { AFFECTED_BY_ALL } from '../definition/drawn-faults.ts';
import { live, none, ok } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { numbersOf, TICKS } from '../definition/flags.ts';
import { bySender, naming } from '../definition/forgery.ts';
import { DIRECT, UNRELAYED_STATEMENT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { MessageOf, Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks, standbyTicks } from '../timing.ts';

const NUMBERS = {
  checkTicks: {
    ...TICKS,
    meaning:
      'ticks from one Check of a coordinator to the next; a member confirms its coordinator half as often',
    byDefault: silenceTicks,
    shortTicks: 15,
  },
} as const satisfies NumberFlags;

const GROUP = { members: { group: 'integer' }, ...DIRECT } as const;

type InvitationMessage =
  | { readonly type: 'ARE_YOU_COORDINATOR' }
  | { readonly type: 'ARE_YOU_COORDINATOR_REPLY'; readonly coordinator: boolean }
  | { readonly type: 'INVITATION'; readonly leader: Rank; readonly group: number }
  | { readonly type: 'ACCEPT' | 'READY' | 'ARE_YOU_THERE'; readonly group: number }
  | { readonly type: 'ARE_YOU_THERE_REPLY'; readonly group: number; readonly member: boolean };

type InvitationState = {
  /** How many groups it has formed. */
  counter: number;
  /** The coordinator of its group, and which of its groups that is. */
  coordinator: Rank | null;
  group: number;
  /** The paper's Up: the nodes that accepted, at their coordinator. */
  up: Rank[];
  /** Other coordinators that the present Check has found. */
  found: Rank[];
  /**
   * What the timer "call" ends: the answers to Check, the delay before Merge, the time to accept, the time to READY, or
   * the time to confirm. Outside of `merge` and `ready` the paper's state is Normal.
   */
  phase: 'idle' | 'check' | 'delay' | 'merge' | 'ready' | 'confirm';
  /** Whether it takes part. */
  isAwake: boolean;
};

interface Settings {
  readonly timing: Timing;
  readonly checkTicks: number;
}

type Own = Step<InvitationState, InvitationMessage, Settings>;

/** Checks of a coordinator from one time to the next at which a member confirms it. */
const CHECKS_TO_CONFIRM = 2;

const ALONE = 'A node without an answer in time leads a group of its own until the next Check.';
const SIDES = 'Each side is a group. A Check after the partition merges them.';

/** Safe and live. Coordinators number their groups apart, so that a node may go on to a group with a lower number. */
const merges = (why: string) => live(why, { rarely: ['S5'] });

export const INVITATION = defineProtocol({
  name: 'invitation',
  family: 'groups',
  overLinks: false,
  votersIn: null,
  decided: null,
  elects: 'any',
  isRanked: true,
  unique: 'epoch',
  fifo: false,
  assumes:
    'Asynchronous; static membership; a stable store; to merge all groups, messages that take less than the time-outs.',
  messageBound:
    '(n-1)(2n+3) if all start: n(n-1) ARE_YOU_COORDINATOR with answers, n-1 INVITATION, ACCEPT and READY; then 2(n-1) a Check and 2(n-1) at every second one',
  messagesAbout: (nodes) => 2 * nodes ** 2 + 3 * nodes,
  inFlightAbout: (nodes) => nodes * (nodes - 1),
  entriesAbout: null,
  steadyTicks: (timing, flags, nodes) =>
    2 * CHECKS_TO_CONFIRM * settingsOf(timing, flags).checkTicks +
    (nodes + 3) * answerTicks(timing),
  source:
    'H. Garcia-Molina, Elections in a Distributed Computing System, IEEE Trans. Computers C-31(1), 1982',
  flags: {},
  numbers: NUMBERS,
  clash: null,
  attributes: null,
  successors: 1,
  leases: false,
  returnsToOrigin: false,
  tokens: 'no token travels round a ring in it',
  carries: null,
  messages: {
    ARE_YOU_COORDINATOR: { members: {}, ...DIRECT },
    ARE_YOU_COORDINATOR_REPLY: { members: { coordinator: 'boolean' }, ...DIRECT },
    INVITATION: {
      members: { leader: 'rank', group: 'integer' },
      candidates: ['leader'],
      ...UNRELAYED_STATEMENT,
    },
    ACCEPT: GROUP,
    READY: GROUP,
    ARE_YOU_THERE: GROUP,
    ARE_YOU_THERE_REPLY: { members: { group: 'integer', member: 'boolean' }, ...DIRECT },
  },
  forgery: {
    route: 'each-node',
    believes: 'any-rank',
    acceptsStrangers: false,
    replacesSilentLeaders: true,
    numbering: null,
    announcement: naming(({ about, epoch }) => [
      { type: 'INVITATION', leader: about, group: epoch },
      { type: 'READY', group: epoch },
    ]),
    candidacy: bySender(() => [{ type: 'ARE_YOU_COORDINATOR' }]),
    answer: bySender(() => [{ type: 'ARE_YOU_COORDINATOR_REPLY', coordinator: true }]),
  },
  waiting: null,
  stall: { withheld: ['READY'], hastened: [] },
  doubleVote: 'no node votes in it',
  inflation: 'each coordinator numbers its own groups',
  certificate: 'no leader in it is elected by votes',
  store: null,
  counters: [],
  drawnTicks: [],
  symmetry: 'the higher of two coordinators merges their groups first',
  unaffected: AFFECTED_BY_ALL,
  faults: {
    drop: merges(ALONE),
    duplicate: ok('A second copy finds the node in the group that it names, or in another.'),
    reorder: merges(ALONE),
    delay: merges(ALONE),
    'clean-majority': merges(SIDES),
    'one-way': merges(SIDES),
    'majorities-ring': merges(SIDES),
    'leader-isolated': merges(SIDES),
    'swizzle-clog': merges(SIDES),
    'crash-best': merges('Its members do not confirm it, and form groups that merge.'),
    restart: merges('A node that returns forms a group, which the next Check merges.'),
    amnesia: merges('A number that is used again names the same leader.'),
    pause: merges('The group of a node that is paused falls apart, and merges with it later.'),
    'clock-skew': merges('Wrong clocks end time-outs too early, which costs groups, not safety.'),
    'clock-jump': merges('As clock-skew.'),
    'fail-over': none('No node calls a store.'),
    'torn-record': none('What they store is one number: one write.'),
    'unknown-message': ok('A machine ignores an unknown message.'),
  },
  create: createInvitation,
});

function settingsOf(timing: Timing, flags: Flags): Settings {
  return { timing, ...numbersOf(NUMBERS, timing, flags) };
}

/** The machine of every node. */
export function createInvitation(timing: Timing, flags: Flags) {
  return createMachine<InvitationState, InvitationMessage, Settings>({
    settings: settingsOf(timing, flags),
    init: (self) => ({
      ...{ counter: 0, coordinator: self.incumbent, group: 0, up: [], found: [] },
      ...{ phase: 'idle', isAwake: false },
    }),
    on: {
      start(step) {
        if (step.state.phase !== 'idle') return;
        if (step.state.coordinator === null) formOwnGroup(step);
        else onWatch(step);
      },
      recover(step, persisted) {
        step.state.counter = typeof persisted === 'number' ? persisted : 0;
        step.state.coordinator = null;
        formOwnGroup(step);
      },
      deliver: {
        ARE_YOU_COORDINATOR: onQuestion,
        ARE_YOU_COORDINATOR_REPLY({ state }, { coordinator }, from) {
          if (state.phase === 'check' && coordinator && !state.found.includes(from)) {
            state.found.push(from);
          }
        },
        INVITATION: onInvitation,
        ACCEPT({ self, state }, { group }, from) {
          const isAwaited = state.phase === 'merge' && group === state.group;
          if (isAwaited && from !== self.rank && !state.up.includes(from)) state.up.push(from);
        },
        READY(step, { group }, from) {
          const { state } = step;
          const isOwn = from === state.coordinator && group === state.group;
          if (isOwn && state.phase === 'ready') follow(step, from);
        },
        ARE_YOU_THERE({ self, state, effects }, { group }, from) {
          const isOwn = state.coordinator === self.rank && group === state.group;
          const member = isOwn && state.up.includes(from);
          effects.send(from, { type: 'ARE_YOU_THERE_REPLY', group, member });
        },
        ARE_YOU_THERE_REPLY(step, { group, member }, from) {
          const { state } = step;
          const isOwn = from === state.coordinator && group === state.group;
          if (state.phase !== 'confirm' || !isOwn) return;
          if (member) rest(step);
          else formOwnGroup(step);
        },
      },
      timeout: { call: onCallOver, watch: onWatch },
    },
  });
}

function onQuestion(step: Own, _message: InvitationMessage, from: Rank): void {
  const { state, effects } = step;
  if (!state.isAwake && state.coordinator === null) formOwnGroup(step);
  else if (!state.isAwake) keepWatch(step);
  const coordinator = leads(step) && isNormal(state);
  effects.send(from, { type: 'ARE_YOU_COORDINATOR_REPLY', coordinator });
}

/** The paper's Invitation: leaves its group for another, and a coordinator takes its members along. */
function onInvitation(
  step: Own,
  message: MessageOf<InvitationMessage, 'INVITATION'>,
  _from: Rank,
): void {
  const { self, settings, state, effects } = step;
  const { leader, group } = message;
  if (!isNormal(state) || leader === self.rank || !self.members.includes(leader)) return;
  const members = leads(step) ? state.up : [];
  enter(step, leader, group);
  state.phase = 'ready';
  for (const member of members) if (member !== leader) effects.send(member, message);
  effects.send(leader, { type: 'ACCEPT', group });
  effects.setTimer('call', 2 * answerTicks(settings.timing), false);
}

/** The paper's Recovery: a group of this node alone, which looks for others at once. */
function formOwnGroup(step: Own): void {
  beginGroup(step);
  follow(step, step.self.rank);
  check(step);
}

/** Begins a group of its own under a new number. */
function beginGroup(step: Own): void {
  const { self, state, effects } = step;
  state.counter += 1;
  // Before the number is sent: no other group of this node may have it.
  effects.persist(state.counter);
  enter(step, self.rank, state.counter);
}

/** Leaves its group for another one, which is not ready. */
function enter({ state, effects }: Own, coordinator: Rank, group: number): void {
  if (state.coordinator !== null && isNormal(state)) effects.stepDown();
  state.coordinator = coordinator;
  state.group = group;
  state.up = [];
}

/** The group of this node is ready, and follows the coordinator. */
function follow(step: Own, coordinator: Rank): void {
  const { self, state, effects } = step;
  rest(step);
  keepWatch(step);
  effects.elect(coordinator, epochOf(self, coordinator, state.group));
}

/** Waits for nothing but the next Check or Timeout. */
function rest({ state, effects }: Own): void {
  state.phase = 'idle';
  effects.cancelTimer('call');
}

/** A number of its own for each group of each coordinator. */
function epochOf({ members }: Self, coordinator: Rank, group: number): number {
  return group * members.length + members.indexOf(coordinator);
}

function keepWatch(step: Own): void {
  const { settings, state, effects } = step;
  state.isAwake = true;
  effects.setTimer('watch', (leads(step) ? 1 : CHECKS_TO_CONFIRM) * settings.checkTicks, true);
}

/** The paper's Check at a coordinator, and its Timeout at a member. */
function onWatch(step: Own): void {
  const { settings, state, effects } = step;
  if (state.phase !== 'idle' || state.coordinator === null) return;
  if (leads(step)) {
    check(step);
    return;
  }
  keepWatch(step);
  state.phase = 'confirm';
  effects.send(state.coordinator, { type: 'ARE_YOU_THERE', group: state.group });
  effects.setTimer('call', answerTicks(settings.timing), false);
}

function check({ self, settings, state, effects }: Own): void {
  state.phase = 'check';
  state.found = [];
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, { type: 'ARE_YOU_COORDINATOR' });
  }
  effects.setTimer('call', answerTicks(settings.timing), false);
}

function onCallOver(step: Own): void {
  const { self, settings, state, effects } = step;
  switch (state.phase) {
    case 'idle':
      break;
    case 'check': {
      const positions = state.found.map((rank) => self.members.indexOf(rank));
      const above = Math.max(...positions) - self.members.indexOf(self.rank);
      state.phase = state.found.length === 0 ? 'idle' : 'delay';
      if (state.phase === 'idle') break;
      if (above < 0) merge(step);
      else effects.setTimer('call', above * answerTicks(settings.timing), false);
      break;
    }
    case 'delay':
      merge(step);
      break;
    case 'merge':
      for (const member of state.up) effects.send(member, { type: 'READY', group: state.group });
      follow(step, self.rank);
      break;
    case 'ready':
    case 'confirm':
      formOwnGroup(step);
      break;
    default:
      state.phase satisfies never;
  }
}

/** The paper's Merge: invites the coordinators that it has found, and its own members. */
function merge(step: Own): void {
  const { self, settings, state, effects } = step;
  const invited = [...state.found, ...state.up];
  beginGroup(step);
  state.phase = 'merge';
  for (const member of invited) {
    effects.send(member, { type: 'INVITATION', leader: self.rank, group: state.group });
  }
  effects.setTimer('call', standbyTicks(settings.timing), false);
}

function leads({ self, state }: Own): boolean {
  return state.coordinator === self.rank;
}

/** Whether it follows the coordinator of a group that is ready. */
function isNormal({ phase }: InvitationState): boolean {
  return phase !== 'merge' && phase !== 'ready';
}
