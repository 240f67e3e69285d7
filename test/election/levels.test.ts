/**
 * @module
 * No protocol notices its level of authentication as long as no node is Byzantine, and what a level adds to
 * messages stays small.
 */

import { describe, expect, it } from 'vitest';

import type { SealedMessage } from '../../src/election/authentication/authenticated.ts';
import { LEVELS } from '../../src/election/authentication/authenticated.ts';
import { candidatesIn } from '../../src/election/authentication/candidacies.ts';
import { PROTOCOL_NAMES } from '../../src/election/registry.ts';
import { toRank } from '../../src/election/world/cast.ts';
import { createSimulation } from '../../src/simulation/run/simulation.ts';
import { faultRun } from '../simulation/run/fault-runs.ts';

describe.each(PROTOCOL_NAMES)('%s without Byzantine nodes', (protocol) => {
  it('does the same at every level, and nothing is refused, with crashes and returns', () => {
    for (const number of [1, 8, 11]) {
      const options = faultRun(number, { protocol, heals: true });
      const ends = [undefined, ...LEVELS].map((level) => {
        const simulation = createSimulation({ ...options, level });
        simulation.start();
        simulation.advance({ until: 'idle' });
        if (level === 'L2' || level === 'L3') expectNothingRefused(simulation, number);
        return { nodes: simulation.nodes(), status: simulation.status() };
      });

      expect(ends, `run ${number}`).toEqual(ends.map(() => ends[0]));
    }
  });

  function expectNothingRefused(
    simulation: ReturnType<typeof createSimulation>,
    number: number,
  ): void {
    for (const { rank, up } of simulation.nodes()) {
      if (!up) continue;
      const counts = { sender: 0, malformed: 0, replay: 0, signature: 0, candidacy: 0 };
      expect(simulation.stateOf(rank), `run ${number}`).toMatchObject({ refused: counts });
    }
  }

  it('adds to a message a seal of a few bytes, and some for each candidate', () => {
    const options = {
      ...faultRun(1, { protocol, heals: true }),
      level: 'L3',
      trace: true,
    } as const;
    const simulation = createSimulation(options);
    simulation.start();
    simulation.advance({ until: 'idle' });
    const sends = simulation
      .records()
      .flatMap(({ effects }) => effects)
      .flatMap((effect): SealedMessage[] => (effect.type === 'send' ? [effect.message] : []));

    for (const { seal, ...body } of sends) {
      const candidates = candidatesIn(protocol, body, seal?.by ?? toRank(1)).map(String);
      const bytes = JSON.stringify({ seal }).length;

      expect(Object.keys(seal?.candidacies ?? {})).toEqual(candidates.toSorted());
      expect(bytes).toBeLessThanOrEqual(SEAL_BYTES_MAX + CANDIDACY_BYTES_MAX * candidates.length);
    }
  });
});

/** With symbolic signatures of 32 characters: names of members, a rank, a number of 2⁵³ at most. */
const SEAL_BYTES_MAX = 120;
const CANDIDACY_BYTES_MAX = 40;
