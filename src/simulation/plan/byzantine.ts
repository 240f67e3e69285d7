/**
 * @module
 * Which places of an election are corrupted and how they behave, as data, and what can be wrong with it.
 */

import { PHANTOM_ID } from '../../adversary/behaviours/phantom-id.ts';
import { BEHAVIOUR_NAMES, findBehaviour } from '../../adversary/behaviours/registry.ts';
import type { Level } from '../../election/authenticated.ts';
import { LEVELS } from '../../election/authenticated.ts';
import type { ProtocolName } from '../../election/registry.ts';

/** A corrupted place. */
export interface Byzantine {
  readonly rank: number;
  /** By name; the first is put around the node's machine, each next around the one before. */
  readonly behaviours: readonly string[];
}

/** Of a run's options. */
interface Cheats {
  readonly level: Level | null;
  readonly byzantine: readonly Byzantine[];
  readonly phantoms: readonly number[];
}

/** What is wrong with Byzantine nodes or a level in an election, in words; null for nothing. */
export function byzantineFault(
  { level, byzantine, phantoms }: Cheats,
  { protocol, nodes }: { readonly protocol: ProtocolName; readonly nodes: number },
): string | null {
  if (level !== null && !LEVELS.includes(level)) return `level is one of ${LEVELS}`;
  const seen = new Set<number>();
  for (const { rank, behaviours } of byzantine) {
    if (!Number.isSafeInteger(rank) || rank < 1 || rank > nodes) {
      return `byzantine: rank is in 1..${nodes}, not ${rank}`;
    }
    if (seen.has(rank)) return `byzantine names rank ${rank} twice`;
    seen.add(rank);
    for (const name of behaviours) {
      const behaviour = findBehaviour(name);
      if (behaviour === null) {
        return `there is no behaviour ${JSON.stringify(name)}; there are ${BEHAVIOUR_NAMES.join(', ')}`;
      }
      const unsupportedReason = behaviour.unsupportedReason(protocol);
      if (unsupportedReason !== null)
        return `${name} does not fit ${protocol}: ${unsupportedReason}`;
      if (behaviour === PHANTOM_ID && !phantoms.includes(nodes)) {
        return `${name} names the highest rank, which nobody may hold: add ${nodes} to phantoms, or a node more that is one`;
      }
    }
  }
  return null;
}
