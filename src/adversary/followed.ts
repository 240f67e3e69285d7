/**
 * @module
 * The leaders that the honest live nodes of an election follow at one moment. The aims of an adversary are judged by
 * them, both in runs that are watched tick by tick and in the worlds of a check.
 */

import type { NodeView } from '../election/properties.ts';

/** The leaders of the honest live nodes. */
export interface Followed {
  /** Ranks of the live leaders, each once. */
  readonly live: readonly number[];
  /** The live leader that all of them follow. Null if there is none. */
  readonly agreed: number | null;
  /** Whether that leader also follows itself. */
  readonly isServing: boolean;
  /** Whether that leader is the adversary's. */
  readonly isUsurped: boolean;
}

/** The leaders that live nodes follow, without the nodes of the adversary. Its silent nodes count as dead. */
export function followedAmong(
  nodes: readonly NodeView[],
  adversary: ReadonlySet<number>,
  silent: ReadonlySet<number> = NONE,
): Followed {
  const isLive = (rank: number) => nodes[rank - 1]?.up === true && !silent.has(rank);
  const live = new Set<number>();
  let isAll = true;
  for (const { rank, up, leader } of nodes) {
    if (!up || adversary.has(rank)) continue;
    if (leader !== null && isLive(leader)) live.add(leader);
    else isAll = false;
  }
  const [first = 0] = live;
  const agreed = isAll && live.size === 1 ? first : null;
  return {
    live: [...live],
    agreed,
    isServing: agreed !== null && nodes[agreed - 1]?.leader === agreed,
    isUsurped: agreed !== null && adversary.has(agreed),
  };
}

/** Whether honest nodes follow different live leaders. */
export function isSplit({ live }: Followed): boolean {
  return live.length > 1;
}

/** The leader that all honest live nodes and itself follow. Null if there is none. */
export function servingLeader({ agreed, isServing }: Followed): number | null {
  return isServing ? agreed : null;
}

const NONE: ReadonlySet<number> = new Set();
