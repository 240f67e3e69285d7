/**
 * @module
 * Two leaders at L3 in the rings of Chang and Roberts whose nodes may stand twice. The highest node is
 * Byzantine: after the election it repeats its neighbour's PROBE, which it should have stopped, in its own
 * name, and the neighbour accepts it as its own PROBE after a full lap. In `cr-always` a node always stands;
 * in `cr-replace` a repeated lower PROBE makes it stand again first.
 *
 * This is no fault of authentication: the Byzantine node signs for itself, and the neighbour stands in this
 * election and has signed that. Only the nodes that pass a PROBE on attest that it has passed them, each for
 * itself, so that one Byzantine node is enough. `cr-join` is safe, since its nodes stand once.
 */

import { describe, expect, it } from 'vitest';

import type { ProtocolName } from '../../src/election/registry.ts';
import { parseSeed } from '../../src/random.ts';
import type { SimulationOptions } from '../../src/simulation/plan/plan.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { byzantineElection, faults, measuresAt, runUntil } from './staging/byzantine-runs.ts';

const TICKS = 400;
const BYZANTINE_RANK = 5;
/** What the Byzantine node waits for: another node falls silent for a while. */
const RETURN = faults(
  { type: 'crash', rank: 2, at: 8 },
  { type: 'restart', rank: 2, at: 20, amnesia: false },
);

function election(protocol: ProtocolName, seed: string, isHonest = false): SimulationOptions {
  const behaviours = isHonest ? [] : ['replay'];
  const more = { ...RETURN, seed: parseSeed(seed), level: 'L3' as const, nodes: 6, phantoms: [6] };
  return byzantineElection(protocol, [{ rank: BYZANTINE_RANK, behaviours }], more);
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

        expect(leaders.filter(({ rank }) => rank !== BYZANTINE_RANK).length).toBeLessThanOrEqual(1);
      }
    }
  });

  it('changes no leader if nodes stand once', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const simulation = runUntil(election('cr-join', String(seed)), TICKS);

      expect(measuresAt(simulation, TICKS).ticksSplit).toBe(0);
    }
  });
});
