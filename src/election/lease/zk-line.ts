/**
 * @module
 * The line of the znodes of ZooKeeper's recipe, in the order of their sequence numbers. Names do not
 * have that order, because they begin with guids.
 */

import type { Rank } from '../machine.ts';
import type { Znode } from './stores/coordination-store.ts';
import { sequenceOf } from './stores/coordination-store.ts';

/** The position of a znode. */
export interface QueuePosition {
  readonly sequence: number;
  /** The first in line and the next before this one. Null if it is the first itself. */
  readonly ahead: { readonly first: Znode; readonly next: Znode } | null;
}

/**
 * The position of the znode that `owner` created under `guid`. Null if there is none. The guid
 * distinguishes it from those of earlier sessions, the owner from one with the same random guid.
 */
export function positionInQueue(
  znodes: readonly Znode[],
  { owner, guid }: { readonly owner: Rank; readonly guid: string },
): QueuePosition | null {
  const own = znodes.find((each) => each.owner === owner && each.name.startsWith(`${guid}-`));
  if (own === undefined) return null;
  const sequence = sequenceOf(own.name);
  let ahead: QueuePosition['ahead'] = null;
  for (const znode of znodes) {
    const number = sequenceOf(znode.name);
    if (number >= sequence) continue;
    ahead ??= { first: znode, next: znode };
    if (number < sequenceOf(ahead.first.name)) ahead = { ...ahead, first: znode };
    if (number > sequenceOf(ahead.next.name)) ahead = { ...ahead, next: znode };
  }
  return { sequence, ahead };
}
