/**
 * @module
 * What theory expects of a race. Before the honest IDs are known, a forger of N attempts has the top ID with
 * probability E[K/(n+K)], K ~ Bin(N, 2^−c1). Against a known top ID each attempt wins with the same small p, so that
 * P(found by now) is 1 − (1−p)^attempts.
 */

import { hexToBytes } from '../../../src/bytes.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import type { RankRule } from '../../../src/identity/ids/rank-key.ts';
import { rankKeyOf } from '../../../src/identity/ids/rank-key.ts';
import { foundProbability } from '../../../src/mining/odds.ts';

/** Bits of the puzzle that cost work: the version byte of a Storj ID shows 8 of them for nothing. */
export function workBits(
  c1: number,
  { idRule, checks }: { readonly idRule: string; readonly checks: { readonly static: boolean } },
): number {
  if (!checks.static) return 0;
  return Math.max(0, idRule === 'storj' ? c1 - 8 : c1);
}

export interface RaceOdds {
  /** Valid IDs that the budget is expected to find. */
  readonly keys: number;
  /** P(the forger has the top ID), before the honest IDs are known. */
  readonly beforehand: number;
}

/** The odds of a race between `nodes` honest nodes and a forger of `attempts`. */
export function raceOdds(race: {
  readonly nodes: number;
  readonly bits: number;
  readonly attempts: number;
}): RaceOdds {
  const { nodes: honest, bits: difficultyBits, attempts } = race;
  return {
    keys: attempts * 2 ** -difficultyBits,
    beforehand: topProbability({ honest, attempts, difficultyBits }),
  };
}

export interface OddsAgainst {
  /** The probability p that one attempt finds a valid ID above the honest top. */
  readonly each: number;
  /** Attempts until that, on average: 1/p. */
  readonly expected: number;
  /** P(found within this number of attempts). */
  readonly within: (attempts: number) => number;
}

/** The odds against a top ID at this position of the ID space. */
export function oddsAgainst(topPosition: number, bits: number): OddsAgainst {
  const each = 2 ** -bits * (1 - topPosition);
  return {
    each,
    expected: 1 / each,
    within: (attempts) => foundProbability(each, attempts),
  };
}

/** Where a node ID is by rank: 0 is the lowest possible one, and nearly 1 the highest. */
export function positionOf(nodeId: string, rule: RankRule): number {
  const key = rankKeyOf(hexToBytes(nodeId), rule);
  return key.slice(0, 6).reduce((sum, byte, index) => sum + byte / 256 ** (index + 1), 0);
}
