/**
 * @module
 * One node of a lease protocol, stepped by hand: node 2 of three, and what it does about each event.
 */

import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Event, Message } from '../../../src/election/machine.ts';
import type { EffectRecord } from '../../../src/election/world/effect-record.ts';
import { recorded, SELF } from '../recorded.ts';

export interface LeaseNode {
  step(event: Event<Message>): EffectRecord[];
  /** Starts it; it draws `drawn` as its first request number. */
  boot(drawn?: number): EffectRecord[];
  reply(value: Message): EffectRecord[];
  fire(timer: string): EffectRecord[];
}

export function nodeOf(machine: AnyMachine): LeaseNode {
  const state = machine.init(SELF);
  const step = (event: Event<Message>) =>
    recorded((effects) => machine.step(SELF, state, event, effects));
  return {
    step,
    boot: (drawn = 0) => [...step({ type: 'start' }), ...step({ type: 'chosen', value: drawn })],
    reply: (value) => step({ type: 'reply', value }),
    fire: (timer) => step({ type: 'timeout', timer }),
  };
}

export function calls(effects: readonly EffectRecord[]): Message[] {
  return effects.flatMap((effect) => (effect.type === 'call' ? [effect.operation] : []));
}

/** What it says of who leads. */
export function leadership(effects: readonly EffectRecord[]): string[] {
  return effects.flatMap((effect) => {
    if (effect.type === 'elect') return [`${effect.leader} in ${effect.epoch}`];
    return effect.type === 'step-down' ? ['none'] : [];
  });
}

/** The timers that are set, and for how long. */
export function timersSet(effects: readonly EffectRecord[]): Record<string, number> {
  return Object.fromEntries(
    effects.flatMap((effect) =>
      effect.type === 'set-timer' ? [[effect.timer, effect.ticks] as const] : [],
    ),
  );
}
