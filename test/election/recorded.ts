/**
 * @module
 * Steps of a machine by hand: who takes them, and their effects as data.
 */

import type { Effects, Message } from '../../src/election/machine.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';

/** Node 2 of three. */
export const SELF = createCast({
  protocol: 'cr-join',
  timing: { latencyTicksMax: 1 },
  ring: [1, 2, 3],
  crashedBefore: [],
}).selfOf(2);

/** What `work` wrote to the collector, in order; messages are all numbered 0. */
export function recorded(work: (effects: Effects<Message>) => void): EffectRecord[] {
  const effects: EffectRecord[] = [];
  work({
    send: (to, message) => effects.push({ type: 'send', id: 0, to, message }),
    setTimer: (timer, ticks, periodic) =>
      effects.push({ type: 'set-timer', timer, ticks, periodic }),
    cancelTimer: (timer) => effects.push({ type: 'cancel-timer', timer }),
    choose: (below) => effects.push({ type: 'choose', below }),
    persist: (fields) => effects.push({ type: 'persist', fields }),
    call: (operation) => effects.push({ type: 'call', id: 0, to: toRank(4), operation }),
    elect: (leader, epoch) => effects.push({ type: 'elect', leader, epoch }),
    stepDown: () => effects.push({ type: 'step-down' }),
    accuse: (evidence) => effects.push({ type: 'accuse', evidence }),
    respond: (value) => effects.push({ type: 'respond', value }),
  });
  return effects;
}
