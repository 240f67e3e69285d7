/**
 * @module
 * A step of a machine on a copy of its state, with effects that are not carried out yet, so that a
 * Byzantine node can look at a step before it takes it. Machines are pure, so that a step that is dropped
 * changes nothing.
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Effects, Event, Json, Message, Self } from '../../election/machine.ts';
import { copyJson } from '../../election/world/copy-json.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';

export interface DryRun {
  /** The state after the step. */
  readonly state: Json;
  readonly effects: readonly Pending[];
}

/** An effect that has not been carried out, and what it is called in a trace. */
interface Pending {
  readonly type: EffectRecord['type'];
  readonly carryOut: (effects: Effects<Message>) => void;
}

/** What a step would do; `state` is left as it is. */
export function stepOnCopy(
  machine: AnyMachine,
  self: Self,
  state: Json,
  event: Event<Message>,
): DryRun {
  const copy = copyJson(state);
  const effects: Pending[] = [];
  const add = (type: Pending['type'], carryOut: Pending['carryOut']) => {
    effects.push({ type, carryOut });
  };
  machine.step(self, copy, event, {
    send: (to, message) => add('send', (out) => out.send(to, message)),
    setTimer: (timer, ticks, periodic) =>
      add('set-timer', (out) => out.setTimer(timer, ticks, periodic)),
    cancelTimer: (timer) => add('cancel-timer', (out) => out.cancelTimer(timer)),
    choose: (below) => add('choose', (out) => out.choose(below)),
    persist: (fields) => add('persist', (out) => out.persist(fields)),
    call: (operation) => add('call', (out) => out.call(operation)),
    elect: (leader, epoch) =>
      add(leader === self.rank ? 'elect' : 'step-down', (out) => out.elect(leader, epoch)),
    stepDown: () => add('step-down', (out) => out.stepDown()),
    accuse: (evidence) => add('accuse', (out) => out.accuse(evidence)),
    respond: (value) => add('respond', (out) => out.respond(value)),
  });
  return { state: copy, effects };
}

/** Whether the machine would lead no more after it. */
export function endsReign({ effects }: DryRun): boolean {
  return effects.some(({ type }) => type === 'step-down');
}
