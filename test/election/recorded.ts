/**
 * @module
 * Steps of a machine by hand: who takes them, and their effects as data.
 */

import type { Effects, Message } from '../../src/election/machine.ts';
import { createCast, toRank } from '../../src/election/world/cast.ts';
import type { EffectRecord } from '../../src/election/world/effect-record.ts';
import { recordingEffects } from '../../src/election/world/effect-record.ts';

/** Node 2 of three. */
export const SELF = createCast({
  protocol: 'cr-join',
  timing: { latencyTicksMax: 1 },
  ring: [1, 2, 3],
  crashedBefore: [],
}).selfOf(2);

/** What `work` wrote to the collector, in order. Every message has the id 0. */
export function recorded(work: (effects: Effects<Message>) => void): EffectRecord[] {
  const effects: EffectRecord[] = [];
  work({
    ...recordingEffects(effects),
    call: (operation) => effects.push({ type: 'call', id: 0, to: toRank(4), operation }),
  });
  return effects;
}
