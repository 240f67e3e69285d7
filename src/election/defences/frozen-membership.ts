/**
 * @module
 * A frozen membership during an election: a node that joins after it began does not take part. It learns
 * who was elected and can be a candidate in the next election. So it cannot outbid candidates that it has
 * seen. This sets only a deadline: an ID that was ground before counts, and so does a bid afterwards.
 *
 * Invariants: (1) from the start of its election until it follows a leader, a node ignores the nodes that
 * joined since, and does not ask them; (2) it asks each of them to stand by, and then names the leader that
 * it follows; (3) only a node that has not yet taken part in an election obeys, and only if a majority asks,
 * so that from L1 on a minority of Byzantine nodes cannot silence it; (4) a node that gets no further
 * message stands after a while. Message bound: 2(n − 1) for a new member. The first election of a node
 * begins T later.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { react } from '../intercepted.ts';
import type { Effects, Event, Machine, Message, Rank, Self } from '../machine.ts';
import { countOf, memberOf } from '../message-members.ts';
import type { ProtocolName } from '../registry.ts';
import { PROTOCOLS } from '../registry.ts';
import type { Timing } from '../timing.ts';
import { announcementTicks, answerTicks } from '../timing.ts';
import { defineDefence } from './defence.ts';
import type { Guarded, GuardStep } from './guarded.ts';
import { initGuarded, stepInner } from './guarded.ts';

export type FrozenMembershipState = Guarded & {
  /** Whether it has taken part in an election: `new` and `waiting` have not. */
  phase: 'new' | 'waiting' | 'standing-by' | 'taking-part';
  /** An election is under way, and the node has not followed a leader since it began. */
  wanted: boolean;
  epoch: number;
  /** Members when this node joined. */
  known: Rank[];
  /** Members that joined since the election began. */
  late: Rank[];
  /** Number of ignored messages. */
  ignored: number;
  /** Nodes that asked this one to stand by, and the leader that each names, by rank. */
  askedBy: Rank[];
  named: Record<string, Rank>;
};

const STAND_BY = 'STAND_BY';
const ELECTED_BEFORE = 'ELECTED_BEFORE';
const START_TIMER = 'frozen:start';

export const FROZEN_MEMBERSHIP = defineDefence({
  kind: 'inside',
  name: 'frozen-membership',
  code: 'D3',
  summary:
    'Keeps newcomers out of the election under way, so that they cannot outbid the candidates that they have seen; costs a newcomer the wait for the next election and a first election T ticks, and does not help against a bid after the election.',
  unsupportedReason: frozenUnsupportedReason,
  limit: () => null,
  needsLevel: null,
  response: { newcomers: 'refused', ranks: 'by-id' },
  guard: (machine, { timing }) => createFrozenMembership(machine, timing),
});

function frozenUnsupportedReason(protocol: ProtocolName): string | null {
  const { family, elects } = PROTOCOLS[protocol];
  if (family === 'bully') return null;
  if (family !== 'ring' && elects !== 'any') return 'only Bully protocols are known to survive it';
  if (elects === 'any') return 'it may elect any member, so that a newcomer outbids no candidate';
  return 'a newcomer is part of the ring, so that ignored messages are lost';
}

/** The machine of every node of a Bully. */
export function createFrozenMembership(
  machine: AnyMachine,
  timing: Timing,
): Machine<FrozenMembershipState, Message> {
  return {
    init: (self) => ({
      ...initGuarded(machine, self),
      phase: 'new',
      wanted: false,
      epoch: 0,
      known: [...self.members],
      late: [],
      ignored: 0,
      askedBy: [],
      named: {},
    }),
    step: (self, state, event, effects) =>
      react(REACTIONS, passOn, { machine, timing, self, state, effects }, event),
  };
}

interface Step extends GuardStep<FrozenMembershipState> {
  readonly timing: Timing;
}

const REACTIONS: Reactions<Step> = {
  start: onStart,
  recover(context, event) {
    context.state.phase = 'taking-part';
    context.state.wanted = true;
    passOn(context, event);
  },
  deliver: onMessage,
  timeout(context, event) {
    if (event.timer === START_TIMER) onStandingOver(context);
    else passOn(context, event);
  },
  suspect(context, event) {
    if (event.node === context.state.leader) context.state.wanted = true;
    passOn(context, event);
  },
  join: (context, { node }) => onJoin(context, node),
  trust(context, event) {
    // A node that does not know the new member must not learn that it is up.
    if (!context.state.late.includes(event.node)) passOn(context, event);
  },
  leave(context, event) {
    const { state } = context;
    state.late = state.late.filter((node) => node !== event.node);
    passOn(context, event);
  },
};

/** A new member cannot distinguish a first election from one under way, so that it waits for messages. */
function onStart(context: Step): void {
  const { state, timing, effects } = context;
  if (state.phase === 'standing-by' || state.phase === 'waiting') return;
  state.wanted = true;
  if (state.phase === 'taking-part') {
    passOn(context, { type: 'start' });
    return;
  }
  state.phase = 'waiting';
  effects.setTimer(START_TIMER, answerTicks(timing), false);
}

function onStandingOver(context: Step): void {
  const { state } = context;
  if (state.phase !== 'waiting' && state.phase !== 'standing-by') return;
  state.phase = 'taking-part';
  state.wanted = true;
  passOn(context, { type: 'start' });
}

function onJoin(context: Step, node: Rank): void {
  const { self, state } = context;
  const isNew = self.members.includes(node) && !state.known.includes(node);
  if (isNew && state.wanted && state.phase !== 'standing-by') {
    if (!state.late.includes(node)) state.late.push(node);
    askToStandBy(context, node);
  } else {
    passOn(context, { type: 'join', node });
  }
}

function askToStandBy({ effects }: Step, node: Rank): void {
  const message: Message = { type: STAND_BY };
  effects.send(node, message);
}

function onMessage(context: Step, event: Event<Message> & { readonly type: 'deliver' }): void {
  const { self, state } = context;
  const { from, message } = event;
  const isOwn = message.type === STAND_BY || message.type === ELECTED_BEFORE;
  if (isOwn) {
    if (self.members.includes(from) && from !== self.rank) onOwnMessage(context, from, message);
  } else if (state.late.includes(from)) {
    state.ignored += 1;
    // The request may be lost, or its wait may be over.
    askToStandBy(context, from);
  } else if (state.phase !== 'standing-by') {
    passOn(context, event);
  }
}

function onOwnMessage(context: Step, from: Rank, message: Message): void {
  const { self, state, timing, effects } = context;
  if (state.phase === 'taking-part') return;
  if (message.type === STAND_BY) {
    if (!state.askedBy.includes(from)) state.askedBy.push(from);
    if (!isMajority(self, state.askedBy.length) || state.phase === 'standing-by') return;
    state.phase = 'standing-by';
    effects.setTimer(START_TIMER, STAND_BY_ROUNDS * announcementTicks(timing), false);
    return;
  }
  const leader = self.members.find((member) => member === memberOf(message, 'leader'));
  const epoch = countOf(memberOf(message, 'epoch'));
  if (leader === undefined || epoch === null || leader === self.rank) return;
  state.named[String(from)] = leader;
  const agreeing = Object.values(state.named).filter((named) => named === leader).length;
  if (isMajority(self, agreeing)) follow(context, leader, epoch);
}

/** Wait of a new member for the result, in elections. */
const STAND_BY_ROUNDS = 8;

/** A majority of the other members, so that a Byzantine minority has no effect. */
function isMajority(self: Self, count: number): boolean {
  return 2 * count > self.members.length - 1;
}

/** Continues as a node that knew this leader from the start. */
function follow(context: Step, leader: Rank, epoch: number): void {
  const { machine, self, state, effects } = context;
  effects.cancelTimer(START_TIMER);
  for (const timer of Object.keys(state.timers)) effects.cancelTimer(timer);
  state.timers = {};
  state.inner = machine.init({ ...self, incumbent: leader });
  state.phase = 'taking-part';
  state.wanted = false;
  state.leader = leader;
  state.epoch = epoch;
  effects.elect(leader, epoch);
}

/** The protocol's step. It does not know the late members until it follows a leader. */
function passOn(context: Step, event: Event<Message>): void {
  const { self, state } = context;
  const isBefore = state.phase === 'new' || state.phase === 'waiting';
  const { late } = state;
  const members = self.members.filter((member) => !late.includes(member));
  const frozen = late.length === 0 ? context : { ...context, self: { ...self, members } };
  stepInner(frozen, event, settling(context));
  // A node that elects before it has begun takes part from then on.
  if (isBefore && state.leader !== self.incumbent) state.phase = 'taking-part';
  if (!state.wanted && state.late.length > 0) thaw(context);
}

function settling({ state, effects }: Step): Partial<Effects<Message>> {
  return {
    elect(leader, epoch) {
      state.wanted = false;
      state.epoch = epoch;
      effects.elect(leader, epoch);
    },
    stepDown() {
      state.wanted = true;
      effects.stepDown();
    },
  };
}

/** The node follows a leader: it informs the late members, which are ordinary members from now on. */
function thaw(context: Step): void {
  const { state, effects } = context;
  const { late, leader, epoch } = state;
  state.late = [];
  for (const node of late) {
    if (leader !== null) {
      const message = { type: ELECTED_BEFORE, leader, epoch };
      effects.send(node, message);
    }
    stepInner(context, { type: 'join', node }, settling(context));
  }
}
