/**
 * @module
 * Partial connectivity (H. Howard and I. Abraham, Raft does not Guarantee Liveness in the face of
 * Network Faults, 2020): five servers, links 1-2, 1-3, 2-3, 4-2 and 5-3 alone, 3 leading when the
 * others fail. Servers 4 and 5 receive messages of at most one of two leaders, and depose the other.
 */

import { describe, expect, it } from 'vitest';

import type { Flags } from '../../../src/election/definition/flags.ts';
import { parseSeed } from '../../../src/random.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../schedules.ts';
import type { Reign } from './raft-runs.ts';
import { reignsOf } from './raft-runs.ts';

const CUT_AT = 100;
const UNTIL = 10_000;
const RUNS = 10;

describe('Raft with five of ten links', () => {
  it('changes its leader for ever when it is plain', () => {
    for (let seed = 1; seed <= RUNS; seed += 1) {
      const reigns = runPartitioned(seed, {});

      // Also in the last tenth, and no node leads for longer than a fifth.
      const last = reigns.filter(({ at }) => at > 0.9 * UNTIL);
      expect(last.length, `seed ${seed}`).toBeGreaterThan(1);
      expect(longestReign(reigns), `seed ${seed}`).toBeLessThan(UNTIL / 5);
    }
  });

  it.each<Flags>([{ preVote: 'on', checkQuorum: 'on' }, { preVote: 'on' }])(
    'keeps leader and term with %o',
    (flags) => {
      for (let seed = 1; seed <= RUNS; seed += 1) {
        const reigns = runPartitioned(seed, flags);

        expect(reigns, `seed ${seed}`).toEqual([{ leader: 3, term: 1, at: expect.any(Number) }]);
      }
    },
  );
});

/** Who led from the start on. */
function runPartitioned(number: number, flags: Flags): Reign[] {
  const cut = [
    [1, 4],
    [1, 5],
    [2, 5],
    [3, 4],
    [4, 5],
  ] as const;
  const simulation = createSimulation({
    protocol: 'raft',
    nodes: 5,
    seed: parseSeed(String(number)),
    flags,
    schedule: scheduleOf({
      ...{ type: 'partition', cut: { kind: 'links', links: cut } },
      ...{ from: CUT_AT, to: null },
    }),
    trace: true,
  });
  // The others have no time-out before they learn of 3, which leads first.
  simulation.start([3]);
  simulation.advance({ until: UNTIL });
  return reignsOf(simulation.records(), 5);
}

function longestReign(reigns: readonly Reign[]): number {
  const ends = [...reigns.slice(1).map(({ at }) => at), UNTIL];
  return Math.max(...reigns.map(({ at }, index) => (ends[index] ?? UNTIL) - at));
}
