/**
 * @module
 * Two leaders at L3 in the rings of Chang and Roberts whose nodes may stand twice. The highest node lies:
 * when the election is over it says its neighbour's PROBE again, in its own name, which it should have stopped,
 * and the neighbour takes it for its PROBE come home. In `cr-always` a node stands as long as it runs; in
 * `cr-replace` it is made to stand anew, by a lower PROBE that is said again before.
 *
 * This is no fault of authentication: the liar signs for itself, the neighbour does stand in this election
 * and has signed that, and no more is signed. That a PROBE has passed all others is said by nobody but those
 * who passed it on, each for itself, so that a single one that lets it pass is enough. `cr-join` is not
 * moved, since its nodes stand once.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../src/election/registry.ts';
import { parseSeed } from '../../src/random.ts';
import type { SimulationOptions } from '../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { byzantineElection, faults, measuresAt, runUntil } from './staging/byzantine-runs.ts';

const TICKS = 400;
const LIAR = 5;
/** What the liar speaks up after: somebody falls silent for a while. */
const RETURN = faults(
  { type: 'crash', rank: 2, at: 8 },
  { type: 'restart', rank: 2, at: 20, amnesia: false },
);

function election(protocol: ProtocolName, seed: string, isHonest = false): SimulationOptions {
  const behaviours = isHonest ? [] : ['replay'];
  const more = { ...RETURN, seed: parseSeed(seed), level: 'L3' as const, nodes: 6, phantoms: [6] };
  return byzantineElection(protocol, [{ rank: LIAR, behaviours }], more);
}

describe('a PROBE that the highest should have stopped', () => {
  it.each([
    ['cr-replace', '11'],
    ['cr-always', '11'],
  ] as const)(
    'gives %s two leaders under seed %s, though everything is signed',
    (protocol, seed) => {
      const lying = runUntil(election(protocol, seed), TICKS);
      const honest = runUntil(election(protocol, seed, true), TICKS);

      expect(measuresAt(lying, TICKS).ticksSplit).toBeGreaterThan(0);
      expect(measuresAt(honest, TICKS).ticksSplit).toBe(0);
    },
  );

  it.each(['cr-replace', 'cr-always'] as const)('leaves %s no two honest leaders', (protocol) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = createSimulation(election(protocol, String(seed)));

      simulation.start();
      for (let tick = 0; tick <= 120; tick += 1) {
        simulation.advance({ until: tick });
        const leaders = simulation.nodes().filter(({ rank, leader }) => leader === rank);

        expect(leaders.filter(({ rank }) => rank !== LIAR).length).toBeLessThanOrEqual(1);
      }
    }
  });

  it('moves nobody where nodes stand once', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = runUntil(election('cr-join', String(seed)), TICKS);

      expect(measuresAt(simulation, TICKS).ticksSplit).toBe(0);
    }
  });
});
