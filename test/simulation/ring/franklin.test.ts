/**
 * @module
 * Franklin's ring: messages as an independent count by rounds predicts, the published bound, the leader on
 * every ring of few nodes, and a trace that shows two rounds.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import { diagram } from '../../../src/simulation/report/trace-formats.ts';
import { simulateElection } from '../../../src/simulation/run/simulate.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

const SEED = parseSeed('1');

function elect(ring: readonly number[], seed = SEED) {
  const latency = { type: 'uniform', ticksMin: 1, ticksMax: 9 } as const;
  return simulateElection({ protocol: 'franklin', nodes: ring.length, ring, latency, seed });
}

/** Rounds of the paper on a ring of ranks: all that are higher than both active neighbours stay. */
function roundsOf(ring: readonly number[]): number {
  let active = [...ring];
  let rounds = 1;
  while (active.length > 1) {
    const at = (index: number) => active[(index + active.length) % active.length] ?? 0;
    active = active.filter((rank, index) => rank > at(index - 1) && rank > at(index + 1));
    rounds += 1;
  }
  return rounds;
}

function permutations(ranks: readonly number[]): readonly (readonly number[])[] {
  if (ranks.length <= 1) return [ranks];
  return ranks.flatMap((first) =>
    permutations(ranks.filter((rank) => rank !== first)).map((rest) => [first, ...rest]),
  );
}

describe('franklin', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'elects the highest of %i nodes on every ring, in 2n RANK a round',
    (nodes) => {
      const ranks = Array.from({ length: nodes }, (_, index) => index + 1);

      for (const ring of permutations(ranks)) {
        const { leader, agreed, messages } = elect(ring);

        expect({ leader, agreed }, `ring ${ring}`).toEqual({ leader: nodes, agreed: true });
        expect(messages, `ring ${ring}`).toMatchObject({
          RANK: 2 * nodes * roundsOf(ring),
          LEADER: nodes,
        });
      }
    },
  );

  it.each([16, 64, 256])(
    'keeps the bound of 2n(floor(lg n)+1) RANK on random rings of %i',
    (nodes) => {
      for (let number = 0; number < 20; number += 1) {
        const { messages, leader } = simulateElection({
          protocol: 'franklin',
          nodes,
          seed: parseSeed(String(number)),
        });

        expect(leader, `seed ${number}`).toBe(nodes);
        expect(messages.RANK, `seed ${number}`).toBeLessThanOrEqual(
          2 * nodes * (Math.floor(Math.log2(nodes)) + 1),
        );
      }
    },
  );

  it('shows in a trace how each round halves the active nodes', async () => {
    const simulation = createSimulation({
      ...{ protocol: 'franklin', nodes: 4, ring: [2, 4, 1, 3], seed: SEED, trace: true },
    });
    simulation.start();
    simulation.advance({ until: 'idle' });

    const see =
      'See how 2 and 1 give up when both RANKs of the first round are there (tick 1), how they relay those\nof the second round, after which 3 gives up, and how 4 receives its own RANK from both sides and leads.';
    const text = `${see}\n\n${diagram(simulation.plan, simulation.records())}`;

    await expect(text).toMatchFileSnapshot('../../golden/franklin.txt');
  });
});
