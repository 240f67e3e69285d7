/**
 * @module
 * The base of every machine around another: a collector for the inner machine that replaces some of its
 * effects. All other effects pass through, in order.
 */

import type { Effects, Event, Message } from './machine.ts';

/** The reactions of a machine around another, by type of event. It passes all other types on. */
export type Reactions<Context> = {
  readonly [Type in Event<Message>['type']]?: (
    context: Context,
    event: Event<Message> & { readonly type: Type },
  ) => void;
};

/** Carries out the reaction to an event. Events without one are passed on. */
export function react<Context>(
  reactions: Reactions<Context>,
  passOn: (context: Context, event: Event<Message>) => void,
  context: Context,
  event: Event<Message>,
): void {
  // The compiler cannot relate the type of the event to that of its reaction.
  const reaction = reactions[event.type] as typeof passOn | undefined;
  (reaction ?? passOn)(context, event);
}

/** A collector for a step whose effects are not wanted. */
export const NO_EFFECTS: Effects<Message> = {
  send: () => undefined,
  setTimer: () => undefined,
  cancelTimer: () => undefined,
  choose: () => undefined,
  persist: () => undefined,
  call: () => undefined,
  elect: () => undefined,
  stepDown: () => undefined,
  accuse: () => undefined,
  respond: () => undefined,
};

/** The collector of the inner machine's step. `taps` replace the effects of the same names. */
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
