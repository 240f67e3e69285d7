/**
 * @module
 * What happens to the nodes of a run with many kills, drawn from a seed. In each round nodes are killed and started again
 * while messages are lost and partitions come and go. Then a calm follows: all are up and in reach.
 */

import type { Random, Seed } from '../../../src/random.ts';
import { createRandom } from '../../../src/random.ts';

export type Happening =
  | { readonly type: 'kill' | 'start'; readonly node: number }
  | { readonly type: 'isolate'; readonly node: number }
  | { readonly type: 'heal' }
  | { readonly type: 'lose'; readonly share: number };

export interface Timed {
  /** From the begin of the round. */
  readonly atMs: number;
  readonly happening: Happening;
}

/** One round, in the order of time. It ends with the last of them. */
export type Round = readonly Timed[];

export interface KillsPlan {
  readonly seed: Seed;
  readonly nodes: number;
  readonly rounds: number;
  readonly killsPerRound: number;
  readonly roundMs: number;
}

const LOSS_PERCENT_MAX = 20;
const DOWN_MS_MIN = 100;

export function drawnRounds({ seed, ...plan }: KillsPlan): readonly Round[] {
  return Array.from({ length: plan.rounds }, (_, index) =>
    drawnRound(createRandom(seed, 'kills', index), plan),
  );
}

function drawnRound(
  random: Random,
  { nodes, killsPerRound, roundMs }: Omit<KillsPlan, 'seed'>,
): Round {
  const everyMs = roundMs / killsPerRound;
  const share = random.below(LOSS_PERCENT_MAX + 1) / 100;
  const timed: Timed[] = [{ atMs: 0, happening: { type: 'lose', share } }];
  const backAt = new Map<number, number>();
  for (let kill = 0; kill < killsPerRound; kill += 1) {
    const atMs = kill * everyMs + random.below(everyMs / 2);
    const up = ranksUpTo(nodes).filter((node) => (backAt.get(node) ?? 0) <= atMs);
    const node = up[random.below(up.length)];
    if (node === undefined) continue;
    // So long that a majority is down at times, and never all.
    const backMs = atMs + DOWN_MS_MIN + random.below(everyMs);
    backAt.set(node, backMs);
    timed.push({ atMs, happening: { type: 'kill', node } });
    timed.push({ atMs: backMs, happening: { type: 'start', node } });
  }
  const cutMs = random.below(roundMs / 2);
  timed.push({ atMs: cutMs, happening: { type: 'isolate', node: 1 + random.below(nodes) } });
  const healMs = cutMs + random.below(roundMs / 2);
  timed.push({ atMs: healMs, happening: { type: 'heal' } });
  return timed.toSorted((one, other) => one.atMs - other.atMs);
}

function ranksUpTo(nodes: number): number[] {
  return Array.from({ length: nodes }, (_, index) => index + 1);
}
