/**
 * @module
 * The keys of an attacked election. It is watched with symbolic keys, which cost nothing. If it is small, it
 * is watched again with the mined keys, which sign and check really. Both must show the same.
 */

import type { HeldKey } from '../../adversary/keys.ts';
import { realKeys } from '../../adversary/keys.ts';
import type { Rank } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import type { PlainVerifier } from '../../identity/keys/scheme.ts';
import type { Sighting } from '../properties/sighting.ts';
import type { Stage } from '../staging/stage.ts';
import { watchAttack } from '../staging/watch.ts';
import type { Member } from './population.ts';

/** The keys that signed messages. Below level L2 there are none. */
export type KeysUsed = 'none' | 'symbolic' | 'real';

/** Limits of an election with real keys: a message is signed once and checked once or twice, in about 1 ms. */
export const REAL_KEYS = { nodesMax: 16, messagesMax: 800 } as const;

/** Watches an election with the keys of its members if it is small. Returns the keys that it was seen with. */
export function watchWithRealKeys(
  run: {
    readonly stage: Stage;
    readonly members: readonly Member[];
    /** With symbolic keys. */
    readonly seen: Sighting;
  },
  keyOf: ((nodeId: Uint8Array) => HeldKey | null) | null,
  plain?: PlainVerifier,
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
  const again = watchAttack(stage, realKeys(held, plain));
  if (JSON.stringify(again) === JSON.stringify(seen)) return 'real';
  throw new TypeError('"keys" expected the same outcome from real and symbolic ones');
}
