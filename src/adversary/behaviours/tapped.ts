/**
 * @module
 * How behaviours stand around a machine: the collector of its steps, some of whose effects are taken
 * over, and the parts of a message. Everything that is not taken over passes through, in order.
 */

import type { Effects, Message } from '../../election/machine.ts';

/** The collector of the inner machine's step, which does `taps` instead where they are given. */
export function tapped(
  effects: Effects<Message>,
  taps: Partial<Effects<Message>>,
): Effects<Message> {
  return {
    send: (to, message) => effects.send(to, message),
    setTimer: (timer, ticks, periodic) => effects.setTimer(timer, ticks, periodic),
    cancelTimer: (timer) => effects.cancelTimer(timer),
    choose: (below) => effects.choose(below),
    persist: (fields) => effects.persist(fields),
    call: (operation) => effects.call(operation),
    elect: (leader, epoch) => effects.elect(leader, epoch),
    stepDown: () => effects.stepDown(),
    accuse: (evidence) => effects.accuse(evidence),
    respond: (value) => effects.respond(value),
    ...taps,
  };
}

/** Members of a message, which need not be what its type promises. */
export function fieldsOf(message: Message): Readonly<Record<string, unknown>> {
  return { ...message };
}

/** A member that is a whole number; else `otherwise`. */
export function numberIn(message: Message, name: string, otherwise = 0): number {
  const value = fieldsOf(message)[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
}
