/**
 * @module
 * A store with a replica that lags behind it: the store answers before the replica has the write, as Redis does (its
 * documentation calls this asynchronous replication). If the replica takes over, the last writes are lost, although
 * their writers have an answer. A write is a step that changes what the store has, or how long it has it. The store that
 * is asked to leave has lost its last write. Several such requests together are one fail-over.
 *
 * Invariants: (1) without a fail-over the store answers as the one inside; (2) after a fail-over it is as if the lost
 * writes had not been made: a lease that they ended or prolonged ends when it would have ended without them. The timers
 * of earlier states therefore continue beside those of the present one, under numbers of their own.
 */

import type { AnyMachine } from '../../definition/protocol.ts';
import { intercepted, NO_EFFECTS } from '../../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Self } from '../../machine.ts';
import { PROTOCOLS } from '../../registry.ts';
import type { Cast } from '../../world/cast.ts';
import { castWithStore } from '../../world/cast.ts';
import { copyJson } from '../../world/plain-json.ts';

/** The state of the store at one moment. */
type Moment = {
  inner: Json;
  /** By name: the number of the timer that is set. */
  timers: Record<string, number>;
};

export type LaggingState = Moment & {
  /** The states before the last writes, the oldest first. */
  past: Moment[];
};

interface Step {
  readonly store: AnyMachine;
  readonly self: Self;
  readonly state: LaggingState;
  readonly effects: Effects<Message>;
}

/** The cast whose store has a replica that may lack its last writes, this number at most, if the store can have one. */
export function withReplica(cast: Cast, writesMax: number): Cast {
  const { protocol, store } = cast;
  const cell = protocol && PROTOCOLS[protocol].faults['fail-over'];
  if (store === null || writesMax === 0 || cell?.expected === '-') return cast;
  return castWithStore(cast, createLagging(cast.machineOf(store), writesMax));
}

/** The store, of which at most `writesMax` writes can be lost. */
export function createLagging(
  store: AnyMachine,
  writesMax: number,
): Machine<LaggingState, Message> {
  return {
    init: (self) => ({ inner: store.init(self), timers: {}, past: [] }),
    step(self, state, event, effects) {
      const step = { store, self, state, effects };
      if (event.type === 'leave' && event.node === self.rank) undo(step);
      else if (event.type === 'timeout') expire(step, event.timer);
      else operate(step, event, writesMax);
    },
  };
}

function operate(step: Step, event: Event<Message>, writesMax: number): void {
  const { state } = step;
  const before = { inner: copyJson(state.inner), timers: { ...state.timers } };
  state.past.push(before);
  stepInner(step, event);
  const isWrite = [state.inner, state.timers].some(
    (part, index) => JSON.stringify(part) !== JSON.stringify([before.inner, before.timers][index]),
  );
  forget(step, isWrite ? state.past.length - writesMax : 0);
  if (!isWrite) state.past.pop();
}

/** Forgets the oldest states, and the timers that only they had. */
function forget(step: Step, count: number): void {
  for (const { timers } of step.state.past.splice(0, Math.max(0, count))) release(step, timers);
}

function undo(step: Step): void {
  const { state } = step;
  const last = state.past.pop();
  if (last === undefined) return;
  const { timers } = state;
  Object.assign(state, last);
  release(step, timers);
}

/** Cancels those of the timers that no state has any more. */
function release({ state, effects }: Step, timers: Moment['timers']): void {
  for (const [timer, number] of Object.entries(timers)) {
    const isUsed = [state, ...state.past].some((moment) => moment.timers[timer] === number);
    if (!isUsed) effects.cancelTimer(nameOf(timer, number));
  }
}

/** A timer of the present state, of earlier ones, or of both. */
function expire(step: Step, name: string): void {
  const { store, self, state } = step;
  const end = name.lastIndexOf(SEPARATOR);
  const [timer, number] = [name.slice(0, Math.max(end, 0)), Number(name.slice(end + 1))];
  for (const moment of [...state.past, state]) {
    if (moment.timers[timer] !== number) continue;
    delete moment.timers[timer];
    const event = { type: 'timeout', timer } as const;
    if (moment === state) stepInner(step, event);
    else store.step(self, moment.inner, event, NO_EFFECTS);
  }
}

function stepInner(step: Step, event: Event<Message>): void {
  const { store, self, state, effects } = step;
  const isKept = (timer: string, number: number | undefined) =>
    state.past.some(({ timers }) => timers[timer] === number);
  const collector = intercepted(effects, {
    setTimer(timer, ticks, periodic) {
      if (periodic) throw new TypeError('"periodic" expected false for a timer of a store');
      // A free number, so that states do not differ in how many timers they have set.
      let number = 0;
      while (isKept(timer, number)) number += 1;
      const present = state.timers[timer];
      if (present !== undefined && present !== number && !isKept(timer, present)) {
        effects.cancelTimer(nameOf(timer, present));
      }
      state.timers[timer] = number;
      effects.setTimer(nameOf(timer, number), ticks, periodic);
    },
    cancelTimer(timer) {
      const present = state.timers[timer];
      delete state.timers[timer];
      if (present !== undefined && !isKept(timer, present)) {
        effects.cancelTimer(nameOf(timer, present));
      }
    },
  });
  store.step(self, state.inner, event, collector);
}

const SEPARATOR = '#';

function nameOf(timer: string, number: number): string {
  return `${timer}${SEPARATOR}${number}`;
}
