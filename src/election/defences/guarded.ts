/**
 * @module
 * The base of guards: a machine around another one that records what a new beginning of an election
 * needs: the leader that the inner machine follows, what it stored, and its timers. A new beginning has the
 * effect of a crash and an immediate return: only what is on disk remains of the old election.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import { intercepted } from '../intercepted.ts';
import type { Effects, Event, Json, Message, Rank, Self } from '../machine.ts';

export type Guarded = {
  inner: Json;
  /** The node that it follows. Null also while it looks for a leader. */
  leader: Rank | null;
  /** The last persisted state of the machine. */
  kept: Json;
  /** The timers that run, and whether each is periodic. */
  timers: Record<string, boolean>;
};

/** Everything one step of a guard works with. */
export interface GuardStep<State extends Guarded> {
  readonly machine: AnyMachine;
  readonly self: Self;
  readonly state: State;
  /** The node's own. */
  readonly effects: Effects<Message>;
}

export function initGuarded(machine: AnyMachine, self: Self): Guarded {
  return { inner: machine.init(self), leader: self.incumbent, kept: null, timers: {} };
}

/** The inner machine's step. `taps` replace the effects of the same names. */
export function stepInner<State extends Guarded>(
  { machine, self, state, effects }: GuardStep<State>,
  event: Event<Message>,
  taps: Partial<Effects<Message>> = {},
): void {
  if (event.type === 'timeout' && state.timers[event.timer] === false) {
    delete state.timers[event.timer];
  }
  if (event.type === 'recover') {
    state.kept = event.persisted;
    state.leader = null;
  }
  if (event.type === 'suspect' && event.node === state.leader) state.leader = null;
  machine.step(self, state.inner, event, noting(state, intercepted(effects, taps)));
}

/** Forgets the election: a new inner machine recovers with the persisted state. */
export function beginAnew<State extends Guarded>(
  context: GuardStep<State>,
  taps: Partial<Effects<Message>> = {},
): void {
  const { machine, self, state, effects } = context;
  for (const timer of Object.keys(state.timers)) effects.cancelTimer(timer);
  state.timers = {};
  if (state.leader !== null) effects.stepDown();
  state.inner = machine.init(self);
  stepInner(context, { type: 'recover', persisted: state.kept }, taps);
}

/** The same collector, which records what a new beginning needs. */
function noting(state: Guarded, effects: Effects<Message>): Effects<Message> {
  return {
    ...effects,
    setTimer(timer, ticks, periodic) {
      state.timers[timer] = periodic;
      effects.setTimer(timer, ticks, periodic);
    },
    cancelTimer(timer) {
      delete state.timers[timer];
      effects.cancelTimer(timer);
    },
    persist(fields) {
      state.kept = fields;
      effects.persist(fields);
    },
    elect(leader, epoch) {
      state.leader = leader;
      effects.elect(leader, epoch);
    },
    stepDown() {
      state.leader = null;
      effects.stepDown();
    },
  };
}
