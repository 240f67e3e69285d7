/**
 * @module
 * The keys of an attacked election. It is watched with symbolic ones, which cost nothing; where it is small
 * it is watched once more with those of the identities that were mined, which sign and check for real. Both
 * must show the same.
 */

import type { HeldKey } from '../../adversary/keys.ts';
import { realKeys } from '../../adversary/keys.ts';
import { toRank } from '../../election/cast.ts';
import type { Rank } from '../../election/machine.ts';
import type { Sighting } from '../properties/sighting.ts';
import type { Stage } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';
import type { Member } from './population.ts';

/** What messages were signed with; none are below level L2. */
export type KeysUsed = 'none' | 'symbolic' | 'real';

/** A message is signed once and checked once or twice, which was measured to take 2 ms together. */
export const REAL_KEYS = { nodesMax: 16, messagesMax: 800 } as const;

/** Watches it with the keys of its members if it is small; answers which keys it was seen with in the end. */
export function watchWithRealKeys(
  run: {
    readonly stage: Stage;
    readonly members: readonly Member[];
    /** With symbolic ones. */
    readonly seen: Sighting;
  },
  keyOf: ((nodeId: Uint8Array) => HeldKey | null) | null,
): KeysUsed {
  const { stage, members, seen } = run;
  const { level } = stage.options;
  if (level !== 'L2' && level !== 'L3') return 'none';
  const { nodesMax, messagesMax } = REAL_KEYS;
  const isSmall = members.length <= nodesMax && seen.messages <= messagesMax;
  if (keyOf === null || !isSmall || seen.brokenOffAt !== null) return 'symbolic';
  const held = new Map<Rank, HeldKey>();
  for (const [index, { nodeId }] of members.entries()) {
    const key = keyOf(nodeId);
    if (key === null) return 'symbolic';
    held.set(toRank(index + 1), key);
  }
  const again = watchAttack(stage, realKeys(held));
  if (JSON.stringify(again) === JSON.stringify(seen)) return 'real';
  throw new TypeError('"keys" expected the same outcome from real and symbolic ones');
}
