/**
 * @module
 * What every machine around another needs: the collector of the inner one's step, some of whose effects
 * are taken over. Everything that is not taken over passes through, in order.
 */

import type { Effects, Message } from './machine.ts';

/** The collector of the inner machine's step, which does `taps` instead where they are given. */
export function intercepted(
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
