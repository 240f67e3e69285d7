/**
 * @module
 * Which protocols treat all ranks alike. The worlds of an election that one node begins are counted for each node
 * (on a ring by rank). If a protocol compares ranks, the counts differ, and worlds that differ only in which node has
 * which rank must not be merged. Equal counts alone do not show that merging is sound.
 */

import { describe, expect, it } from 'vitest';

import { LEADER_ELECTED } from '../../../src/checking/properties/followers.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { checked } from '../checked.ts';
import { packedLevels } from '../drawn.ts';
import { instanceOf } from '../small-instances.ts';

const RANKS = [1, 2, 3];
const WORLDS_MAX = 1500;

/** They test ranks for equality only. */
const RANK_BLIND: readonly ProtocolName[] = [
  ...(['itai-rodeh', 'raft', 'quorum-lease', 'db-lease', 'lease-local'] as const),
  ...(['kubernetes-lease', 'redlock', 'zk-recipe'] as const),
];
/** It collects the ranks of all nodes, and only then takes the highest. */
const BLIND_UNTIL_THE_END: readonly ProtocolName[] = ['ring-lelann'];

/** The numbers of worlds of each whole level, if this node begins and one node may crash. */
function levelsOf(protocol: ProtocolName, rank: number, crash: number): string {
  const instance = instanceOf(protocol, 3, { initiators: [rank], bounds: { crash } });
  return packedLevels(instance, WORLDS_MAX).worlds.slice(0, -1).join();
}

function isAlike(protocol: ProtocolName): boolean {
  return [0, 1].every(
    (crash) => new Set(RANKS.map((rank) => levelsOf(protocol, rank, crash))).size === 1,
  );
}

describe('ranks', () => {
  it('are exchangeable only in protocols that never compare them', () => {
    expect(PROTOCOL_NAMES.filter(isAlike).toSorted()).toEqual(
      [...RANK_BLIND, ...BLIND_UNTIL_THE_END].toSorted(),
    );
  });

  it('of a protocol that compares them are not: who begins decides whether there is a leader', () => {
    const results = RANKS.map((rank) =>
      checked('hs-slide', 3, { initiators: [rank], properties: [LEADER_ELECTED] }),
    );

    // To merge the three instances would miss two violations, or report one that does not exist.
    expect(results.map(({ type }) => type)).toEqual(['violated', 'violated', 'exhausted']);
  });
});
